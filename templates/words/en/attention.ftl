# /attention.
-found_by = self-attention, cross-attention, encoder-decoder attention, attention map, attention matrix, attention weights, heatmap, first token, query key value, Q K V, QKV matrices, W_Q W_K W_V, memory keys values, rows sum to one, alignment, soft lookup, dictionary lookup, where a head looks
