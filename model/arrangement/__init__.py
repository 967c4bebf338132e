"""Arrangement: how a run reads its input: in which order its tokens, which positions they are told,
and which pads stand around them. Read arrangement.py first.
"""
