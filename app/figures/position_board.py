"""All position schemes on one board: which requirement each meets, and the measured number."""

from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.facts import typeset
from app.captions.text import label, number
from app.figures.axis_scales import named
from app.figures.meta import NoteLook
from app.figures.plot import Panel, Plot, figure
from app.figures.position_marks import with_tensor_meta
from app.figures.traces import fill, heat_map, note
from model.labels import label as in_words
from model.layers.choice_names import SCHEME_NAMES as NAMES

if TYPE_CHECKING:
    from model.answers.answer import Answer

QUESTIONS = {
    "change_with_length": ("any length", "the same at any length", "change"),
    "weight": ("bounded", "bounded", "beside a token"),
    "distinct": ("all distinct", "all distinct", "vectors"),
    "score_spread": ("offset only", "depends only on the offset", "spread"),
    "missing": ("extrapolates", "extrapolates beyond the length", "missing"),
    "unseen": ("no unseen values", "no unseen values beyond the length", "distance"),
    "far_share": ("decays with distance", "decays with distance", "weight beyond"),
}
"""By the name of a fact: the heading of its column, the requirement, and what the number is."""
NONE = "—"


def board(answer: "Answer", question: Question) -> Plot:
    """Every scheme against the same requirements, each with the number and the verdict."""
    schemes = answer.fields["board"]
    facts = [{fact.name: fact for fact in row["facts"]} for row in schemes]
    here = next(
        (i for i, row in enumerate(schemes) if row["name"] == answer.fields["scheme"]), None
    )
    values = np.array(
        [[known[name].value if name in known else np.nan for name in QUESTIONS] for known in facts],
        dtype=float,
    )
    texts, hover_texts, notes = [], [], []
    shapes = (
        [] if here is None else [fill("select", -0.5, len(QUESTIONS) - 0.5, here - 0.5, here + 0.5)]
    )
    for r, (row, known) in enumerate(zip(schemes, facts, strict=True)):
        cells = [known.get(name) for name in QUESTIONS]
        texts.append([marked(fact) if fact else NONE for fact in cells])
        hover_texts.append(
            [
                label(f"{NAMES[row['name']]}: {title}\n{format_fact(fact, quantity)}").replace(
                    "⏎", "<br>"
                )
                for fact, (_, title, quantity) in zip(cells, QUESTIONS.values(), strict=True)
            ]
        )
        for c, fact in enumerate(cells):
            role = "ink-soft" if fact is None else "ink"
            if fact is not None and not fact.holds and r != here:
                shapes.append(fill("sunken", c - 0.5, c + 0.5, r - 0.5, r + 0.5))
            notes.append(note(NoteLook(kind="cell", role=role), c, r, texts[r][c]))
    cells = heat_map(
        np.where(np.isnan(values), 0, values),
        "%{customdata}",
        showscale=False,
        opacity=0,
        customdata=hover_texts,
    )
    names = [row["name"] for row in schemes]
    cells["meta"] |= {"said": texts, "pick_row": {"scheme": names}}
    untrained = [in_words(NAMES[row["name"]]) for row in schemes if row["kind"] != "analytic"]
    panel = Panel(
        named("question", [short for short, *_ in QUESTIONS.values()], side="top"),
        named("scheme", [NAMES[name] for name in names], down=True),
        [cells],
        notes,
        shapes,
    )
    tallies = ", ".join(
        in_words(f"{NAMES[row['name']]} {sum(fact.holds for fact in facts)} of {len(facts)}")
        for row in schemes
        for facts in [row["facts"]]
    )
    description = f"{len(schemes)} schemes, {len(QUESTIONS)} questions. What holds: {tallies}."
    drawing = figure(panel, description=description)
    fields = answer.fields
    return with_tensor_meta(
        drawing,
        answer,
        "identifier_norm",
        caption=f"{fields['length']} positions, d = {fields['d_model']}; click a row;"
        f" {', '.join(untrained)}: before training",
        axes=["scheme", "question"],
        shape=[len(schemes), len(QUESTIONS)],
    )


def marked(fact: Any) -> str:
    """Whether a fact holds, and its number; rounding errors count as 0."""
    value = 0.0 if fact.holds and abs(fact.value) < 1e-6 else float(fact.value)
    return f"{in_words('yes' if fact.holds else 'no')} {number(value)}"


def format_fact(fact: Any, quantity: str) -> str:
    """One cell of the board in words."""
    if fact is None:
        return "not applicable"
    verdict = "yes" if fact.holds else "no"
    return f"{verdict}: {quantity} {number(float(fact.value))}\nexpected {typeset(fact.law)}"
