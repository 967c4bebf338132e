# /padding. Fields and conditions: app/experiments/padding.py; facts: tests/app/words/padding.py.
-answers = What True means in a mask, and how far padding changes the output of a batch with a mask and without one
-little = 1 %
-nearly-all = 99 %

-found_by = padding, pad token, key_padding_mask, attn_mask, boolean mask, True or False, keep or drop, batch of sentences, variable length, nn.MultiheadAttention, scaled_dot_product_attention, attention_mask
claim = With its mask, a padded sentence comes out like the sentence alone
look_for =
    { $padding ->
       *[some] All maps show one padded sentence. { equal } all weight lies on the padding.
        [none] All maps show one sentence, which has no padding. { equal } every key is hidden, so that there are no weights.
    }
equal = The first four are equal: True means “takes part” in one library function and “is hidden” in another, and each was given the mask that it expects. The fifth map is of a function that was given the mask of the other:
reading = Without the mask, padding changes the encoder’s output vectors of the shortest sentence by { $shortest_by_seed_without_it } of their length. With the mask no sentence changes by more than { $with }.
asks = A batch of { sentences } is padded to the longest and { columns }. In one function of PyTorch, True in a mask keeps a key; in another, True hides it. A program hands the mask of one to the other. How much of the attention weight falls on the padding?
    .little = Less than { -little }
    .some = { -little } to { -nearly-all }
    .most = More than { -nearly-all }
    .none = no further columns
    .more = { $pads_count } columns more
sentences =
    { $sentences_count ->
        [one] { $sentences_count } sentence
       *[other] { $sentences_count } sentences
    }
columns =
    { $pads_count ->
        [one] { $pads_count } further column
       *[other] { $pads_count } further columns
    }
conventions = The same mask in four conventions
    .description =
        { $padding ->
           *[some] Weights of one padded sentence: four of the maps are the same, and the fifth has { $mistaken } of its weight on the padding.
            [none] Weights of one padded sentence: four of the maps are the same, and the fifth has no weights, because every key is hidden.
        }
batch = A padded batch, with its mask and without
    .description = Change by padding. { $changes }.
Padding =
    .sentences = How many sentences the batch has.
    .pads = How many columns of padding follow the longest sentence.
    .head = The head of the first layer, counted from 0, whose weights are shown.
PaddingAnswer =
    .real = How many tokens the shortest sentence has. Padding follows them.
