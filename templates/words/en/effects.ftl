# /effects. Fields and conditions: app/experiments/effects.py; facts: tests/app/words/effects.py.
-answers = What becomes of the answer when each head, sub-layer, position or group of neurons is turned off in turn
-set-off = set to 0

-found_by = ablation, knock out, head pruning, Are Sixteen Heads Really Better than One, Michel, turn off a head, remove a layer, which heads matter, head importance, lesion, leave one out, redundant
map = What each part is worth to the answer
    .description =
        Each { $unit ->
           *[head] cell
            [sublayer] bar
            [position] bar
            [neurons] cell
        } shows by how much { measured } changes when { a_unit } is { $ablation ->
           *[zero] { -set-off }
            [mean] set to its mean over all positions of the model’s examples
            [resample] taken from other examples of the model
        }. { unedited } { $loses ->
           *[yes] It falls most without { $worst_name }, by { $worst_by }.
            [no] It falls in no case.
        }
    .more =
        { $compared ->
            [nothing] No other example was drawn to compare the changes with.
           *[usual] { usual_change } Of the { $unit_length } { units } here, { $larger } change it by more than that.
            [one_example] { usual_change } With one example there is no spread over examples.
            [spread] { usual_change } For { $clear } of the { $unit_length } { units } the mean change is more than twice its standard deviation over the examples. The change of the others depends much on the example.
        }{ window }
sorted = The largest changes, in order
    .description =
        The bars show by how much { measured } changes without one part, the largest changes in order. { unedited } It falls without { $falling } of the { $unit_length } { units }, and rises without { $rising }.{ $drawn ->
            [no] { "" }
           *[yes] { " " }Each dot is the change when the same part is taken from another example.
        }
    .more = The { $unit_length } changes sum to { $sum }. Turning all parts off at once need not change it by as much: a part can take over the work of another, and two parts can need each other.{ window }
tokens = Token by token, with the part and without
    .description =
        The bars compare { measured } token by token. { unedited } Without { $chosen_name }, it { $goes ->
            [stays] does not change.
           *[falls] falls { to }
            [rises] rises { to }
        } { $other ->
            [no] What the model finds likeliest stays the same{ first_draw }.
           *[yes] Then{ first_draw } { who } { $says }{ $several ->
                [no] { "" }
               *[yes] : { $differ ->
                    [one] { $differ } of { $reply_length } differs
                   *[other] { $differ } of { $reply_length } differ
                }
            }.
        }
    .more =
        { $token_loses ->
           *[yes] { $worst_token } loses most: its log-probability falls by { $worst_token_by }.
            [no] No token loses anything.
        }{ window }
measured =
    the log-probability of { $reply_kind ->
       *[target] the target
        [next_token] the likeliest next token
        [blanks] the likeliest word at each blank
        [class] the likeliest class
        [shapes] the classes of the shapes that it finds
    }, { $reply },
unedited = With every part on it is { $unedited_log_probability }.
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
    For comparison: { a_unit } that is taken from { $draws ->
        [one] one other example
       *[other] { $draws } other examples
    } changes it by { $usual_change } on average, up or down.
to =
    by { $chosen_by }, to { $chosen_left }.{ $loss ->
        [no] { "" }
       *[yes] { " " }The loss goes from { $unedited_loss } to { $chosen_loss } a token.
    }
who =
    { $reply_kind ->
       *[target] the likeliest tokens after the target’s own tokens are
        [next_token] the model says
        [blanks] the model says
        [class] the model says
        [shapes] the model says
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
        [one] { " " }These are the { units } of layer { $window_first_layer }, { $unit_length } of { $window_of_units }. All of them would take one core about { $seconds } s.
        [several] { " " }These are the { units } of layers { $window_first_layer } to { $window_last }, { $unit_length } of { $window_of_units }. All of them would take one core about { $seconds } s.
    }
usual =
    .chosen = largest loss
links =
    .attention = Attention without { $chosen_short }
    .writes = What the model writes without { $chosen_short }
Effects =
    .first_layer = The first of the layers whose parts are turned off, counted from 0; a position is turned off in any case. If it and `layers` are left out, they are all layers of a model of at most { $most }, and of a deeper one as many of the last as take one core about { $seconds } s.
    .ablation = What takes the place of a unit: `zero` 0, `mean` its mean over all positions of all examples of the model, `resample` what it is in another example. Position i takes position i of that example, and positions beyond its end take its last.
    .unit = What is turned off, one after another: `head` every head of every attention, before the output projection; `sublayer` the output of every sub-layer; `position` the embedding at every position; `neurons` groups of neighbouring neurons of every feed-forward network, after the activation.
    .groups = With `unit` neurons: into how many groups each layer is cut.
    .draws = From how many other examples each unit is taken, drawn without replacement. If the model has fewer, all are taken. With 0 there is nothing to compare the changes with.
    .seed = Where the draw of the examples begins.
    .layers = In how many layers parts are turned off. If it is left out and `first_layer` is given, there are 8.
    .loss = Whether the loss over the tokens of the input is measured without each part, too. With a large vocabulary this takes about as long as everything else.
EffectsFigures =
    .chosen = The name of the unit that is drawn token by token, as `units` has it. If it is left out, or no unit has this name, it is the one without which the answer loses most.
Reply =
    .kind = `target`: the tokens of the target, each after those before it. `next token`: the likeliest token after the text. `blanks`: the likeliest word at each blank. `class`: the likeliest class. `shapes`: the class of each object query that finds a shape; where its box is drawn is not counted.
    .positions = The positions of the logits that they are read at.
Unedited =
    .log_probability = ln p of the answer, in nats.
    .by_token = ln p of each of its tokens; they sum to it.
    .loss = The mean cross-entropy over the tokens that the input has next, in nats a token; null where none is known or `loss` is false.
    .says = The likeliest token at each position of the answer.
Unit =
    .layer = Null for a position, which is turned off at the start.
    .indices = Which head, position or neurons; empty for a whole sub-layer.
    .token = With `unit` position: the token there.
    .says = The likeliest token at each position of the answer with this unit off, after the unedited tokens before it (teacher forcing); of resampled units in the first draw.
    .edits = The edits that turn it off, as every question about a run takes them; of resampled units those of the first draw.
EffectsAnswer =
    .model = The model's id.
    .input = The input as the model read it.
    .prediction = What the model says of the input.
    .certainty = How far that is to be trusted, as in answers about a run.
    .unlike = A sentence for each measure by which the input is unlike the texts held out of training.
    .confidence = How sure the model is of what it says, where it says something of its own.
    .draws = How many other examples were drawn.
    .order = The numbers of the units, the one without which the answer loses most first.
    .usual_change = The mean of |`resampled`| over units and draws, the scale on which to read a change; null where no other example was drawn.
    .examples = The examples that a mean was taken over, or else those that were drawn, in order.
    .window = Where the parts of some layers alone were turned off.
