"""Activations: axes, formulas, operands, derivation steps, and the catalog of all recorded tensors
of a model. Each tensor is described in layers/, after the equation that computes it.
"""
