# /images.
-found_by = vision transformer, ViT, An Image is Worth 16x16 Words, Dosovitskiy, picture, patch embedding, pixels, digit classification, computer vision, class token, CNN, handwriting
-answers = An image in patches: where each token looks, what [CLS] says at each point of its stream, and both at another resolution
Images =
    .query = The token whose weights are sent. 0 is [CLS], and the patches follow row by row.
    .grid = How many patches the image has to a side. If this is not the model's own number, the image is resampled and the positions are interpolated.
    .window = Local attention: a patch sees the patches that are at most this many rows and columns away, and [CLS]. If it is left out, all patches see all others.
    .block = How many patches to a side a query block has. All patches of a block see the same patches.
ImagesFigures =
    .layer = The layer, counted from 0, whose head is drawn large. If it is left out, it is the last.
    .head = The head, counted from 0, that is drawn large. If it is left out, it is the first.
ImagesAnswer =
    .grid = How many patches the image has to a side.
    .own_grid = How many patches an image had to a side in training.
    .window = The window of local attention; null where all patches see all others.
    .visible = How many pairs of a query and a key the mask allows.
