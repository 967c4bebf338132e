"""Recurrent networks, the ancestors of the Transformer: their cells, Bahdanau's attention, and the
encoder-decoder that is made of them; and the networks of /recurrence, which reversal.py tries and
train.py trains.
"""
