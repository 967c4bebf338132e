# /warmup. Fields and conditions: app/experiments/warmup.py; facts: tests/app/words/warmup.py.
-found_by = warm-up, learning rate schedule, learning rate, Noam schedule, optimiser, Adam, step size, scheduler, Adafactor, stable training, diverges, loss spikes
-answers = A small training: one placement of the norm with warm-up and without, and other placements on the same data
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
       *[usual] The full and the { -dashed } line of one colour are the same network, with the same first weights and the same data. They differ only in the learning { -rate } of the first steps.
        [none] The { -warm-up } has no steps, so the dashed line lies on the full one: both networks are trained in the same way. Choose a warm-up of { -usual-steps }, and compare them.
        [stopped] The warm-up of the dashed line is broken off after step { $stop }, and its rate jumps to that of the others. Compare its loss with a warm-up that runs to its end.
        [constant] The { -rate } stays at its peak after the warm-up. Follow the dashed line to the last step: its network may fail later than the one of the full line, or learn.
    }
reading = Without warm-up, { $placement_name } has { learned }: its loss is { $left } of that of guessing. With warm-up it is { $left_warmup }.
learned =
    { $learning ->
        [whole] learned
        [part] learned in part
       *[hardly] hardly learned
    }
asks = Two { networks } start from the same weights and read the same data. The learning rate of one grows in { warmup-steps } to its peak of { $peak } and { afterwards }{ broken } The other takes the full rate from the first step. Which has at least a fifth of the loss of guessing left after { $steps } steps?
    .without = The one without warm-up
    .with = The one with warm-up
    .both = Both
    .none = None of them
    .peak = a peak of { $peak }
    .decoder = a decoder of { layers }
    .stop = the warm-up broken off at step { $stop }
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
       *[inverse_root] then falls like { -root }
        [constant] then stays there
        [vaswani] as in Vaswani et al., { -equation }
    }
broken =
    { $broken_off ->
       *[no] .
        [yes] , and its warm-up is broken off at step { $stop }.
    }
loss = The loss of each network
    .description = Loss by step: { $networks }.
rate = The learning rate
    .description = Learning rate by step, with and without warm-up.
translators = Translators of { -layers }
    .description = Held-out loss of translators under { -post } and { -pre }, with and without warm-up. { ends } in { $so } of { $training_length } trainings.
ends =
    { $side ->
       *[higher] Those of { -layers } end { $apart } nats higher with { -post } than with { -pre },
        [lower] Those of { -layers } end { $apart } nats lower with { -post } than with { -pre },
    }
Warmup =
    .seeds = How many times the training is repeated with other draws. If it is left out, it is { $shipped } where a training with so many seeds is shipped, and { $usual } elsewhere.
    .steps = How many steps each network takes. If it is left out, there are { $shipped } where this training is shipped, and at most { $most } where it is made anew.
    .warmup_steps = In how many steps the learning rate grows from zero to its peak.
    .peak = The highest learning rate.
    .layers = How many layers each stack has.
    .schedule = What the learning rate does after the warm-up: `inverse_root` lets it fall like 1 / √t, `constant` keeps it at its peak, and `vaswani` is d_model^(−1/2) min(t^(−1/2), t w^(−3/2)), whose peak follows from the width.
    .stop = The step after which the warm-up is broken off. If it is left out, the warm-up runs to its end.
WarmupFigures =
    .until = The last step on the axes of the figures, for a training that is followed further. If it is left out, it is `steps`.
WarmupAnswer =
    .guessing = The loss of guessing, in nats.
