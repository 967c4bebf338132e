# /warmup. Fields and conditions: app/experiments/warmup.py; facts: tests/app/words/warmup.py.
question = Does warm-up help at these settings?
-found_by = warm-up, learning rate schedule, learning rate, Noam schedule, optimiser, Adam, step size, scheduler, Adafactor, stable training, diverges, loss spikes
-answers = A small training run: one norm placement with and without warm-up, and others on the same data
-post = Post-LN
-pre = Pre-LN
-dashed = dashed
-rate = rate
-warm-up = warm-up
-usual-steps = 20 steps
-layers = 6 + 6 layers
-root = 1/√t
-equation = equation 3

claim =
    { $warmed ->
       *[yes] Warm-up lets { -post } learn
        [no] { $placement_name } with and without warm-up
    }
look_for =
    { $warming ->
       *[usual] A solid and a { -dashed } line of the same color show one network without and with warm-up. Both runs start from the same weights and use the same data; only the learning { -rate } of the first steps differs.
        [none] The { -warm-up } has no steps, so the dashed line covers the solid one: both networks train in the same way. Choose a warm-up of { -usual-steps } to compare.
        [stopped] The dashed line’s warm-up is cut off after step { $stop }, and its learning rate jumps to the full rate. Compare this with a full warm-up.
        [constant] The learning { -rate } stays at its peak after warm-up. Follow the dashed line to the last step: this network may fail later than the one without warm-up, or it may learn.
    }
trained =
    { $normed ->
       *[yes] { $placement_name }
        [no] the network without norms
    }
reading = Without warm-up, { trained } { learned }: its final loss is { $left } of that of random guessing. With warm-up, it is { $left_warmup }.
learned =
    { $learning ->
        [whole] learns
        [part] partly learns
       *[hardly] barely learns
    }
asks = Two { networks } start from the same weights and train on the same data. The learning rate of one grows for { warmup-steps } to its peak of { $peak } and { afterwards }{ broken } The other has the full rate from the first step. After { $steps } steps, which one’s loss is still at least a fifth of the loss of random guessing?
    .without = The one without warm-up
    .with = The one with warm-up
    .both = Both
    .none = Neither
    .peak = peak { $peak }
    .decoder = decoder of { layers }
    .stop = warm-up cut off at step { $stop }
networks =
    { $stack ->
       *[encoder] encoders of { layers } { norms }
        [decoder] decoders of { layers } { norms }
    }
layers =
    { $layers_count ->
        [one] { $layers_count } layer
       *[other] { $layers_count } layers
    }
warmup-steps =
    { $warmup_steps_count ->
        [one] { $warmup_steps_count } step
       *[other] { $warmup_steps_count } steps
    }
afterwards =
    { $schedule ->
       *[inverse_root] then falls in proportion to { -root }
        [constant] then stays there
        [vaswani] follows Vaswani et al., { -equation }
    }
broken =
    { $broken_off ->
       *[no] .
        [yes] , but its warm-up is cut off at step { $stop }.
    }
loss = Loss of each network
    .description = Loss by step: { $networks }.
rate = Learning rate
    .description = Learning rate by step, with and without warm-up.
translators = Translators with { -layers }
    .description = Held-out loss of translators with { -post } and { -pre }, with and without warm-up. { ends } on average; { $so } of { $training_length } training runs agree.
ends =
    { $side ->
       *[higher] With { -layers }, { -post } ends { $apart } nats higher than { -pre }
        [lower] With { -layers }, { -post } ends { $apart } nats lower than { -pre }
    }
Warmup =
    .seeds = Number of training runs with other random numbers. Default: { $shipped } where runs with so many seeds are shipped, otherwise { $usual }.
    .steps = Number of training steps. Default: { $shipped } where this run is shipped, otherwise at most { $most }.
    .warmup_steps = Number of steps in which the learning rate grows from zero to its peak.
    .peak = The highest learning rate.
    .layers = Number of layers in each stack.
    .schedule = The learning rate after warm-up: `inverse_root` falls like 1 / √t, `constant` stays at the peak, and `vaswani` is d_model^(−1/2) min(t^(−1/2), t w^(−3/2)), whose peak follows from the width.
    .stop = The step after which warm-up is cut off. Default: it is completed.
WarmupFigures =
    .until = The last step on the axes, for a run that is trained further. Default: `steps`.
WarmupAnswer =
    .guessing = Loss of random guessing, in nats.
