"""/modes: one sentence, read in four ways."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

from app.captions import Question as Fields
from app.captions.axes import labels
from app.captions.text import label, number, visible, weight
from app.experiment import Experiment, Figure
from app.figures.marks import Cells, Marks
from app.figures.plot import Row
from app.figures.traces import outline
from app.schema.answers import Answer as AnswerSchema
from app.schema.answers import Fact, StrictModel
from app.schema.bounds import up_to
from app.schema.questions import Head, Layer, Name, NamesSent, Question, Text

if TYPE_CHECKING:
    from model.answers.answer import Answer


class Modes(Question):
    text: Text = "i am cold"
    target: Text | None = None
    encoder_only: Name | None = None
    decoder_only: Name | None = None
    encoder_decoder: Name | None = None
    prefix: Name | None = None
    layer: Layer | None = None
    head: Head = 0
    top: Annotated[int, Field(ge=1), up_to("modes_top")] = 5
    names: NamesSent = None


class Mode(StrictModel):
    """One way of reading the sentence, and the model that reads it so, where there is one."""

    mode: str
    sees: str
    model: str | None
    kind: str
    why: str | None
    layer: int | None
    head: int | None
    layers: int | None
    heads: int | None
    target_from: int | None
    visible: Fact
    top_tokens: list[list[str]]
    expected: list[str]
    says: str | None


class ModesAnswer(AnswerSchema):
    modes: list[Mode]


TITLES = {
    "encoder-only": "Encoder-only",
    "decoder-only": "Decoder-only",
    "encoder-decoder": "Encoder-decoder",
    "prefix": "Prefix",
}
GUESSES = 2  # guesses that are written for each position; pointed at, all are told
LONGEST = 8  # letters of a guess

LINE, HEAD, SQUARE = 18, 32, 380
"""Pixels of a row of guesses, of the titles over them, and of the usual figure."""


def square(mode: str, show: str) -> Marks:
    """The weights of a mode, or the cells that its mask opens, with lines between the source and
    the target; under it the likeliest tokens at each position that predicts.
    """
    mask = f"{mode}.mask"
    opened = Cells(
        mask,
        x=f"{mode}.read",
        y=f"{mode}.read",
        columns="attends to",
        rows="token",
        mask=mask,
        scale=("paper", "attention"),
        ends=(0, 1),
        bar=False,
        empty="hover",
        even=True,
        nothing="too long to draw",
        says=lambda answer, _: np.where(answer.cut(mask).data, "unmasked", "masked").tolist(),
        shapes=lambda answer, _: parted(answer, mode),
        hover="query %{y}, key %{x}<br><b>%{customdata}</b>",
    )
    weights = replace(
        opened,
        tensor=f"{mode}.pattern",
        columns="attends to (weight: dark 0, bright 1)",
        scale="cividis",
        text=weight,
        says=None,
        otherwise=opened,
        hover="%{y} attends to %{x}<br>weight <b>%{z:.3g}</b>",
    )
    guesses = Cells(
        f"{mode}.top_probability",
        x=None,
        y=lambda answer, _: [f"{token} →" for token in labels(answer, f"{mode}.asked")],
        most=GUESSES,
        columns="prediction and probability",
        rows="at" if mode == "encoder-only" else "after",
        ends=(0, 1),
        bar=False,
        words=lambda answer, _: [row[:GUESSES] for row in mode_of(answer, mode)["top_tokens"]],
        text=weight,
        beside=True,
        longest=LONGEST,
        says=lambda answer, _: all_guesses(answer, mode),
        hover="%{y} %{customdata[0]}<br><b>%{z:.3g}</b> probability<br>%{customdata[1]}",
    )
    return Marks(
        [weights if show == "map" else opened, guesses], rows=lambda *of: shares(of[0], mode)
    )


def mode_of(answer: "Answer", mode: str) -> dict[str, Any]:
    return next(entry for entry in answer.fields["modes"] if entry["mode"] == mode)


def shares(answer: "Answer", mode: str) -> tuple[Row, ...]:
    """Guesses are as high as their lines."""
    if not (guesses := mode_of(answer, mode)["top_tokens"]):
        return ()
    share = min(0.36, max(0.2, (LINE * len(guesses) + HEAD) / SQUARE))
    return Row(1, 1 - share), Row(1, share)


def all_guesses(answer: "Answer", mode: str) -> list[list[list[str]]]:
    """What each guess says: itself, and all guesses of its position."""
    chances, top = answer.cut(f"{mode}.top_probability").data, mode_of(answer, mode)["top_tokens"]
    hover_texts = [
        ", ".join(f"{visible(token)} {number(p)}" for token, p in zip(*both, strict=True))
        for both in zip(top, chances.tolist(), strict=True)
    ]
    return [
        [[label(token), label(every)] for token in row[:GUESSES]]
        for row, every in zip(top, hover_texts, strict=True)
    ]


def parted(answer: "Answer", mode: str) -> list[dict[str, Any]]:
    """The lines between the source and the target."""
    cut, size = mode_of(answer, mode)["target_from"], answer.axes[f"{mode}.read"].size
    if cut is None or cut >= size:
        return []
    at, end = cut - 0.5, size - 0.5
    return [outline("ink", -0.5, end, at, at, 2), outline("ink", at, at, -0.5, end, 2)]


def meta(answer: "Answer", question: Fields, mode: str, show: str) -> dict[str, Any]:
    """What else is said of a square: whose it is, and what the page says under it."""
    fields, name = mode_of(answer, mode), f"{mode}.pattern"
    if show == "mask" or name not in answer.tensors:
        name = f"{mode}.mask"
    of = "the mask" if name.endswith("mask") else f"attention of {fields['model']}"
    size = answer.axes[f"{mode}.read"].size
    return {
        "description": f"{TITLES[mode]}: {of} over {size} tokens.",
        "kind": fields["kind"],
        "names": ",".join(name for name in answer.tensors if name.startswith(f"{mode}.")),
        "said": summary(fields, size, question.get("target") is not None),
        "formula": answer.tensors[name].formula,
        "axes": list(answer.tensors[name].axes),
        "shape": list(answer.tensors[name].data.shape),
    }


def summary(fields: dict[str, Any], size: int, forced: bool) -> str:
    """Whose numbers these are, or why there are none; how many cells the mask opens; what is said
    in the end, except a target that is `forced`.
    """
    model, visible_cells = fields["model"], fields["visible"]
    whose = f"{model}, layer {fields['layer']}, head {fields['head']}:" if model else fields["why"]
    wrong = "" if visible_cells.holds else "✗ "
    last = fields["mode"] == "decoder-only"
    what = "most probable next token" if last else "output"
    says = f" The model’s {what} is “{visible(fields['says'])}”." if fields["says"] else ""
    says = "" if forced and not last else says
    return f"{whose} {wrong}{visible_cells.value:.0f} of {size * size} cells are unmasked.{says}"


EXPERIMENT = Experiment(
    question=Modes,
    answer=ModesAnswer,
    example="text=i+am+cold&head=1",
    figures={
        f"{show}.{mode}": Figure(
            title,
            square(mode, show),
            tensor=f"{mode}.mask",
            meta=lambda answer, question, of=(mode, show): meta(answer, question, *of),
        )
        for show in ("map", "mask")
        for mode, title in TITLES.items()
    },
    source_fields={"names": None},
)
