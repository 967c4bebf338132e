"""Figures: an answer becomes Plotly figures. `marks` say what an experiment draws of it, and
`build` makes the figure; what is no such chart is drawn by a function, in the file of its word. An
experiment names both, so that the web process reads these files too and none imports torch.

A figure is made of `panels`, a panel of its `axis_scales`, `traces` and `annotations`, and of small
maps a `mosaic`; `theme` has the colours and sizes. `render` makes the figures of an answer. They
run in the worker, beside the analyses.
"""
