"""Interpretability: pure functions of a run or of weights. Read residual_stream.py first."""
