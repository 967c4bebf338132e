# /performer.
-found_by = linear attention, efficient Transformer, Performers, Rethinking Attention with Performers, FAVOR, kernel, random features, Choromanski, long sequences, approximate softmax, Efficient Transformers: A Survey
