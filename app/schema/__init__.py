"""What a word of the API is declared with: the fields of its question, their bounds, and the types
of its answer. It imports no torch, no Plotly and no FastAPI.
"""
