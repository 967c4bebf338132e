"""Interpretability: what a run or a model's weights reveal, as tensors and small records. Read
stream/residual.py first.
"""
