# /padding.
-found_by = padding, pad token, key_padding_mask, attn_mask, boolean mask, True or False, keep or drop, batch of sentences, variable length, nn.MultiheadAttention, scaled_dot_product_attention, attention_mask
