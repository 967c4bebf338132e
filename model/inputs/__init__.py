"""Inputs: text, images, scenes, and table rows as labeled tokens. Read text.py first. sizes.py has
the sizes of each kind of input, and tokenizers.py lists every tokenizer.
"""
