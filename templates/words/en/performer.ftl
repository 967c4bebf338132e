# /performer. Fields and conditions: app/experiments/performer.py; facts:
# tests/app/words/performer.py.
-found_by = linear attention, efficient Transformer, Performers, Rethinking Attention with Performers, FAVOR, kernel, random features, Choromanski, long sequences, approximate softmax, Efficient Transformers: A Survey
-answers = How far attention with random features is from exact attention, and what it costs
-error = error
-vectors = vectors
-multiplications = multiplications
-estimated = estimated
-price = The price
-norm-one = norm 1
-norm-two = norm 2

claim = The longer the vectors, the more random features attention needs
look_for =
    { $shown ->
       *[error] { left } { errors }
        [operations] { left } On the right, attention’s { -multiplications } grow with the square of the length, those of the Performer in proportion to it.
        [time] { left } On the right are the seconds that one head took on this machine just now.
        [other] { left }
    }
left =
    { $scale ->
       *[open] { left.maps }
        [within] { left.maps } Every { -estimated } weight is on this scale.
        [beyond] { left.maps } { $share_beyond } of the estimated weights are off this scale, the farthest at { $farthest }; they have its last colour.
    }
    .maps = On the left is the exact attention map and beside it the map that random features estimate: each row is a query, each column a key. Both have the colours of the exact map, so equal colours are equal weights.
errors =
    { $ordered ->
       *[yes] On the right the { -error } falls as features are added, and it is larger for long { -vectors }.
        [no] On the right, compare the error of short and of long vectors as features are added.
    }
reading = At norm { $norm }, a map of { map } misses the exact map by { $wrong } of its length. For one product e^(q · k), the same relative error takes { $more } times as many independent projections at { -norm-two } as at { -norm-one }.
map =
    { $in_waves ->
       *[no] { features }
        [yes] { $waves } features, a sine and a cosine for each projection,
    }
features =
    { $features_count ->
        [one] { $features_count } feature
       *[other] { $features_count } features
    }
asks = The attention map of { $length } queries and keys, whose norm is { $norm_asked }, is estimated from { random-features }{ apart } How large is the error of this map, beside the error of a map in which all weights are equal?
    .half = Less than half as large
    .equal = Half as large to as large
    .larger = Larger than that
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
        [yes] { " " }at right angles to each other.
    }
maps = Exact and estimated, queries by keys
    .description = Attention of { $query_length } queries over { $key_length } keys: exact, and by random features.
error = { -price }
    .description = Error of the estimated map against the number of features, for each norm.
operations = { -price }
    .description = Multiplications against the length of the sequence.
time = { -price }
    .description = Seconds, measured on this machine against the length of the sequence.
Performer =
    .features = How many random projections m there are.
    .length = How many queries there are, and as many keys.
    .norm = The length of each query and key after it is divided by d^(1/4).
    .orthogonal = Whether the projections stand at right angles to each other, in blocks of d.
    .kernel = Which random features estimate exp(x · y).
    .seeds = How many times the experiment is repeated with other draws. A few large features make the error differ by factors from one draw to the next, so 16 is the default here.
