"""The network, one part a file. Read linear.py and embedding.py first, then attention_scores.py,
attention.py and block.py.

A file begins with its equation. Behind it stand the activations that the part records, each with
its formula and the rule by which one of its numbers follows from others: `dot` is a score function,
and `dot_steps` the derivation of one score. A choice is one row of a table with both.

Axes have the same names in all shapes. *batch stands for any axes in front; a part works on one
text as well as on many.

position   a token's place in its text
query, key a position that looks, and one that is looked at
memory     a position of the encoder's output, where a decoder looks at it
head       one of the h attention heads
d_head     the channels of one head, d_model / h unless a configuration says otherwise
d_q        the channels of all heads of queries
d_kv       the channels of all heads of keys: d_model, or fewer in grouped-query attention
channel    the d_model numbers of a token's vector; also written d_model where a matrix has them
pair       two channels next to each other: the sine and the cosine of one frequency
hidden     the numbers inside a network of two layers: d_ff in the feed-forward network
new        the positions that a cache does not hold yet
longest    the most positions of a text, max_length
vocabulary the tokens, or the classes of an image or a row
"""
