# /norms.
-found_by = layer norm, LayerNorm, layer normalisation, LN, normalisation, batch normalisation, RMSNorm, add and norm, Pre-LN, Post-LN, pre-norm, post-norm, norm first, before or after, final norm, placement of the norm, Xiong, Ba, instance norm, On Layer Normalization in the Transformer Architecture
