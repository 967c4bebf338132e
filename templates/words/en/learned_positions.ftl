# /learned-positions.
-found_by = learned positional embedding, trainable position, absolute position, maximum length, interpolation of positions, context length, context window
