# /learned-positions. Fields: app/experiments/learned_positions.py; facts:
# tests/app/words/learned_positions.py.
-answers = Learned versus sinusoidal positions in small translators: the held-out loss during training
-learned = learned
-sinusoidal = sinusoidal
-lowest = 0.93
-highest = 1.08
-raised = 8%
-share = 10%

question = Do learned positions translate as well as sinusoidal ones?
-found_by = learned positional embedding, trainable position, absolute position, maximum length, interpolation of positions, context length, context window
claim = Learned positions work about as well as sinusoidal ones
look_for = On the left, the losses of the two translators fall together. The right figure shows the perplexity with learned position vectors divided by the perplexity with sinusoidal ones. At the end, we expect a ratio between { -lowest } and { -highest }. For comparison: in the original paper, using one head instead of eight raised perplexity by about { -raised }.
reading = After training, the held-out perplexity is { $perplexity_learned } with { -learned } positions and { $perplexity_sinusoidal } with { -sinusoidal } ones.
asks = Two small translators learn from the same sentences. One adds a sinusoidal vector for each position; the other adds a learned vector. Whose perplexity is lower in the end? Each translator is trained with up to { seeds }.
    .learned = Learned positions, by { -share } or more
    .neither = Neither by { -share }
    .sinusoidal = Sinusoidal positions, by { -share } or more
    .once = one training
    .twice = two trainings
loss = Held-out loss of both translators
    .description = Held-out loss with sinusoidal and with learned positions.
ratio = Learned versus sinusoidal positions
    .description = Perplexity with learned positions divided by that with sinusoidal ones.
