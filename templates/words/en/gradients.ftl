# /gradients. Fields and conditions: app/experiments/gradients.py; facts:
# tests/app/words/gradients.py.
-answers = How large the gradients of a freshly initialized stack are at its last layer and on the way down, by depth and norm placement
-one = 1
-ten = 10
-depth = 18
-of-last = |∂ℒ/∂W₂| of the last layer
-of-each = |∂ℒ/∂W₂| of each layer
-of-stream = |∂ℒ/∂x| after each layer

question = Does the gradient reach the first layer?
-found_by = gradient, vanishing gradient, exploding gradient, gradient flow, backpropagation, back-propagation, backprop, chain rule, derivative, gradient norm, gradient clipping, deep networks, Learning Deep Transformer Models
claim =
    { $stack ->
       *[decoder] In deep { -post-ln } decoders, the gradient vanishes
        [encoder] In deep { -post-ln } encoders, the gradient does not vanish
    }
look_for =
    { $shown ->
       *[other] { follow }
        [residual] { follow }
        [cosine] On the right, the mean cosine is { -one } where all tokens point in the same direction. { alike }
    }
follow = On the right, follow each line from the last layer back to the first. { fall }
fall =
    { $falling ->
       *[decoder_as_known] In this decoder, the { -post-ln } line falls to less than a hundredth of its starting value; the { -b2t } and { -pre-ln } lines end above a tenth of theirs.
        [encoder_as_known] In this encoder, all lines end above a tenth of their starting values. Choose the decoder and compare.
        [decoder] Compare how far the lines of { -post-ln }, { -pre-ln } and { -b2t } fall.
        [encoder] Compare how far the lines fall, then choose the decoder.
    }
alike =
    { $alike ->
       *[yes] With { -post-ln }, they nearly do in the deepest stack, because each attention sub-layer adds an average over tokens to every token.
        [no] With { -post-ln }, the tokens are not close to this, even in the deepest stack.
    }
reading =
    { $shown ->
       *[other] In this { $layer_length }-layer { stack }, the first layer’s weight gradient is { post } the last layer’s with { -post-ln }; with { -pre-ln }, it is { pre } the last layer’s.
        [residual] In this { $layer_length }-layer { stack }, the residual stream’s gradient at the first layer is { post } its gradient at the last layer with { -post-ln }; with { -pre-ln }, it is { pre } its gradient at the last layer.
        [cosine] After { $depth_last } layers of the { stack }, the mean cosine between two tokens is { $token_cosine_post } with { -post-ln } and { $token_cosine_pre } with { -pre-ln }.
    }
post =
    { $post_beside ->
        [above] { $post_left } times
       *[below] { $post_left } of
    }
pre =
    { $pre_beside ->
        [above] { $pre_left } times
       *[below] { $pre_left } of
    }
asks = The { -depth } layers of { stack_of_width } { norms } have just been initialized. How large is the first layer’s weight gradient, compared with the last layer’s?
    .vanishes = Less than a tenth: it vanishes
    .keeps = The same, within a factor of { -ten }
    .explodes = More than ten times as large: it explodes
    .encoder = an encoder
    .b2t = { -b2t } in a decoder
    .none = no norm in a decoder
last = The last layer’s gradient, by depth
    .description = { -of-last } of the { stack } by depth: { $placements }.
parameter = Weight gradient, layer by layer
    .description = { -of-each } of the { stack }: { $placements }.
residual = Gradient of the residual stream, layer by layer
    .description = { -of-stream } of the { stack }: { $placements }.
cosine = How similar the tokens are, by depth
    .description = Mean cosine between two tokens of the { stack } by depth: { $placements }.
Gradients =
    .depths = The depths, in layers, at which to measure gradients.
    .d_model = The width of the residual stream, a multiple of 4.
    .seeds = How many times to repeat the experiment with new random weights. The default is 8, because the gradients of a deep Post-LN decoder differ by factors.
