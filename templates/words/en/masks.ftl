# /masks.
-found_by = attention mask, causal mask, look-ahead mask, subsequent mask, triangular mask, tril, masked attention, minus infinity, -inf, masked_fill, before the softmax, padding mask, information leak, see the future, sparse attention, sliding window, local attention, bidirectional, combine masks, both masks
