"""Measures of trained models and the baselines they are compared with. Read translation.py
first.
"""
