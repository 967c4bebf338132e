# /pixels.
-found_by = Image Transformer, image generation, generate images, write images, autoregressive image model, raster order, bits per pixel, bits per dimension, image completion, inpainting, Parmar
