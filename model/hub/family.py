"""A model family: how its config.json and tensors are read, for each of its heads."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from model.config import PARTS, Config
from model.errors import NotRead, VitrineError
from model.hub.keys import Fields, Key, Keys, read_keys
from model.hub.weights import Rule
from model.layers.choices import check_choices

HeadKind = Literal["next word", "masked word", "classes", "none"]


def reason_of(error: Exception) -> str:
    """The sentence of an error, on one line and without its full stop."""
    return " ".join(str(error).split()).rstrip(".")[:300]


def nothing_more(fields: Fields, keys: Keys, tensors: Collection[str]) -> Fields:
    return {}


@dataclass(frozen=True)
class Head:
    """A head on the last stream: its kind; its choices of Config, computed from the other fields,
    the file's keys, and the tensor names; and the rules of its own tensors.
    """

    kind: HeadKind
    choices: Callable[[Fields, Keys, Collection[str]], Fields] = nothing_more
    weights: Mapping[str, Rule] = field(default_factory=dict)


def number_of_classes(keys: Keys) -> int:
    """The number of classes in a config.json, by default two."""
    return len(keys.get("id2label") or ()) or keys.get("num_labels") or 2


def classes(transform: str) -> Callable[[Fields, Keys, Collection[str]], Fields]:
    """The choices of a text classification head, at the first position and after one layer with the
    function `transform`. Regression and multi-label heads are rejected: their outputs are not a
    distribution over classes.
    """

    def choices(fields: Fields, keys: Keys, tensors: Collection[str]) -> Fields:
        kind, n = keys.get("problem_type"), number_of_classes(keys)
        if kind not in (None, "single_label_classification") or n < 2:
            raise NotRead("head-not-read", labels=n, kind=repr(kind))
        return {
            "n_classes": n,
            "transform": transform,
            "tied_unembedding": False,
            "unembedding_bias": True,
        }

    return choices


def masked_word(transform: str = "") -> Callable[[Fields, Keys, Collection[str]], Fields]:
    """The choices of a masked-word head: a transform with a norm, and a bias for each word. By
    default, its activation function is that of the feed-forward networks.
    """
    return lambda fields, keys, tensors: {
        "transform": transform or fields["activation"],
        "normed_transform": True,
        "unembedding_bias": True,
    }


@dataclass(frozen=True)
class Family:
    """One family. `name` is its common name, and `choices` are those shared by all its models. In
    the file of a whole model, tensor names begin with `prefix`; without a head, they don't.
    """

    name: str
    prefix: str
    heads: Mapping[str, Head]
    keys: Mapping[str, Key]
    weights: Mapping[str, Rule]
    choices: Fields

    def config(self, keys: Keys, head: Head, tensors: Collection[str]) -> Config:
        """Our configuration for a config.json and the tensor names. A layer has more than one
        tensor, so a config with more layers than tensors is rejected without building it. Raises
        NotRead.
        """
        fields = self.choices | read_keys(keys, self.keys)
        if set(fields.get("unbiased", ())) == set(PARTS):
            fields |= {"biases": False, "unbiased": ()}
        try:
            fields |= {"headless": head.kind == "none"} | head.choices(fields, keys, tensors)
            layers = max(fields.get(f"n_{stack}_layers", 0) for stack in ("encoder", "decoder"))
            if layers > len(tensors):
                raise NotRead("too-few-tensors", layers=layers, tensors=len(tensors))
            config = Config.from_dict(fields)
            check_choices(config)
            return config
        except NotRead:
            raise
        except (VitrineError, TypeError, ValueError) as error:
            raise NotRead("no-such-model", why=reason_of(error)) from error

    def rules(self, head: Head) -> dict[str, Rule]:
        """The rules of all tensors of a model with this head."""
        return {**self.weights, **head.weights}

    def classes(self, keys: Keys, n: int) -> list[str]:
        """The names of the `n` classes, in the order of the logits."""
        named = keys.get("id2label") or {}
        return [str(named.get(str(i), f"LABEL_{i}")) for i in range(n)]
