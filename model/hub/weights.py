"""Converting external tensors into our parameters: rules that map tensors to parameters, and
filling a Transformer with them.

A rule takes our configuration, the last part of a tensor's name ("weight" or "bias"), and the
tensor, and returns our parameters by name; `*` in a name is the index of a layer. Rules are first
tried on tensors without memory, so that names and shapes are verified before any number is read.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from model.config import Config
from model.errors import NotRead
from model.hub.checkpoint import PRECISIONS, Checkpoint, opened
from model.transformer import Transformer

Ours = dict[str, Tensor]
Rule = Callable[[Config, str, Tensor], Ours]
Places = dict[str, tuple[Rule, str, str]]
"""For each external tensor, its rule, the last part of its name, and the index of its layer."""

LEAVES = {"weight": "weight", "bias": "bias", "gamma": "weight", "beta": "bias"}
"""The last parts of names; the last two occur in the first BERT files."""


def table(ours: str, first: int = 0) -> Rule:
    """A table of vectors, without the unused rows before `first`."""
    return lambda config, leaf, x: {ours: x[first:]}


def norm(ours: str) -> Rule:
    """The gain and the bias of a norm."""
    return lambda config, leaf, x: {f"{ours}.{'gain' if leaf == 'weight' else leaf}": x}


def product(ours: str) -> Rule:
    """A linear map with weight [input, output], like ours."""
    return lambda config, leaf, x: {f"{ours}.{leaf}": x}


def linear(ours: str) -> Rule:
    """A linear map of torch, with weight [output, input]."""
    return lambda config, leaf, x: {f"{ours}.{leaf}": x.t() if leaf == "weight" else x}


def rotated(ours: str) -> Rule:
    """The linear map of queries or keys that rotary positions rotate. They pair channel i of a head
    with channel i + d_rotary / 2; we pair 2i with 2i + 1, as in the paper. The columns are
    reordered.
    """

    def rule(config: Config, leaf: str, x: Tensor) -> Ours:
        (ours_, value), *_ = linear(ours)(config, leaf, x).items()
        return {ours_: pairs_side_by_side(value, config)}

    return rule


def pairs_side_by_side(x: Tensor, config: Config) -> Tensor:
    """The columns of all heads with the two of each pair adjacent; columns that are not rotated
    come after them.
    """
    sizes = [config.d_rotary, config.d_head - config.d_rotary]
    rotated, rest = x.unflatten(-1, (-1, config.d_head)).split(sizes, dim=-1)
    pairs = rotated.unflatten(-1, (2, -1)).mT.flatten(-2)
    return torch.cat([pairs, rest], dim=-1).flatten(-2)


def unembedding(config: Config, leaf: str, x: Tensor) -> Ours:
    """The unembedding matrix, which repeats the embedding if the two are tied."""
    if leaf == "bias":
        return {"unembedding_bias": x}
    return {"untied" if config.has_unembedding else "embedding.token": x}


def bias_of_words(config: Config, leaf: str, x: Tensor) -> Ours:
    """The bias of each word, for an unembedding tied to the embedding. An untied matrix has a bias
    of its own, and this one is unused.
    """
    return {} if config.has_unembedding else {"unembedding_bias": x}


@dataclass(frozen=True)
class Aside:
    """A tensor that is not used, and why."""

    reason: str

    def __call__(self, config: Config, leaf: str, x: Tensor) -> Ours:
        return {}


UNREAD = "nothing in this model reads it"
POOLER = Aside("the pooler, which only a head for classes reads")
POSITIONS = Aside("the numbers of the positions")
MASK = Aside("a causal mask, which follows from the positions")
FREQUENCIES = Aside("the frequencies of rotary positions, which follow from their base")


def placed(
    checkpoint: Checkpoint,
    rules: Mapping[str, Rule],
    prefix: str,
    config: Config,
    expected: Mapping[str, torch.Size],
) -> tuple[Places, dict[str, str]]:
    """The place of every tensor, and the unused ones with reasons. `expected` are the shapes of our
    parameters. Raises NotRead if names, shapes, or precisions do not fit.
    """
    places: Places = {}
    aside: dict[str, str] = {}
    filled: set[str] = set()
    for name, header in checkpoint.tensors.items():
        rule, leaf, layer = rule_of(name, rules, prefix)
        if isinstance(rule, Aside):
            aside[name] = rule.reason
            continue
        if header.dtype not in PRECISIONS:
            raise NotRead("precision-not-read", name=name, dtype=header.dtype)
        try:
            ours = rule(config, leaf, torch.empty(header.shape, device="meta"))
        except (RuntimeError, IndexError) as error:
            raise NotRead("shape-of-another-config", name=name, shape=header.shape) from error
        if not ours:
            aside[name] = UNREAD
            continue
        for key, value in ours.items():
            key = key.replace("*", layer)
            if key not in expected:
                raise NotRead("tensor-has-no-place", name=name)
            if value.shape != expected[key]:
                raise NotRead("shape-of-another-config", name=name, shape=header.shape)
            filled.add(key)
        places[name] = rule, leaf, layer
    for key in expected.keys() - filled:
        raise NotRead("weights-not-whole", place=key)
    return places, aside


def rule_of(name: str, rules: Mapping[str, Rule], prefix: str) -> tuple[Rule, str, str]:
    """The rule of a tensor, the last part of its name, and the index of its layer, which is the
    first number in the name. Raises NotRead.
    """
    pieces = name.removeprefix(prefix).split(".")
    numbers = [place for place, piece in enumerate(pieces) if piece.isdigit()]
    layer = ""
    if numbers:
        layer, pieces[numbers[0]] = pieces[numbers[0]], "*"
    module, leaf = ".".join(pieces[:-1]), LEAVES.get(pieces[-1])
    rule = rules.get(".".join(pieces)) or (rules.get(module) if leaf else None)
    if rule is None:
        raise NotRead("tensor-unknown", name=name)
    return rule, leaf or "", layer


def converted(
    checkpoint: Checkpoint, config: Config, places: Places
) -> Iterator[tuple[str, str, Tensor]]:
    """Every tensor in float32: its name, the name of our parameter, and its values. They are
    converted one at a time, so that at most one is in memory twice. Raises NotRead for a number
    that is not finite.
    """
    for file in checkpoint.files:
        with opened(file) as tensors:
            for name in (place for place in places if checkpoint.tensors[place].file == file):
                rule, leaf, layer = places[name]
                value = tensors.get_tensor(name).to(torch.float32)
                if value.numel() and not all(map(torch.isfinite, value.aminmax())):
                    raise NotRead("tensor-not-finite", name=name)
                for ours, part in rule(config, leaf, value).items():
                    yield name, ours.replace("*", layer), part


@torch.no_grad()
def fill(transformer: Transformer, checkpoint: Checkpoint, config: Config, places: Places) -> None:
    """Copies every tensor to its place. Raises NotRead, also if two tied tensors differ."""
    parameters = dict(transformer.named_parameters())
    filled: dict[str, str] = {}
    for name, ours, value in converted(checkpoint, config, places):
        if ours in filled and not torch.equal(parameters[ours], value):
            raise NotRead("tensors-differ", name=name, other=filled[ours])
        parameters[ours].copy_(value)
        filled[ours] = name
