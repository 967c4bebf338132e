# /scores. Fields and conditions: app/experiments/scores.py; facts: tests/app/words/scores.py.
-answers = Attention weights from six score functions, how far each depends on the keys, and hard, soft, local and global attention
-zero = 0
-dot = dot
-scaled_dot = scaled
-soft = soft
-hard = hard
-location = the location score
-Location = The location score
-bars = { $functions } bars
-functions = { $functions } functions
-weight = weight
-weights = weights
-key = key
-value = value
-error = error
-law = 1/√N
-spaced-law = 1 / √N

question = Which score functions depend on the keys?
-found_by = score function, alignment function, additive attention, multiplicative attention, Bahdanau, Luong, general score, concat score, cosine similarity, hard attention, soft attention, similarity of query and key, content-based
claim =
    { $sharpness ->
       *[none] { $Content } of { $functions } score functions depend on the keys
        [one] At temperature { $temperature }, { $sharp } sometimes has no gradient
        [many] At temperature { $temperature }, { $sharp } sometimes have no gradient
        [frozen] At temperature { -zero }, no weight has a gradient
    }
look_for =
    { $shown ->
        [choices] { look_for.choices }
        [looked_up] On the right are the weights, the values and their product: each row of the product is a weighted sum of the values. At temperature { -zero }, it is a copy of one value.
        [draws] Each sample is one key, picked at random with the soft weights as probabilities. The mean of N samples approaches the soft weights along the dotted line { -law }: a hundred times as many samples cut the error to a tenth.
       *[other] { look_for.bars }
    }
    .choices =
        { $heat ->
           *[warm] Attention can be soft or hard and, independently, global or local. A local window hides keys, but soft { -weights } stay soft inside it. The number above each map is the norm of the gradient of its weights with respect to the keys.
            [cold] At temperature { -zero }, soft attention is hard: each row gives all its { -weight } to one key, and no { -weight } moves when a key changes a little. Raise T to compare soft and hard attention.
        }
    .bars =
        { $heat ->
           *[warm] The bars on the right show how far the weights move when a key changes. { look_for.seen } because it scores positions, not keys.
            [cold] All { -bars } on the right are missing: each query gives all its { -weight } to its best key, and a small change to a { -key } does not change which one that is.
        }
    .seen =
        { $bars ->
           *[all] { $Content } functions have a bar, but { -location } has none,
            [fewer] Where a bar is too short to see, read the number above it. { -Location } has no bar,
        }
reading =
    { $shown ->
        [choices] The gradient of the weights with respect to the keys has norm { $largest_soft } with { -soft } attention and { $largest_hard } with { -hard } attention.
        [looked_up] Query { -zero } gives { $share } of its weight to key { $best }, whose { -value } makes up the same fraction of the result.
        [draws] The mean of { $draws_last } hard samples differs from the soft weights by { $sampling_error_last }; the { -error } falls like the number of samples to the power { $sampling_slope }.
       *[other] { reading.moving }
    }
    .moving =
        { $moving ->
           *[some] The gradient of the weights with respect to the keys has norm { $largest_dot } for the { -dot } product and { $largest_scaled_dot } for the { -scaled_dot } dot product.
            [none] The gradient of the weights with respect to the keys is { -zero } for all { -functions }.
        }
asks = { $Functions } functions score { keys } of { components }: { $names }. The temperature is { $temperature }; at temperature { -zero }, the best key gets all the weight. You change one key slightly. For how many of the { $functions } functions do the weights change?
    .zero = None
    .content = { $Content }
    .every = All { $functions }
    .cold = T = { $temperature }
    .sharp = T = { $temperature }, { components }
keys =
    { $keys_count ->
        [one] { $keys_count } key
       *[other] { $keys_count } keys
    }
patterns = Score functions on the same queries and keys
    .description = Weights of { $every }: rows are queries.
reach = How far the weights move when a key changes
choices = Hard or soft, local or global
looked_up = Weights times values give the output
    .description = Weights of the scaled dot product, values of the keys, and weighted sums of the values.
draws = Averages of hard samples approach the soft weights
    .description = Error of the mean of hard samples against their number, with the theory { -spaced-law }.
Scores =
    .d_head = Number of components of a query and of a key.
    .keys = Number of keys, and of queries.
    .temperature = The number that divides the scores. At 0 the best key takes all the weight.
ScoresAnswer =
    .formulas = The formula of each score function, in TeX.
