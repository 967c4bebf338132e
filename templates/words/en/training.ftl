# /training. Fields and conditions: app/experiments/training.py; facts: tests/app/words/training.py.
-found_by = induction head, In-context Learning and Induction Heads, Olsson, in-context learning, few-shot, phase change, emergence, training dynamics, learning curve, loss curve, checkpoints, repeated sequence, pattern completion
-answers = How an induction head forms: attention, loss and the roles of heads at steps of a training, beside a control of one layer
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
Training =
    .text = The letters that induction-2 and induction-1 read. If it is left out, it is the first example of the card.
    .step = A kept step of the training. If it is left out, all kept steps are sent.
TrainingFigures =
    .at = The step at which the maps and the loss by letter are drawn; the nearest kept step is taken. If it is left out, it is the step at which the induction head has formed.
    .head = The head whose map is drawn alone, as layer.head. Layers 0 and 1 are those of induction-2, and layer 2 is that of induction-1. If it is left out, all are drawn.
TrainingAnswer =
    .guessing = The loss of guessing, in nats.
    .by_chance = The score of each role that a head would have by chance.
