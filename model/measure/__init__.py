"""Helpers of several clinics: initialised stacks, batched training, random sentences and timing.
Read initialised_stacks.py first.
"""
