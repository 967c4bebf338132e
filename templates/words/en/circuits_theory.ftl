# /circuits-theory. Fields and conditions: app/experiments/circuits_theory.py; facts:
# tests/app/words/circuits_theory.py.
-answers = Every path through two layers of attention, and the virtual weights between their heads, beside those of random heads
-layer-0 = layer 0
-layer-1 = layer 1
-Layer-1 = Layer 1
-paths = 25 paths
-zero = 0
-low = 20 %
-high = 80 %
-name = induction-2
-virtual = virtual weights
-path = path
-centred = less the mean of all
-centred-seen = less the mean of the keys that the query sees

-found_by = A Mathematical Framework for Transformer Circuits, Elhage, Anthropic, attention-only, virtual weights, path expansion, zero-layer Transformer, one-layer Transformer, skip-trigram, paths, mechanistic interpretability, tensor product
claim =
    { $weights ->
       *[constructed] { composes }
        [random] { composes }
        [trained] { -Layer-1 } predicts the next letter from what head { $pair_0 } wrote
    }
composes = One head passes on the letter before, and a second head predicts the next letter from it
look_for =
    { $state ->
       *[constructed] Head { $pair_1 } is the first head of { -layer-1 }. On the left, one of { -paths } carries the next letter: the { -path } through head { $pair_1 } alone. { reads }
        [guessing] On the left, no { -path } carries the next letter, and the network guesses. On the right, the { -virtual } of all pairs are about as large as those of random matrices.
        [beginning] The network has begun to learn: it predicts { $accuracy } of the letters. On the left, the paths through { -layer-1 } begin to carry the letter. Choose a later step.
        [learning] The network is still learning: it predicts { $accuracy } of the letters, and without head { $pair_0 } it predicts { $ablated_1_0 }. { larger } Choose a later step.
        [learned] On the left, the four paths through one head of { -layer-1 } alone carry the letter.{ spared } { larger } Go back through the steps of the training.
    }
reads =
    { $composition ->
       *[k] On the right, one pair of heads stands out: head { $pair_1 } reads what head { $pair_0 } writes. Choose “score” to see what head { $pair_0 } is needed for.
        [q] On the right, the queries of head { $pair_1 } read nothing of what head { $pair_0 } writes, so their cell is { -zero }. Choose keys, by which it does read it.
        [v] On the right, the values of head { $pair_1 } read nothing of what head { $pair_0 } writes, so their cell is { -zero }. Choose keys, by which it does read it.
    }
larger = On the right, the { -virtual } from head { $pair_0 } to the { by } of head { $pair_1 } are { $over } times as large as those of random pairs.
spared =
    { $spared ->
        [yes] { " " }Without head { $pair_1 } the network still predicts { $ablated_2_0 } of the letters, because the other heads of { -layer-1 } do the same.
       *[no] { "" }
    }
by =
    { $composition ->
        [q] queries
       *[k] keys
        [v] values
    }
reading =
    { $shown ->
        [score] After “…{ $read }” comes “{ $following }”. The key through head { $pair_0 } adds { $part } to the score of head { $pair_1 }, and all other paths together add { $rest }.
       *[other] After “…{ $read }” comes “{ $following }”. The { -path } through head { $pair_1 } alone adds { $part } to its logit, and all other paths together add { $rest }.
    }
asks = A text of letters begins to repeat itself. A network with two layers of four heads, here called { -layer-0 } and { -layer-1 }, predicts the next letter. { asks.whose } How much of the logit of the right letter comes through the one head of { -layer-1 } that attends to it, and through no head of { -layer-0 }?
    .little = Less than { -low }
    .part = { -low } to { -high }
    .most = More than { -high }
    .trained = trained heads
    .random = random heads
    .whose =
        { $weights ->
           *[constructed] Two of its heads are an induction head written by hand, the others are random.
            [random] All of its heads are random.
            [trained] Its heads are those of { -name } after { after } of training.
        }
after =
    { $ends ->
       *[last] the last step
        [earlier] step { $step }
    }
logit = The logit of the next letter, by path
    .description = Logit of the right next letter { -centred }, by path; together { $logit_total }.
score = The score of the second head, by path
    .description = Score for the right key { -centred-seen }, by path; together { $score_total }.
pairs = Virtual weights of each pair
    .description = Composition of heads by { by }; { random }.
random = random pairs { $baseline_mean } ± { $baseline_standard_deviation }
CircuitsTheory =
    .weights = `constructed` is an induction head written by hand among six random heads, `random` is eight random heads, and `trained` is the heads of induction-2.
    .step = A kept step of the training of induction-2, for trained weights only. If it is left out, the last step is used.
CircuitsTheoryFigures =
    .position = The position in the repetition, counted from 0, whose paths are shown.
    .composition = How the heads of layer 1 read those of layer 0: through their queries, keys or values.
CircuitsTheoryAnswer =
    .expected = The size of the virtual weights that is expected of two random heads.
    .pair = The two heads that the findings are about, one of each layer.
    .step = The step of the training, where the weights are trained.
