"""Heads: the role of each, and the cost of turning it off. Read roles.py first."""
