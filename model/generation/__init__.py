"""Generation: how a network continues a text, token by token. Read decoding.py first; sampling
filters, beam search, and segment recurrence build on it.
"""
