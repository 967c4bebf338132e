"""Analytic: what masks and schemes of positions are by their formulas, without a run and without
weights.
"""
