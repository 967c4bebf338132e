# /scores. Fields and conditions: app/experiments/scores.py; facts: tests/app/words/scores.py.
-answers = The weights that six score functions give the same keys, how far each depends on the keys, and hard and soft, local and global attention
-zero = 0
-dot = dot
-scaled_dot = scaled
-soft = soft
-hard = hard
-location = location
-Location = Location
-bars = { $functions } bars
-functions = { $functions } functions
-weight = weight
-weights = weights
-key = key
-value = value
-error = error
-law = 1/√n
-spaced-law = 1 / √n

-found_by = score function, alignment function, additive attention, multiplicative attention, Bahdanau, Luong, general score, concat score, cosine similarity, hard attention, soft attention, similarity of query and key, content-based
claim =
    { $sharpness ->
       *[none] { $Content } of { $functions } score functions read the keys, and location does not
        [one] At temperature { $temperature } the softmax is so sharp that in some draws { $sharp } has no gradient left
        [many] At temperature { $temperature } the softmax is so sharp that in some draws { $sharp } have no gradient left
        [frozen] At temperature { -zero } no weight moves with any key
    }
look_for =
    { $shown ->
        [choices] { look_for.choices }
        [looked_up] In the right figure, each row of the last map is the sum of the rows of the middle map, each multiplied by its weight in the first map. At temperature { -zero } a row has one weight, so it is a copy of one value.
        [draws] Each draw chooses one key at random, with the soft weights as probabilities. The mean of n draws comes nearer to the soft weights along the dotted line { -law }: with a hundred times as many draws the error is a tenth.
       *[other] { look_for.bars }
    }
    .choices =
        { $heat ->
           *[warm] Soft or hard is one choice, global or local is another. A window leaves keys out, and the { -weights } inside it stay soft. The number over each map says how far its weights move when a key changes.
            [cold] At temperature { -zero } soft attention is hard: each row gives all its { -weight } to one key, and no { -weight } moves when a key changes a little. Raise T, and compare the soft maps with the hard ones.
        }
    .bars =
        { $heat ->
           *[warm] The bars on the right say how far the weights move when a key changes. { look_for.seen } because it scores a place and not the key in this place. Lower T: the weight in each row on the left gathers on one key. Raise T: it spreads.
            [cold] All { -bars } are missing on the right: each query gives all its { -weight } to its best key, and a small change of a { -key } does not change which one is best. Each row on the left has one cell.
        }
    .seen =
        { $bars ->
           *[all] { $Content } bars stand there; { -location } has none,
            [fewer] The number over each tells those that are too low to be seen. { -Location } has none,
        }
reading =
    { $shown ->
        [choices] The gradient of the weights with respect to the keys is { $largest_soft } for { -soft } attention and { $largest_hard } for { -hard } attention.
        [looked_up] Query { -zero } gives { $share } of its weight to key { $best }; the { -value } of this key has the same share in what the query looks up.
        [draws] The mean of { $draws_last } hard draws is { $sampling_error_last } from the soft weights; the { -error } falls with the number of draws to the power { $sampling_slope }.
       *[other] { reading.moving }
    }
    .moving =
        { $moving ->
           *[some] The gradient of the weights with respect to the keys is { $largest_dot } for the { -dot } product and { $largest_scaled_dot } for the { -scaled_dot } one.
            [none] The gradient of the weights with respect to the keys is { -zero } for all { -functions }.
        }
asks = { $Functions } functions score { keys } of { components }: { $names }. The scores are divided by a temperature of { $temperature }, and at { -zero } the best key takes all the weight. You change one key a little. Under how many of the { $functions } do the weights move?
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
patterns = The same queries, the same keys
    .description = Weights of { $every }: rows are queries.
reach = How far the weights move when a key changes
choices = Hard or soft, local or global
looked_up = What is looked up: weights times values
    .description = The weights of scaled dot, the values of the keys, and the weighted sums of the values.
draws = How the mean of hard draws nears the soft weights
    .description = Error of the mean of hard draws against their number, beside its law { -spaced-law }.
Scores =
    .d_head = How many components a query and a key have.
    .keys = How many keys there are, and as many queries.
    .temperature = The number that the scores are divided by. At 0 the best key takes all the weight.
ScoresAnswer =
    .formulas = The formula of each score function, in TeX.
