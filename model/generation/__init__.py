"""Generation: how a model continues a text, token after token. Read decoding.py first; sampling
filters, beam search and segment recurrence build on it, and strategies.py is what a question
chooses from.
"""
