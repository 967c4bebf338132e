# /decoding.
-found_by = decoding strategy, beam search, greedy, temperature, top-k, top-p, nucleus sampling, sampling, randomness, creativity, length penalty, repetition, The Curious Case of Neural Text Degeneration, Holtzman, maximum likelihood
