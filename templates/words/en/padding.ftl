# /padding. Fields and conditions: app/experiments/padding.py; facts: tests/app/words/padding.py.
-answers = What True means in a mask, and how much padding changes a batch's output with and without a mask
-little = 1%
-nearly-all = 99%

question = Does padding change the output?
-found_by = padding, pad token, key_padding_mask, attn_mask, boolean mask, True or False, keep or drop, batch of sentences, variable length, nn.MultiheadAttention, scaled_dot_product_attention, attention_mask
claim = With the right mask, padding changes nothing
look_for =
    { $padding ->
       *[some] { equal } all its weight goes to the padding.
        [none] This sentence has no padding. { equal } every key is hidden, so there are no weights.
    }
equal = The first four maps are equal, because each function got the mask it expects. The fifth comes from a function that got the opposite mask:
reading = Without the mask, padding changes the encoder’s output for the shortest sentence by { $shortest_by_seed_without_it } of its norm (first seed). With the mask, no sentence’s output changes, up to rounding.
asks = A batch of { sentences } is padded to the longest plus { columns }. In one PyTorch function, True in a mask keeps a key; in another, True hides it. A program passes one function’s mask to the other. How much attention weight falls on the padding?
    .little = Less than { -little }
    .some = { -little } to { -nearly-all }
    .most = More than { -nearly-all }
    .none = no extra columns
    .more = { $pads_count } extra columns
sentences =
    { $sentences_count ->
        [one] { $sentences_count } sentence
       *[other] { $sentences_count } sentences
    }
columns =
    { $pads_count ->
        [one] { $pads_count } extra column
       *[other] { $pads_count } extra columns
    }
conventions = The same mask in four conventions
    .description =
        { $padding ->
           *[some] Weights of one padded sentence: four of the maps are the same, but the fifth puts all its weight on the padding.
            [none] Weights of one padded sentence: four of the maps are the same, but the fifth has no weights, because every key is hidden.
        }
batch = A padded batch with and without its mask
    .description = Change due to padding. { $changes }.
Padding =
    .sentences = Number of sentences in the batch.
    .pads = Number of padding columns after the longest sentence.
    .head = The head of the first layer, counted from 0, whose weights are shown.
PaddingAnswer =
    .real = Number of tokens of the shortest sentence. Padding follows them.
