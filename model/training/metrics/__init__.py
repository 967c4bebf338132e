"""Measures of trained models and the baselines that they are compared with. Read translation.py
first.
"""
