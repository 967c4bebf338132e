"""Activations: what the explanations of all recorded tensors share: axes, formula, operands, the
steps of a derivation, and the catalogue of every tensor of a model. The explanation of one tensor
stands in layers/, behind the equation that computes it.
"""
