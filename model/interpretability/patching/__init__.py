"""Patching: activations of a run are replaced or turned off, to see their effects. Read
activations.py first.
"""
