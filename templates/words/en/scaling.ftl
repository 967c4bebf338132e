# /scaling. Fields and conditions: app/experiments/scaling.py; facts: tests/app/words/scaling.py.
-answers = The variance of q · k, and the entropy and gradient of the softmax, with and without the division by √d_head
-key = key 1
-Key = Key 1
-keys = keys
-upper = upper
-lower = lower
-unscaled = unscaled
-scaled = scaled
-score = score

-found_by = square root, sqrt, root of d_k, divide by root, scale factor, scaled dot product, dot product attention, softmax, softmax saturation, variance of the dot product, logits too large, exponential
claim = Without division by { -root }, one key takes nearly all the weight
look_for =
    { $weights ->
       *[wide] The { -upper } bars are the softmax weights of the scores q·k, the { -lower } bars those of the scores divided by { -root }. The { -keys } are random, so none deserves more weight than another. Lower dₖ: the { -upper } bars become more equal, and the { -lower } bars stay about as equal as they are.
        [narrow] With few components the scores are small, so the division by { -root } changes little. Raise dₖ: one { -upper } bar takes nearly all the weight, and the { -lower } bars stay about as equal as they are.
        [correlated] { -Key } is correlated with the query. Its { -score } grows like dₖ, the others only like { -root }, so { -key } takes nearly all the weight when dₖ is large, even after the division by { -root }.
    }
reading = With dₖ = { $d_head }, the largest of { $keys } weights is { $largest_unscaled } { -unscaled } and { $largest_scaled } { -scaled }.
asks =
    { $correlated ->
       *[no] A query and { keys } are random and independent, with { components } each. { asks.question }
        [yes] A query and { keys } are random with a correlation of { $correlation } between the query and its own key, with { components } each. { asks.question }
    }
    .question = Is the weight of softmax(q · k) shared among the keys, so that its entropy is above half of the largest? And after division by √{ $d_head } = { $d_head_root }?
    .both = Yes, both times
    .after = Only after the division
    .neither = Neither time: few keys get nearly all
    .width = { components }
    .related = a correlation of { $correlation }
keys =
    { $keys_count ->
        [one] { $keys_count } key
       *[other] { $keys_count } keys
    }
weights = The weights of one query
    .description = Weights of one query: the largest is { $largest_unscaled } { -unscaled }, { $largest_scaled } { -scaled }.
entropy = How evenly the weight is shared
    .description = Entropy of the weights against d_k.
variance = How far the scores vary
    .description = Variance of the scores against d_k; the law is dashed.
gradient = How much gradient is left
    .description = Gradient of the softmax against d_k: scaled and unscaled, and the unscaled mean.
products = Products, over a normal curve of variance d
    .description = Products of { $products_size } pairs, unscaled above and scaled below.
Scaling =
    .d_head = How many components a query and a key have.
    .keys = Among how many keys the softmax divides its weight.
    .pairs = How many pairs (q, k) are drawn for all seeds together.
    .correlation = The correlation of a query with its own key. At 1 they are equal.
