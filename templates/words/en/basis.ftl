# /basis. Fields and conditions: app/experiments/basis.py; facts: tests/app/words/basis.py.
-answers = How far the logits change when the residual stream is rotated, together with every matrix that reads or writes it
-nothing = 0°
-half-turn = 180°
-quarter-turn = 90°
-ones = 1, 1, …, 1

-found_by = privileged basis, rotation of the residual stream, rotate, meaning of a channel, basis-free
claim =
    { $turned ->
       *[moves] No channel of the residual stream is special
        [stays] A rotation by { -nothing } is none, and changes no logit
        [opposite] A rotation by { -half-turn } turns every x into −x, and changes no logit
        [seen]
            { $folded ->
                [True] One direction of the residual stream is special: LayerNorm singles it out
               *[False] Every channel of the residual stream is special: each gain belongs to one
            }
    }
look_for =
    { $shown ->
        [hidden] Each point on the right is one logit, before and after the hidden units of the feed-forward are rotated by random rotations. The points leave the diagonal, because ReLU acts on each unit alone.
        [logits] Each point on the right is one logit, before the rotation (across) and after it (up). On the diagonal, the two are equal. Move the angle, and compare the points with the diagonal.
       *[other] { turned }
    }
turned =
    { $turned ->
       *[moves] On the left each row is the vector of one token, with a colour for each channel. On the right are the probabilities of the next token. Move the angle: every channel changes, and no probability does. { then }
        [stays] An angle of { -nothing } rotates nothing. Move the angle, and watch the two figures.
        [opposite] At { -half-turn } every vector x becomes −x. A norm turns −x into −norm(x), so nothing that is read from the stream changes. Choose { -quarter-turn }, and compare.
        [seen] Move the angle: the channels on the left change, and now the probabilities on the right change as well. { remedy } Then the probabilities stand still.
    }
then =
    { $rotation ->
       *[any] Then choose LayerNorm, and the probabilities move too.
        [fixing-ones] Then choose LayerNorm and any rotation, and the probabilities move too.
    }
remedy =
    { $folded ->
        [True] Choose the rotation that keeps the direction { -ones }.
       *[False] Fold the gains into the matrices after the norms, with RMSNorm.
    }
reading =
    { $shown ->
        [hidden] A rotation of the hidden units changes a logit by up to { $hidden_rotation }; another order of them changes none.
        [logits] { rotated }
       *[other] { rotated }
    }
rotated =
    { $logits ->
        [rounded] { moved } no logit by more than rounding does.
       *[changed] { moved } a logit by up to { $logit_change }.
    }
moved = The rotation by { $angle }° moves the stream by { $stream_change } times its length and changes
asks = Every vector of the stream of a network with { asks.norm } is turned by the same rotation of { $angle }°{ asks.kept } and every matrix that writes to the stream or reads from it is turned to match. The gains of the norms are { asks.folded } into the matrices. Do the logits of the next token change?
    .norm =
        { $norm ->
            [layer] LayerNorm
           *[rms] RMSNorm
        }
    .kept =
        { $rotation ->
           *[any] { "" }
            [fixing-ones] , which leaves the vector of ones as it is,
        }
    .folded =
        { $folded ->
           *[True] folded
            [False] not folded
        }
    .no = No, by rounding at most
    .yes = Yes
    .layer = LayerNorm
    .ones = LayerNorm, and the vector of ones kept
    .gains = gains not folded
strip = The stream after the rotation
    .description = The stream rotated by { $angle } degrees, { $position_length } tokens.
probabilities = The next token
    .description = Probabilities before and after the rotation; the largest change is { $farthest_probabilities }.
stream = The stream, rotated
    .description = Each channel after against before; the largest change is { $farthest_stream }.
logits = The logits, stream rotated
    .description = Each logit after against before; the largest change is { $farthest_logits }.
hidden = The logits, hidden units rotated
    .description = Each logit after against before; the largest change is { $farthest_hidden_logits }.
Basis =
    .norm = The norm of the network: `layer` subtracts the mean, and `rms` does not.
    .folded = Whether each norm's gain is moved into the matrices that read it.
    .rotation = `any` rotation, or one that leaves the vector of ones as it is.
    .angle = By how many degrees the stream is rotated, in planes at right angles to each other.
