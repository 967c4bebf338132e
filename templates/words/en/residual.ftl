# /residual.
-found_by = residual connection, skip connection, shortcut, residual stream, ResNet, highway, add, logit lens, unembedding, weight tying, tied embeddings, output layer, language model head, nostalgebraist, dropout, hidden states
-answers = The residual stream of a run: its length at each step, the size and dependency of every write, and the parts that sum to it
Residual =
    .stack = The stack whose stream is sent. If it is left out, it is the stack that predicts.
    .at = The step of the stream, by name, whose sum is taken apart. If it is left out, it is the last.
    .position = Sends only this position, counted from 0.
    .first_layer = The first layer of a window of layers, counted from 0: steps outside of it are left out, but for their lengths in `whole_norm`. If it is left out, all layers are sent, or with `layers` those from layer 0 on.
    .layers = How many layers a window has. If it is left out and `first_layer` is given, there are 8.
ResidualAnswer =
    .at = The step whose sum is taken apart.
    .whole_steps = With a window of layers: every step of the stack. The windows begin with layer 0.
    .position = The position, where one was asked for.
