# /positions.
-found_by = positional encoding, positional embedding, position embedding, sinusoidal, sine, sin, cosine, cos, wave, frequency, RoPE, RoFormer, rotary, ALiBi, relative position, word order, order of tokens, permutation equivariance, bag of words, distance, extrapolation to longer sequences, Shaw
