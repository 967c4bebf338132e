"""Effects: how the output of a model changes when each head, sub-layer, position, or group of
neurons in turn is turned off (ablation).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model import progress
from model.activations.site import Site
from model.answers.answer import Answer, Axis, Labelled
from model.checks import check_between, check_one_of
from model.edits.edit import Edit, Edits
from model.errors import InvalidInput
from model.inputs.input import Input
from model.interpretability.patching.knock_outs import ABLATIONS, UNITS, Unit, mean, resample, zero
from model.interpretability.patching.reply import Reply, expecting, reply_of
from model.interpretability.patching.reply import loss as loss_of
from model.interpretability.stream.windows import layers_shown
from model.runs.run import BaselineRun, Run
from model.runs.run_model import Runs
from model.runs.sweep import sweep_steps

MAX_DRAWS = 16
FORMULAS = {
    "zero": "0 in the place of the part",
    "mean": "its mean over all positions of all examples in the place of the part",
    "resample": "mean over the draws, each with the part as it is in another example",
}


@torch.inference_mode()
def effects(
    run: BaselineRun,
    input: Input,
    runs: Runs,
    *,
    ablation: str = "zero",
    unit: str = "head",
    groups: int = 16,
    draws: int = 4,
    seed: int = 0,
    first_layer: int | None = None,
    layers: int | None = None,
    loss: bool = True,
) -> Answer:
    """`change` [unit], the change in the log-probability of the model's reply, in nats, when one
    unit is turned off; `by_token` [unit, reply], its summands; and `log_probability` [unit, reply],
    the resulting values. `loss` [unit] is the mean cross-entropy over the input's next tokens, if
    it has any and `loss` is not False. `reply.py` defines the reply, and `knock_outs.py` the units
    and ablations. `first_layer` and `layers` select the units in a window of layers; positions are
    in every window.

    `resampled` [draw, unit] is the change when the unit is taken from another example of the model:
    from `draws` of them, sampled without replacement with `seed`, or all if there are fewer. It
    gives the scale for judging a change. With the ablation `resample`, `change` is its mean and
    `spread` its standard deviation. `usual_change` is the mean of its absolute values.

    `units` gives for each unit its site, the edits that turn it off, and what the model then
    predicts: at each position of the reply the most probable token, after the unedited tokens
    before it. The edits and tokens of a resampled unit are those of the first sample. `order` lists
    the units with the largest loss of log-probability first. Raises InvalidInput for a choice or a
    layer that does not exist, a model without neurons, or one without examples if they are needed.
    """
    check_one_of("ablation", ablation, ABLATIONS)
    check_one_of("unit", unit, UNITS)
    check_between("draws", draws, 0, MAX_DRAWS)
    check_between("groups", groups, 1, 64)
    reply, examples = reply_of(run), examples_of(run)
    units, window = in_window(run, list(UNITS[unit](run, groups)), first_layer, layers)
    others = sample_runs(run, runs, examples, draws, seed)
    off = knock_outs(run, units, ablation, examples, others)
    expected = bool(run.next_tokens) and loss
    read = measured(run, input, reply, off, expected)
    found = compared(read, off)
    fields = {
        "ablation": ablation,
        "unit": unit,
        "groups": groups if unit == "neurons" else None,
        "draws": len(others),
        "seed": seed,
        **replied(run, reply, read, expected),
        "units": without_each(run, units, off, read),
        "order": found.change.argsort().tolist(),
        "usual_change": found.resampled.abs().mean().item() if others else None,
        "examples": [as_dict(row) for row in (examples if ablation == "mean" else others)],
        **window,
    }
    tensors = by_unit(read, found, ablation, expected)
    return run.answer(tensors, fields, axes_of(run, units, reply, others))


def in_window(
    run: Run, every: Sequence[Unit], first_layer: int | None, layers: int | None
) -> tuple[list[Unit], dict[str, Any]]:
    """The units in a window of layers of all stacks, and the window if it excludes any. Raises
    InvalidInput for a layer that does not exist.
    """
    depth = max(map(run.config.layers, run.config.stacks))
    window_layers = layers_shown(depth, first_layer, layers)
    units = [unit for unit in every if unit.layer is None or unit.layer in window_layers]
    if len(units) == len(every):
        return units, {}
    window = {"first_layer": window_layers.start, "layers": len(window_layers)}
    return units, {"window": window | {"of_layers": depth, "of_units": len(every)}}


@dataclass(frozen=True)
class KnockOuts:
    """The edits that turn off each unit: `edits` for the requested `ablation`, and `elsewhere` for
    each sampled example that the unit is taken from.
    """

    ablation: str
    edits: list[Edits]
    elsewhere: list[list[Edits]]

    @property
    def here(self) -> list[Edits]:
        """The edits that are not in any sample."""
        return [] if self.ablation == "resample" else self.edits

    @property
    def rows(self) -> list[Edits]:
        """The edits of every run: none, then `here`, then `elsewhere` sample by sample."""
        return [(), *self.here, *(edits for draw in self.elsewhere for edits in draw)]


def knock_outs(
    run: Run,
    units: Sequence[Unit],
    ablation: str,
    examples: Sequence[Input],
    others: dict[Input, Run],
) -> KnockOuts:
    """The edits that turn off each of the units. Raises InvalidInput for a model without the
    examples that the ablation needs.
    """
    need = {"zero": 0, "mean": len(examples), "resample": len(others)}
    if ablation != "zero" and not need[ablation]:
        raise InvalidInput("no-other-example", field="ablation", given=ablation, model=run.model.id)
    elsewhere = [
        [resample(run, u, other, there.trace) for u in units] for other, there in others.items()
    ]
    edits: list[Edits] = {
        "zero": lambda: [zero(unit) for unit in units],
        "mean": lambda: [mean(unit, examples) for unit in units],
        "resample": lambda: elsewhere[0],
    }[ablation]()
    return KnockOuts(ablation, edits, elsewhere)


@dataclass(frozen=True)
class Measured:
    """For every edited run, ln p of each reply token, the loss (0 if there are no next tokens), and
    the most probable ids instead.
    """

    log_probabilities: Float[Tensor, "row token"]
    loss: Float[Tensor, " row"]
    ids: Int[Tensor, "row token"]


def measured(run: Run, input: Input, reply: Reply, off: KnockOuts, expected: bool) -> Measured:
    """Makes the edited runs, with the loss if `expected`. If a unit is replaced with that of
    another example, the loss is reported only for resampled units.
    """
    here, resampled = off.rows[: 1 + len(off.here)], off.rows[1 + len(off.here) :]
    share = len(here) / len(off.rows)
    with progress.part(0, share):
        first = read_runs(run, input, reply, here, whole=expected)
    with progress.part(share, 1):
        whole = expected and off.ablation == "resample"
        rest = read_runs(run, input, reply, resampled, whole=whole)
    parts = zip(*(vars(rows).values() for rows in (first, rest)), strict=True)
    return Measured(*map(torch.cat, parts))


def read_runs(
    run: Run, input: Input, reply: Reply, rows: Sequence[Edits], *, whole: bool
) -> Measured:
    """Makes edited runs at the positions of the reply and, if `whole`, at those of the loss,
    otherwise 0. Their logits are not stored, to save memory.
    """
    expected = expecting(run) if whole else ()
    places = sorted({*reply.positions, *expected})
    here, n = reply.among(places), len(reply.ids)
    parts = [
        (
            here.log_probabilities(logits),
            loss_of(run, logits, places) if expected else torch.zeros(len(logits)).double(),
            here.argmax_ids(logits),
        )
        for piece in sweep_steps(run.model, input, rows, at=places)
        for logits in (piece["logits"],)
    ]
    empty = torch.zeros(0, n).double(), torch.zeros(0).double(), torch.zeros(0, n).long()
    return Measured(*(torch.cat(some) for some in zip(empty, *parts, strict=True)))


@dataclass(frozen=True)
class Changes:
    """The change of ln p of each reply token without each unit, in nats, and the loss without it,
    in nats per token. `resampled` is the change of the whole reply if the unit is taken from
    another example.
    """

    by_token: Float[Tensor, "unit token"]
    loss: Float[Tensor, " unit"]
    resampled: Float[Tensor, "draw unit"]

    @property
    def change(self) -> Float[Tensor, " unit"]:
        """The change of ln p of the whole reply without each unit."""
        return self.by_token.sum(-1)


def compared(read: Measured, off: KnockOuts) -> Changes:
    """The runs without each unit compared with the run without edits, the first of `read`."""
    by_token = read.log_probabilities - read.log_probabilities[0]
    n = 1 + len(off.here)
    # One row per unit, [draw, unit, …] if taken from other examples.
    again = [
        values[n:].unflatten(0, (len(off.elsewhere), len(off.edits)))
        for values in (by_token, read.loss)
    ]
    changed, losses = (
        [values.mean(0) for values in again]
        if off.ablation == "resample"
        else [values[1:n] for values in (by_token, read.loss)]
    )
    return Changes(changed, losses, again[0].sum(-1))


def by_unit(read: Measured, found: Changes, ablation: str, expected: bool) -> dict[str, Labelled]:
    """What the reply loses without each unit, and with it taken from the sampled examples."""
    formula = "ln p(reply without the unit) - ln p(reply)"
    tensors = {
        "change": Labelled(("unit",), found.change.float(), f"{formula}; {FORMULAS[ablation]}"),
        "by_token": Labelled(
            ("unit", "reply"), found.by_token.float(), "ln p(token without the unit) - ln p(token)"
        ),
        "log_probability": Labelled(
            ("unit", "reply"),
            (read.log_probabilities[0] + found.by_token).float(),
            "ln p(token without the unit)",
        ),
    }
    if expected:
        tensors["loss"] = Labelled(
            ("unit",), found.loss.float(), "-mean of ln p(expected token) without the unit"
        )
    draws = len(found.resampled)
    if draws:
        tensors["resampled"] = Labelled(
            ("draw", "unit"), found.resampled.float(), f"{formula}; the unit as in another example"
        )
    if ablation == "resample" and draws > 1:
        tensors["spread"] = Labelled(
            ("unit",),
            found.resampled.std(0).float(),
            "standard deviation of resampled over the draws",
        )
    return tensors


def axes_of(
    run: Run, units: Sequence[Unit], reply: Reply, others: dict[Input, Run]
) -> dict[str, Axis]:
    tokens = labels(run, reply.ids)
    return {
        "unit": Axis("unit", len(units), [name_of(unit) for unit in units]),
        "reply": Axis("position", len(tokens), tokens, list(reply.ids)),
        "draw": Axis("draw", len(others), [next(iter(as_dict(row).values())) for row in others]),
    }


def replied(run: Run, reply: Reply, read: Measured, expected: bool) -> dict[str, dict]:
    """The model's reply, and its probability and predictions in the run without edits, the first of
    `read`.
    """
    return {
        "reply": {
            "kind": reply.kind,
            "tokens": labels(run, reply.ids),
            "positions": list(reply.positions),
        },
        "unedited": {
            "log_probability": read.log_probabilities[0].sum().item(),
            "by_token": read.log_probabilities[0].tolist(),
            "loss": read.loss[0].item() if expected else None,
            "says": labels(run, read.ids[0].tolist()),
        },
    }


def without_each(
    run: Run, units: Sequence[Unit], off: KnockOuts, read: Measured
) -> list[dict[str, Any]]:
    """Each unit as in `unit_fields`, in the order of the rows of `read` after the first."""
    return [
        unit_fields(run, unit, edits, labels(run, ids))
        for unit, edits, ids in zip(units, off.edits, read.ids[1:].tolist(), strict=False)
    ]


def examples_of(run: Run) -> list[Input]:
    """The examples in the model's card, as ids if a question may name them that way."""
    return [
        Input(**{name: row["id"] if name in ("image", "row") else value for name, value in pair})
        for row in run.model.card.get("examples", ())
        for pair in (row["input"].items(),)
    ]


def sample_runs(
    run: Run, runs: Runs, examples: Sequence[Input], draws: int, seed: int
) -> dict[Input, Run]:
    """`draws` of the examples with their runs, in an order sampled with `seed`; all, if there are
    fewer. An example with the same input as the run is omitted; another target is not another
    input.
    """
    field, found = next(iter(run.input)), dict[Input, Run]()
    order = torch.randperm(len(examples), generator=torch.Generator().manual_seed(seed))
    for i in order.tolist():
        if len(found) == draws:
            break
        there = runs(run.model, examples[i])
        if there.input[field] != run.input[field]:
            found[examples[i]] = there
    return found


def as_dict(input: Input) -> dict[str, str]:
    return {name: value for name, value in asdict(input).items() if value is not None}


def labels(run: Run, ids: Sequence[int]) -> list[str]:
    return [run.model.answer_label(id) for id in ids]


def name_of(unit: Unit) -> str:
    """For example decoder.2.cross_attention.z[head 1], decoder.0.feed_forward.post[hidden
    36-71].
    """
    if not unit.axis:
        return unit.name
    first, last = unit.indices[0], unit.indices[-1]
    return f"{unit.name}[{unit.axis} {first if first == last else f'{first}-{last}'}]"


def unit_fields(run: Run, unit: Unit, edits: Edits, texts: list[str]) -> dict:
    """The site of a unit, the edits that turn it off, and what the model then predicts."""
    site = Site.parse(unit.name)
    text = run.vocabulary[unit.name].axes[0]
    of_a_position = unit.axis == "position"
    return {
        "name": name_of(unit),
        "stack": site.stack,
        "layer": site.layer,
        "part": site.part,
        "indices": list(unit.indices),
        "token": run.tokens[text][unit.indices[0]].text if of_a_position else None,
        "says": texts,
        "edits": [edit_fields(edit) for edit in edits],
    }


def edit_fields(edit: Edit) -> dict:
    """An edit as listed in the `edits` of a question."""
    fields: dict = {"op": edit.op, "at": edit.at}
    if edit.where:
        fields["where"] = {axis: list(indices) for axis, indices in edit.where}
    if edit.inputs:
        inputs = [as_dict(input) for input in edit.inputs]
        fields["from"] = inputs[0] if edit.op == "patch" else inputs
    if edit.positions:
        fields["positions"] = [list(pair) for pair in edit.positions]
    return fields
