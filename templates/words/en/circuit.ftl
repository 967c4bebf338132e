# /circuit.
-found_by = OV circuit, QK circuit, copying head, composition of heads, mechanistic interpretability, reverse engineering, weights of a head, what a head writes
