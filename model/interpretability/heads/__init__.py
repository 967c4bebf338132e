"""Heads: which role each has, and what it costs to turn it off. Read roles.py first."""
