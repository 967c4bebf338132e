"""Helpers shared by clinics: initialized stacks, batched training, random sentences, and timing.
Read initialised_stacks.py first.
"""
