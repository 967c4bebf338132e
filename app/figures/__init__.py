"""Figures: turns an answer into Plotly figures. `marks` describe what an experiment plots, and
`build` makes the figure; other figures are functions in the file of their word. An experiment
refers to both, so the web process imports these files too, and none of them imports torch.

A `plot` is a figure of panels; a panel consists of its `axis_scales` and `traces`, and a `mosaic`
of small maps; `theme` has the colors and sizes. `app.worker.figures` makes the figures of an
answer, in the worker, next to the analyses.
"""
