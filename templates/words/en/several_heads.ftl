# /several-heads. Fields and conditions: app/experiments/several_heads.py; facts:
# tests/app/words/several_heads.py.
-answers = One head beside four heads of the same total width, trained on a task that needs several looks at once
-b1 = B1
-one = 1
-boxes = A1, C0, B1, A0
-one-head = 1 head
-four-heads = 4 heads
-the-same = the same

-found_by = multi-head attention, multiple heads, more than one head, why many heads, number of heads, eight heads, single head, MHA
claim = Four heads learn sooner than one to look at four places at once
look_for =
    { $shown ->
       *[other] { puts } After each token a model says what all four boxes hold. Both models have { -the-same } number of weights and read { -the-same } texts. Compare their losses at the last step; each thin line is one training.
        [looks_1] { puts } { find } One head has one row of weights for all four: see how it shares them.
        [looks_4] { puts } { find } Each map is one of the four heads: see which boxes it looks for.
    }
puts = Each token puts a value into a box: { -b1 } puts { -one } into box B.
find = A model has to find the last token of each of the four boxes.
reading = After { $steps } steps the model with one head says all boxes right at { $right_1 } of the positions, and the model with four heads at { $right_4 }.
asks = Tokens put values into four boxes: { -boxes }. After each token a model says what all four boxes hold. One model has one wide head, another has four narrow heads, and both have the same number of weights. Whose loss is lower after { $steps } steps of training?
    .one = That of one wide head, by a fifth or more
    .neither = Neither by a fifth
    .four = That of four narrow heads, by a fifth or more
    .steps = { $steps } steps
loss = Who learns faster
    .description = Loss at the last step, in nats: { -one-head } { $loss_1 }, { -four-heads } { $loss_4 }.
right = How often all boxes are right
    .description = Share of positions with all boxes right: { -one-head } { $largest_1 }, { -four-heads } { $largest_4 }.
looks-1 = Where { -one-head } looks
    .description = The weights of { -one-head } in the text { $tokens }.
looks-4 = Where { -four-heads } look
    .description = The weights of { -four-heads } in the text { $tokens }.
SeveralHeads =
    .steps = How many steps each training has.
    .seeds = How many times each model is trained, each time from other weights on other texts.
SeveralHeadsAnswer =
    .guessing = The loss of guessing, in nats.
    .parameters = How many weights each model has, by its number of heads.
