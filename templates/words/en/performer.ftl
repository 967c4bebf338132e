# /performer. Fields and conditions: app/experiments/performer.py; facts:
# tests/app/words/performer.py.
question = How many random features does attention need?
-found_by = linear attention, efficient Transformer, Performers, Rethinking Attention with Performers, FAVOR, kernel, random features, Choromanski, long sequences, approximate softmax, Efficient Transformers: A Survey
-answers = The error of attention with random features, and its cost
-error = error
-vectors = vectors
-multiplications = multiplications
-norm-one = norm 1
-norm-two = norm 2

claim = Longer vectors need more random features
look_for =
    { $shown ->
       *[error] { left } { errors } The dashed line is the error, at the chosen norm, of a map with equal weights.
        [operations] { left } On the right, attention’s { -multiplications } grow with the square of the sequence length; the Performer’s are proportional to it.
        [time] { left } On the right is the time that one head just took on this machine.
        [other] { left }
    }
left =
    { $scale ->
       *[within] { left.maps }
        [beyond] { left.maps } Of the estimated weights, { $share_beyond } lie outside this scale (the farthest is { $farthest }); they are shown in the color of the nearer end of the scale.
    }
    .maps = The Performer approximates attention with random features; its method is called FAVOR+. On the left, the exact attention map and its estimate from random features are drawn on the color scale of the exact map.
errors =
    { $ordered ->
       *[yes] On the right, the { -error } falls as features are added; it is larger for longer { -vectors }.
        [no] On the right, compare the error for short and long vectors as you add features.
    }
reading = With queries and keys of norm { $norm }, the attention map estimated from { map } has a relative error of { $wrong }. To estimate a single e^(q · k) equally well, you need { $more } times as many independent { independent } at { -norm-two } as at { -norm-one }.
independent =
    { $in_waves ->
       *[no] features
        [yes] projections
    }
map =
    { $in_waves ->
       *[no] { features }
        [yes] { $waves } random features (a sine and a cosine for each projection)
    }
features =
    { $features_count ->
        [one] { $features_count } random feature
       *[other] { $features_count } random features
    }
asks = The attention map of { $length } queries and keys of norm { $norm_asked } is estimated from { random-features }{ apart } How large is its error, compared with the error of a map with equal weights?
    .half = Less than half as large
    .equal = Between half as large and equally large
    .larger = Larger
    .features = { features }
    .norm = norm { $norm_asked }
    .both = norm { $norm_asked }, { features }
random-features =
    { $features_count ->
        [one] { $features_count } { $kernel } random feature
       *[other] { $features_count } { $kernel } random features
    }
apart =
    { $at_right_angles ->
       *[no] .
        [yes] , orthogonal to each other.
    }
maps = Exact and estimated attention maps
    .description = Attention of { $query_length } queries over { $key_length } keys: exact, and by random features.
error = Error by number of features
    .description = Error of the estimated map against the number of features, for each norm.
operations = Multiplications by length
    .description = Multiplications against sequence length.
time = Time by length
    .description = Seconds, measured on this machine, against sequence length.
Performer =
    .features = Number m of random projections.
    .length = Number of queries, and of keys.
    .norm = Norm of each query and key after division by d^(1/4).
    .orthogonal = Whether the projections are orthogonal, in blocks of d.
    .kernel = The random features that estimate exp(x · y).
    .seeds = Number of runs with other random numbers. A few large features make the error vary by factors between runs, so the default is 16.
