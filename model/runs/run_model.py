"""`run_model` makes a run of any model and input: it chooses one function by the model's family and
the kind of input that the model reads. Analyses and clinics run models through it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from model import progress
from model.activations.activation import input_axis
from model.activations.site import Site
from model.arrangement.arrange import arrange
from model.arrangement.arrangement import UNARRANGED, Arrangement
from model.calibration.confidence import with_confidence
from model.edits.changes import Stage
from model.edits.edit import Edit, Edits
from model.edits.editor import named_elsewhere
from model.errors import InvalidInput
from model.inputs.input import Input
from model.runs.editing import Editing
from model.runs.long_text import run_long
from model.runs.prepared import Prepared
from model.runs.readings import TextReading, check_fields, reading, token_preparer
from model.runs.run import AnyToken, Run
from model.zoo.models import Model


@runtime_checkable
class Runs(Protocol):
    """A function that makes a run of a model, an input and edits: `run_model`, or a function that
    keeps its runs.
    """

    def __call__(
        self,
        model: Model,
        input: Input,
        *,
        edits: Edits = (),
        arranged: Arrangement = UNARRANGED,
        maps: bool = True,
    ) -> Run: ...


@torch.inference_mode()
def run_model(
    model: Model,
    input: Input,
    edits: Edits = (),
    arranged: Arrangement = UNARRANGED,
    runs: Runs | None = None,
    maps: bool = True,
) -> Run:
    """Runs `input` through `model` and records every activation; `edits` change activations on the
    way, and `arranged` says how the input is read. `runs` makes the runs without edits that an
    edited one needs, which may be kept. Without `maps` a long text is read (long_text.py). Raises
    InvalidInput where the input does not fit the model or a change cannot be made, and UnknownName
    where an edit names no activation.
    """
    check_fields(model, input)
    if not maps:
        if edits or arranged != UNARRANGED:
            raise InvalidInput("long-text-with-edits", field="edits")
        return run_long(model, input)
    if edits or arranged != UNARRANGED:
        prepared = prepare_edited(model, input, edits, arranged, runs or run_model)
    else:
        prepared = reading(model).prepare(model, input)
    return with_confidence(prepared(), input)


def prepare_edited(
    model: Model, input: Input, edits: Edits, arranged: Arrangement, runs: Runs
) -> Prepared:
    """The pass with `edits` of an input that is read as `arranged` says; its run tells what each of
    them changed. A target that is not given is the one that the model writes without edits, so that
    both runs have the same positions.
    """
    own_inputs = with_own_inputs(edits, input)
    editing = Editing(model, own_inputs, other_runs(model, own_inputs))
    if arranged == UNARRANGED:
        prepared = editing.edited_pass(pass_of(model, input, runs))
    else:
        prepared = prepare_arranged(model, input, editing, arranged, runs)

    def finish(run: Run) -> Run:
        run = prepared.finish(run)
        wrote = "target" in run.input and input.target is None
        remarks = {WRITTEN_WITHOUT_EDITS: wrote, PROBABILITIES_LAST: "probabilities" in run.stages}
        notes = [*run.notes, *(note for note, holds in remarks.items() if holds)]
        constants = run.constants | references_before(run.stages)
        return replace(run, edited_by=edits, constants=constants, notes=notes)

    return replace(prepared, finish=finish)


def pass_of(model: Model, input: Input, runs: Runs) -> Prepared:
    """The pass of an input. A target that the model writes is that of the run without edits, which
    need not be written again.
    """
    how = reading(model)
    if isinstance(how, TextReading) and how.write and input.target is None:
        plain = runs(model, input)
        return how.prepare_tokens(model, plain.input, plain.tokens)
    return how.prepare(model, input)


def prepare_arranged(
    model: Model, input: Input, editing: Editing, arranged: Arrangement, runs: Runs
) -> Prepared:
    """The edited pass of an input that is read as `arranged` says."""
    plain = runs(model, input)
    layout = arrange(model, arranged, typed_tokens(plain))
    editing = replace(editing, layout=layout)
    if arranged.pad is None:
        return editing.edited_pass(pass_of(model, input, runs))
    tokens = {**plain.tokens, layout.axis: layout.padded(plain.tokens[layout.axis])}
    return editing.edited_pass(token_preparer(model)(model, plain.input, tokens, layout.pads))


def typed_tokens(run: Run) -> Sequence[AnyToken]:
    """The tokens that an arrangement puts in order: the source of an encoder-decoder and of a
    prefix model, the whole input of any other.
    """
    tokens = run.tokens[input_axis(run.config, run.config.stacks[0])]
    return tokens[: run.target_start] if run.config.family == "prefix" else tokens


def references_before(stages: Mapping[str, Sequence[Stage]]) -> dict[str, Tensor]:
    """The reference rows of a table as they came to a layer, where an edit has changed them there:
    what the model is given stays what it was, and the edit is of the activation `rows`.
    """
    return {
        f"references.{site.layer}": some[0].before[1:]
        for site, some in ((Site.parse(name), some) for name, some in stages.items())
        if (site.part, site.value) == ("row_attention", "rows")
    }


def with_own_inputs(edits: Edits, input: Input) -> Edits:
    """The edits, each patch without an input of its own from the unedited run of `input`."""
    return tuple(
        replace(edit, inputs=(input,)) if edit.op == "patch" and not edit.inputs else edit
        for edit in edits
    )


def other_runs(model: Model, edits: Iterable[Edit]) -> dict[Input, Mapping[str, Tensor]]:
    """The activations of the edits' other inputs that the edits name. The computation may be
    cancelled after each run. Raises InvalidInput, with the place of the edit, for an input that the
    model cannot read.
    """
    edits, found = tuple(edits), {}
    needed = named_elsewhere(model.config, edits)
    for edit in edits:
        for other in edit.inputs:
            if other in found:
                continue
            try:
                trace = run_model(model, other).trace
            except InvalidInput as wrong:
                raise edit.refusal(
                    "other-input-not-read", "from", limit=wrong.limit, given=wrong.given, why=wrong
                ) from None
            found[other] = {name: compact(trace[name]) for name in trace if name in needed[other]}
            progress.checkpoint()
    return found


def compact(value: Tensor) -> Tensor:
    """The value in memory of its own, without the larger tensor that it is a part of."""
    return value if value.untyped_storage().nbytes() == value.nbytes else value.clone()


WRITTEN_WITHOUT_EDITS = (
    "The target is what the model writes without the edits, so that every number has the same"
    " position with them and without."
)

PROBABILITIES_LAST = (
    "No number is computed from `probabilities`: what is said of the model’s answer is computed"
    " from the logits, and does not show the edit of `probabilities`."
)
