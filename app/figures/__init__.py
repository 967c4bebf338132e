"""Figures: an answer becomes Plotly figures. `marks` say what an experiment draws of it, and
`build` makes the figure; there is a file for each other word that has any, which lists them in
FIGURES.

`theme` has the colours and sizes, `text` says how tokens and numbers are written, `grammar` has the
parts that figures are made of, and `drawing` makes the figures of an answer. They run in the
worker, beside the analyses.
"""
