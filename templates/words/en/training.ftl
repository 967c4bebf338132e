# /training. Fields and conditions: app/experiments/training.py; facts: tests/app/words/training.py.
-found_by = induction head, In-context Learning and Induction Heads, Olsson, in-context learning, few-shot, phase change, emergence, training dynamics, learning curve, loss curve, checkpoints, repeated sequence, pattern completion
maps = Who looks at whom
    .description =
        { $one_head ->
           *[no] { $maps } attention maps at step { $step }, one a head; brighter is more.
            [yes] Attention of { $head_name } at step { $step }.
        }
loss = Loss by letter
    .description = Loss of each letter at step { $step }, with two layers and with one.
time-roles = Over training
    .description = Over training: weight of each head on the outlined letters of its role, in texts held out.
time-loss = Over training
    .description = Over training: loss of the repetition in texts held out, with two layers and with one.
