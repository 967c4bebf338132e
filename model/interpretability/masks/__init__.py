"""Mask interventions: the same input with more keys masked."""
