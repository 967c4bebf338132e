"""Inputs: a text, an image, a scene or a row of a table becomes tokens with labels. Read text.py
first. sizes.py has the sizes of each kind of input, and tokenizers.py every tokenizer.
"""
