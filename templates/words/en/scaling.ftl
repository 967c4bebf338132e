# /scaling. Fields and conditions: app/experiments/scaling.py; facts: tests/app/words/scaling.py.
-answers = The variance of q · k and the entropy and gradient of the softmax, with and without division by √d_head
-key = key 1
-Key = Key 1
-keys = keys
-upper = upper
-lower = lower
-unscaled = unscaled
-scaled = scaled
-score = score

question = Does one key dominate without scaling?
-found_by = square root, sqrt, root of d_k, divide by root, scale factor, scaled dot product, dot product attention, softmax, softmax saturation, variance of the dot product, logits too large, exponential
claim = Without scaling, one key gets nearly all the weight
look_for =
    { $weights ->
       *[wide] The { -keys } are random, so there is no reason for one of them to dominate.
        [narrow] The query and the keys have few components (dₖ), so the scores are small and dividing by { -root } changes little. When you raise dₖ, one { -upper } bar gets nearly all the weight, but the { -lower } bars stay about as equal as before.
        [correlated] { -Key } is correlated with the query. Its { -score } grows like dₖ, the number of components; the other scores, only like { -root }. For large dₖ, { -key } gets nearly all the weight, even after scaling.
    }
reading = With dₖ = { $d_head }, this query’s largest weight (of { $keys }) is { $largest_unscaled } without scaling and { $largest_scaled } with it.
asks =
    { $correlated ->
       *[no] A query and { keys } are random and independent, with { components } each. { asks.question }
        [yes] A query and { keys } are random, with { components } each. The query and { -key } have correlation { $correlation }. { asks.question }
    }
    .question = Are the weights softmax(q · k) spread out (entropy above half its maximum)? And after division by √{ $d_head } = { $d_head_root }?
    .both = Yes, both times
    .after = Only after the division
    .neither = Neither time: a few keys get nearly all the weight
    .width = { components }
    .related = correlation { $correlation }
keys =
    { $keys_count ->
        [one] { $keys_count } key
       *[other] { $keys_count } keys
    }
weights = Attention weights of one query
    .description = Weights of one query: the largest is { $largest_unscaled } { -unscaled }, { $largest_scaled } { -scaled }.
entropy = How evenly the weights are spread
    .description = Entropy of the weights against dₖ.
variance = Variance of the scores
    .description = Variance of the scores against dₖ; dashed: theory.
gradient = Gradient of the softmax
    .description = Gradient of the softmax against dₖ: scaled and unscaled medians, and the unscaled mean.
products = Distribution of the scores
    .description = Scores of { $products_size } pairs, unscaled above and scaled below, with normal curves.
Scaling =
    .d_head = Number of components of a query and of a key.
    .keys = Number of keys that share the softmax.
    .pairs = Number of pairs (q, k), over all seeds.
    .correlation = Correlation of a query with its own key. At 1 they are equal.
