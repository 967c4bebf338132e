"""Image Transformers: decoders that generate handwritten digits pixel by pixel, with and without
local attention (Parmar et al. 2018). train.py trains them; /pixels shows them.
"""
