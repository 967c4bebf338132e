# /basis. Fields and conditions: app/experiments/basis.py; facts: tests/app/words/basis.py.
-answers = How much the logits change when the residual stream is rotated together with every matrix that is connected to it
-nothing = 0°
-half-turn = 180°
-quarter-turn = 90°
-ones = (1, 1, …, 1)

question = Is any channel of the residual stream special?
-found_by = privileged basis, rotation of the residual stream, rotate, meaning of a channel, basis-free
claim =
    { $turned ->
       *[moves] The architecture makes no channel special
        [stays] A rotation by { -nothing } changes nothing
        [opposite] Flipping every vector’s sign changes no logit
        [seen]
            { $folded ->
                [True] LayerNorm makes one direction of the residual stream special
               *[False] Gains make every channel of the residual stream special
            }
    }
look_for =
    { $shown ->
        [hidden] On the right, each point is one logit before and after the feed-forward network’s hidden units are rotated at random. The points leave the diagonal, because ReLU acts on each unit alone.
        [logits] On the right, each point is one logit before and after the rotation. On the diagonal, the two are equal. Change the angle and compare.
       *[other] { turned }
    }
turned =
    { $turned ->
       *[moves] On the left, each row is one token’s vector. When you change the angle, every channel changes, but no probability does. { holds }
        [stays] At { -nothing }, nothing is rotated. Change the angle and watch both figures.
        [opposite] At { -half-turn }, every vector x becomes −x, and norm(x) becomes −norm(x). The connected matrices change sign, too, so no logit changes. Compare with { -quarter-turn }.
        [seen] When you change the angle, the channels on the left change, and so do the probabilities on the right. { remedy }
    }
holds =
    { $norm ->
       *[rms] This holds for RMSNorm once its gains are multiplied (“folded”) into the next matrix.
        [layer] With LayerNorm, this holds because the gains are folded and the rotation preserves the direction { -ones }.
    }
remedy =
    { $folded ->
        [True] If you choose the rotation that preserves the direction { -ones }, the probabilities stop changing.
       *[False] If you choose folded gains and RMSNorm, the probabilities stop changing.
    }
reading =
    { $shown ->
        [hidden] Rotating the hidden units changes a logit by up to { $hidden_rotation }; reordering them changes none.
        [logits] { rotated }
       *[other] { rotated }
    }
rotated =
    { $logits ->
        [rounded] { moved }, yet changes no logit by more than rounding error.
       *[changed] { moved } and changes the logits by up to { $logit_change }.
    }
moved = A rotation by { $angle }° moves the residual stream by { $stream_change } times its length
asks = A network uses { asks.norm } with gains { asks.folded }. Every vector of the residual stream is rotated by { $angle }°{ asks.kept }, and every connected matrix is rotated to match. Do the next token’s logits change?
    .norm =
        { $norm ->
            [layer] LayerNorm
           *[rms] RMSNorm
        }
    .kept =
        { $rotation ->
           *[any] { "" }
            [fixing-ones] , keeping the direction { -ones }
        }
    .folded =
        { $folded ->
           *[True] folded into the next matrices
            [False] not folded into the next matrices
        }
    .no = No, only by rounding error
    .yes = Yes
    .layer = LayerNorm
    .ones = LayerNorm, direction { -ones } preserved
    .gains = gains not folded
strip = The residual stream after rotation
    .description = The residual stream rotated by { $angle } degrees, { $position_length } tokens.
probabilities = Next-token probabilities, before and after rotation
    .description = Probabilities before and after the rotation; the largest change is { $farthest_probabilities }.
stream = The rotated residual stream
    .description = Each channel after rotation versus before; the largest change is { $farthest_stream }.
logits = Logits with rotated stream
    .description = Each logit after rotation versus before; the largest change is { $farthest_logits }.
hidden = Logits with rotated hidden units
    .description = Each logit after rotation versus before; the largest change is { $farthest_hidden_logits }.
Basis =
    .norm = The network’s norm: `layer` subtracts the mean, `rms` does not.
    .folded = Whether each norm’s gain is folded into the next matrices.
    .rotation = `any` rotation, or one that leaves the vector of ones unchanged.
    .angle = The rotation angle in degrees, in mutually orthogonal planes.
