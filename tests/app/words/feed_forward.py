"""What is so where /feed-forward says it, and its own fields once more."""

from dataclasses import replace

import numpy as np
import torch

from tests.app.questions import DIGITS, INPUT, PENGUINS
from tests.app.words.answered import cut, with_fields, with_tensor
from tests.app.words.facts import Facts
from tests.rounding import SHIPPED, SINGLE, is_same

NOTHING = dict.fromkeys(INPUT)
ENCODER = {"stack": "encoder"}


def length(tensor: str, **places: str):
    return lambda answer, _: float(np.sqrt((cut(answer, tensor, **places) ** 2).sum()))


def ranked(answer) -> list[int]:
    """The other tokens, first those at which most of the neurons fire too; the token where it is
    alone.
    """
    shares, here = cut(answer, "also_fires"), answer.fields["position"]
    order = sorted(range(len(shares)), key=lambda i: -shares[i])
    return [i for i in order if i != here] or [here]


def nearest(answer) -> int:
    return ranked(answer)[0]


def farthest(answer) -> int:
    """The first of those with the smallest share."""
    shares, order = cut(answer, "also_fires"), ranked(answer)
    return min(i for i in order if shares[i] == shares[order[-1]])


def neuron_count(answer, _) -> int:
    return answer.axes["neuron"].size


ORACLES = {
    **{
        f"{term}_length": length("stream", term=term)
        for term in ("before", "output", "added", "sum", "normed", "edited")
    },
    **{
        f"{name}_{part}": lambda answer, _, at=at, read=read: read(answer, at(answer))
        for name, at in (("nearest", nearest), ("farthest", farthest))
        for part, read in {
            "position": lambda _, place: place,
            "token": lambda answer, place: answer.fields["tokens"][place],
            "share": lambda answer, place: float(cut(answer, "also_fires")[place]),
        }.items()
    },
    "out_length": length("out"),
    "firing_share": lambda answer, _: answer.fields["firing"] / answer.fields["neurons"],
    "token": lambda answer, _: answer.fields["tokens"][answer.fields["position"]],
    "top": neuron_count,
    "rest": lambda answer, _: answer.fields["neurons"] - neuron_count(answer, _),
    "raised_by": lambda answer, _: float(cut(answer, "raised").max(1)[0]),
    "reader_layer": lambda answer, _: (
        str(answer.fields["next_step"]).split(".")[1]
        if "attention" in str(answer.fields["next_step"])
        else ""
    ),
}
QUESTIONS = (
    {"layer": 1},
    ENCODER | {"layer": 0, "position": 2, "top": 3},
    ENCODER,
    NOTHING | {"model": "shakespeare", "text": "to", "top": 50},
    NOTHING | PENGUINS | {"layer": 0},
    NOTHING | {"model": "translator-pre", "source": "i am cold"},
    {"edits": [{"op": "zero", "at": "decoder.2.feed_forward.out"}]},
    NOTHING | DIGITS | {"top": 1, "edits": [{"op": "zero", "at": "encoder.2.residual.out"}]},
)


def few(answer, neurons: int, **fields) -> object:
    """The answer with so few neurons, of which one fires, and without a bias."""
    alike = with_tensor(answer, "also_fires", 0 * answer.tensors["also_fires"].data + 0.25)
    without = with_tensor(alike, "bias", 0 * answer.tensors["bias"].data)
    return with_fields(without, neurons=neurons, firing=1, **fields)


def output_normed(answer) -> object:
    """The answer where a norm is applied to the output before it is added."""
    before, added, total, _ = answer.tensors["stream"].data
    edited = with_tensor(answer, "stream", torch.stack([before, 2 * added, added, total]))
    terms = ["before", "output", "added", "sum"]
    axes = answer.axes | {"term": replace(answer.axes["term"], labels=terms)}
    return with_fields(replace(edited, axes=axes, inputs=axes), terms=terms)


MADE_UP = (
    lambda answer: few(answer, 1, gated=True, activation="silu"),
    lambda answer: few(
        answer, 2, activation="gelu_tanh", next_step="decoder.2.residual.after_cross_attention"
    ),
    output_normed,
    lambda answer: with_fields(answer, firing=0, next_step="encoder.1.residual.after_attention"),
)


def writes_most(answer, _) -> bool:
    return bool((cut(answer, "length") <= answer.fields["top_neurons"][0]["length"]).all())


def raises_most(answer, _) -> bool:
    raised = cut(answer, "raised")[0]
    return bool((raised <= raised[0]).all())


def sums(answer, _) -> bool:
    """Whether the stream is the sum of what it was and of what is added, and nothing else."""
    terms = answer.axes["term"].labels
    before, added, total = (cut(answer, "stream", term=name) for name in ("before", "added", "sum"))
    bottom = cut(answer, "stream", term="bottom") if "bottom" in terms else 0
    return is_same(before + added + bottom, total, SINGLE, n=SHIPPED, scale=1)


def as_here(answer, _) -> bool:
    """Whether the neurons have in the row of this token what they have in the rows of all."""
    place, rows = answer.fields["position"], answer.axes["neuron"].ids
    return is_same(cut(answer, "post_by_token")[:, place], cut(answer, "post")[rows], SINGLE)


def of_encoder(answer, _) -> bool:
    return "target" in answer.axes and answer.fields["stack"] == "encoder"


def without_words(answer, _) -> bool:
    return "raised" not in answer.tensors


FACTS: Facts = {
    "fires.description": {"": {"most": writes_most}},
    "writes.more": {"": {"all": lambda answer, _: cut(answer, "written").any()}},
    "words_of": {
        "some": {"most": raises_most, "none": raises_most},
        "encoder": {"none": without_words, "only": of_encoder},
        "none": {"none": without_words},
    },
    "reads_next": {"encoder": {"all": of_encoder}},
    "tokens": {"": dict.fromkeys(("same", "all"), as_here)},
    "tokens.description": {"": dict.fromkeys(("same", "all", "none"), as_here)},
}
