"""Recurrent networks, the predecessors of the Transformer: their cells, Bahdanau's attention, and
the encoder-decoder made of them; and the networks of /recurrence, evaluated in reversal.py and
trained in train.py.
"""
