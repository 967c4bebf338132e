"""Memory: a trained model's feed-forward network as keys and values, persistent slots instead of
feed-forward networks, and the memory of a model with segment recurrence.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from model import progress
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.laws import Law
from model.answers.measurements import Finding, exact, statistical
from model.checks import check_between, check_layer, check_stack
from model.layers.block import Block
from model.layers.feed_forward import FeedForward
from model.layers.linear import Linear
from model.measure.corpus import (
    RANDOM,
    Corpus,
    Sentence,
    Tokens,
    places_of_seeds,
    read,
    texts,
)
from model.measure.initialised_stacks import (
    by_seed,
    fresh_encoder,
    generator,
    normal,
    seed_axis,
)
from model.measure.memory_laws import LAWS
from model.measure.memory_length import memory_lengths
from model.measure.slots_beside_tokens import (
    attend,
    mean_over_heads,
    over_slots,
    slot_findings,
)
from model.trace import Recorder
from model.zoo import models
from model.zoo.models import Model, load_model
from model.zoo.results import load_result

SLOTS = "persistent-slots"


def trained_slots() -> tuple[dict[str, Axis], dict[str, Labelled], list[Finding]]:
    """Axes, `slot_loss` [member, seed, trained] in nats per token, and findings. All stored seeds
    are reported, whatever the question's seeds.
    """
    result = load_result(SLOTS)
    members = {name: torch.tensor(losses) for name, losses in result["measured"].items()}
    parameters = result["facts"]["parameters"]
    last = {name: losses[:, -1] for name, losses in members.items()}
    axes = {
        "member": Axis("step", len(members), [name.replace("_", "-") for name in members]),
        "trained": numbered("step", result["steps"], "step", ids=result["steps"]),
        "kept_seed": seed_axis(result["seeds"]),
    }
    loss = torch.stack(list(members.values()))
    tensors = {
        "slot_loss": Labelled(
            ("member", "kept_seed", "trained"), loss, "mean of -ln p over held-out tokens, in nats"
        )
    }
    few = f"{parameters['slots']:,} parameters against {parameters['feed_forward']:,}"
    findings = [
        statistical(LAWS["slots.over_attention"], (last["attention"] - last["slots"]).tolist()),
        statistical(
            LAWS["slots.less_feed_forward"].with_numbers(few=few),
            (last["slots"] - last["feed_forward"]).tolist(),
        ),
    ]
    return axes, tensors, findings


MODEL, RECURRENT = "translator", "shakespeare-xl"
KEYS, FIRINGS, WORDS, BEFORE = 12, 8, 10, 4
MAX_SLOTS = 32
FRESH_D_MODEL, FRESH_TOKENS = 64, 256
LAW = r"\operatorname{FFN}(x) = b + \sum_i m_i v_i, \; m_i = \max(0,\, x \cdot k_i + b_i)"
SOURCE = (
    "Geva et al. 2021, sections 2 to 4; persistent slots: Sukhbaatar et al. 2019, section 4;"
    " recurrence: Dai et al. 2019, section 3.2"
)
FITTING = {"encoder": "the token where the key fires", "decoder": "the model’s next word"}

ValueLogits = Float[Tensor, "hidden vocabulary"]


@dataclass(frozen=True)
class KeyValueMemory:
    """The feed-forward network of one layer as keys and values. `strongest` are the largest
    activations of the keys in the corpus, and `logits` the logits v_i W_U of the values. `listed`
    are the keys in the answer, and `chosen` is the key at `rank`: `where` are the sentences with
    its largest activations, and `words` the ids of its value's most probable words.
    """

    corpus: Corpus
    strongest: Float[Tensor, " hidden"]
    logits: ValueLogits
    listed: list[int]
    rank: int
    chosen: int
    where: list[int]
    words: list[int]


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
    """`firing` [key], the largest activations of a layer's keys; for the key at `rank`, `fires`
    [sentence, position], its activations, and `written` [word], the logits v_i W_U that its value
    would add if no norm or layer followed (Geva et al. 2021); and `slots` [query, column],
    attention weights over tokens and slots.

    `rank` orders the layer's hidden units by their largest activation in the corpus; a key with a
    higher rank than those listed comes last. `slots` is also the number of random key and value
    vectors added to the tokens, for two identities. `slot_loss` [member, seed, trained] is the loss
    on held-out sentences of small decoders with feed-forward networks, with trained slots instead,
    and with neither, measured when they were trained. If a model with segment recurrence is
    included, `held_out` and `bits` [memory] are its bits per character by memory length, `bits` for
    `text`.
    """
    model = load_model(MODEL)
    check_stack(MODEL, stack, model.config.stacks)
    check_layer(stack, layer, model.config.layers(stack))
    check_between("rank", rank, 1, model.config.d_ff)
    check_between("slots", slots, 0, MAX_SLOTS)
    reading = {"encoder": 0.5, "decoder": 0.9}[stack]  # approximate fraction of the time
    with progress.part(0, reading):
        corpus = read(model, stack, layer, texts(model, seed, seeds))
    slices = places_of_seeds(model, seeds)
    block = getattr(model.transformer, stack)[layer]
    logits = block.feed_forward.output.weight @ model.transformer.unembedding
    keys = keys_and_values(corpus, logits, rank)
    example = corpus.longest(len(model.card["examples"]))
    patterns = [
        over_slots(block.attention, example.x, stack, slots, generator(seed, number))
        for number in progress.trials(seeds, reading, reading + 0.02)
    ]
    draws = [generator(seed, number) for number in range(seeds)]  # shared by the measurements
    agreeing, shuffled = agreement(corpus, logits, slices, draws)
    with progress.part(reading + 0.02, reading + 0.05):
        findings = other_token_findings(block, example, stack, draws)
    findings += firing_findings(corpus, slices, draws)
    findings += agreement_findings(agreeing, shuffled, stack)
    findings += slot_findings(block.attention, example.x, stack, patterns)
    with progress.part(reading + 0.05, 1):
        more_axes, more_tensors, more_findings = other_models(text)
    return Answer(
        "trained",
        axes_of(model, keys, example, slots, seeds) | more_axes,
        tensors_of(keys, slices, mean_over_heads(patterns[0], stack)) | more_tensors,
        fields_of(model, keys, findings + more_findings),
    )


def keys_and_values(corpus: Corpus, logits: ValueLogits, rank: int) -> KeyValueMemory:
    """A layer's keys in the order of their largest activations, and the logits of their values."""
    strongest = corpus.m.amax((0, 1))
    order = strongest.argsort(descending=True, stable=True).tolist()
    chosen = order[rank - 1]
    return KeyValueMemory(
        corpus,
        strongest,
        logits,
        listed=order[:KEYS] if rank <= KEYS else [*order[: KEYS - 1], chosen],
        rank=rank,
        chosen=chosen,
        where=firings(corpus, chosen),
        words=logits[chosen].topk(WORDS).indices.tolist(),
    )


def axes_of(
    model: Model, keys: KeyValueMemory, example: Sentence, slots: int, seeds: int
) -> dict[str, Axis]:
    """The axes of the answer. The columns are the tokens of the example and the slots."""
    names = labels(model, example.ids)
    return {
        "key": numbered("channel", keys.listed, "hidden unit", ids=keys.listed),
        "sentence": Axis("step", len(keys.where)),
        "seed": seed_axis(seeds),
        "position": Axis("position", keys.corpus.ids.shape[1]),
        "word": Axis("vocabulary", WORDS, labels(model, keys.words), keys.words),
        "query": Axis("position", len(names), names),
        "column": Axis(
            "slot",
            len(names) + slots,
            [*names, *(f"slot {number}" for number in range(1, slots + 1))],
        ),
    }


def labels(model: Model, ids: list[int]) -> list[str]:
    return [model.text_tokenizer.label(id) for id in ids]


def tensors_of(
    keys: KeyValueMemory, slices: list[slice], pattern: Float[Tensor, "query column"]
) -> dict[str, Labelled]:
    """The activations of the keys, the chosen value's logits, and the weights over tokens and
    slots.
    """
    corpus, where = keys.corpus, keys.where
    fires = corpus.m[where, :, keys.chosen].masked_fill(~corpus.real[where], -torch.inf)
    pooled = {
        "firing": Labelled(("key",), keys.strongest[keys.listed], "the largest m_i of the corpus"),
        "fires": Labelled(
            ("sentence", "position"), fires, "m_i = max(0, x . k_i + b_i)", masked=True
        ),
        "written": Labelled(
            ("word",), keys.logits[keys.chosen, keys.words], "v_i W_U, the largest first"
        ),
        "slots": Labelled(
            ("query", "column"),
            pattern,
            "mean over heads of softmax([q k^T, q m_k^T] / sqrt(d_head) + mask)",
            masked=True,
        ),
    }
    firing = torch.stack([corpus.m[some].amax((0, 1))[keys.listed] for some in slices])
    return pooled | by_seed(pooled, {"firing": firing})


def other_token_findings(
    block: Block, example: Sentence, stack: str, draws: list[torch.Generator]
) -> list[Finding]:
    """The findings about how a token's output depends on other tokens: not at all in the
    feed-forward network, which is a sum of values, but strongly in attention.
    """
    beside = [
        changed(lambda x: attend(block.attention, x, stack), example.x, some)
        for some in progress.steps(draws)
    ]
    return [
        exact(LAWS["sum_of_values"], sum_of_values(block.feed_forward, example.middle)),
        exact(LAWS["other_tokens"], changed(block.feed_forward, example.middle, draws[0])),
        statistical(LAWS["other_tokens_in_attention"], beside),
    ]


def firing_findings(
    corpus: Corpus, slices: list[slice], draws: list[torch.Generator]
) -> list[Finding]:
    """The findings about how many keys fire, in the trained layer and at initialization."""
    return [
        statistical(LAWS["fires"], [positive_fraction(corpus, some) for some in slices]),
        statistical(LAWS["fires_fresh"], [fresh_share(some) for some in draws]),
    ]


def agreement_findings(agreeing: list[float], shuffled: list[float], stack: str) -> list[Finding]:
    """The findings about both fractions of `agreement`."""
    return [
        statistical(
            fitting(LAWS["agreement.above_chance"], stack),
            [found - chance for found, chance in zip(agreeing, shuffled, strict=True)],
        ),
        statistical(fitting(LAWS["agreement"], stack), agreeing),
        statistical(fitting(LAWS["agreement_shuffled"], stack), shuffled),
    ]


def fitting(law: Law, stack: str) -> Law:
    """A law about the decoder's fitting words as that about a stack's."""
    title = law.title.replace(FITTING["decoder"], FITTING[stack])
    return replace(law, title=title).with_numbers(words=WORDS, fitting=FITTING[stack])


def other_models(
    text: str | None,
) -> tuple[dict[str, Axis], dict[str, Labelled], list[Finding]]:
    """Axes, tensors, and findings of the small decoders with slots, and of the included model that
    reads `text` in segments, if there is one.
    """
    axes, tensors, findings = trained_slots()
    if RECURRENT not in models.ids():
        return axes, tensors, findings
    more_axes, more_tensors, more = memory_lengths(load_model(RECURRENT), text)
    return axes | more_axes, tensors | more_tensors, findings + more


def fields_of(model: Model, keys: KeyValueMemory, findings: list[Finding]) -> dict:
    """The fields of the answer: the findings, and as tokens where the keys fire and what the values
    promote.
    """
    chosen, corpus = keys.chosen, keys.corpus
    return {
        "law": LAW,
        "source": SOURCE,
        "init": (
            f"The sentences are the {len(model.card['examples'])} examples of {MODEL} and {RANDOM}"
            " more for each seed, made from short word lists; the decoder gets its own"
            " translations as input. The small decoders with slots were trained in advance, once"
            " per seed; the page shows the stored results."
        ),
        "findings": findings,
        "keys": [
            {
                "neuron": neuron,
                "tokens": labels(model, context(corpus, neuron)),
                "words": labels(model, keys.logits[neuron].topk(3).indices.tolist()),
            }
            for neuron in keys.listed
        ],
        "chosen": {
            "neuron": chosen,
            "rank": keys.rank,
            "firing": keys.strongest[chosen].item(),
        },
        "sentences": [labels(model, corpus.tokens(sentence)) for sentence in keys.where],
    }


def firings(corpus: Corpus, neuron: int) -> list[int]:
    """The sentences in which a key has its largest activations, in decreasing order. Of sentences
    with the same tokens up to the largest activation, only one is listed.
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
    """The ids of the token with a key's largest activation, and of a few tokens before it."""
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
    """The relative change of a token's output when noise replaces all other tokens."""
    n = len(x)
    itself = torch.eye(n, dtype=torch.bool)
    others = torch.where(itself[..., None], x, torch.randn(n, *x.shape, generator=draws))
    old, new = layer(x.expand(n, -1, -1).contiguous())[itself], layer(others)[itself]
    return ((new - old).norm() / old.norm()).item()


def positive_fraction(corpus: Corpus, some: slice) -> float:
    """The fraction of pairs of key and token with a positive activation."""
    return (corpus.m[some][corpus.real[some]] > 0).float().mean().item()


def fresh_share(draws: torch.Generator) -> float:
    """The fraction of positive activations in a freshly initialized feed-forward network that reads
    noise.
    """
    feed_forward = fresh_encoder("post", 1, FRESH_D_MODEL, draws)[0].feed_forward
    return (
        (feed_forward.hidden(normal(FRESH_TOKENS, FRESH_D_MODEL, draws=draws)) > 0)
        .float()
        .mean()
        .item()
    )


def agreement(
    corpus: Corpus, logits: ValueLogits, slices: list[slice], draws: list[torch.Generator]
) -> tuple[list[float], list[float]]:
    """For each seed, the fraction of values whose most probable words include the next token at the
    key's largest activation; and the same fraction after shuffling the values.
    """
    words = logits.topk(WORDS).indices
    found = []
    for some, shuffling in zip(slices, draws, strict=True):
        most, at = corpus.m[some].flatten(0, 1).max(0)
        fitting = corpus.fitting[some].flatten()[at][:, None]
        for values in (words, words[torch.randperm(len(words), generator=shuffling)]):
            found.append((values == fitting).any(1)[most > 0].float().mean().item())
    return found[::2], found[1::2]
