# /pixels. Fields and conditions: app/experiments/pixels.py; facts: tests/app/words/pixels.py.
question = Do neighboring pixels help to predict a pixel?
-found_by = Image Transformer, image generation, generate images, write images, autoregressive image model, raster order, bits per pixel, bits per dimension, image completion, inpainting, Parmar
-answers = Digits that Image Transformers generate pixel by pixel: what a pixel sees and depends on, and its bits with local and full attention and two baselines
-image = 8 × 8 pixels
-thirteen = 13
-window = block of 13 pixels
-without = each pixel is predicted without the others
-margin = 0.05 bits

claim = The model learns how pixels depend on each other
look_for =
    { $sides ->
       *[both] { left } { right }
        [left] { left }
        [right] { right }
    }
left =
    { $left ->
       *[samples] The network generates digits pixel by pixel, from top left to bottom right.
        [completed] The first image is held out. The others begin with the same rows; the network generated the rest.
        [image] The uncolored frame marks one pixel. To generate it, the network could attend to the digit and the pixels in colored frames. Click another pixel.
    }
right =
    { $right ->
       *[bits] The bars show the average cost −log₂ p of a held-out pixel, where p is the probability predicted for its true gray value. The lower the cost, the better the prediction.
        [by_pixel] The maps show which pixels are hard to predict: those that a stroke may or may not cross.
        [next] The bars are the probabilities of this pixel’s gray values.
        [looks] The maps show which pixels each head attends to; pixels hidden by the mask are empty cells.
        [influence] The map shows how strongly each earlier pixel changes this pixel’s probability. Two layers reach beyond one window, but not beyond two.
    }
reading =
    { $shown ->
        [influence] { depends }
        [looks] { depends }
        [next] { written }
       *[other] On average, a pixel of a held-out image costs { $bits_block } bits when each layer attends to a { -window }, but { $bits_independent } bits when { -without }.
    }
depends = The pixel in { place } can attend to { seen }; { moving } it.
moving =
    { $moving_count ->
        [one] { $moving_count } influences
       *[other] { $moving_count } influence
    }
place = row { $row }, column { $column }
seen =
    { $seen_count ->
        [one] { $seen_count } pixel
       *[other] { $seen_count } pixels
    }
written = The network chose gray value { $written } (probability { $chance }).
asks = Digits of { -image } are predicted pixel by pixel in two ways: { ways } Which needs fewer bits per held-out pixel?
    .first = The first, by { -margin } or more
    .neither = Neither: they differ by less than { -margin }
    .second = The second, by { -margin } or more
    .all = a block or all pixels
    .line = a line or frequencies
ways =
    { $network ->
        [line] first, by a network that sees the last { -thirteen } pixels; second, by how often each gray value occurs at that position.
       *[block] first, by a network that sees the { -thirteen } neighboring pixels above and to the left; second, by one that sees the last { -thirteen } pixels.
        [all] first, by a network that sees a { -window }; second, by one that sees all earlier pixels.
    }
samples = Generated digits
    .description = { $images } digits, generated pixel by pixel: { $seed_length } of each.
image = One image, pixel by pixel
    .description = A { $digit }; the pixel in { place } was generated from { seen } and the digit.
completed = A held-out digit, completed
    .description = A held-out { $digit }, and { $seed_length } that begin with its first { rows }.
rows =
    { $given_count ->
        [one] { $given_count } row
       *[other] { $given_count } rows
    }
bits = Cost of a held-out pixel
    .description = Bits per pixel: { $costs }.
by_pixel = Which pixels are hard to predict
    .description = Bits of a held-out pixel at each position, by model.
next = The next pixel
    .description = { written }
looks = What each head attends to
    .description = Weights of every head before the pixel in { place } is generated.
influence = What the pixel depends on
    .description =
    { $moving_count ->
        [one] { $moving_count } pixel influences the one in { place }.
       *[other] { $moving_count } pixels influence the one in { place }.
    }
Pixels =
    .network = What the network sees before it generates a pixel: the last 13 pixels in raster order (`line`), 13 pixels in a block that reaches 2 rows up and 2 columns to each side (`block`), or `all` generated so far.
    .digit = The digit to generate; a held-out image of it is known.
    .given = Number of rows of the held-out image that are given.
    .temperature = The number that divides the logits. At 0 the most probable gray value is taken.
    .pixel = The pixel that is explained, counted row by row from 0.
PixelsAnswer =
    .written = The gray value of the pixel that is explained.
    .uniform = log2 of the number of gray values: bits without a model.
    .images = Number of held-out images behind the bits.
