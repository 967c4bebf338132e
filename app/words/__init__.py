"""Words of clinics: what a page says about an answer, computed from the state of its controls and
from what was found. There is a file for each clinic, and `verdicts` has what they share. `terms`
explains the terms of the field in what pages and answers say.

The web process reads the general claims here, so no file of this package imports torch or Plotly.
"""
