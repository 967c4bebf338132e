# /residual.
-found_by = residual connection, skip connection, shortcut, residual stream, ResNet, highway, add, logit lens, unembedding, weight tying, tied embeddings, output layer, language model head, nostalgebraist, dropout, hidden states
