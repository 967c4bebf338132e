"""How an input becomes a run, by family and kind of input."""
