# /circuits-theory.
-found_by = A Mathematical Framework for Transformer Circuits, Elhage, Anthropic, attention-only, virtual weights, path expansion, zero-layer Transformer, one-layer Transformer, skip-trigram, paths, mechanistic interpretability, tensor product
