# /norms. Fields and conditions: app/experiments/norms.py; facts: tests/app/words/norms.py.
question = How does norm placement affect vector lengths?
-found_by = layer norm, LayerNorm, layer normalisation, LN, normalisation, batch normalisation, RMSNorm, add and norm, Pre-LN, Post-LN, pre-norm, post-norm, norm first, before or after, final norm, placement of the norm, Xiong, Ba, instance norm, On Layer Normalization in the Transformer Architecture
-answers = Length of the residual stream's vectors by depth, norm placement and kind of norm, and what leaks between tokens and samples through a norm
-post = Post-LN
-pre = Pre-LN
-admin = Admin
-b2t = B2T
-branch = x + LN(f)
-layer-norm = LayerNorm
-lemma = Lemma 2
-one = 1
-zero = 0

claim = { -post } keeps vector lengths constant; { -pre } lets them grow
look_for =
    { $shown ->
        [singular] On the right, each singular value is how much the norm stretches a small change of a token in one direction. Multiplied by σ, the norm’s divisor, it is { -one }, except for { lost }
        [leak] On the right, each number is the largest change of a token when other samples or positions are replaced at random. { -layer-norm } uses the token alone, so its row is { -zero }. BatchNorm and InstanceNorm also average over other samples or other positions.
       *[other] { streams }
    }
streams =
    { $growth ->
       *[level] On the left, the lines of { -post }, { -admin } and { -b2t } coincide at √d (with d channels), because each of the three ends its sub-layers with a norm. The lines of { -pre } and { -branch } grow roughly like the square root of depth.
        [fades] Each residual connection multiplies the residual stream by λ = { $shortcut }. With { -pre }, a sub-layer’s contribution fades exponentially: after n further connections it is λⁿ times as large. { -post }, { -admin } and { -b2t } stay flat, because each of the three ends its sub-layers with a norm.
        [grows] Each residual connection multiplies the residual stream by λ = { $shortcut }. With { -pre }, a sub-layer’s contribution grows exponentially: after n further connections it is λⁿ times as large. { -post }, { -admin } and { -b2t } stay flat, because each of the three ends its sub-layers with a norm.
        [free] On the left, no norm fixes the length of a vector: the last vector is { $times } times as long as the first. Choose another placement to compare.
    }
lost =
    { $centred ->
       *[yes] two directions that are lost: along the vector, and along all channels equally.
        [no] one direction that is lost: along the vector.
    }
reading =
    { $stack ->
       *[encoder] { $normed ->
           *[yes] With { $placement_name },
            [no] Without a norm,
        } a token’s vector { ends }
        [decoder] In a decoder { $normed ->
           *[yes] with { $placement_name },
            [no] without a norm,
        } a token’s vector { ends }
    }
ends =
    { $ending ->
        [kept] keeps its length of { $stream_first } over { $sublayer_length } sub-layers.
       *[longer] { longer }.
        [root] { longer }. After n sub-layers, its length is roughly proportional to √(n + { -one }).
        [power] { longer }. After n sub-layers, its length is roughly proportional to n + { -one } to the power { $stream_exponent }.
    }
longer = is { $times } times as long after { $sublayer_length } sub-layers as after the first
asks =
    { $normed ->
       *[yes] { $depth } sub-layers of { stack_of_width } with { $placement_name } add to one residual stream, which is multiplied by λ = { $shortcut } before each. The norm is { $norm_name }. { asks.question }
        [no] { $depth } sub-layers of { stack_of_width } without norms add to one residual stream, which is multiplied by λ = { $shortcut } before each. { asks.question }
    }
    .question = How long is a token’s vector after the last sub-layer, compared with after the first?
    .half = At most half as long
    .neither = Between half and twice as long
    .twice = At least twice as long
    .post = { -post }
    .shortcut = λ = { $shortcut }
    .none = no norm
    .reason = Last length divided by the first: { $lowest } to { $highest } ({ seeds }).
stream = Length of a token’s vector by depth
    .description =
    { $bounds ->
       *[yes] Length of a token’s vector by depth: { $placements }, with the bounds of { -lemma }.
        [no] Length of a token’s vector by depth: { $placements }.
    }
path = Length through residual connections alone
    .description = Length after n residual connections, relative to the input: λ = { $scales }.
singular = Jacobian of one norm
    .description = Singular values of the norm’s Jacobian times σ: { $near_one } are near { -one }, the others near { -zero }.
leak = What leaks into a token
    .description = How much a token changes when something elsewhere does.
Norms =
    .norm = The norm: { EITHER($names) }.
    .depth = Number of sub-layers in the stack.
    .d_model = Width of the residual stream, a multiple of 4.
    .shortcut = The factor λ of every residual connection.
