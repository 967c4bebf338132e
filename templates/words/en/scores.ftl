# /scores.
-found_by = score function, alignment function, additive attention, multiplicative attention, Bahdanau, Luong, general score, concat score, cosine similarity, hard attention, soft attention, similarity of query and key, content-based
