"""Translators with 6 + 6 layers, Post-LN and Pre-LN, each with and without warm-up, trained for the
same number of steps, with stored losses (`norm-placement`).
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from model.answers.answer import Axis, Labelled, counted, numbered
from model.answers.laws import Law, by_name
from model.answers.measurements import Finding, statistical
from model.measure.recorded_seeds import recorded_seeds

EXPERIMENT = "norm-placement"
MANY = 64
"""More trainings than are stored, so that all of them are read."""

LAWS = by_name(
    Law(
        "translators.post_less_pre",
        "Final loss of the translators, Post-LN minus Pre-LN",
        "below 0 after {steps} steps, averaged over runs with and without warm-up: Post-LN ends"
        " lower",
        (None, 0),
        "nats per token",
    ),
    Law(
        "translators.post_less_pre.alone",
        "Final loss of the translators without warm-up, Post-LN minus Pre-LN",
        "no prediction",
        unit="nats per token",
    ),
    Law(
        "translators.post_less_pre.warmup",
        "Final loss of the translators with warm-up, Post-LN minus Pre-LN",
        "no prediction",
        unit="nats per token",
    ),
)


class Translators(NamedTuple):
    """What the stored trainings add to an answer; `init` says what was trained."""

    axes: dict[str, Axis]
    tensors: dict[str, Labelled]
    findings: list[Finding]
    init: str


def translators() -> Translators:
    """The losses of the stored translators, and the findings from them.

    `translators` [translator, trained] is the loss on held-out sentences in nats per token during
    training, the mean over `translators.by_training` [training, translator, trained]. The findings
    are differences between the final losses, Post-LN minus Pre-LN, in each training.
    """
    result, losses = recorded_seeds(EXPERIMENT, 0, MANY)
    each = torch.stack(list(losses.values()), dim=1)
    axes = {
        "translator": Axis("step", len(losses), list(losses)),
        "trained": numbered("step", result["steps"], "step", ids=result["steps"]),
        "training": counted("step", len(each), "training"),
    }
    formula = "mean of -ln p over held-out tokens, in nats"
    axis_names = ("translator", "trained")
    tensors = {
        "translators": Labelled(axis_names, each.mean(0), f"{formula}; mean over the trainings"),
        "translators.by_training": Labelled(("training", *axis_names), each, formula),
    }
    facts, steps = result["facts"], result["steps"][-1]
    layers, width, pairs = facts["layers"], facts["d_model"], facts["pairs"]
    init = (
        f"The translators have {layers} + {layers} layers of width {width}. They were trained"
        f" in advance for {steps} steps, with {facts['warmup']} warm-up steps or none, on batches"
        f" of {facts['batch']} from {pairs['train']:,} sentence pairs, and tested on"
        f" {pairs['held_out']} others. {facts['notice']}"
    )
    return Translators(axes, tensors, findings(losses, steps), init)


def findings(losses: dict[str, Float[Tensor, "training step"]], steps: int) -> list[Finding]:
    """The differences between the losses after the last step, in each training."""
    last = {name: values[:, -1] for name, values in losses.items()}
    plain = last["post"] - last["pre"]
    warmed = last["post_warmup"] - last["pre_warmup"]
    law = LAWS["translators.post_less_pre"].with_numbers(steps=steps)
    return [
        statistical(law, ((plain + warmed) / 2).tolist()),
        statistical(LAWS["translators.post_less_pre.alone"], plain.tolist()),
        statistical(LAWS["translators.post_less_pre.warmup"], warmed.tolist()),
    ]
