"""Inputs: a text, an image, a scene or a row of a table becomes tokens with labels. Read text.py
first. kinds.py has one row for each kind of input, sizes.py the sizes of each kind, and
tokenizers.py every tokenizer.
"""
