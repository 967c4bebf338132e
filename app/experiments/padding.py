"""Padding: a padded batch with its mask and without, and what True means in a mask."""

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from app.captions import Question, axes, fields
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import Condition, counts, means
from app.captions.findings import measured
from app.captions.text import label, number, visible
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures.marks import Bar, Records, Scale, Tiles
from app.figures.mosaic import Tile
from app.limits import Limit
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Clinic, Head
from model.labels import label as said
from model.words import LANGUAGE

if TYPE_CHECKING:
    from model.answers.answer import Answer

SENTENCES = Limit("padded_sentences", 8, "sentences", "A batch of `/padding` may have this many.")
PADS = Limit("pads", 16, "columns", "`/padding` may add this many columns of padding.")


class Padding(Clinic):
    sentences: Annotated[
        int, Field(ge=2), up_to(SENTENCES), COSTLY, Control((2, 4, 8), key="step")
    ] = 4
    pads: Annotated[
        int, Field(ge=0), up_to(PADS), Control((0, 2, 4, 8, 16), "extra padding", key="layer")
    ] = 2
    head: Annotated[Head, Control((0, 1, 2, 3), key="head")] = 0

    def sizes(self) -> dict[str, float]:
        return {"answer": 1, "seeds": self.seeds, "sentences": self.seeds * self.sentences}


class PaddingAnswer(ClinicAnswer):
    real: int


TILES = {
    "ours": ("Vitrine", "True: attend", "attention"),
    "sdpa": ("torch SDPA", "True: attend", "attention"),
    "multihead": ("torch MHA", "True: ignore", "cross"),
    "additive": ("additive mask", "−∞: ignore", "attention"),
    "mistaken": ("wrong convention", "on padding: {}", "feed-forward"),
}


def conventions(answer: "Answer", question: Question) -> list[Tile]:
    """The weights of the shortest sentence as each convention gives them: rows are queries, columns
    are keys, and the padding stands at the right.
    """
    tokens = [visible(token) for token in axes.labels(answer, "key")]
    real, on_padding = answer.fields["real"], number(measured(answer, "mistaken"))
    notes = {name: note.format(on_padding) for name, (_, note, _) in TILES.items()}
    if padding_of(answer, question) == "none":
        notes["mistaken"] = "every key hidden"
    return [
        Tile(
            title,
            drawable(answer.tensors[f"pattern.{name}"].data.numpy()[:real]),
            lambda q, k, title=title: f"{title}: {tokens[q]} attends to {tokens[k]}",
            role,
            notes[name],
            shortens=True,
        )
        for name, (title, _, role) in TILES.items()
    ]


CONVENTIONS = Tiles(
    conventions,
    across=2,
)


def drawable(values: np.ndarray) -> np.ndarray:
    """The weights, with nothing to draw where there is none."""
    return np.where(np.isneginf(values), np.nan, values)


def padding_of(answer: "Answer", question: Question) -> str:
    """Whether the sentence has padding. If it has none, the inverted mask hides all of its keys."""
    return "none" if answer.fields["real"] == answer.axes["key"].size else "some"


def batch(answer: "Answer", question: Question) -> list[Bar]:
    """How far padding changes the output of each sentence, with its mask and without it."""
    sentences = [label(name) for name in axes.labels(answer, "sentence")]
    masked, bare = answer.tensors["change"].data.tolist()
    return [
        Bar(i, str(i + 1), values[i], sentence, role, name)
        for values, name, role in (
            (masked, "with the padding mask", "attention"),
            (bare, "without the mask", "feed-forward"),
        )
        for i, sentence in enumerate(sentences)
    ]


BATCH = Records(
    batch,
    places="sentence",
    lengths=Scale("change in encoder output", "fraction of norm", low=0),
    level=True,
    hover="%{customdata}<br>{name}: changed by <b>%{x:.3g}</b> of the norm",
)


def changes(answer: "Answer", question: Question) -> str:
    """The numbers of the bars, one sentence after another."""
    both = answer.tensors["change"].data.tolist()
    return fields.APART[LANGUAGE.get()].join(
        said("{sentence}: {masked} with, {bare} without").format(
            sentence=label(sentence), masked=number(masked), bare=number(bare)
        )
        for sentence, masked, bare in zip(axes.labels(answer, "sentence"), *both, strict=True)
    )


WORDS = Words(
    "padding",
    fields={
        **counts("sentences", "pads"),
        **means("fraction", "shortest.by_seed", {"seed": "first"}, mask=("without it",)),
        "changes": fields.Field(changes, "text"),
    },
    conditions={"padding": Condition(padding_of, ("some", "none"))},
)
EXPERIMENT = Experiment(
    question=Padding,
    answer=PaddingAnswer,
    example="sentences=3&pads=4",
    figures={
        "conventions": in_words(CONVENTIONS, tensor="pattern.ours"),
        "batch": in_words(BATCH, tensor="change"),
    },
    words=WORDS,
    opening={"padding": "some"},
    rests_on=("with", "bits"),
    exercise=Exercise(
        ("little", "some", "most"),
        by_findings({"mistaken": (0.01, 0.99)}),
        {"pads=0": "none", "pads=16": "more"},
    ),
)
