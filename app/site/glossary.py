"""The glossary and the questions that are asked most. Each entry has a sentence, and a page that
shows or measures it.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Note:
    """`name` is a term or a question; `page` is the address of the view that shows it."""

    name: str
    sentence: str
    page: str


GLOSSARY = (
    Note(
        "Add and norm",
        "The sub-layer's output is added to the stream and the sum is normalised; where the norm"
        " stands is the placement.",
        "/norms",
    ),
    Note(
        "Admin",
        "Post-LN whose shortcut is scaled by an omega for each sub-layer, profiled so that no"
        " sub-layer dominates.",
        "/dependency",
    ),
    Note(
        "ALiBi",
        "Each head takes its own slope times the distance from a score.",
        "/positions?scheme=alibi",
    ),
    Note(
        "Alignment",
        "Which source word a target word comes from; cross-attention learns one without being"
        " told.",
        "/attention?kind=cross",
    ),
    Note(
        "Attention",
        "A weighted mean of values; the weights say how well a query fits each key.",
        "/attention",
    ),
    Note("Autoregressive", "One token at a time, each given all before it.", "/generate"),
    Note(
        "Beam search",
        "Greedy decoding that keeps several beginnings alive, and at the end the likeliest whole.",
        "/generate?strategy=beam",
    ),
    Note(
        "Block mask",
        "A position sees all of its own block and nothing else, however many layers.",
        "/masks?pattern=block",
    ),
    Note(
        "Causal mask",
        "A position may look at itself and at what came before it.",
        "/masks?pattern=causal",
    ),
    Note(
        "Content-based attention",
        "The score is the cosine of query and key; their lengths do not count.",
        "/scores",
    ),
    Note(
        "Cross-attention",
        "Queries from the decoder, keys and values from the encoder's output; also called"
        " inter-attention.",
        "/attention?kind=cross",
    ),
    Note(
        "Decoder",
        "The stack that writes: causal self-attention, cross-attention, feed-forward.",
        "/",
    ),
    Note(
        "Deductive",
        "From a rule to the case: here the laws of the clinics, which say what a stack fresh from"
        " initialisation must do.",
        "/amplification",
    ),
    Note(
        "Dependency",
        "Var f(x) / Var (x + f(x)): the share of the stream that its newest writer made.",
        "/residual",
    ),
    Note(
        "Dilated mask",
        "Every d-th position back from its own: far sight at the price of few keys.",
        "/masks?pattern=dilated",
    ),
    Note(
        "Embedding", "A vector for each token of the vocabulary, looked up by its id.", "/residual"
    ),
    Note(
        "Encoder",
        "The stack that reads: every position sees every other.",
        "/attention?kind=self&stack=encoder",
    ),
    Note(
        "Feed-forward",
        "Two linear maps with a ReLU between them, the same for every token, which it sees alone.",
        "/residual",
    ),
    Note(
        "Greedy decoding",
        "The likeliest token at each step; the text need not be the likeliest text.",
        "/decoding",
    ),
    Note(
        "Hard attention",
        "One key is chosen, the others count nothing; the choice has no gradient.",
        "/scores",
    ),
    Note(
        "Head",
        "One of h attentions side by side, each d/h wide; what they write is summed.",
        "/attention",
    ),
    Note(
        "Inductive",
        "From cases to the rule: here training, which finds the weights in 72,000 pairs of"
        " sentences.",
        "/",
    ),
    Note(
        "Intra-attention",
        "Another name of self-attention: queries, keys and values come from the same sequence.",
        "/attention?kind=self&stack=encoder",
    ),
    Note("Key", "What a token offers to be found by.", "/attention"),
    Note(
        "KV cache",
        "Keys and values of what is already written are kept; each new token asks only for its"
        " own.",
        "/generate",
    ),
    Note(
        "Label smoothing",
        "A tenth of the probability is asked for on all other words; the model learns to be less"
        " sure.",
        "/generate",
    ),
    Note(
        "Layer norm",
        "Mean 0 and variance 1 over the channels of one token, then a gain and a bias.",
        "/norms",
    ),
    Note(
        "Linear attention",
        "A kernel in place of the softmax lets sums over keys be made once; cost grows with n, not"
        " with its square.",
        "/performer",
    ),
    Note("Local attention", "Only keys near the query may count.", "/masks?pattern=window"),
    Note(
        "Logit lens",
        "The unembedding applied in the middle of the stack: what the model would say now.",
        "/residual?view=stream",
    ),
    Note(
        "Logits",
        "A score for every word of the vocabulary; the softmax makes probabilities of them.",
        "/generate",
    ),
    Note(
        "Padding mask",
        "Hides the filling that makes the texts of a batch equally long.",
        "/masks?pattern=padding",
    ),
    Note(
        "Post-LN",
        "LN(x + f(x)): the norm after the addition, as in the paper of 2017.",
        "/norms?placement=post",
    ),
    Note(
        "Pre-LN",
        "x + f(LN(x)): the norm before the sub-layer; the stream itself is never normalised.",
        "/norms?placement=pre",
    ),
    Note(
        "Prefix mask",
        "The first p positions see each other both ways, the rest is causal.",
        "/masks?pattern=prefix",
    ),
    Note("Query", "What a token looks for.", "/attention"),
    Note(
        "Relative positions",
        "Attention is told how far apart query and key are, not where each stands.",
        "/positions?scheme=shaw",
    ),
    Note(
        "Residual stream",
        "The sum that runs through all layers: every sub-layer reads it and adds to it.",
        "/residual",
    ),
    Note(
        "Rotary positions",
        "Queries and keys turned by their position: their product knows the offset.",
        "/positions?scheme=rope",
    ),
    Note(
        "Sampling",
        "The next token is drawn from the distribution, which temperature, top-k, top-p and min-p"
        " change first.",
        "/generate?strategy=sample",
    ),
    Note(
        "Scaled dot product",
        "q . k / sqrt(d_head): the variance of a score stays near 1 whatever the width.",
        "/scaling",
    ),
    Note(
        "Self-attention",
        "Queries, keys and values come from the same sequence.",
        "/attention?kind=self&stack=encoder",
    ),
    Note(
        "Sequence to sequence",
        "A sequence in, another out, of another length: translation, here.",
        "/generate",
    ),
    Note(
        "Sinusoidal positions",
        "Sines and cosines of growing wavelength; one rotation shifts every position.",
        "/positions",
    ),
    Note(
        "Soft attention", "All keys count, by weights that sum to 1; it has a gradient.", "/scores"
    ),
    Note(
        "Softmax", "exp(s) / sum exp(s): scores become positive weights that sum to 1.", "/scaling"
    ),
    Note(
        "Teacher forcing",
        "In training the decoder reads the right words, not its own, and all positions learn at"
        " once.",
        "/generate",
    ),
    Note("Token", "A word or a piece of one; ## marks a piece that continues a word.", "/"),
    Note(
        "Transduction",
        "From the observed sequence straight to the asked one, without a rule said in between.",
        "/generate",
    ),
    Note(
        "Two-dimensional window",
        "A position of a picture sees those around it that came before.",
        "/masks?pattern=window_2d",
    ),
    Note("Unembedding", "The stream times the embedding's transpose: logits.", "/generate"),
    Note("Value", "What a token hands over when it is found.", "/attention"),
    Note(
        "Volitional cue",
        "What one looks for on purpose: the query. What stands out by itself is the key.",
        "/attention",
    ),
    Note(
        "Warm-up",
        "The learning rate climbs from 0 at first: Post-LN's late layers have large gradients at"
        " initialisation.",
        "/gradients",
    ),
)
