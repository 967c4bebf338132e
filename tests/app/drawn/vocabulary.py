"""The words of the field by which texts are held. All other words of a caption may change.

A word is here if another in its place would say something else: the name of a quantity, an axis, a
part of a model, a unit, a method, a direction, or one side of a contrast.
"""

import re

QUANTITIES = """
 accuracy activation agreement amplification argument attention attribution bias bound box byte
 candidate chance change channel coin component composition contribution cosine cost count curve
 curves dependency depth difference direction distance distinct draw draws dependencies effect
 embedding encoding entropy error evenly expected falls fits gain gap giou gradient growth guess
 guessing histogram identifier induction input interval iou jacobian key kinds l1 law layer
 leak length lemma letter lift logit log-probability loss loses losing ln map mask matter matters
 mean median memory memories multiplication neuron noise norm offset operation output pad pair
 parameter part
 path pattern pe pixel position power probability probabilities product quantile query queries rank
 rate ratio reach reaches removal resampled residual rest role rollout root row score scores seed
 sentence share shift shortcut similarity singular size slot softmax square spread standard
 deviation step steps stream strength sum sums surprise time token training truncation
 uniform update value variance vector vocabulary wavelength weight width window word write writes
 written writing √ ² | / λ σ Σ √ → dₖ d n q k v m w p x πᵀ pᵀ qkᵀ qwkᵀ qw w_u w₁ w₂ b₁
 turn angle crookedness frequency turns
"""
PARTS = """
 admin additive all b2t batch batchnorm cls clean class column corrupted cross cross-attention
 decoder decoder-only direct dot emb embed encoder encoder-decoder encoder-only feed-forward
 feed-forw ffn first flow fifth general global gru hard head hidden image instancenorm integrated
 label last layernorm local location location-based lstm multihead network none object ours perfect
 performer post-ln post-pre pre-ln prefix previous random relu rnn samples scratch sdpa self
 self-attention sinusoidal learned learnt soft source sub-layer sublayer summand table target text
 transformer unit whole matched mistaken conventions convention colour red green blue term side
 height
"""
UNITS = """
 nats bits bit logits % degree degrees pixels tokens positions kib million millionmultiplications
 mm seconds second minutes ms letters components channels share unit lengths queries keys
"""
MORE = """
 method correlation attack recurrent convolution restricted averages sample another caption chart
 circuit copying direct confidence covered cell cells data decay dependent detection distribution
 divided drawing epoch equation example examples fact fill-in free formula fraction function grid
 group groups hatched help hour hull identity inputs inverse item kernel key_position
 query_position lens level limit line link list logarithm loop lemma machine member model models
 negative positive number numbers normal only opposite order orders parts placement points
 population pre-training price quality rate raise raised read reader real reason record region
 relative repeat repeated residuals restores result rotation rotated rounding rule run rnns sampled
 scale search second sequence sequences shape side sites size slope sparse stack state statistic
 statistics stripe sub switch table tile times total tree truth type truncated values vectors view
 virtual wanted warm-up word words works zero guess chance guesses perplexity head heads tensor
 recurrence remove removed removes removing rotary absolute relative alibi shifted added
 lower-bound standard correct pixels patches patch captured object objects block blocks
 yesterday best probable worst unchanged pick picks chosen choose correlation spread
 restrict restricts full causal padding global strided dilated random strip strips
 summand summands normed biases write neuron's rests outlined framed bold
 share shares evenness even horizon lengths origin path-alone quarter half third
 first-guess top-p top-k min-p temperature greedy beam beams
 copy held-in fine tune tuning member members flipped cost costs multiplies multiplication
 sequential parallel repetition surprise distinct random-directions directions
 islands island sex bill flipper body mass
 probe probes control selectivity embedding position together
 cold warm stretch crossing cross gate gated
 mean-square error root-mean-square square soft hard
 attend attends calibration cumulative generated promotes recovered reference maximum surprisal
 theory
 lookup lookups looked key-value cache cached without-cache with-cache
 relu gelu silu swish activation activated argument fire length raises
 ln-26 ln likelihood gold patching patched corrupted clean restored
"""
CONTRASTS = """
 above below after before again against ahead alike alone another away back backwards behind
 beside better best beyond between brighter bright dark black white closed comes copying copies
 cut cuts dashed dotted different each either elsewhere empty every exact approximate far fewest
 few fire fires firing fitted fit fixed forward frozen fresh gains gives grows hiding highest
 higher held held-out hit hides kept largest larger later least left less leaves likeliest
 lower lowers many meets missed missing more most much near nearest never next no none nor not
 nothing off on one original others other out own past probable patched raises reads read reading
 real right wrong rise rises same scaled unscaled set short shortest sees silent single small
 smallest
 starts straight strongest taken together top total trained tried true tuned turned twice two three
 four under untrained up down upper lower weakest with without worse yes gated swapped applied
 measured expected restores restored lost lose most least says say looks look answers answer
 reply predict predicts judged writer reader wanted past drawn sampled kept found
 origin fewer half halves added concatenated single removed removing takes remembered
 horizontal vertical across rows columns longest wide widest narrow widest
 open shut painted allowed masked shown adds add reached reach outside inside within longer shorter
 increases decreases increase decrease grow shrink shrinks slower faster cheaper dearer exactly
 earlier old older newest bright brightest dark darkest sure any both only ever always some alone
 still too all now over per average double doubled multiplied multiplying replaced reaching apart
 unmasked predicted predicting shrinking growing rising falling
"""


def stem(word: str) -> str:
    """The word without the signs of the plural and of possession."""
    word = re.sub("[’']s?$", "", word.lower())
    return word[:-1] if word.endswith("s") and not re.search("(ss|us|is)$", word) else word


WORDS = frozenset(
    stem(word) for group in (QUANTITIES, PARTS, UNITS, MORE, CONTRASTS) for word in group.split()
)


def term(token: str) -> str:
    """What a token of a text says: itself where it is a place or a number, its stem where it names
    something, and else nothing.
    """
    if not token[0].isalpha():
        return token
    return known if (known := stem(token)) in WORDS else ""


SUB_LAYERS = {
    "attention": "self-attention",
    "after_attention": "self-attention",
    "cross_attention": "cross-attention",
    "after_cross_attention": "cross-attention",
    "feed_forward": "feed-forward",
    "out": "feed-forward",
    "in": "embedding",
}
"""What a part of the name of an activation is called in figures."""

ALIASES: dict[str, dict[str, dict[str, str]]] = {
    "": {
        "placement": {
            "post": "Post-LN",
            "pre": "Pre-LN",
            "admin": "Admin",
            "b2t": "B2T",
            "branch": "x + LN(f)",
            "none": "no norm",
        },
        "layer": {},
    },
}
"""What labels are called in figures where they have another name there: by word, axis and label; ""
is every word.
"""


def aliases(word: str, axis: str, label: str) -> str:
    """What a label is called in the figures of a word; nothing where it is its own name."""
    for where in (word, ""):
        if found := ALIASES.get(where, {}).get(axis, {}).get(label):
            return found
    return ""
