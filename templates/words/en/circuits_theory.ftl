# /circuits-theory. Fields and conditions: app/experiments/circuits_theory.py; facts:
# tests/app/words/circuits_theory.py.
-answers = Every path through two attention layers, and the virtual weights between their heads, compared with random heads
-layer-0 = layer 0
-layer-1 = layer 1
-Layer-1 = Layer 1
-paths = 25 paths
-zero = 0
-low = 20%
-high = 80%
-name = induction-2
-virtual = virtual weights
-path = path
-centred = minus the mean over all letters
-centred-seen = minus the mean over the visible keys

question = Do heads of the two layers work together?
-found_by = A Mathematical Framework for Transformer Circuits, Elhage, Anthropic, attention-only, virtual weights, path expansion, zero-layer Transformer, one-layer Transformer, skip-trigram, paths, mechanistic interpretability, tensor product
claim =
    { $weights ->
       *[constructed] { composes }
        [random] { composes }
        [trained] { -Layer-1 } builds on the output of head { $pair_0 }
    }
composes = One head finds the previous letter; another uses it
look_for =
    { $state ->
       *[constructed] Head { $pair_1 } is head { -zero } of { -layer-1 }. On the left, the logit of the next letter comes mainly from one of the { -paths }: the { -path } through head { $pair_1 } alone. { reads }
        [guessing] On the left, no { -path } predicts the next letter; the network guesses. On the right, the { -virtual } of all pairs are about as large as for random matrices.
        [beginning] The network has begun to learn: it predicts { $accuracy } of the letters. On the left, the paths through { -layer-1 } begin to contribute. Choose a later step.
        [learning] The network is still learning: it predicts { $accuracy } of the letters, but { $ablated_1_0 } without head { $pair_0 }. { larger } Choose a later step.
        [learned] On the left, the four paths through one head of { -layer-1 } alone predict the letter.{ spared } { larger } Go back through the training steps.
    }
reads =
    { $composition ->
       *[k] On the right, one pair of heads stands out: head { $pair_1 } uses the output of head { $pair_0 }. Choose “score” to see how.
        [q] On the right, the queries of head { $pair_1 } use none of the output of head { $pair_0 }, so their cell is { -zero }. Choose keys instead.
        [v] On the right, the values of head { $pair_1 } use none of the output of head { $pair_0 }, so their cell is { -zero }. Choose keys instead.
    }
larger = On the right, the { -virtual } from head { $pair_0 } to the { by } of head { $pair_1 } are { $over } times as large as for random pairs.
spared =
    { $spared ->
        [yes] { " " }Without head { $pair_1 }, the network still predicts { $ablated_2_0 } of the letters, because the other heads of { -layer-1 } do the same.
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
        [score] In the sequence “{ $sequence }”, “{ $read }” is followed by “{ $following }”. The path whose key comes through head { $pair_0 } adds { $part } to the score of head { $pair_1 }, and all other paths together add { $rest }.
       *[other] In the sequence “{ $sequence }”, “{ $read }” is followed by “{ $following }”. The { -path } through head { $pair_1 } alone adds { $part } to the logit of “{ $following }”, and all other paths together add { $rest }.
    }
asks = A sequence of letters begins to repeat. A network with two layers of four heads, { -layer-0 } and { -layer-1 }, predicts the next letter. { asks.whose } How much of the correct letter’s logit comes only through the head of { -layer-1 } that attends to it, without any head of { -layer-0 }?
    .little = Less than { -low }
    .part = { -low } to { -high }
    .most = More than { -high }
    .trained = trained heads
    .random = random heads
    .whose =
        { $weights ->
           *[constructed] Two of its heads were built by hand to form an induction circuit; the others are random.
            [random] All of its heads are random.
            [trained] Its heads are those of { -name } after { after } of training.
        }
after =
    { $ends ->
       *[last] the last step
        [earlier] step { $step }
    }
logit = The next letter’s logit, by path
    .description = Logit of the correct next letter, { -centred }, by path; total { $logit_total }.
score = The second head’s score, by path
    .description = Score of the correct key, { -centred-seen }, by path; total { $score_total }.
pairs = Virtual weights of each pair
    .description = Composition of heads by { by }; { random }.
random = random pairs { $baseline_mean } ± { $baseline_standard_deviation }
CircuitsTheory =
    .weights = `constructed`: two heads built by hand to form an induction circuit, among six random heads. `random`: eight random heads. `trained`: the heads of induction-2.
    .step = A saved training step of induction-2, for trained weights only. By default, the last.
CircuitsTheoryFigures =
    .position = The position in the repetition, counted from 0, whose paths are shown.
    .composition = How heads of layer 1 use heads of layer 0: through queries, keys or values.
CircuitsTheoryAnswer =
    .expected = The expected size of the virtual weights of two random heads.
    .pair = The two heads that the findings are about, one per layer.
    .step = The training step, for trained weights.
