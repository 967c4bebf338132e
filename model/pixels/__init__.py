"""Image Transformers: decoders that write handwritten digits pixel by pixel, with local attention
and without (Parmar et al. 2018). train.py trains them; /pixels shows them.
"""
