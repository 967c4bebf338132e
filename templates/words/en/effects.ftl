# /effects. Fields and conditions: app/experiments/effects.py; facts: tests/app/words/effects.py.
-answers = How the output changes when each head, sub-layer, position or group of neurons is turned off in turn
-set-off = set to 0

-found_by = ablation, knock out, head pruning, Are Sixteen Heads Really Better than One, Michel, turn off a head, remove a layer, which heads matter, head importance, lesion, leave one out, redundant
map = How much each part matters
    .description =
        Each { $unit ->
           *[head] cell
            [sublayer] bar
            [position] bar
            [neurons] cell
        } shows how { measured } changes when { a_unit } is { $ablation ->
           *[zero] { -set-off }
            [mean] replaced by its mean over all positions of the model’s examples
            [resample] replaced by its value in other examples
        }. { unedited } { $loses ->
           *[yes] It falls most without { $worst_name }, by { $worst_by }.
            [no] It never falls.
        }
    .more =
        { $compared ->
            [nothing] No other examples were drawn for comparison.
           *[usual] { usual_change } In the figure, { $larger } of the { $unit_length } { units } change it by more than this.
            [one_example] { usual_change } One example gives no standard deviation.
            [spread] { usual_change } For { $clear } of the { $unit_length } { units }, the mean change is more than twice its standard deviation over the examples; the rest depend strongly on the example.
        }{ window }
sorted = The largest effects, sorted
    .description =
        Each bar shows how { measured } changes when one part is turned off. Up to { $shown } of the largest effects are shown; a bar’s color gives the kind of part. { unedited } Turning the { $unit_length } { units } off one at a time lowers it for { $falling } of them and raises it for { $rising }.{ $drawn ->
            [no] { "" }
           *[yes] { " " }Each dot shows the change when the part’s output is replaced by its output on another example.
        }
    .more = All { $unit_length } changes add up to { $sum }. Turning several parts off at once can have a different effect from the sum of their separate effects, because parts can back each other up or depend on one another.{ window }
tokens = Token by token, with and without the part
    .description =
        The bars compare { measured }, token by token. { unedited } Without { $chosen_name }, it { $goes ->
            [stays] does not change.
           *[falls] falls { to }
            [rises] rises { to }
        } { $other ->
            [no] The prediction stays the same{ first_draw }.
           *[yes] { who } now predicts { $says }{ first_draw }{ $several ->
                [no] { "" }
               *[yes] : { $differ ->
                    [one] { $differ } of { $reply_length } tokens differs
                   *[other] { $differ } of { $reply_length } tokens differ
                }
            }.
        }
    .more =
        { $token_loses ->
           *[yes] { $worst_token } is affected most: its log-probability falls by { $worst_token_by }.
            [no] No token becomes less likely.
        }{ window }
measured =
    the log-probability of { $reply_kind ->
       *[target] the target
        [next_token] the predicted next token
        [blanks] the predicted word for each blank
        [class] the predicted class
        [shapes] the classes of the detected shapes
    } ({ $reply })
unedited = With all parts on, the log-probability is { $unedited_log_probability }.
a_unit =
    { $unit ->
       *[head] a head
        [sublayer] a sub-layer’s output
        [position] the embedding of a position
        [neurons] a group of neurons
    }
units =
    { $unit ->
       *[head] heads
        [sublayer] sub-layers
        [position] positions
        [neurons] groups of neurons
    }
usual_change =
    For comparison, replacing { a_unit } with its value in { $draws ->
        [one] one other example
       *[other] { $draws } other examples
    } changes it by { $usual_change } on average, up or down.
to =
    by { $chosen_by }, to { $chosen_left }.{ $loss ->
        [no] { "" }
       *[yes] { " " }The loss goes from { $unedited_loss } to { $chosen_loss } per token.
    }
who =
    { $reply_kind ->
       *[target] Given the target’s own tokens, the model
        [next_token] The model
        [blanks] The model
        [class] The model
        [shapes] The model
    }
first_draw =
    { $ablation ->
       *[zero] { "" }
        [mean] { "" }
        [resample] { " " }(first draw)
    }
window =
    { $windowed ->
       *[all] { "" }
        [one] { " " }The figure shows the { units } of layer { $window_first_layer } ({ $unit_length } of { $window_of_units }). Computing all of them would take about { $seconds } s on one core.
        [several] { " " }The figure shows the { units } of layers { $window_first_layer } to { $window_last } ({ $unit_length } of { $window_of_units }). Computing all of them would take about { $seconds } s on one core.
    }
usual =
    .chosen = largest drop
links =
    .attention = Attention without { $chosen_name }
    .writes = Generated text without { $chosen_name }
Effects =
    .first_layer = The first layer whose parts are turned off, counted from 0; positions are turned off regardless. By default: all layers of a model with at most { $most }, and in deeper models as many of the last layers as take one core about { $seconds } s.
    .ablation = What replaces a unit: `zero` 0; `mean` its mean over all positions of all examples of the model; `resample` its value in another example, at the same position (beyond the example’s end: at its last).
    .unit = What is turned off, one at a time: `head` every attention head, before the output projection; `sublayer` every sub-layer’s output; `position` the embedding at every position; `neurons` groups of neighboring feed-forward neurons, after the activation.
    .groups = With `unit` neurons: the number of groups per layer.
    .draws = How many other examples each unit is also taken from, without replacement; at most as many as the model has. With 0 there is no comparison.
    .seed = Seed for drawing the examples.
    .layers = In how many layers parts are turned off; 8 if only `first_layer` is given.
    .loss = Whether to measure the loss over the input’s tokens without each part, too. With a large vocabulary this doubles the time.
EffectsFigures =
    .chosen = The unit to show token by token, by its name in `units`. By default, the unit whose removal lowers the log-probability most.
Reply =
    .kind = `target`: the target’s tokens, each given those before it. `next token`: the most likely token after the text. `blanks`: the most likely word for each blank. `class`: the most likely class. `shapes`: the class of each object query that detects a shape; its box does not count.
    .positions = The positions of the logits that predict it.
Unedited =
    .log_probability = ln p of the output, in nats.
    .by_token = ln p of each of its tokens; their sum is `log_probability`.
    .loss = Mean cross-entropy over the input’s next tokens, in nats per token; null where none is known or `loss` is false.
    .says = The most likely token at each position of the output.
Unit =
    .layer = Null for a position: embeddings come before the layers.
    .indices = The head, position or neurons; empty for a whole sub-layer.
    .token = With `unit` position: its token.
    .says = The most likely token at each position of the output with this unit off, given the original tokens before it (teacher forcing); for resampled units, in the first draw.
    .edits = The edits that turn it off, in the form that every question about a run takes; for resampled units, those of the first draw.
EffectsAnswer =
    .model = The model’s id.
    .input = The input as the model received it.
    .prediction = The model’s prediction.
    .certainty = How far to trust the prediction, as in answers about a run.
    .unlike = One sentence for each way in which the input differs from the held-out texts.
    .confidence = How confident the model is in its own prediction, if it makes one.
    .draws = How many other examples were drawn.
    .order = Indices of the units; first the unit whose removal lowers the log-probability most.
    .usual_change = Mean of |`resampled`| over units and draws, a yardstick for changes; null where no other example was drawn.
    .examples = The examples that were averaged or drawn, in order.
    .window = The layers whose parts were turned off, if not all.
