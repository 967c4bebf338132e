# /head-split. Fields and conditions: app/experiments/head_split.py; facts:
# tests/app/words/head_split.py.
-answers = Which token each row of a head comes from after `view` and `transpose`, and after `view` alone
-left = left
-colour = colour
-right-split = view, then transpose
-wrong-split = view alone

-found_by = split into heads, view and transpose, reshape, permute, einsum, head dimension, d_head, d_model divided by heads, concatenate heads, PyTorch implementation, tensor shape
claim = Without the transpose, a head gets pieces of the wrong tokens
look_for =
    { $shown ->
        [pattern_right] Both maps are computed from the same queries and keys. On the right the split is wrong: most rows and columns hold another token than the one that their label names.
       *[other] Every { -colour } is one token. On the { -left } each column has one colour, because every head gets a piece of every token. On the right the colours run along the rows: each head gets pieces of only a few tokens. Choose “attention” to see what follows from it.
    }
reading = Without the transpose { $foreign } of the rows hold another token than their position says, and { $moved } of the attention weight goes to other tokens. No number is lost and no error is raised.
asks = The queries of a sentence are a matrix with a row for each token. A program cuts those of layer { $layer } of the translator into heads with q.view(heads, n, d_head) and forgets the transpose. How much of the attention weight goes to other tokens than it should?
    .third = Less than a third
    .half = A third to two thirds
    .most = More than two thirds
    .layer = layer { $layer }
origin-right = Whose channels a head gets: { -right-split }
    .description = { -right-split }: { $foreign_right } of { $origin_right_size } cells hold channels of another token than the one at their position.
origin-wrong = Whose channels a head gets: { -wrong-split }
    .description = { -wrong-split }: { $foreign_wrong } of { $origin_wrong_size } cells hold channels of another token than the one at their position.
pattern-right = The attention of one head: { -right-split }
    .description = Attention of head { $head_drawn }, { -right-split }.
pattern-wrong = The attention of one head: { -wrong-split }
    .description = Attention of head { $head_drawn }, { -wrong-split }.
HeadSplit =
    .layer = The layer of the translator's encoder, counted from 0, whose queries are cut into heads.
HeadSplitFigures =
    .head = The head whose attention is drawn, counted from 0.
HeadSplitAnswer =
    .sentence = The sentence that is drawn, which is that of the first seed.
