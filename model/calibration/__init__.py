"""Calibration: how like its training an input is, and how often a model is right at which
confidence. Read record.py first.
"""
