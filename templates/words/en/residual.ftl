# /residual.
-found_by = residual connection, skip connection, shortcut, residual stream, ResNet, highway, add, logit lens, unembedding, weight tying, tied embeddings, output layer, language model head, nostalgebraist, dropout, hidden states
-answers = The residual stream of a run: its norm at each step, the size of each contribution, and the parts that sum to it
Residual =
    .stack = The stack whose residual stream is sent. Default: the stack that predicts.
    .at = The step of the stream, by name, that is decomposed. Default: the last.
    .position = Sends only this position, counted from 0.
    .first_layer = The first layer of a window of layers, counted from 0; steps outside it are left out, except for their norms in `whole_norm`. Default: all layers, or with `layers`, layer 0.
    .layers = Number of layers in the window. Default: 8 if `first_layer` is given.
ResidualAnswer =
    .at = The step that is decomposed.
    .whole_steps = With a window of layers: every step of the stack. The windows begin with layer 0.
    .position = The position, if one was asked for.
