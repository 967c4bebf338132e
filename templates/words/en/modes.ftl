# /modes.
-found_by = BERT, GPT, T5, encoder-only, decoder-only, encoder-decoder, prefix LM, bidirectional, masked language model, MLM, causal language model, types of Transformers, Bidirectional Transformers, difference between BERT and GPT, Devlin, Raffel, Exploring the Limits of Transfer Learning, Improving Language Understanding
-answers = One sentence, read by an encoder alone, a decoder alone, an encoder-decoder and a stack under a prefix mask, with masks, attention and predictions
Modes =
    .text = The sentence. A model of one stack reads it, and a model with a target takes it as its source.
    .target = The text that follows. If it is left out, every model that needs one writes its own.
    .encoder_only = The id of an encoder-only model. If it is left out, the first one that reads the text is taken.
    .decoder_only = The id of a decoder-only model. If it is left out, the first one that reads the text is taken.
    .encoder_decoder = The id of an encoder-decoder. If it is left out, the first one that reads the text is taken.
    .prefix = The id of a prefix model. If it is left out, the first one that reads the text is taken.
    .layer = The layer, counted from 0. A model with fewer layers shows its last one. If it is left out, every model shows its last.
    .head = The head, counted from 0. A model with fewer heads shows its last one.
    .top = How many candidates are listed for each position.
Mode =
    .why = Why no shipped model reads the sentence in this way; null where one does.
