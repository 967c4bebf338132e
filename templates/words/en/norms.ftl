# /norms. Fields and conditions: app/experiments/norms.py; facts: tests/app/words/norms.py.
-found_by = layer norm, LayerNorm, layer normalisation, LN, normalisation, batch normalisation, RMSNorm, add and norm, Pre-LN, Post-LN, pre-norm, post-norm, norm first, before or after, final norm, placement of the norm, Xiong, Ba, instance norm, On Layer Normalization in the Transformer Architecture
-answers = How long the vectors of the stream become with depth, by placement and kind of the norm, and what a norm lets leak between tokens and samples
-post = Post-LN
-pre = Pre-LN
-admin = Admin
-b2t = B2T
-branch = x + LN(f)
-layer-norm = LayerNorm
-lemma = Lemma 2
-one = 1
-zero = 0

claim = { -post } fixes the length of a token’s vector, { -pre } lets it grow
look_for =
    { $shown ->
        [singular] Right, each singular value says how much the norm stretches a small change of a token in one direction. Times σ it is { -one }, except for { lost }
        [leak] Right, each number says how much a token changes when what stands elsewhere is drawn anew. { -layer-norm } reads one token alone, so its row is { -zero }. BatchNorm and InstanceNorm also average over other samples or other positions.
       *[other] { streams }
    }
streams =
    { $growth ->
       *[level] Left, the lines of { -post }, { -admin } and { -b2t } lie flat on one another at √d, because each of their sub-layers ends with a norm. { -pre } and { -branch } grow about like the root of the depth.
        [fades] Each shortcut multiplies the stream by λ = { $shortcut }, so under { -pre } what a sub-layer wrote fades exponentially: n shortcuts later it is λⁿ times as large. { -post }, { -admin } and { -b2t } stay flat, because they end with a norm.
        [grows] Each shortcut multiplies the stream by λ = { $shortcut }, so under { -pre } what a sub-layer wrote grows exponentially: n shortcuts later it is λⁿ times as large. { -post }, { -admin } and { -b2t } stay flat, because they end with a norm.
        [free] Left, without a norm nothing keeps the length: after the last sub-layer a vector is { $times } times as long as after the first. Choose another placement, and compare how long its vectors are.
    }
lost =
    { $centred ->
       *[yes] two directions that are lost: along the vector, and all channels alike.
        [no] one direction that is lost, the one along the vector.
    }
reading =
    { $stack ->
       *[encoder] { $normed ->
           *[yes] Under { $placement_name }
            [no] Without a norm
        } a token’s vector { ends }
        [decoder] In a decoder { $normed ->
           *[yes] under { $placement_name }
            [no] without a norm
        } a token’s vector { ends }
    }
ends =
    { $ending ->
        [kept] keeps its length of { $stream_first } over { $sublayer_length } sub-layers.
       *[longer] { longer }.
        [root] { longer }, about like the square root of the depth.
        [power] { longer }, about like the depth to the power { $stream_exponent }.
    }
longer = is { $times } times as long after the last sub-layer as at first
asks =
    { $normed ->
       *[yes] { $depth } sub-layers of { stack } with { $placement_name } add to one stream, which is multiplied by λ = { $shortcut } before each. The norm is { $norm_name }. { asks.question }
        [no] { $depth } sub-layers of { stack } without norms add to one stream, which is multiplied by λ = { $shortcut } before each. { asks.question }
    }
    .question = How long is a token’s vector after the last sub-layer, beside its length after the first?
    .half = Half as long or shorter
    .neither = Neither half as long nor twice as long
    .twice = Twice as long or longer
    .post = { -post }
    .shortcut = λ = { $shortcut }
    .none = no norm
    .reason = Last length over first, lowest and highest: { $lowest } and { $highest }, { seeds }.
stack =
    { $stack ->
       *[encoder] an encoder of width { $d_model }
        [decoder] a decoder of width { $d_model }
    }
stream = How long a token’s vector is
    .description =
    { $bounds ->
       *[yes] Length of a token's vector by depth: { $placements }, with the bounds of { -lemma }.
        [no] Length of a token's vector by depth: { $placements }.
    }
path = What the shortcuts alone let through
    .description = Length after n shortcuts, as a share of the input's: λ = { $scales }.
singular = The Jacobian of one norm
    .description = Singular values of the norm's Jacobian times σ: { $near_one } are near { -one }, the others near { -zero }.
leak = What leaks into a token
    .description = How much a token changes when what stands elsewhere does.
Norms =
    .norm = Which norm it is: { EITHER($names) }.
    .depth = How many sub-layers the stack has.
    .d_model = How many channels the residual stream has, a multiple of 4.
    .shortcut = The number λ by which every shortcut multiplies the stream.
