"""Inputs: a text, an image, a scene or a row of a table becomes tokens with labels. Read text.py
first; tokenizers.py lists every tokenizer.
"""
