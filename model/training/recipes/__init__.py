"""One file for each included model or family of models: its data, loss, measures, and card. Read
induction.py first: its data are sampled, and its model is attention-only.
"""
