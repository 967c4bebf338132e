# /modes.
-found_by = BERT, GPT, T5, encoder-only, decoder-only, encoder-decoder, prefix LM, bidirectional, masked language model, MLM, causal language model, types of Transformers, Bidirectional Transformers, difference between BERT and GPT, Devlin, Raffel, Exploring the Limits of Transfer Learning, Improving Language Understanding
-answers = One sentence through an encoder, a decoder, an encoder-decoder and a prefix model, with masks, attention and predictions
Modes =
    .text = The sentence: input of a model of one stack, source of the others.
    .target = The target text. Default: every model that needs one generates its own.
    .encoder_only = The id of an encoder-only model. Default: the first that accepts the text.
    .decoder_only = The id of a decoder-only model. Default: the first that accepts the text.
    .encoder_decoder = The id of an encoder-decoder. Default: the first that accepts the text.
    .prefix = The id of a prefix model. Default: the first that accepts the text.
    .layer = The layer, counted from 0; a model with fewer layers shows its last. Default: the last of every model.
    .head = The head, counted from 0; a model with fewer heads shows its last.
    .top = Number of candidates per position.
Mode =
    .why = Why no shipped model accepts the sentence in this way; null where one does.
