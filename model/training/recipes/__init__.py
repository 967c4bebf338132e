"""One file for each shipped model or family of models: its data, its loss, its measures and its
card. Read induction.py first: its data are drawn, and its model is attention alone.
"""
