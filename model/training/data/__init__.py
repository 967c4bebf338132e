"""Training data: sentence pairs, single words, misspellings, and scenes. Read sentence_pairs.py
first.
"""
