"""Losses of encoder-decoder and prefix models (teacher forcing) and of DETR (set prediction). Read
teacher_forcing.py first.
"""
