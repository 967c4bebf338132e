"""Figures of /circuits-theory: 25 paths in a square, and the composition of every pair of heads
beside that of random pairs.
"""

import math
from functools import partial

import numpy as np

from app.figures import axes
from app.figures.drawing import Drawn, Question
from app.figures.grammar import Panel, figure, heat_map, named, row_sums
from app.figures.plot import Plot
from app.figures.text import decimals, number
from model.answers.answer import Answer

BY = {"q": "queries", "k": "keys", "v": "values"}
PAST = "past"


def paths(
    answer: Answer, question: Question, tensor: str, rows: str, columns: str, what: str
) -> Plot:
    """What each path gives at the chosen position, with the sum of each row. The scale of colours
    is the same at all positions.
    """
    drawn = answer.tensors[tensor]
    whole = drawn.data.numpy()
    values = whole[int(question["position"])]
    names = [axes.labels(answer, axis) for axis in drawn.axes[1:]]
    most = 2.0 ** math.ceil(math.log2(float(np.abs(whole).max())))
    ways = [[WAYS[tensor](row, column) for column in names[1]] for row in names[0]]
    total = number(values.sum())
    trace = heat_map(
        values,
        f"%{{customdata}}<br><b>%{{z:.3g}}</b> of {total}",
        "signed",
        (-most, most),
        text=[[decimals(value, 1) for value in row] for row in values],
        customdata=ways,
    )
    panel = Panel(
        named(columns, names[1], above=True),
        named(rows, names[0], down=True),
        [trace],
        row_sums(values),
        even=True,
    )
    return figure(panel, description=f"{what}, by path; together {total}.")


def through(second: str, first: str) -> str:
    """A path past or through the heads of both layers."""
    heads = [head for head in (first, second) if head != PAST]
    return f"through {', then '.join(heads)}" if heads else "past both layers"


def query_and_key(query: str, key: str) -> str:
    """How query and key came to the head of layer 2."""
    said = ["past layer 1" if way == PAST else f"through {way}" for way in (query, key)]
    return f"query {said[0]}, key {said[1]}"


WAYS = {"logit_paths": through, "score_paths": query_and_key}


def pairs(answer: Answer, question: Question) -> Plot:
    """The composition of each pair of heads. The scale goes from nothing to twice what random pairs
    are expected to have, where it has no colour.
    """
    values, mean, spread = composed(answer, question)
    by = BY[question["composition"]]
    random = f"random pairs {number(mean)} ± {number(spread)}"
    first, second = (axes.labels(answer, name) for name in ("first", "second"))
    trace = heat_map(
        values,
        f"%{{y}} reads %{{x}} by {by}<br><b>%{{z:.3g}}</b>; {random}",
        "signed",
        (0, 2 * answer.fields["expected"]),
        text=[[decimals(value) for value in row] for row in values],
    )
    panel = Panel(
        named("writes, layer 1", first, above=True),
        named("reads, layer 2", second, down=True),
        [trace],
        even=True,
    )
    return figure(panel, description=f"Composition of heads by {by}; {random}.")


def composed(answer: Answer, question: Question) -> tuple[np.ndarray, float, float]:
    """The composition of all pairs by queries, keys or values; mean and standard deviation of
    random pairs.
    """
    chosen = axes.labels(answer, "composition").index(question["composition"])
    mean, spread = answer.tensors["baseline"].data.numpy()[chosen]
    return answer.tensors["composition"].data.numpy()[chosen], float(mean), float(spread)


FIGURES = {
    "logit": Drawn(
        "The logit of the next letter, by path",
        partial(
            paths,
            tensor="logit_paths",
            rows="through layer 2",
            columns="through layer 1",
            what="Logit of the right next letter less the mean of all",
        ),
        "logit_paths",
    ),
    "score": Drawn(
        "The score of the second head, by path",
        partial(
            paths,
            tensor="score_paths",
            rows="query through layer 1",
            columns="key through layer 1",
            what="Score for the right key less the mean of the keys that the query sees",
        ),
        "score_paths",
    ),
    "pairs": Drawn("Virtual weights of each pair", pairs, "composition"),
}
