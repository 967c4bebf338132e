"""Figures: an answer becomes Plotly figures. There is a file for each word of the API that has any.

Each file lists its figures in FIGURES, by name. `theme` has the colours and sizes, `text` says how
tokens and numbers are written, `grammar` has the parts that figures are made of, and `drawing`
makes the figures of an answer. They run in the worker, beside the analyses.
"""
