"""Arrangement: how a run reads its input: the order of its tokens, their positions, and padding
around them. Read arrangement.py first.
"""
