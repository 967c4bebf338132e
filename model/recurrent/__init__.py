"""Recurrent networks, the ancestors of the Transformer: their cells, Bahdanau's attention, and the
encoder-decoder that is made of them.
"""
