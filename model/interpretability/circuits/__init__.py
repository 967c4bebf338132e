"""Circuits: products of the weights of attention, without norms. Read qk_ov.py first."""
