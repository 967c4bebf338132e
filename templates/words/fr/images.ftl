# /images.
-found_by = Transformer de vision, vision transformer, ViT, An Image is Worth 16x16 Words, Dosovitskiy, image, images, plongement de patches, patch, pixels, classification de chiffres, reconnaissance de chiffres, vision par ordinateur, token de classe, CNN, écriture manuscrite, MNIST
