"""The declarations of the API's words: the fields of their questions, the bounds, and the types of
their answers. This package imports no torch, no Plotly, and no FastAPI.
"""

SEEDS = (4, 8, 16)
"""The numbers of seeds offered on the page of a clinic. Defined here so that importing it does not
load the fields.
"""
