"""Memory: the feed-forward network of a trained model as keys and values, persistent slots in the
place of feed-forward networks, and the memory of a model that reads in segments.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.answers import progress
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.measurements import OPEN, exact, statistical
from model.checks import check_between, check_layer, check_stack
from model.clinics._shared.initialised_stacks import by_seed, fresh_encoder, generator, seed_axis
from model.clinics._shared.memory_length import memory_lengths
from model.clinics._shared.random_sentences import sentences
from model.clinics._shared.trained_slots import SLOTS, trained_slots
from model.generation.decoding import greedy_decode_sources
from model.inputs.text import PAD, START, pad_ids
from model.layers import masks
from model.layers.attention import MultiHeadAttention
from model.layers.context import Context
from model.layers.feed_forward import FeedForward
from model.layers.linear import Linear
from model.layers.masks import Allowed
from model.layers.persistent_memory import for_slots, with_slots
from model.trace import HookTrace, Recorder
from model.zoo import models
from model.zoo.models import Model, load_model

MODEL, RECURRENT = "translator", "shakespeare-xl"
DRAWN, LONGEST = 24, 24
KEYS, FIRINGS, WORDS, BEFORE = 12, 8, 10, 4
MOST_SLOTS = 32
FRESH_D_MODEL, FRESH_TOKENS = 64, 256
LAW = r"\operatorname{FFN}(x) = b + \sum_i m_i v_i, \; m_i = \max(0,\, x \cdot k_i + b_i)"
SOURCE = (
    "Geva et al. 2021, sections 2 to 4; persistent slots: Sukhbaatar et al. 2019, section 4;"
    " recurrence: Dai et al. 2019, section 3.2"
)
FITTING = {"encoder": "the token it fires at", "decoder": "the word the model writes next"}

Tokens = Float[Tensor, "position channel"]
Written = Float[Tensor, "hidden vocabulary"]


@dataclass(frozen=True)
class Corpus:
    """Sentences as one stack reads them, and the activations of one layer. `fitting` is the token
    that a value should make more probable; `x` is the input of the block and `middle` that of its
    feed-forward network; `m` holds the activation of every key at every token.
    """

    ids: Int[Tensor, "sentence position"]
    fitting: Int[Tensor, "sentence position"]
    x: Float[Tensor, "sentence position channel"]
    middle: Float[Tensor, "sentence position channel"]
    m: Float[Tensor, "sentence position hidden"]

    def tokens(self, sentence: int) -> list[int]:
        return self.ids[sentence][self.ids[sentence] != PAD].tolist()


@torch.no_grad()
def memory(
    *,
    stack: str = "decoder",
    layer: int = 2,
    rank: int = 1,
    slots: int = 8,
    text: str | None = None,
    seed: int = 0,
    seeds: int = 4,
) -> Answer:
    """Answers with `firing` [key], the largest activations of the keys of a layer; for the key at
    `rank` with `fires` [sentence, position], its activations, and `written` [word], the logits v_i
    W_U that its value would add if no norm and no layer followed (Geva et al. 2021); and with
    `slots` [query, column], attention weights over tokens and slots.

    `rank` numbers the hidden units of the layer from the one with the largest activation in the
    corpus; a key that is chosen from farther down stands last of those that are listed. `slots` is
    also the number of key and value vectors that stand beside the tokens, drawn at random, for two
    identities. `slot_loss` [member, seed, trained] is what small decoders with feed-forward
    networks, with trained slots in their place and with neither lost on held-out sentences, as it
    was measured when they were trained. If a model that reads in segments is shipped, `held_out`
    and `bits`
    [memory] are its bits a character by the length of its memory, `bits` those of `text`.
    """
    model = load_model(MODEL)
    check_stack(MODEL, stack, model.config.stacks)
    check_layer(stack, layer, model.config.layers(stack))
    check_between("rank", rank, 1, model.config.d_ff)
    check_between("slots", slots, 0, MOST_SLOTS)
    texts = [example["input"]["source"] for example in model.card["examples"]]
    n_examples = len(texts)
    for number in range(seeds):
        texts += sentences(DRAWN, generator(seed, number))
    reading = {"encoder": 0.5, "decoder": 0.9}[stack]  # approximate share of the time
    with progress.part(0, reading):
        corpus = read(model, stack, layer, texts)
    block = getattr(model.transformer, stack)[layer]
    written = block.feed_forward.output.weight @ model.transformer.unembedding
    strongest = corpus.m.amax((0, 1))
    order = strongest.argsort(descending=True, stable=True).tolist()
    chosen = order[rank - 1]
    top = order[:KEYS] if rank <= KEYS else [*order[: KEYS - 1], chosen]
    words = written[chosen].topk(WORDS)
    where = firings(corpus, chosen)
    longest = max(range(n_examples), key=lambda sentence: len(corpus.tokens(sentence)))
    x, middle = (part[longest, : len(corpus.tokens(longest))] for part in (corpus.x, corpus.middle))
    patterns = [
        over_slots(block.attention, x, stack, slots, generator(seed, number))
        for number in progress.trials(seeds, reading, reading + 0.02)
    ]

    def labels(ids: list[int]) -> list[str]:
        return [model.text_tokenizer.label(id) for id in ids]

    names = labels(corpus.tokens(longest))
    axes = {
        "key": numbered("channel", top, "hidden unit", ids=top),
        "sentence": Axis("step", len(where)),
        "seed": seed_axis(seeds),
        "position": Axis("position", corpus.ids.shape[1]),
        "word": Axis("vocabulary", WORDS, labels(words.indices.tolist()), words.indices.tolist()),
        "query": Axis("position", len(names), names),
        "column": Axis(
            "slot",
            len(names) + slots,
            [*names, *(f"slot {number}" for number in range(1, slots + 1))],
        ),
    }
    fires = corpus.m[where, :, chosen].masked_fill(corpus.ids[where] == PAD, -torch.inf)
    seen = patterns[0].mean(0).masked_fill(~for_slots(mask(len(x), stack), slots), -torch.inf)
    tensors = {
        "firing": Labelled(("key",), strongest[top], "the largest m_i of the corpus"),
        "fires": Labelled(
            ("sentence", "position"), fires, "m_i = max(0, x . k_i + b_i)", masked=True
        ),
        "written": Labelled(("word",), words.values, "v_i W_U, the largest first"),
        "slots": Labelled(
            ("query", "column"),
            seen,
            "mean over heads of softmax([q k^T, q m_k^T] / sqrt(d_head) + mask)",
            masked=True,
        ),
    }
    own = [
        slice(n_examples + DRAWN * number, n_examples + DRAWN * (number + 1))
        for number in range(seeds)
    ]
    firing = torch.stack([corpus.m[some].amax((0, 1))[top] for some in own])
    tensors |= by_seed(tensors, {"firing": firing})
    draws = [generator(seed, number) for number in range(seeds)]
    agreeing, shuffled = agreement(corpus, written, own, draws)
    slot_axes, slot_tensors, slot_findings = trained_slots()
    beside = [
        changed(lambda x: attend(block.attention, x, stack), x, some)
        for some in progress.steps(draws, reading + 0.02, reading + 0.05)
    ]
    findings = [
        exact(
            "sum_of_values",
            sum_of_values(block.feed_forward, middle),
            "0: the output is exactly b plus the sum of all mᵢ vᵢ",
            (0, 1e-10),
        ),
        exact(
            "other_tokens",
            changed(block.feed_forward, middle, draws[0]),
            "0: the feed-forward sees its own token alone",
            (0, 0),
        ),
        statistical(
            "other_tokens_in_attention",
            beside,
            "attention sees the other tokens",
            (0.1, None),
            "of its output",
        ),
        statistical(
            "fires",
            [share(corpus, some) for some in own],
            "fewer than at initialisation, where half of them fire",
            (0, 0.4),
            "of the keys",
        ),
        statistical(
            "fires_fresh",
            [fresh_share(some) for some in draws],
            "half of the keys at initialisation",
            (0.45, 0.55),
            "of the keys",
        ),
        statistical(
            "agreement.above_chance",
            [found - chance for found, chance in zip(agreeing, shuffled, strict=True)],
            f"more often than by chance one of {WORDS} words is {FITTING[stack]}",
            (0, None),
            "of the values",
        ),
        statistical(
            "agreement",
            agreeing,
            f"how often one of {WORDS} words is {FITTING[stack]}",
            OPEN,
            "of the values",
        ),
        statistical(
            "agreement_shuffled",
            shuffled,
            "chance: how often, after the values are shuffled",
            OPEN,
            "of the values",
        ),
        exact(
            "slots_sum",
            torch.stack(patterns).sum(-1).sub(1).abs().max(),
            "0: a row over n + N columns sums to 1",
            (0, 1e-5),
        ),
        exact(
            "no_slots",
            without_slots(block.attention, x, stack),
            "0: without slots it is plain attention, bit for bit",
            (0, 0),
        ),
        *slot_findings,
    ]
    axes, tensors = axes | slot_axes, tensors | slot_tensors
    if RECURRENT in models.ids():
        with progress.part(reading + 0.05, 1):
            more_axes, more_tensors, more = memory_lengths(load_model(RECURRENT), text)
        axes, tensors, findings = axes | more_axes, tensors | more_tensors, findings + more
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": (
            f"The sentences are the {n_examples} examples of {MODEL} and {DRAWN} more for each"
            " seed, put together from short lists of words; the decoder reads its own translations."
            f" The small decoders with slots were trained once, and the results kept ({SLOTS})"
        ),
        "findings": findings,
        "keys": [
            {
                "neuron": neuron,
                "tokens": labels(context(corpus, neuron)),
                "words": labels(written[neuron].topk(3).indices.tolist()),
            }
            for neuron in top
        ],
        "chosen": {"neuron": chosen, "rank": rank, "firing": strongest[chosen].item()},
        "sentences": [labels(corpus.tokens(sentence)) for sentence in where],
    }
    return Answer("trained", axes, tensors, fields)


def read(model: Model, stack: str, layer: int, texts: list[str]) -> Corpus:
    """The run of `texts` through `model`; the decoder reads the model's own translations."""
    transformer, values = model.transformer, {}

    def keep(name: str, value: Tensor) -> Tensor:
        progress.checkpoint()
        values[name] = value
        return value

    trace = HookTrace(keep)
    framed = [
        [token.id for token in model.text_tokenizer.encode(text, start=True, end=True)]
        for text in texts
    ]
    ids = fitting = pad_ids(framed)
    words = (ids != PAD)[:, None, :]
    stream = transformer.encode(ids, words, trace)
    if stack == "decoder":
        with progress.part(0.1, 0.5):
            ids = pad_ids(
                [[START, *text] for text in greedy_decode_sources(transformer, framed, LONGEST)]
            )
        stream = transformer.decode(ids, masks.causal(ids.shape[1]), stream, words, trace)
        logits = transformer.unembed(stream)
        progress.checkpoint()
        fitting = logits.argmax(-1)
    last = "cross_attention" if stack == "decoder" else "attention"
    parts = (
        values[f"{stack}.{layer}.{name}"]
        for name in ("residual.in", f"residual.after_{last}", "feed_forward.post")
    )
    x, middle, m = parts
    return Corpus(ids, fitting, x, middle, m.masked_fill((ids == PAD)[..., None], 0))


def firings(corpus: Corpus, neuron: int) -> list[int]:
    """The sentences in which a key has its largest activations, largest first. Of sentences with
    the same tokens up to the largest activation only one is listed.
    """
    most, position = corpus.m[..., neuron].max(1)
    found: dict[tuple[int, ...], int] = {}
    for sentence in most.argsort(descending=True, stable=True).tolist():
        if most[sentence] > 0 and len(found) < FIRINGS:
            found.setdefault(
                tuple(corpus.ids[sentence, : position[sentence] + 1].tolist()), sentence
            )
    return list(found.values())


def context(corpus: Corpus, neuron: int) -> list[int]:
    """The ids of the token with the largest activation of a key, and of a few tokens before it."""
    sentence, position = divmod(int(corpus.m[..., neuron].argmax()), corpus.ids.shape[1])
    return corpus.ids[sentence, max(0, position - BEFORE) : position + 1].tolist()


def sum_of_values(feed_forward: FeedForward, x: Tokens) -> Tensor:
    """The largest difference between FFN(x) and the sum of the values v_i, each multiplied by its
    activation m_i.
    """
    whole, trace = deepcopy(feed_forward).double(), Recorder()
    out = whole(x.double(), trace=trace)
    assert isinstance(whole.output, Linear), "the model that is asked has biases"
    m, v, b = trace.values["post"], whole.output.weight, whole.output.bias
    return (out - (b + (m[:, :, None] * v).sum(1))).abs().max()


def changed(layer: Callable[[Tensor], Tensor], x: Tokens, draws: torch.Generator) -> float:
    """The relative change of the output at a token when noise replaces all other tokens."""
    n = len(x)
    itself = torch.eye(n, dtype=torch.bool)
    others = torch.where(itself[..., None], x, torch.randn(n, *x.shape, generator=draws))
    old, new = layer(x.expand(n, -1, -1).contiguous())[itself], layer(others)[itself]
    return ((new - old).norm() / old.norm()).item()


def mask(n: int, stack: str) -> Allowed:
    return (masks.causal if stack == "decoder" else masks.full)(n)


def attend(
    attention: MultiHeadAttention, x: Float[Tensor, "*batch position channel"], stack: str
) -> Tensor:
    return attention(x, Context(mask(x.shape[-2], stack)))


def over_slots(
    attention: MultiHeadAttention, x: Tokens, stack: str, n: int, draws: torch.Generator
) -> Float[Tensor, "head query column"]:
    """The weights of self-attention over the tokens and `n` slots."""
    keys, values = torch.randn(
        2, attention.n_heads, n, x.shape[1] // attention.n_heads, generator=draws
    )
    trace = Recorder()
    attention.attend(x, x, for_slots(mask(len(x), stack), n), trace, with_slots(keys, values))
    return trace.values["pattern"]


def without_slots(attention: MultiHeadAttention, x: Tokens, stack: str) -> Tensor:
    """The largest difference between self-attention and the same attention with zero slots."""
    none = torch.zeros(attention.n_heads, 0, x.shape[1] // attention.n_heads)
    return (
        (
            attend(attention, x, stack)
            - attention.attend(
                x, x, for_slots(mask(len(x), stack), 0), cache=with_slots(none, none)
            )
        )
        .abs()
        .max()
    )


def share(corpus: Corpus, some: slice) -> float:
    """The share of pairs of a key and a token in which the key's activation is positive."""
    return (corpus.m[some][corpus.ids[some] != PAD] > 0).float().mean().item()


def fresh_share(draws: torch.Generator) -> float:
    """The share of positive activations in a freshly initialised feed-forward network that reads
    noise.
    """
    feed_forward = fresh_encoder("post", 1, FRESH_D_MODEL, draws)[0].feed_forward
    return (
        (feed_forward.hidden(torch.randn(FRESH_TOKENS, FRESH_D_MODEL, generator=draws)) > 0)
        .float()
        .mean()
        .item()
    )


def agreement(
    corpus: Corpus, written: Written, own: list[slice], draws: list[torch.Generator]
) -> tuple[list[float], list[float]]:
    """For each seed, the share of values whose most probable words include the fitting token at the
    key's largest activation; and the same share after the values have been shuffled.
    """
    words = written.topk(WORDS).indices
    found = []
    for some, shuffling in zip(own, draws, strict=True):
        most, at = corpus.m[some].flatten(0, 1).max(0)
        fitting = corpus.fitting[some].flatten()[at][:, None]
        for values in (words, words[torch.randperm(len(words), generator=shuffling)]):
            found.append((values == fitting).any(1)[most > 0].float().mean().item())
    return found[::2], found[1::2]
