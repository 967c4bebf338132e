# /training. Fields and conditions: app/experiments/training.py; facts: tests/app/words/training.py.
-found_by = induction head, In-context Learning and Induction Heads, Olsson, in-context learning, few-shot, phase change, emergence, training dynamics, learning curve, loss curve, checkpoints, repeated sequence, pattern completion
-answers = How an induction head forms: attention, loss and head roles at steps of a training run, compared with a one-layer model
maps = Which letters attend to which
    .description =
        { $one_head ->
           *[no] { $maps } attention maps at step { $step }, one per head; brighter means a larger weight.
            [yes] Attention of { $head_name } at step { $step }.
        }
loss = Loss by letter
    .description = Loss of each letter at step { $step }, with two layers and with one.
time-roles = Over training
    .description = Over training: weight of each head on the outlined letters of its role, in held-out texts.
time-loss = Over training
    .description = Over training: loss of repeated letters in held-out texts, with two layers and with one.
Training =
    .text = The letters for induction-2 and induction-1. Default: the card's first example.
    .step = A stored training step. Default: all stored steps.
TrainingFigures =
    .at = The step of the maps and of the loss by letter; the nearest stored step is used. Default: the step at which the induction head has formed.
    .head = The only head to draw, as layer.head. Layers 0 and 1 are those of induction-2, layer 2 is that of induction-1. Default: all.
TrainingAnswer =
    .guessing = Loss of random guessing, in nats.
    .by_chance = The score that a head would have by chance, for each role.
