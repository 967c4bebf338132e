"""Padding: sentences of different lengths in one batch, with and without the padding mask; and the
two opposite conventions for boolean masks.

Both conventions are run in torch with the weights of a trained layer. In
`nn.functional.scaled_dot_product_attention`, as in Vitrine, True means that a key takes part; in
`nn.MultiheadAttention`, True means that a key is hidden.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from model import progress
from model.answers.answer import Answer, Axis, Labelled
from model.answers.laws import Law, by_name, each
from model.answers.measurements import Finding, exact, statistical
from model.checks import check_between
from model.inputs.text import Frame, Token, pad_ids
from model.layers import masks
from model.layers.attention import MultiHeadAttention
from model.measure.initialised_stacks import by_seed, generator, seed_axis
from model.measure.random_sentences import sentences as texts
from model.trace import Recorder
from model.transformer import Transformer
from model.zoo.models import load_model

LAWS = by_name(
    *each(
        {"sdpa": "SDPA", "multihead": "MHA", "additive": "an additive mask"},
        Law(
            "{}",
            "Largest difference in weights: {} and Vitrine",
            "0 up to rounding: the same weights",
            (0, 1e-5),
        ),
    ),
    Law(
        "mistaken",
        "Fraction of the weight on padding, with the other function’s mask",
        "1: the mask is inverted, so all weight is on padding",
        (1 - 1e-5, 1 + 1e-5),
    ),
    Law(
        "with",
        "Change due to padding, with the mask",
        "0 up to rounding: the mask hides the padding",
        (0, 1e-5),
        "of the norm",
    ),
    Law(
        "bits",
        "Change due to different padding tokens",
        "0, bit for bit: the padding tokens don’t matter",
        (0, 0),
    ),
    Law(
        "without",
        "Change due to padding, without the mask",
        "above 0: without the mask, padding changes the shortest sentence",
        (0.01, None),
        "of the norm",
    ),
    Law(
        "first_word",
        "Change in the probabilities of the first French word, without the mask",
        "fraction of probability that moves to other words",
    ),
)

MODEL = "translator"
MIN_SENTENCES, MAX_SENTENCES, MAX_PADS = 2, 8, 16
HEADS = 4
CONVENTIONS = ("ours", "sdpa", "multihead", "additive", "mistaken")
LAW = (
    r"\operatorname{softmax}(q k^\top / \sqrt{d_k} + m),"
    r" \; m_j = -\infty \text{ where } j \text{ is padding}"
)
SOURCE = "Vaswani et al. 2017, section 3.2.3; the documentation of torch.nn"

Ids = Int[Tensor, "sentence position"]
Real = Bool[Tensor, "sentence position"]
Pattern = Float[Tensor, "head query key"]


@dataclass(frozen=True)
class Batch:
    """Sentences as tokens, and their ids [sentence, position], padded to the same length."""

    tokens: list[list[Token]]
    ids: Tensor

    @property
    def shortest(self) -> int:
        """The sentence with the fewest tokens; the first if there are several."""
        return min(range(len(self.tokens)), key=lambda i: len(self.tokens[i]))

    @property
    def row(self) -> Ids:
        """The ids of the shortest sentence and its padding."""
        return self.ids[self.shortest : self.shortest + 1]

    @property
    def real(self) -> int:
        """The number of tokens in the shortest sentence."""
        return len(self.tokens[self.shortest])


@torch.no_grad()
def padding(
    *, sentences: int = 4, pads: int = 2, head: int = 0, seed: int = 0, seeds: int = 4
) -> Answer:
    """The attention of `head` in the first layer of the translator's encoder on the shortest
    sentence of a padded batch [query, key], under each convention: `pattern.ours`, `pattern.sdpa`,
    `pattern.multihead`, `pattern.additive`, and `pattern.mistaken`, where the mask of one
    convention is passed to the other. The last is masked if the sentence has no padding, because
    then every key is hidden.

    `change` [mask, sentence] is the distance between the encoder's output at the real tokens of a
    padded sentence and that of the sentence alone, relative to its norm, with and without the
    padding mask, for the first seed. The batch has `sentences` sentences and `pads` more columns of
    padding than the longest needs.
    """
    check_between("sentences", sentences, MIN_SENTENCES, MAX_SENTENCES)
    check_between("pads", pads, 0, MAX_PADS)
    check_between("head", head, 0, HEADS - 1)
    transformer = load_model(MODEL).transformer
    batches = [batch(sentences, pads, generator(seed, n)) for n in progress.trials(seeds)]
    changes = torch.stack([changed(transformer, batch) for batch in batches])
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": (
            f"The encoder of {MODEL}; {sentences} sentence{'s' * (sentences > 1)} made from short"
            f" word lists, padded to the length of the longest plus {pads}, new for each seed"
        ),
        "real": batches[0].real,
        "findings": findings(transformer, batches, changes),
    }
    patterns = {name: w[head] for name, w in conventions(transformer, batches[0].row).items()}
    return Answer(
        "trained", axes_of(batches[0], seeds), tensors_of(batches, changes, patterns), fields
    )


def axes_of(first: Batch, seeds: int) -> dict[str, Axis]:
    """The tokens of the shortest sentence with its padding, and the sentences of its batch."""
    labels = [token.text for token in first.tokens[first.shortest]]
    pad = load_model(MODEL).text_tokenizer.label(frame().pad)
    labels += [pad] * (first.row.shape[1] - len(labels))
    return {
        **{name: Axis("position", len(labels), labels) for name in ("query", "key")},
        "seed": seed_axis(seeds),
        "mask": Axis("step", 2, ["with the mask", "without it"]),
        "sentence": Axis("step", len(first.tokens), [words(token) for token in first.tokens]),
    }


def tensors_of(
    batches: list[Batch],
    changes: Float[Tensor, "seed mask sentence"],
    patterns: dict[str, Float[Tensor, "query key"]],
) -> dict[str, Labelled]:
    """The `patterns` of the conventions, and the distance between the outputs of padded sentences
    and of the sentences alone.
    """
    of_shortest = torch.stack(
        [change[:, padded.shortest] for change, padded in zip(changes, batches, strict=True)]
    )
    pooled = {
        **{
            f"pattern.{name}": Labelled(("query", "key"), patterns[name], FORMULAS[name])
            for name in CONVENTIONS
        },
        "pattern.mistaken": Labelled(
            ("query", "key"),
            # With every key hidden, torch divides 0 by 0, and there are no weights.
            patterns["mistaken"].nan_to_num(nan=-torch.inf),
            FORMULAS["mistaken"],
            masked=True,
        ),
        "change": Labelled(
            ("mask", "sentence"),
            changes[0],
            "|padded - alone| / |alone| over the real tokens",
        ),
        "shortest": Labelled(
            ("mask",),
            of_shortest.mean(0),
            "the same of the shortest sentence, a mean over the seeds",
        ),
    }
    return pooled | by_seed(pooled, {"shortest": of_shortest})


FORMULAS = {
    "ours": "softmax(q k^T / sqrt(d_head) + mask), True takes part",
    "sdpa": "scaled_dot_product_attention(q, k, I, attn_mask=takes_part)",
    "multihead": "MultiheadAttention(x, x, x, key_padding_mask=is_padding)",
    "additive": "scaled_dot_product_attention(q, k, I, attn_mask=0 or -inf)",
    "mistaken": (
        "MultiheadAttention(x, x, x, key_padding_mask=takes_part); none where no key is padding"
    ),
}


def frame() -> Frame:
    """The special tokens around a sentence of the model."""
    return load_model(MODEL).text_tokenizer.frame


def words(tokens: list[Token]) -> str:
    """The sentence without the special tokens around it."""
    return load_model(MODEL).text_tokenizer.decode([token.id for token in tokens])


def batch(n: int, pads: int, draws: torch.Generator) -> Batch:
    """`n` sentences, padded to `pads` columns more than the longest."""
    tokenizer = load_model(MODEL).text_tokenizer
    rows = [tokenizer.encode(sentence, start=True, end=True) for sentence in texts(n, draws)]
    pad = tokenizer.frame.pad
    ids = pad_ids([[token.id for token in row] for row in rows], pad)
    return Batch(rows, nn.functional.pad(ids, (0, pads), value=pad))


def conventions(transformer: Transformer, ids: Ids) -> dict[str, Pattern]:
    """The attention weights of the first layer on one padded sentence, under each convention."""
    takes_part = ids != frame().pad
    trace = Recorder()
    transformer.encode(ids, takes_part[:, None, :], trace)
    scope = "encoder.0.attention"
    q, k = (trace.values[f"{scope}.{name}"] for name in "qk")
    same = torch.eye(k.shape[-2]).expand(*k.shape[:-1], -1)  # v = I gives the weights
    additive = torch.zeros(takes_part.shape).masked_fill(~takes_part, -torch.inf)
    x = trace.values["encoder.embedding.sum"]
    theirs = as_torch(transformer.stack("encoder")[0].attention)

    def multihead(mask: Real) -> Tensor:
        return theirs(x, x, x, key_padding_mask=mask, average_attn_weights=False)[1]

    found = {
        "ours": trace.values[f"{scope}.pattern"],
        "sdpa": scaled_dot_product_attention(q, k, same, attn_mask=takes_part[:, None, None]),
        "multihead": multihead(~takes_part),
        "additive": scaled_dot_product_attention(q, k, same, attn_mask=additive[:, None, None]),
        "mistaken": multihead(takes_part),
    }
    return {name: weights[0] for name, weights in found.items()}


def as_torch(ours: MultiHeadAttention) -> nn.MultiheadAttention:
    """torch's attention with our weights. torch stores the transposed matrices, and those of
    queries, keys, and values as one.
    """
    width = ours.query.weight.shape[0]
    theirs = nn.MultiheadAttention(width, ours.n_heads, batch_first=True)
    parts = (ours.query, ours.key, ours.value)
    theirs.in_proj_weight.copy_(torch.cat([part.weight.T for part in parts]))
    theirs.in_proj_bias.copy_(torch.cat([part.get_parameter("bias") for part in parts]))
    theirs.out_proj.weight.copy_(ours.output.weight.T)
    theirs.out_proj.bias.copy_(ours.output.get_parameter("bias"))
    return theirs.eval()


def changed(transformer: Transformer, padded: Batch) -> Float[Tensor, "mask sentence"]:
    """|padded - alone| / |alone| of the encoder's output at the real tokens of each sentence, with
    and without the padding mask.
    """
    real = padded.ids != frame().pad
    outs = [transformer.encode(padded.ids, some[:, None]) for some in (real, torch.ones_like(real))]
    found = []
    for row, sentence in enumerate(padded.tokens):
        n = len(sentence)
        unpadded = transformer.encode(padded.ids[row : row + 1, :n], masks.full(n)[None])
        found.append([(out[row, :n] - unpadded[0]).norm() / unpadded.norm() for out in outs])
    return torch.tensor(found).T


def first_words(transformer: Transformer, ids: Ids, mask: Real) -> Tensor:
    """The probabilities of the first French token [sentence, vocabulary] if `mask` is True for
    every key that the encoder and the cross-attention may attend to.
    """
    memory = transformer.encode(ids, mask[:, None])
    start = torch.full((len(ids), 1), frame().start)
    causal = torch.ones(1, 1, 1, dtype=torch.bool)
    x = transformer.decode(start, causal, memory, mask[:, None])
    return transformer.unembed(x)[:, -1].softmax(-1)


def other_padding(transformer: Transformer, ids: Ids) -> float:
    """The largest change at the real tokens when the padding contains other tokens, with the
    mask.
    """
    real = ids != frame().pad
    others = torch.where(real, ids, torch.arange(ids.shape[1]) + 100)
    before, after = (transformer.encode(some, real[:, None]) for some in (ids, others))
    return (before - after)[real].abs().max().item()


def moved(transformer: Transformer, ids: Ids) -> float:
    """The probability that moves to other first French words without the padding mask."""
    real = ids != frame().pad
    masked, bare = (first_words(transformer, ids, some) for some in (real, torch.ones_like(real)))
    return (masked - bare).abs().sum().item() / 2


def findings(
    transformer: Transformer, batches: list[Batch], changes: Float[Tensor, "seed mask sentence"]
) -> list[Finding]:
    """The findings over all batches. Those about the shortest sentence require that it has
    padding.
    """
    weights = [conventions(transformer, batch.row) for batch in batches]
    apart = {
        name: max((weight[name] - weight["ours"]).abs().max().item() for weight in weights)
        for name in CONVENTIONS
    }
    on_padding = [
        w["mistaken"][..., padded.real :].sum(-1).mean().item()
        for w, padded in zip(weights, batches, strict=True)
    ]
    without = [c[1, padded.shortest].item() for c, padded in zip(changes, batches, strict=True)]
    has_pads = all(batch.row.shape[1] > batch.real for batch in batches)
    nothing = (
        None
        if has_pads
        else "In some batches all sentences have the same length, so nothing is padded."
    )
    return [
        exact(LAWS["sdpa"], apart["sdpa"]),
        exact(LAWS["multihead"], apart["multihead"]),
        exact(LAWS["additive"], apart["additive"]),
        statistical(LAWS["mistaken"], on_padding, premise=nothing),
        exact(LAWS["with"], changes[:, 0].max()),
        exact(LAWS["bits"], max(other_padding(transformer, batch.ids) for batch in batches)),
        statistical(LAWS["without"], without, premise=nothing),
        statistical(
            LAWS["first_word"],
            [moved(transformer, b.row) for b in batches],
            premise=nothing,
            geometric=True,
        ),
    ]
