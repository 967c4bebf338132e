"""Patching: two inputs of one model, and how much of the difference between their outputs is
restored by each activation copied from the clean run into the corrupted one.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from model import progress
from model.activations.activation import input_axis
from model.answers.answer import Answer, Section
from model.checks import check_exists, check_layer, check_one_of, check_stack
from model.errors import InvalidInput
from model.inputs.input import Input
from model.interpretability.patches import PatchingQuestion, patches_of
from model.interpretability.patching.activations import METRICS
from model.interpretability.patching.clean_input import (
    corrupted_input,
    counterpart,
    held,
    read_input,
)
from model.runs.run_model import Runs
from model.zoo.models import Model

RESTORED = 0.1
"""The minimum that a patch must restore in the default layer."""


@torch.inference_mode()
def patching(
    model: Model,
    input: Input,
    runs: Runs,
    *,
    clean: str | None = None,
    corrupted: str | None = None,
    metric: str | None = None,
    step: int | None = None,
    stack: str | None = None,
    positions: list[list[int]] | None = None,
    sites: str | None = None,
    site: str | None = None,
    layer: int | None = None,
    position: int | None = None,
    receiver: str | None = None,
    receiver_head: int | None = None,
    heads: bool = False,
    pairs: bool = False,
) -> Answer:
    """`restored` [site, layer, position]: an activation of the clean run is copied into the
    corrupted run at one site, layer, and position of `stack`; 0 is the corrupted run, 1 the clean
    one. `sites` lists the sites to patch, separated by commas, by default all. `metric` measures
    the output at position `step` of the logits (METRICS, `goal_of`); `measured` has its values.
    `restored` is missing if clean and corrupted run differ by less than TOO_SMALL.

    The corrupted input is `corrupted` or the question's input. The target is fixed: both runs read
    that of the corrupted run, unless `clean` has its own. Inputs of different lengths need
    `positions`, pairs of a position in the clean run and the one in the corrupted run that it is
    copied to.

    With `receiver`, an activation or one head of it, a patch affects only the receiver (path
    patching). `heads` adds the same for the output of each head, and `pairs` patches two positions
    at once, at `site` in `layer`. `site`, `layer`, and `position` select the patch whose outputs
    are shown: by default the input of the first layer in which a patch restores something, at the
    position that restores most. The default `metric` is the difference of two logits, or the
    log-probability if both runs predict the same token. Raises InvalidInput or UnknownName.
    """
    stack = model.config.stacks[0] if stack is None else stack
    check_patchable(model, metric, stack)
    before = runs(model, corrupted_input(model, input, corrupted))
    other = counterpart(model, before, runs) if clean is None else read_input(model, "clean", clean)
    other = held(other, before)
    wanted = None if sites is None else tuple(site.strip() for site in sites.split(","))
    both = runs(model, other), before
    question = patches_of(
        *both, other, metric, step, stack, positions, receiver, receiver_head, wanted
    )
    site = question.sites[0] if site is None else site
    check_choice(question, site, layer, position)
    found = patched(question, site, layer, position, heads=heads, pairs=pairs)
    return before.answer(found.tensors, found.fields, found.axes)


def check_patchable(model: Model, metric: str | None, stack: str) -> None:
    """Raises InvalidInput for a model that cannot be patched, an unknown metric, or a stack that
    the model does not have.
    """
    if model.config.segments:
        raise InvalidInput("no-patch-reaches-segments", field="model", given=model.id)
    if metric is not None:
        check_one_of("metric", metric, METRICS)
    check_stack(model.id, stack, model.config.stacks)


def check_choice(
    question: PatchingQuestion, site: str, layer: int | None, position: int | None
) -> None:
    """Raises InvalidInput for a patch that is not part of the question."""
    stack, config = question.stack, question.corrupted.config
    check_one_of("site", site, question.sites)
    if layer is not None:
        check_layer(stack, layer, config.layers(stack))
    if position is not None:
        axis = input_axis(config, stack)
        check_exists("position", position, axis, len(question.pairs))


def patched(
    question: PatchingQuestion,
    site: str,
    layer: int | None,
    position: int | None,
    *,
    heads: bool,
    pairs: bool,
) -> Section:
    """Every site, layer, and position patched separately; with `heads`, every head too; with
    `pairs`, every pair of positions at the chosen site and layer; and the chosen patch in words.
    """
    parts = 1 + heads + pairs
    with progress.part(0, 1 / parts):
        grid, _ = question.grid(question.sites)
    tensors, fields = question.tensors("", ("site", "layer", "position"), grid), {}
    if heads:
        with progress.part(1 / parts, 2 / parts):
            by_head = question.head_metrics(question.head_sites)
        tensors |= question.tensors("_by_head", ("head_site", "head", "layer", "position"), by_head)
    of_site = question.effects(grid[question.sites.index(site)])
    layer = restoring_layer(of_site) if layer is None else layer
    if pairs:
        with progress.part(1 - 1 / parts, 1):
            by_pair, answers = question.pair_metrics(f"{question.stack}.{layer}.{site}")
        tensors |= question.tensors("_by_pair", ("position", "with"), by_pair)
        fields["pair_answers"] = answers
    position = int(of_site[layer].argmax()) if position is None else position
    return Section(question.axes, tensors, fields | question.fields(site, layer, position))


def restoring_layer(of_site: Float[Tensor, "layer position"]) -> int:
    """The first layer in which a patch restores something, or layer 0."""
    return next((at for at, row in enumerate(of_site) if row.max() >= RESTORED), 0)
