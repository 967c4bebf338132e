"""Journey: one token, step by step from the input to the prediction."""

from typing import Any

import torch

from model.activations.activation import input_axis
from model.answers.answer import Answer, Axis, Labelled
from model.errors import InvalidInput
from model.interpretability.stream.residual import steps as points_of
from model.interpretability.token_journey import (
    COLUMNS,
    STEPS,
    TOURS,
    Column,
    StepResult,
    TokenPath,
    reading_head,
)
from model.runs.run import BaselineRun, Run


def journey(
    run: Run, plain: BaselineRun, *, token: int | None = None, temperature: float = 1.0
) -> Answer:
    """The steps that the token at position `token` of the first stack's input goes through. Each
    step has its name, the name of its tensor, its numbers, and a row of the tensor `columns`: the
    token's vector before the step, with the name of its activation and the token's text. Logits are
    divided by `temperature` when the next word is chosen.

    Without `token`, an interesting token is followed: the source token with the most
    cross-attention in a translator, the last token of a text, the first blank, or the patch that
    [CLS] attends to most. If the input is shorter than `token`, its last token is followed. Token
    and heads are chosen from `plain`, the run without edits. Raises InvalidInput for a model
    without a journey.
    """
    walk = walk_of(run)
    stack = run.config.stacks[0]
    axis = input_axis(run.config, stack)
    places = candidates(run, walk, axis)
    chosen = places[-1] if token is not None and token not in places else token
    position = FOLLOWED[walk](plain, places) if chosen is None else chosen
    reader = reading_head(plain, stack, position)
    at = READ[walk](plain, position)
    path = TokenPath(walk, stack, axis, position, *reader, at, plain, temperature)
    names = [name for name in TOURS[walk] if name != "feed_forward" or run.config.d_ff]
    taken = {name: STEPS[name](run, path) for name in names}
    tensors: dict[str, Labelled] = {}
    axes: dict[str, Axis] = {}
    for step in taken.values():
        tensors |= step.tensors
        axes |= step.axes
    columns = [COLUMNS[name](run, path) for name in names]
    tensors["columns"] = Labelled(
        ("walked", "channel"),
        torch.stack([run.trace[name][place] for name, place in columns]),
        "the followed vector, as it comes to each step",
    )
    axes["walked"] = Axis("step", len(names), names)
    last = run.config.stacks[-1]
    guesses = axes["point"].ids or []
    fields = {
        "walk": walk,
        "followed": position,
        "read_at": path.at,
        "layer": path.layer,
        "head": path.head,
        "candidates": [{"position": i, "text": run.tokens[axis][i].text} for i in places],
        "steps": [step_fields(run, *step) for step in zip(taken.items(), columns, strict=True)],
        "points": [
            {"name": step.name, "wrote": step.wrote, "guess": run.model.answer_label(guess)}
            for step, guess in zip(
                (step for step in points_of(run.config, last) if step.wrote), guesses, strict=True
            )
        ],
        "expected": run.expected,
        "expected_from": run.target_start,
    }
    return run.answer(tensors, fields, axes)


def step_fields(run: Run, taken: tuple[str, StepResult], column: Column) -> dict[str, Any]:
    """A step as in the answer: its name, its tensor, its numbers, and the vector before it."""
    (name, step), (activation, place) = taken, column
    axis = input_axis(run.config, activation.split(".")[0])
    return {
        "name": name,
        "tensor": next(iter(step.tensors)),
        "numbers": step.numbers,
        "column": activation,
        "token": run.tokens[axis][place].text,
    }


def walk_of(run: Run) -> str:
    """The walk for a model of this kind. Raises InvalidInput if there is none."""
    family, reads = run.config.family, run.config.inputs
    walk = (
        KINDS.get((family, reads)) if len(run.logits) and not run.config.classifies_text else None
    )
    if walk is None:
        raise InvalidInput("no-walk", field="model", given=run.model.id)
    return walk


KINDS = {
    ("encoder-decoder", "tokens"): "translation",
    ("decoder-only", "tokens"): "continuation",
    ("prefix", "tokens"): "continuation",
    ("encoder-only", "tokens"): "blank",
    ("encoder-only", "patches"): "image",
}
"""The walk, by a model's family and the kind of its tokens."""


def candidates(run: Run, walk: str, axis: str) -> list[int]:
    """The positions that can be followed: those that predict a token; all patches except [CLS];
    otherwise all.
    """
    first = run.target_start if walk == "continuation" else int(walk == "image")
    return list(range(first, len(run.tokens[axis])))


def most_read(run: Run, places: list[int]) -> int:
    """The source word that a decoder step attends to most, averaged over the heads of the last
    cross-attention. The step that ends the sequence is skipped unless it is the only one.
    """
    pattern = last_cross(run)
    words = [i for i in places if run.tokens["source"][i].text not in run.signs] or places
    return words[int(pattern[:, words].amax(0).argmax())]


def last_cross(run: Run):
    """The last cross-attention averaged over heads [target, source], without the row that ends the
    sequence unless it is the only one.
    """
    pattern = run.trace[f"decoder.{run.config.n_decoder_layers - 1}.cross_attention.pattern"].mean(
        0
    )
    return pattern[: max(1, len(pattern) - 1)]


def first_blank(run: Run, places: list[int]) -> int:
    """The first blank, or without blanks the first token after <s>."""
    blanks = [i for i in places if i in run.blanks]
    return blanks[0] if blanks else places[min(1, len(places) - 1)]


def patch_of_cls(run: Run, places: list[int]) -> int:
    """The patch that [CLS] attends to most, averaged over the heads of the last layer."""
    pattern = run.trace[f"encoder.{run.config.n_encoder_layers - 1}.attention.pattern"].mean(0)
    return places[int(pattern[0, places].argmax())]


def last_known(run: Run, places: list[int]) -> int:
    """The last token of a text; in a prefix model, whose text ends with </s>, the first that
    predicts.
    """
    return places[0] if run.target_start else places[-1]


FOLLOWED = {
    "translation": most_read,
    "continuation": last_known,
    "blank": first_blank,
    "image": patch_of_cls,
}
READ = {
    "translation": lambda run, position: int(last_cross(run)[:, position].argmax()),
    "continuation": lambda run, position: position,
    "blank": lambda run, position: position,
    "image": lambda run, position: 0,
}
"""The position predicting the word that the followed token contributes to, by walk."""
