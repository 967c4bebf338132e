"""Words: what a page says about an answer, computed from the state of its controls and from what
was found. `captions` fills in the texts of experiments, `verdicts` says whether a claim holds,
`terms` explains the terms of the field in what pages and answers say, and each word about a run has
a file.

The web process reads the general claims here, so no file of this package imports torch or Plotly.
"""
