# /generate.
-found_by = text generation, inference, next word, next token prediction, predict, autocomplete, autoregressive, autoregression, sampling, teacher forcing, exposure bias, shifted right, shift by one, labels, probabilities of words, language model output, training against inference
