# /gradients. Fields and conditions: app/experiments/gradients.py; facts:
# tests/app/words/gradients.py.
-answers = How large the gradients of a fresh stack are at its last layer and on the way down, by depth and placement of the norm
-one = 1
-ten = 10
-depth = 18
-of-last = |∂ℒ/∂W₂| of the last layer
-of-each = |∂ℒ/∂W₂| of each layer
-of-stream = |∂ℒ/∂x| after each layer

-found_by = gradient, vanishing gradient, exploding gradient, gradient flow, backpropagation, back-propagation, backprop, chain rule, derivative, gradient norm, gradient clipping, deep networks, Learning Deep Transformer Models
claim =
    { $stack ->
       *[decoder] In a deep { -post-ln } decoder the gradient vanishes on its way to the first layer
        [encoder] In a deep { -post-ln } encoder the gradient does not vanish
    }
look_for =
    { $shown ->
       *[other] { follow }
        [residual] { follow }
        [cosine] Right, all tokens point in the same direction where their mean cosine is { -one }. { alike }
    }
follow = Right, follow each line from the last layer, which the loss reads, down to the first. { fall }
fall =
    { $falling ->
       *[decoder_as_known] In a decoder the line of { -post-ln } falls by a factor of more than a hundred, and those of { -b2t } and { -pre-ln } do not fall by a factor of ten.
        [encoder_as_known] In an encoder no line falls by a factor of ten. Choose the decoder and compare.
        [decoder] Compare how far the lines of { -post-ln }, { -pre-ln } and { -b2t } fall.
        [encoder] Compare how far the lines fall, and choose the decoder.
    }
alike =
    { $alike ->
       *[yes] Under { -post-ln } they nearly do in the deepest stack, because each attention adds an average over tokens to every token.
        [no] Under { -post-ln } they do not nearly do so here, not even in the deepest stack.
    }
reading =
    { $shown ->
       *[other] In this { $layer_length }-layer { stack } the gradient of the weights at the first layer is { post } that at the last layer under { -post-ln }, and { pre } it under { -pre-ln }.
        [residual] In this { $layer_length }-layer { stack } the gradient of the stream at the first layer is { post } that at the last layer under { -post-ln }, and { pre } it under { -pre-ln }.
        [cosine] After { $depth_last } layers of the { stack }, the mean cosine between two tokens is { $token_cosine_post } under { -post-ln } and { $token_cosine_pre } under { -pre-ln }.
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
asks = The { -depth } layers of { stack_of_width } { norms } have just been initialised. How large is the gradient of the weights of the first layer, beside that of the last?
    .vanishes = Less than a tenth: it vanishes
    .keeps = The same within a factor of { -ten }
    .explodes = More than ten times as large: it explodes
    .encoder = an encoder
    .b2t = { -b2t } in a decoder
    .none = no norm in a decoder
last = The last layer’s gradient, by depth
    .description = { -of-last } of the { stack } by depth: { $placements }.
parameter = Gradient of the weights, layer by layer
    .description = { -of-each } of the { stack }: { $placements }.
residual = Gradient of the stream, layer by layer
    .description = { -of-stream } of the { stack }: { $placements }.
cosine = How alike the tokens are, by depth
    .description = mean cosine between two tokens of the { stack } by depth: { $placements }.
Gradients =
    .depths = The numbers of layers of the stacks whose gradients are measured.
    .d_model = How many channels the residual stream has, a multiple of 4.
    .seeds = How many times the experiment is repeated with other draws. The gradients of a deep Post-LN decoder differ by factors from one draw to the next, so 8 is the default here.
