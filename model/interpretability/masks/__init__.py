"""Masks: the same input, read by attention that sees less."""
