# /probes. Fields and conditions: app/experiments/probes.py; facts: tests/app/words/probes.py.
-found_by = linear probe, probing classifier, diagnostic classifier, what a layer knows, what representations encode, BERT Rediscovers the Classical NLP Pipeline, Tenney, rank collapse, oversmoothing, tokens become alike, selectivity, control task, Attention is not all you need, Dong
-answers = What linear probes can read of position and token in the stream after each layer, with shortcuts and without
-position = position
-word = word
-control = control
-tokens = tokens
-vector = vector
-residual = residual
-zero = 0
-with = With the residual
-without = Without the residual, the same weights

claim = The residual carries positions and keeps tokens apart
look_for =
    { $look ->
       *[read] On the left, a linear map still reads the { -position } of a token after every layer. On the right, without the residual, it reads the { -position } worse than a guess from the { -word } alone.
        [selective] The lines show how much more often a probe is right than its { -control }. Above the dotted line at { -zero } the vectors themselves hold what is read. The token’s line lies at { -zero } where the probe learns a random label just as well.
        [alike] On the left, the { -tokens } of a sentence stay different from each other. On the right, without the residual, they become nearly the same { -vector }.
        [collapsed] With twelve Post-LN layers that learned nothing, the { -tokens } of a sentence grow alike with the { -residual } too, only later than without it.
    }
reading =
    { $shown ->
        [stream_on] After the last layer the cosine of two tokens of a sentence is { $cosine_on } with the residual and { $cosine_off } without it.
        [selectivity_on] After the last layer the accuracy of the probe less that of its { -control } is { $position_over_word } for the position and { $selectivity_token } for the token.
       *[other] After the last layer the position is read for { $position_last } of held-out tokens with the residual and { $position_last_off } without it.
    }
asks =
    { $weights ->
       *[trained] A trained encoder { asks.question }
        [fresh] An encoder of twelve untrained layers { asks.question }
    }
    .question = adds the position once, before its first layer. A linear map is fitted to { $sentences } sentences with ρ = { $ridge }. Can it still read the position of at least half of the tokens after the last layer? And in the same encoder without residual connections?
    .both = Yes, in both
    .on = Only with the residual connections
    .off = Only without them
    .neither = In neither
    .fresh = untrained layers
    .sentences = { $sentences } sentences
probes-on = { -with }
    .description = Share of tokens that probes read right after each layer, residual on.
probes-off = { -without }
    .description = Share of tokens that probes read right after each layer, residual off.
selectivity-on = { -with }
    .description = What probes read beyond their controls after each layer, residual on.
selectivity-off = { -without }
    .description = What probes read beyond their controls after each layer, residual off.
stream-on = { -with }
    .description = Cosine of tokens and direct paths after each layer, residual on.
stream-off = { -without }
    .description = Cosine of tokens and direct paths after each layer, residual off.
Probes =
    .weights = `trained` is the encoder of the translator, and `fresh` is twelve untrained layers.
    .sentences = How many sentences a probe is fitted to. It is tested on 32 others.
    .ridge = The ridge penalty ρ: how much large weights of a probe cost when it is fitted.
