"""Patching: numbers of a run are replaced or turned off, to see what they cause. Read
activations.py first.
"""
