"""Interpretability: what a run or the weights of a model show, as tensors and small records. Read
stream/residual.py first.
"""
