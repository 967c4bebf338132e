# /probes. Fields and conditions: app/experiments/probes.py; facts: tests/app/words/probes.py.
question = What do residual connections preserve?
-found_by = linear probe, probing classifier, diagnostic classifier, what a layer knows, what representations encode, BERT Rediscovers the Classical NLP Pipeline, Tenney, rank collapse, oversmoothing, tokens become alike, selectivity, control task, Attention is not all you need, Dong
-answers = What linear probes recover of position and token after each layer, with and without residual connections
-position = position
-word = word
-control = control
-tokens = tokens
-vector = vector
-residual = residual
-zero = 0
-with = With residual connections
-without = Without residual connections, same weights

claim = Residual connections preserve positions and keep tokens distinct
look_for =
    { $look ->
       *[read] On the left, a linear probe often recovers a token’s { -position }, even after the last layer. On the right, without residual connections, the probe does worse after every layer than a guess from the { -word } alone.
        [selective] The lines show how much more often a probe is right than its { -control }. Above the dotted line at { -zero }, the vectors themselves contain the information. The token’s line is at { -zero } where the probe learns random labels just as well.
        [alike] On the left, the { -tokens } of a sentence stay distinct. On the right, without residual connections, they become nearly the same { -vector }.
        [collapsed] With twelve untrained Post-LN layers, the { -tokens } of a sentence grow alike even with { -residual } connections, only later than without them.
    }
reading =
    { $shown ->
        [stream_on] After the last layer, the mean cosine between the vectors of two tokens of a sentence is { $cosine_on } with residual connections, but { $cosine_off } without them.
        [selectivity_on] After the last layer, the probe’s selectivity, its accuracy minus the accuracy of its { -control }, is { $position_over_word } percentage points for the position and { $selectivity_token } for the token.
       *[other] After the last layer, a linear probe recovers the position of { $position_last } of the tokens in held-out sentences with residual connections, but of only { $position_last_off } without them.
    }
asks =
    { $weights ->
       *[trained] A trained encoder { asks.question }
        [fresh] An encoder of twelve untrained layers { asks.question }
    }
    .question = adds positions once, before its first layer. A linear probe is fitted to { $sentences } sentences (ρ = { $ridge }). After the last layer, can it recover the position of at least half of the tokens? And in the same encoder without residual connections?
    .both = Yes, in both
    .on = Only with residual connections
    .off = Only without them
    .neither = In neither
    .fresh = untrained layers
    .sentences = { $sentences } sentences
probes-on = { -with }
    .description = Fraction of tokens that probes get right after each layer, with residual connections.
probes-off = { -without }
    .description = Fraction of tokens that probes get right after each layer, without residual connections.
selectivity-on = { -with }
    .description = Accuracy of probes minus their controls after each layer, with residual connections.
selectivity-off = { -without }
    .description = Accuracy of probes minus their controls after each layer, without residual connections.
stream-on = { -with }
    .description = Cosine of tokens and direct paths after each layer, with residual connections.
stream-off = { -without }
    .description = Cosine of tokens and direct paths after each layer, without residual connections.
Probes =
    .weights = `trained` is the translator's encoder; `fresh` is twelve untrained layers.
    .sentences = Number of sentences to which a probe is fitted. It is tested on 32 others.
    .ridge = The ridge penalty ρ: how much large probe weights cost during fitting.
