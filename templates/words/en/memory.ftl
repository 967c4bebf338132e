# /memory. Fields and conditions: app/experiments/memory.py; facts: tests/app/words/memory.py.
-answers = Where the keys of a trained feed-forward network fire, which words their values promote, and attention with persistent slots
-most-strongly = most strongly
-most = most
-feed-forward = feed-forward
-slots = slots
-attention = neither
-attention-alone = attention alone
-the-same-sentences = the same sentences
-low = 5%
-high = 20%

question = Is the feed-forward network a memory?
-found_by = key-value memory, Transformer Feed-Forward Layers Are Key-Value Memories, Geva, where facts are stored, factual knowledge, Transformer-XL, segment recurrence, persistent memory, Sukhbaatar, long-term memory
claim = A feed-forward layer acts as a key–value memory
look_for =
    { $shown ->
        [recurrence] On the right, text becomes easier to predict as each layer remembers more tokens, up to the { $best } used in training. Beyond that, the lines rise, because the model never learned to use older tokens.
        [slots] On the right, three small decoders learn from { -the-same-sentences }: with feed-forward networks, with persistent slots instead (learned keys and values), and with { -attention-alone }. A lower loss is better. { replaced }
       *[other] { rows }
    }
rows =
    { $stack ->
       *[decoder] Each row shows one key: the token where the key fires { -most-strongly }, the tokens before it, and the words the key’s value promotes { -most }. “##” marks a word piece that continues a word.
        [encoder] Each row shows one key of the encoder: the token where the key fires { -most-strongly }, and the words the key’s value promotes { -most }. The encoder predicts no words, so its values are decoded with the decoder’s unembedding, which is also the encoder’s embedding.
    }
replaced =
    { $replaced ->
       *[holds] Here, slots work as well as feed-forward networks.
        [fails] Sukhbaatar et al. found slots as good as feed-forward networks after long training; after this short training they are not.
        [undecided] These seeds do not settle whether slots work as well as feed-forward networks.
    }
reading =
    { $shown ->
        [recurrence] On held-out text, the loss is { $held_out_first } bits per character without memory. With a memory of { $best } tokens, it is { $held_out_least }; with { $memory_last } tokens, { $held_out_last }. On this text, it is { $bits_first } without memory; with the best memory length, { $bits_least }.
        [slots] Held-out loss in nats per token: { $slot_loss_feed_forward } with { -feed-forward } networks, { $slot_loss_slots } with { -slots }; { $slot_loss_attention } with { -attention }.
       *[other] { named }
    }
named =
    { $stack ->
       *[decoder] A hidden unit’s key decides where it fires; its value promotes words. Take the token at which a key fires { -most-strongly }. For { $agreement } of the keys (chance: { $agreement_shuffled }), the model’s next word is among the ten that the key’s value promotes { -most }.
        [encoder] A hidden unit’s key decides where it fires; its value promotes words. Take the token at which a key fires { -most-strongly }. For { $agreement } of the keys (chance: { $agreement_shuffled }), that token is among the ten words that the key’s value promotes { -most }.
    }
asks =
    { $stack ->
       *[decoder] { asks.values } Take the token where a unit fires { -most-strongly }. How often is the word that the model predicts there among the ten words that the unit’s value promotes { -most }?
        [encoder] { asks.values } Take the token where a unit fires { -most-strongly }. How often is that token among the ten words that the unit’s value promotes { -most }?
    }
    .values = Each hidden unit of a feed-forward network fires at some tokens and then adds a vector, its value, to the residual stream. The values of layer { $layer } of the translator’s { stack } are decoded as words.
    .few = Less than { -low }
    .some = { -low } to { -high }
    .many = More than { -high }
    .layer = layer { $layer } of the decoder
    .encoder = the encoder
keys = Where keys fire, and which words their values promote
    .description = The { $keys } keys that fire { -most-strongly }, and the words of their values.
written = Words this value promotes
    .description = Words that value { $chosen_neuron } promotes: { $word_names }.
fires = Where this key fires
    .description = Sentences in which key { $chosen_neuron } fires { -most-strongly }.
slots = Slots instead of feed-forward networks
    .description = Held-out loss of three small decoders, { $kept_seed_length } seeds each.
recurrence = Loss of shakespeare-xl by memory length
    .description = Bits per character with memories of { $memory_first } to { $memory_last } inputs.
Memory =
    .stack = The translator’s stack whose feed-forward network is shown.
    .layer = The layer of that stack, counted from 0.
    .rank = Which key is shown, counted from the one that fires most strongly.
    .slots = Number of persistent slots (pairs of a key and a value) in addition to the tokens.
    .text = The text that shakespeare-xl predicts with memories of several lengths. Default: the model's first example.
