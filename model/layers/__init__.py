"""The network, one part per file. Read linear.py and embedding.py first, then attention_scores.py,
attention.py, and block.py.

A file begins with its equation. Then come the activations that the part records, each with its
formula and the rule that derives one of its entries: `dot` is a score function, and `dot_steps` is
the derivation of one score. Each choice is one row of a table that holds both.

Axes have the same names in all shapes. *batch stands for any number of leading axes, including
none.

position   a token's place in its sequence
query, key the position that attends, and the position attended to
memory     a position of the encoder's output, as a key of the decoder's cross-attention
head       one of the h attention heads
d_head     the channels of one head, d_model / h unless the configuration sets it
d_q        the channels of all query heads together
d_kv       the channels of all key heads: d_model, or fewer in grouped-query attention
channel    the d_model components of a token's vector; d_model in the shape of a matrix
pair       two adjacent channels: the sine and the cosine of one frequency
hidden     the units of a two-layer network: d_ff in the feed-forward network
new        the positions that are not in the cache yet
longest    the maximum number of positions, max_length
vocabulary the tokens, or the classes of an image or a row
"""
