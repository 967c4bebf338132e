"""Calibration: how similar an input is to the training data, and the model's accuracy at each
confidence. Read record.py first.
"""
