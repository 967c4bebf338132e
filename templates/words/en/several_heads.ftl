# /several-heads. Fields and conditions: app/experiments/several_heads.py; facts:
# tests/app/words/several_heads.py.
-answers = One head compared with four of the same total width, on a task that needs attention to several places at once
-b1 = B1
-one = 1
-boxes = A1, C0, B1, A0
-one-head = 1 head
-four-heads = 4 heads
-the-same = the same

question = Do four heads learn faster than one?
-found_by = multi-head attention, multiple heads, more than one head, why many heads, number of heads, eight heads, single head, MHA
claim = Four heads learn this task faster than one
look_for =
    { $shown ->
       *[other] { puts } After each token, a model predicts the contents of all four boxes. The model with one head and the model with four have { -the-same } number of parameters. Each thin line is one training run.
        [looks_1] { puts } { find } Its one head has a single row of weights for all four: notice how it divides the weight.
        [looks_4] { puts } { find } Each map is one of the four heads: notice which boxes it attends to.
    }
puts = Each token puts one of two values into one of four boxes: “{ -b1 }” puts a { -one } into box B.
find = A model has to find the last token of each of the four boxes.
reading = After { $steps } training steps, the model with one head predicts all four boxes correctly at { $right_1 } of positions; the model with four heads, at { $right_4 }.
asks = Tokens such as { -boxes } put values into four boxes. After each token, a model predicts the contents of all four. One model has one wide head, the other four narrow heads, with the same number of parameters. Which has the lower loss after { $steps } training steps?
    .one = One wide head, by a fifth or more
    .neither = Neither: they differ by less than a fifth
    .four = Four narrow heads, by a fifth or more
    .steps = { $steps } steps
loss = Loss during training
    .description = Final loss in nats: { -one-head } { $loss_1 }, { -four-heads } { $loss_4 }.
right = How often all four boxes are right
    .description = Fraction of positions with all four boxes right: { -one-head } { $largest_1 }, { -four-heads } { $largest_4 }.
looks-1 = Where { -one-head } attends
    .description = Attention weights of { -one-head } in the sequence { $tokens }.
looks-4 = Where { -four-heads } attend
    .description = Attention weights of { -four-heads } in the sequence { $tokens }.
SeveralHeads =
    .steps = Number of steps of each training run.
    .seeds = Number of training runs of each model, with new weights and new sequences each time.
SeveralHeadsAnswer =
    .guessing = Loss of random guessing, in nats.
    .parameters = Number of parameters of each model, by its number of heads.
