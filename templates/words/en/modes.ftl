# /modes.
-found_by = BERT, GPT, T5, encoder-only, decoder-only, encoder-decoder, prefix LM, bidirectional, masked language model, MLM, causal language model, types of Transformers, Bidirectional Transformers, difference between BERT and GPT, Devlin, Raffel, Exploring the Limits of Transfer Learning, Improving Language Understanding
