# /pixels. Fields and conditions: app/experiments/pixels.py; facts: tests/app/words/pixels.py.
-found_by = Image Transformer, image generation, generate images, write images, autoregressive image model, raster order, bits per pixel, bits per dimension, image completion, inpainting, Parmar
-answers = Digits that Image Transformers write pixel by pixel: what a pixel sees and depends on, and its bits with local attention, with full attention and in two baselines
-image = 8 × 8 pixels
-thirteen = 13
-window = block of 13 pixels
-without = alone
-margin = 0.05 bits

claim = A network that writes an image pixel by pixel learns what pixels tell of each other
look_for =
    { $sides ->
       *[both] { left } { right }
        [left] { left }
        [right] { right }
    }
left =
    { $left ->
       *[samples] Each row has ten digits, and every pixel of them follows what the network says after the pixels before it.
        [completed] The first image is held out. The others begin with the same rows, and the network wrote the rest of them.
        [image] The frame without colour marks one pixel. Before it was written, the network could look at the digit and at the pixels in the coloured frames. Click another pixel.
    }
right =
    { $right ->
       *[bits] A bar is what a pixel of a held-out image costs. A lower bar is a better model of images.
        [by_pixel] A map shows which pixels cost most: those where strokes may be or not.
        [next] The bars are the probabilities of the grey values of this pixel.
        [looks] The maps show which pixels each head looked at; the empty ones are hidden.
        [influence] The map shows how strongly each earlier pixel changes the probability of this one. Two layers reach beyond the window of one, and no farther.
    }
reading =
    { $shown ->
        [influence] { depends }
        [looks] { depends }
        [next] { written }
       *[other] A held-out pixel costs { $bits_block } bits with a { -window }, and { $bits_independent } where pixels are { -without }.
    }
depends = The pixel in { place } may look at { seen }, and { moving } an influence on it.
moving =
    { $moving_count ->
        [one] { $moving_count } has
       *[other] { $moving_count } have
    }
place = row { $row }, column { $column }
seen =
    { $seen_count ->
        [one] { $seen_count } pixel
       *[other] { $seen_count } pixels
    }
written = Grey value { $written } was written, with probability { $chance }.
asks = Digits of { -image } are predicted one pixel after the other, from the top left to the bottom right: { ways } Which needs fewer bits for a pixel of a held-out image?
    .first = The first, by { -margin } or more
    .neither = Neither by { -margin }
    .second = The second, by { -margin } or more
    .all = a block or all pixels
    .line = a line or counts
ways =
    { $network ->
        [line] first by a network that may look at the last { -thirteen } pixels, then by counts of the grey values at each place.
       *[block] first by a network that may look at the { -thirteen } pixels around it, above and to the left, then by one that may look at the last { -thirteen } pixels.
        [all] first by a network that may look at a { -window } around it, then by one that may look at all pixels before it.
    }
samples = Ten digits, written
    .description = { $images } digits, written pixel by pixel: { $seed_length } of each.
image = One image, pixel by pixel
    .description = A { $digit }; the pixel in { place } was written from { seen } and the digit.
completed = A held-out digit, completed
    .description = A held-out { $digit }, and { $seed_length } that begin with its first { rows }.
rows =
    { $given_count ->
        [one] { $given_count } row
       *[other] { $given_count } rows
    }
bits = What a held-out pixel costs
    .description = Bits a pixel: { $costs }.
by_pixel = Where the bits are
    .description = Bits that a held-out pixel costs at each place, by model.
next = The next pixel
    .description = { written }
looks = Where each head looks
    .description = Weights of every head before the pixel in { place } is written.
influence = What the pixel depends on
    .description =
    { $moving_count ->
        [one] { $moving_count } pixel has an influence on the one in { place }.
       *[other] { $moving_count } pixels have an influence on the one in { place }.
    }
Pixels =
    .network = What the network sees before it writes a pixel: the last 13 pixels in the order of writing (`line`), the 13 that lie at most 2 rows above and 2 columns beside (`block`), or `all` that it has written.
    .digit = The digit that is written, of which a held-out image is known.
    .given = How many rows of the held-out image are given.
    .temperature = The number that the logits are divided by. At 0 the most probable grey value is taken.
    .pixel = The pixel that is explained, counted row by row from 0.
PixelsAnswer =
    .written = The grey value of the pixel that is explained.
    .uniform = log2 of the number of grey values: bits without a model.
    .images = How many held-out images the bits are those of.
