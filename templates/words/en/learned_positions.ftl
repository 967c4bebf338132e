# /learned-positions. Fields: app/experiments/learned_positions.py; facts:
# tests/app/words/learned_positions.py.
-answers = Learned and sinusoidal positions in small translators trained side by side: the held-out loss along the training
-learned = learned
-sinusoidal = sinusoidal
-lowest = 0.93
-highest = 1.08
-share = 10 %

-found_by = learned positional embedding, trainable position, absolute position, maximum length, interpolation of positions, context length, context window
claim = Learned positions translate about as well as sinusoidal ones
look_for = On the left, the losses of two translators fall together. On the right, the perplexity with learned positions is divided by the one with sinusoidal positions. The law allows this line to end between { -lowest } and { -highest }. One head in place of eight costs the paper’s translator as much.
reading = At the end of the training the perplexity is { $perplexity_learned } with { -learned } positions and { $perplexity_sinusoidal } with { -sinusoidal } ones.
asks = Two small translators learn from the same sentences. One adds a sinusoid to each word, and the other adds a vector that it has to learn for each position. Whose perplexity is lower in the end? Each is trained with up to { seeds }.
    .learned = That of the learned positions, by { -share } or more
    .neither = Neither by { -share }
    .sinusoidal = That of the sinusoidal positions, by { -share } or more
    .once = one training
    .twice = two trainings
loss = How well each translates
    .description = Held-out loss of translators with sinusoidal and with learned positions.
ratio = Beside sinusoidal positions
    .description = Perplexity with learned positions, over that with sinusoidal ones.
