# /head-split. Fields and conditions: app/experiments/head_split.py; facts:
# tests/app/words/head_split.py.
-answers = Which token each row of a head comes from after `view` and `transpose`, compared with `view` alone
-left = left
-colour = color
-right-split = view, then transpose
-wrong-split = view alone

question = What happens to the heads without the transpose?
-found_by = split into heads, view and transpose, reshape, permute, einsum, head dimension, d_head, d_model divided by heads, concatenate heads, PyTorch implementation, tensor shape
claim = Without the transpose, heads get the wrong tokens
look_for =
    { $shown ->
        [pattern_right] Both maps use the same queries and keys. On the right, the split is wrong: most rows and columns belong to a different token than their label.
       *[other] Every token has its own { -colour }. On the { -left }, each column has one color, because every head gets a piece of every token. On the right, the colors run along the rows: each head gets pieces of only a few tokens. Choose “attention” to see the consequences.
    }
reading = Without the transpose, { $foreign } of the heads’ vectors belong to the wrong token, so { $moved } of the attention weight goes to the wrong tokens (means over the seeds).
asks = The queries of a sentence of n tokens form a matrix q with one row per token. In layer { $layer } of the translator, a program splits q into h heads of dₖ channels with q.view(h, n, d_k) but forgets the transpose. How much of the attention weight goes to the wrong tokens?
    .third = Less than a third
    .half = A third to two thirds
    .most = More than two thirds
    .layer = layer { $layer }
origin-right = Tokens in each head: { -right-split }
    .description = { -right-split }: { $foreign_right } of { $origin_right_size } cells contain channels of the wrong token.
origin-wrong = Tokens in each head: { -wrong-split }
    .description = { -wrong-split }: { $foreign_wrong } of { $origin_wrong_size } cells contain channels of the wrong token.
pattern-right = Attention of one head: { -right-split }
    .description = Attention of head { $head_drawn }: { -right-split }.
pattern-wrong = Attention of one head: { -wrong-split }
    .description = Attention of head { $head_drawn }: { -wrong-split }.
HeadSplit =
    .layer = The layer of the translator’s encoder, counted from 0, whose queries are split into heads.
HeadSplitFigures =
    .head = The head whose attention is drawn, counted from 0.
HeadSplitAnswer =
    .sentence = The sentence shown, from the first seed.
