"""What a word of the API is declared with: the fields of its question, their bounds, and the types
of its answer. It imports no torch, no Plotly and no FastAPI.
"""

SEEDS = (4, 8, 16)
"""How many seeds the page of a clinic offers. It stands here, where no field is read with it."""
