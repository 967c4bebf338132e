# /images.
-found_by = vision transformer, ViT, An Image is Worth 16x16 Words, Dosovitskiy, picture, patch embedding, pixels, digit classification, computer vision, class token, CNN, handwriting
-answers = An image in patches: what each token attends to, what [CLS] predicts at each point of its residual stream, and both at other resolutions
Images =
    .query = The token whose weights are returned. 0 is [CLS]; the patches follow row by row.
    .grid = The number of patches per side. If it differs from the model’s own, the image is resampled and the positions are interpolated.
    .window = Local attention: a patch attends only to [CLS] and to patches at most this many rows and columns away. By default, to all.
    .block = The number of patches per side of a query block; all patches of a block attend to the same patches.
ImagesFigures =
    .layer = The layer, counted from 0, of the head that is drawn large. By default, the last.
    .head = The head, counted from 0, that is drawn large. By default, the first.
ImagesAnswer =
    .grid = The number of patches per side.
    .own_grid = The number of patches per side in training.
    .window = The window of local attention; null for full attention.
    .visible = How many query-key pairs the mask allows.
