"""Everything that is said of an activation: axes, formula, operands and derivation. A file has the
name of the file in layers/ that computes what it describes.
"""
