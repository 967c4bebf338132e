"""Activations: the axes, formula, operands and derivation of every recorded tensor. A file has the
name of the file in layers/ that computes the activations it describes.
"""
