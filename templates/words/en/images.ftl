# /images.
-found_by = vision transformer, ViT, An Image is Worth 16x16 Words, Dosovitskiy, picture, patch embedding, pixels, digit classification, computer vision, class token, CNN, handwriting
