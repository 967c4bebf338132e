# /memory. Fields and conditions: app/experiments/memory.py; facts: tests/app/words/memory.py.
-answers = Where the keys of a trained feed-forward network fire and which words their values write, and attention with persistent slots
-most-strongly = most strongly
-feed-forward = feed-forward
-slots = slots
-attention = neither
-attention-alone = attention alone
-the-same-sentences = the same sentences
-low = 5 %
-high = 20 %

-found_by = key-value memory, Transformer Feed-Forward Layers Are Key-Value Memories, Geva, where facts are stored, factual knowledge, Transformer-XL, segment recurrence, persistent memory, Sukhbaatar, long-term memory
claim = The feed-forward is a memory, and some of its values name words
look_for =
    { $shown ->
        [recurrence] On the right, text becomes cheaper to predict while each layer remembers more inputs, up to the { $best } of the training. Beyond them the lines rise, because the model never learned to use what is farther away.
        [slots] On the right, three small decoders learn from { -the-same-sentences }: with feed-forward networks, with persistent slots in their place, and with { -attention-alone }. A lower loss is better. { replaced }
       *[other] { rows }
    }
rows =
    { $stack ->
       *[decoder] Each row is one key. It shows the token at which the key fires { -most-strongly }, after the tokens before it, and the words that its value makes likelier. Some of these words continue the text.
        [encoder] Each row is one key of the encoder. It shows the token at which the key fires { -most-strongly }, and the words that its value makes likelier. The encoder predicts no words, so its values are read with the decoder’s unembedding, which is also the embedding of the encoder.
    }
replaced =
    { $replaced ->
       *[holds] Here slots do as well as feed-forward networks.
        [fails] Sukhbaatar et al. found slots as good as feed-forward networks after a long training. After this short training they are not.
        [undecided] The seeds do not decide whether slots do as well as feed-forward networks.
    }
reading =
    { $shown ->
        [recurrence] Held-out text costs { $held_out_first } bits a character without memory. With { $best } inputs it costs { $held_out_least }, and with { $memory_last } it costs { $held_out_last }. This text costs { $bits_first }, at best { $bits_least }.
        [slots] Held-out loss: { $slot_loss_feed_forward } nats a token with { -feed-forward } networks, { $slot_loss_slots } with { -slots } in their place; { $slot_loss_attention } with { -attention }.
       *[other] { named } Key { $chosen_neuron } fires with at most { $chosen_firing }, and its value writes { $words }.
    }
named =
    { $stack ->
       *[decoder] { $agreement } of the values name the word that the model writes next; by chance { $agreement_shuffled } would.
        [encoder] { $agreement } of the values name the token at which its key fires; by chance { $agreement_shuffled } would.
    }
asks =
    { $stack ->
       *[decoder] { asks.values } For how many of them is the word written next among the first ten?
        [encoder] { asks.values } For how many of them is the token at which the unit fires among the first ten?
    }
    .values = Each hidden unit of a feed-forward network fires at some tokens and then adds one vector, its value, to the stream. Read the values of layer { $layer } of the translator's { stack } as words.
    .few = Less than { -low }
    .some = { -low } to { -high }
    .many = More than { -high }
    .layer = layer { $layer } of the decoder
    .encoder = the encoder
keys = Which keys fire, and what their values write
    .description = The { $keys } keys that fire strongest, and the words of their values.
written = What this value writes
    .description = What value { $chosen_neuron } writes: { $word_names }.
fires = Where this key fires
    .description = Sentences in which key { $chosen_neuron } fires strongest.
slots = Slots in place of feed-forward networks
    .description = Held-out loss of three small decoders, { $kept_seed_length } seeds each.
recurrence = What remembering is worth to shakespeare-xl
    .description = Bits a character with memories of { $memory_first } to { $memory_last } inputs.
Memory =
    .stack = The stack of the translator whose feed-forward network is read.
    .layer = The layer of that stack, counted from 0.
    .rank = Which key is shown, counted from the one that fires most strongly.
    .slots = How many persistent slots, which are pairs of a key and a value, stand beside the tokens.
    .text = The text that shakespeare-xl predicts with memories of several lengths; if it is left out, the first example of the model.
