# /effects. Fields and conditions: app/experiments/effects.py; facts: tests/app/words/effects.py.
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
