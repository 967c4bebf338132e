"""One answer of each word whose figures are held, at its smallest interesting size."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from urllib.parse import parse_qsl

import plotly.graph_objects as go
import pytest

from app.api.endpoint import Endpoint, endpoints
from app.api.figure_routes import has_figures
from app.figures.plot import Plot
from app.worker.figures import draw, figures_of
from app.worker.figures import source_question as with_what_is_drawn
from model.answers.answer import Answer
from tests.app.drawn.ledger import described
from tests.app.drawn.tagging import tagged
from tests.app.questions import answer as answer_of
from tests.model.clinics.every_clinic import SMALL

ENDPOINTS = {endpoint.name: endpoint for endpoint in endpoints() if has_figures(endpoint)}
each_word = pytest.mark.parametrize("word", ENDPOINTS)
"""A test for each word; its figures are drawn in one process (tests/scheduling.py)."""
TWO_SEEDS = {"seeds": 2}
QUESTIONS: dict[str, list[dict]] = {
    "add-or-concatenate": [TWO_SEEDS],
    "attention": [
        {},
        {"kind": "self", "stack": "decoder", "layer": 1},
        {"kind": "self", "stack": "encoder", "layer": 1, "head": 2, "stage": "scores"},
        {"head": 1, "forward": 1},
        {"model": "digits", "source": None, "image": "one", "kind": None, "head": 0, "query": 5},
        {"model": "shakespeare", "source": None, "text": "to be or not to be", "kind": None}
        | {"head": 1, "level": "1", "position": 5, "find": "be"},
    ],
    "attribution": [{"steps": 33}],
    "circuit": [{"text": "qvmqvm"}],
    "decoding": [{"top_p": 0.6}],
    "detection": [{"image": "overlap", "query": 4}],
    "effects": [{"source": "i am cold", "draws": 2}],
    "generate": [
        {},
        {"model": "shakespeare", "source": None, "text": "to be", "max_new_tokens": 3}
        | {"strategy": "sample", "temperature": 2, "top_k": 5, "seed": 3, "beams": None, "at": 2},
        {"strategy": None, "beams": None, "target": "le chat dort"},
    ],
    "gradients": [TWO_SEEDS],
    "head-split": [TWO_SEEDS],
    "kv-cache": [TWO_SEEDS],
    "masks": [
        {},
        {"pattern": "causal", "length": 5, "layers": 2, "window": None, "flip": "1.3"},
        {"pattern": "window_2d", "length": 12, "window": None, "query": 5},
        {"pattern": "full", "length": None, "window": None, "layers": None, "head": 2}
        | {"model": "translator", "source": "i am cold", "stack": "decoder", "layer": 1},
    ],
    "memory": [TWO_SEEDS],
    "norms": [{"seeds": 2}, {"seeds": 2, "placement": "post"}],
    "padding": [TWO_SEEDS],
    "patching": [{}, {"heads": True}],
    "positions": [
        {},
        {"scheme": "rope"},
        {"scheme": "alibi", "length": 6, "d_model": 8, "board": True},
        {"scheme": "learned", "length": 4, "d_model": 4},
        {"scheme": None, "length": None, "d_model": None, "model": "digits", "image": "one"},
    ],
    "probes": [TWO_SEEDS],
    "recurrence": [TWO_SEEDS],
    "several-heads": [TWO_SEEDS],
    "steering": [{"draws": 2}],
    "tables": [
        {},
        {"model": "penguins-tab"},
        {"model": "penguins-saint", "row": "hardest", "layer": 0, "head": 2, "query": 5},
        {"model": "flights-ft", "row": "hardest", "column": "hour"},
    ],
    "training": [{}, {"text": "abcabcab", "step": None, "head": "1.2", "at": 300}],
}
"""What is asked beside the small question or the example of a word; None takes a field out."""
ROUNDED = {
    "masks": ("row_sum_error",),
    "padding": ("change", "shortest", "shortest.by_seed", "with"),
    "tables": (
        "change_by_order_of_columns",
        "change_by_order_of_rows",
        "change_by_another_row",
    ),
}
"""Tensors, findings and facts that are 0 on one machine and hardly more on another, by rounding."""


def questions(word: str) -> list[dict]:
    """The questions whose figures are held, the first the smallest."""
    base = SMALL.get(word.replace("-", "_")) or dict(parse_qsl(ENDPOINTS[word].example))
    every = [{**base, **more} for more in QUESTIONS.get(word, [{}])]
    return [
        {name: value for name, value in question.items() if value is not None} for question in every
    ]


@cache
def figures_with_lines(word: str) -> dict[str, tuple[go.Figure, list[str]]]:
    """The figures of a word, each with what it shows and says, by figure and question."""
    return {
        name: (figure, lines)
        for question in questions(word)
        for name, figure, lines in of(word, question)
    }


def of(word: str, question: dict) -> Iterator[tuple[str, go.Figure, list[str]]]:
    """The figures of one answer."""
    endpoint: Endpoint = ENDPOINTS[word]
    taken = (endpoint.figure_query or endpoint.question).model_validate(question)
    fields, view = taken.arguments(), taken.displayed()
    answer = answer_of(word, with_what_is_drawn(word, fields))
    answer, origins = tagged(with_rounding(answer, ROUNDED.get(word, ())))
    label = ", ".join(f"{name}={value}" for name, value in question.items())
    for name in figures_of(word, answer):
        plot_of = drawing(word, name, fields, view)
        figure = go.Figure(plot_of(answer))
        lines = described(word, figure, plot_of, answer, origins, {**dict(view), **fields})
        yield f"{name} of {label}" if label else name, figure, lines


def drawing(word: str, name: str, fields: dict, view: tuple) -> Callable[[Answer], Plot]:
    return lambda answer: draw(word, name, answer, fields, view)


def with_rounding(answer: Answer, names: tuple[str, ...]) -> Answer:
    """The answer with the same small number wherever one of these names is 0 but for rounding."""
    tensors = dict(answer.tensors)
    for name in tensors.keys() & {*names}:
        data = tensors[name].data
        tensors[name] = replace(tensors[name], data=data.masked_fill(data < 1e-6, 1e-7))
    rounded = {
        part: [
            replace(row, value=1e-7) if row.name in names and float(row.value) < 1e-6 else row
            for row in answer.fields[part]
        ]
        for part in ("findings", "facts")
        if part in answer.fields
    }
    return replace(
        answer,
        tensors=tensors,
        fields=answer.fields | rounded,
        inputs=answer.axes,
    )
