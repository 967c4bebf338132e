"""Circuits: products of attention weight matrices, without norms. Read qk_ov.py first."""
