# /overview.
-found_by = Transformer architecture, architecture diagram, Attention is all you need, The Illustrated Transformer, The Annotated Transformer, Alammar, Vaswani, encoder and decoder blocks, big picture, block diagram, machine translation
