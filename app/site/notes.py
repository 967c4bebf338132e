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

QUESTIONS = (
    Note(
        "What are Q, K and V, and why three?",
        "Three linear maps of a token's vector: what it asks, what it answers to, what it hands"
        " over when it is found.",
        "/attention",
    ),
    Note(
        "LayerNorm: the figure shows Post, the code has Pre. Which?",
        "The paper's is Post, LN(x + f(x)); most code since is Pre, x + f(LN(x)), with one norm"
        " more at the end.",
        "/norms",
    ),
    Note(
        "Does True in a mask mean keep or drop?",
        "Libraries differ; here 1 allows, and what is not allowed gets minus infinity before the"
        " softmax.",
        "/masks",
    ),
    Note(
        "Teacher forcing and generation: the same network?",
        "The same weights and masks; only where the decoder's input comes from differs; the rows"
        " agree until a word does.",
        "/generate",
    ),
    Note(
        "Why divide by sqrt(d_k)?",
        "The variance of q . k grows with d_k; undivided, one key takes all and the gradient of the"
        " softmax vanishes.",
        "/scaling",
    ),
    Note(
        "Why add positions rather than append them?",
        "The sum costs no width, and training can keep both apart; compare how long either"
        " vector is.",
        "/positions?show=norms",
    ),
    Note(
        "Cross-attention: which side gives what?",
        "Queries from the decoder's layer, keys and values from the encoder's last output, the same"
        " for every layer.",
        "/attention?kind=cross",
    ),
    Note(
        "Is d multiplied or divided by the heads?",
        "Divided: d_head = d / h, so that h heads cost as much as one.",
        "/claims",
    ),
    Note(
        "Is an attention weight importance?",
        "Not alone: what a head writes is weight times value, and what counts is what changes"
        " without it.",
        "/residual?view=contributions",
    ),
    Note(
        "Do layers replace the stream or add to it?",
        "They add; a Post-LN layer normalises the sum as well.",
        "/residual",
    ),
    Note(
        "Do the causal mask and the residual leak the future?",
        "No: the change of an earlier output when a later token changes is exactly 0.",
        "/masks?pattern=causal&flip=none",
    ),
    Note(
        "Without positions, does order matter?",
        "Under the full mask not at all; the causal mask alone already carries order.",
        "/claims",
    ),
    Note(
        "Padding and causal mask: both?",
        "Both, in a batch of a decoder; they are added before the softmax.",
        "/masks?pattern=causal+and+padding",
    ),
    Note(
        "Why minus infinity, and before the softmax?",
        "exp of it is 0 and the rest still sums to 1; multiplied after the softmax, rows sum to"
        " less.",
        "/masks?show=sums",
    ),
    Note(
        "Why several heads?",
        "One softmax gives one mean; several let a token look at several places for several reasons"
        " at once.",
        "/attention",
    ),
    Note(
        "Self, cross, causal: the same formula?",
        "The same; only where keys and values come from, and the mask, differ.",
        "/attention",
    ),
    Note(
        "Why sinusoids?",
        "Bounded, different for every position, the same whatever the length; one rotation leads k"
        " positions on.",
        "/positions",
    ),
    Note(
        "What does the feed-forward do if attention mixes?",
        "It changes each token by itself, from what attention has gathered there.",
        "/residual",
    ),
    Note(
        "Which token does position t predict?",
        "Token t + 1: the row of a token holds the distribution of the one after it.",
        "/generate",
    ),
    Note("Do rows or columns sum to 1?", "Rows: each query's weights over the keys.", "/attention"),
    Note(
        "Why a final norm in a Pre-LN stack?",
        "Its stream is never normalised and grows with depth; the unembedding would see a length"
        " that depends on it.",
        "/norms?placement=pre",
    ),
    Note(
        "What are unembedding, tying and the logit lens?",
        "Logits are the stream times W_U; tied, W_U is the embedding transposed; the lens applies"
        " it half way.",
        "/residual?view=stream",
    ),
    Note(
        "Why warm-up, and what does Admin change?",
        "Post-LN amplifies small changes in proportion to its depth; Admin rescales the shortcut so"
        " that they grow like its logarithm.",
        "/amplification",
    ),
    Note(
        "Why O(n^2 d), and what do KV cache and linear attention save?",
        "Every query meets every key; the cache spares what is already computed, linear attention"
        " the pairs.",
        "/complexity",
    ),
    Note(
        "Encoder-only, decoder-only, encoder-decoder: what differs?",
        "The masks and whether there is cross-attention; the parts are the same.",
        "/modes",
    ),
)
