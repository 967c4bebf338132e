"""How a model writes: decoding, sampling, beam search."""
