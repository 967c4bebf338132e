"""Scores: six ways to compare a query with a key."""

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from app.captions import Question, axes
from app.captions.exercises import Exercise, by_findings
from app.captions.findings import finding, measured
from app.captions.text import decimals, grouped, listed, number, percent
from app.captions.verdicts import Claim
from app.experiment import Experiment, Figure
from app.figures.axis_scales import linear, named
from app.figures.marks import Lines, Look, Rule, Scale
from app.figures.mosaic import Tile, mosaic
from app.figures.panels import Panel, figure
from app.figures.plot import Plot
from app.figures.traces import bars
from app.limits import Limit
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Clinic

if TYPE_CHECKING:
    from model.answers.answer import Answer

D_HEAD = Limit(
    "scores_d_head",
    256,
    "components",
    "The queries and keys of `/scores` may have this many components.",
)
KEYS = Limit("scores_keys", 16, "keys", "`/scores` may compare this many keys.")
TEMPERATURE = Limit(
    "scores_temperature",
    100,
    "ratio",
    "`/scores` may divide its scores by this temperature.",
    float,
)


class Scores(Clinic):
    d_head: Annotated[
        int, Field(ge=1), up_to(D_HEAD), Control((4, 16, 64, 256), "d<sub>k</sub>", key="layer")
    ] = Field(64, description="How many components a query and a key have.")
    keys: Annotated[int, Field(ge=4), up_to(KEYS), COSTLY] = Field(
        8, description="How many keys there are, and as many queries."
    )
    temperature: Annotated[
        float, Field(ge=0), up_to(TEMPERATURE), Control((0, 0.1, 0.5, 1, 2, 8), "T", key="step")
    ] = Field(
        1.0,
        description="The number that the scores are divided by. At 0 the best key takes all the"
        " weight.",
    )

    def estimated_seconds(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5.
        """
        pair = 2e-7 * self.d_head + 6e-5
        return self.seeds * (0.011 + pair * self.keys**2)


class ScoresAnswer(ClinicAnswer):
    formulas: dict[str, str] = Field(description="The formula of each score function, in TeX.")


DOTTED = "2px,4px"
ROLES = {
    "dot": "cross",
    "scaled_dot": "attention",
    "general": "value",
    "additive": "query",
    "cosine": "feed-forward",
    "location": "bias",
}
FORMULAS = {
    "dot": "qkᵀ",
    "scaled_dot": "qkᵀ/√d",
    "general": "qWkᵀ",
    "additive": "tanh(qW+kU)v",
    "cosine": "qkᵀ/|q||k|",
    "location": "qW",
}


def patterns(answer: "Answer", question: Question) -> Plot:
    """The weights that each function gives, as small maps: a row a query, a column a key."""
    functions = axes.labels(answer, "function")
    tiles = [
        Tile(
            NAMES[name],
            answer.tensors[name].data.numpy(),
            lambda q, k, name=name: f"{NAMES[name]}: query {q}, key {k}",
            ROLES[name],
            FORMULAS[name],
        )
        for name in functions
    ]
    panel = mosaic(tiles, 3, "query", "key", "of the weight", ends=(0, 1), unit="weight")
    said = f"Weights of {', '.join(NAMES[name] for name in functions)}: rows are queries."
    return figure(panel, description=said)


def reach(answer: "Answer", question: Question) -> Plot:
    """How far the weights move with the keys, for each function."""
    functions = axes.labels(answer, "function")
    values = answer.tensors["reach"].data.numpy()
    names = [NAMES[name] for name in functions]
    traces = [
        bars(
            [i],
            [value],
            names[i],
            ROLES[name],
            f"{names[i]}<br>norm of the gradient <b>%{{y:.3g}}</b>",
        )
        for i, (name, value) in enumerate(zip(functions, values, strict=True))
    ]
    notes = [
        {"x": i, "y": float(value), "text": number(value), "yanchor": "bottom", "showarrow": False}
        for i, value in enumerate(values)
    ]
    y = linear("norm of ∂ weights / ∂ keys", [], low=0, high=(float(values.max()) or 1) * 1.1)
    panel = Panel(named("score", names), y, traces, notes)
    said = ", ".join(f"{name} {number(value)}" for name, value in zip(names, values, strict=True))
    return figure(panel, description=f"Gradient of the weights with respect to the keys: {said}.")


def choices(answer: "Answer", question: Question) -> Plot:
    """Two choices that have nothing to do with each other: soft or hard, global or local."""
    kinds, spans = axes.labels(answer, "choice"), axes.labels(answer, "span")
    weights = answer.tensors["choices"].data.numpy()
    gradients = answer.tensors["choice_reach"].data.numpy()
    allowed = answer.tensors["allowed"].data.numpy()
    tiles = [
        Tile(
            f"{kind}, {span}",
            np.where(allowed[j], weights[i][j], np.nan),
            lambda q, k, kind=kind, span=span: f"{kind}, {span}: query {q}, key {k}",
            note=f"gradient {number(gradients[i][j])}",
        )
        for i, kind in enumerate(kinds)
        for j, span in enumerate(spans)
    ]
    panel = mosaic(tiles, len(spans), "query", "key", "of the weight", ends=(0, 1), unit="weight")
    said = "; ".join(f"{tile.title}: {tile.note}" for tile in tiles)
    return figure(panel, description=f"Weights, {said}.")


def looked_up(answer: "Answer", question: Question) -> Plot:
    """What attention looks up: the weights of scaled dot, the values of the keys, and their
    product. Of each value as many components are drawn as there are keys.
    """
    weights = answer.tensors["scaled_dot"].data.numpy()
    n = len(weights)
    values, output = (answer.tensors[name].data.numpy() for name in ("values", "looked_up"))
    tiles = [
        Tile(
            "weights",
            weights,
            lambda q, k: f"weight of query {q} for key {k}",
            "attention",
            "query × key",
        ),
        Tile(
            "values",
            squared(values, n),
            lambda k, c: f"value of key {k}, component {c}",
            "value",
            "key × component",
        ),
        Tile(
            "weights · values",
            squared(output, n),
            lambda q, c: f"what query {q} looks up, component {c}",
            "cross",
            "query × component",
        ),
    ]
    most = float(np.abs(values).max())
    panel = mosaic(
        tiles,
        3,
        "row",
        "column",
        "without a unit",
        scale="signed",
        ends=(-most, most),
        unit="number",
    )
    said = "The weights of scaled dot, the values of the keys, and the weighted sums of the values."
    return figure(panel, description=said)


def squared(rows: np.ndarray, n: int) -> np.ndarray:
    """The first n columns; where there are fewer, the others stay empty."""
    return np.pad(rows[:, :n], ((0, 0), (0, max(0, n - rows.shape[1]))), constant_values=np.nan)


CLAIM = "Five of six score functions read the keys, and location does not"
COLD = "At temperature 0 no weight moves with any key"
SHARP = "At temperature {} the softmax is so sharp that in some draws {} has no gradient left"
FIVE = (
    "The bars on the right say how far the weights move when a key changes. Five bars stand there;"
    " location has none,"
)
FEWER = (
    "The bars on the right say how far the weights move when a key changes. The number over each"
    " tells those that are too low to be seen. Location has none,"
)
LOOK_FOR = (
    "{} because it scores a place and not the key in this place. Lower T: the weight in each row on"
    " the left gathers on one key. Raise T: it spreads."
)
SEEN = 1e-3
"""The lowest bar that is seen, as a share of the highest."""
COLD_LOOK_FOR = (
    "All six bars are missing on the right: each query gives all its weight to its best key, and a"
    " small change of a key does not change which one is best. Each row on the left has one cell."
)
COLD_CHOICES = (
    "At temperature 0 soft attention is hard: each row gives all its weight to one key, and no"
    " weight"
    " moves when a key changes a little. Raise T, and compare the soft maps with the hard ones."
)
BESIDE = {
    "choices": (
        "Soft or hard is one choice, global or local is another. A window leaves keys out, and the"
        " weights inside it stay soft. The number over each map says how far its weights move when"
        " a key changes."
    ),
    "looked_up": (
        "In the right figure, each row of the last map is the sum of the rows of the middle map,"
        " each multiplied by its weight in the first map. At temperature 0 a row has one weight, so"
        " it is a copy of one value."
    ),
    "draws": (
        "Each draw chooses one key at random, with the soft weights as probabilities. The mean of n"
        " draws comes nearer to the soft weights along the dotted line 1/√n: with a hundred"
        " times as"
        " many draws the error is a tenth."
    ),
}
NAMES = {
    "dot": "dot",
    "scaled_dot": "scaled dot",
    "general": "general",
    "additive": "additive",
    "cosine": "cosine",
    "location": "location",
}


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    moving = {f"reach.{name}": said for name, said in NAMES.items()}
    if not question["temperature"]:
        return Claim(COLD, ("hard_reach", *moving))
    sharp = [said for name, said in moving.items() if finding(answer, name).premise]
    if not sharp:
        return Claim(CLAIM, tuple(moving))
    judged = (name for name in moving if not finding(answer, name).premise)
    text = SHARP.format(f"{question['temperature']:g}", listed(sharp))
    return Claim(text if len(sharp) == 1 else text.replace(" has ", " have "), tuple(judged))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the maps, and in the figure that is shown beside them."""
    if "choices" in question["figures"] and not question["temperature"]:
        return COLD_CHOICES
    for shown, sentence in BESIDE.items():
        if shown in question["figures"]:
            return sentence
    if not question["temperature"]:
        return COLD_LOOK_FOR
    *bars, _ = answer.tensors["reach"].data.tolist()  # location is the last
    return LOOK_FOR.format(FIVE if min(bars) > SEEN * max(bars) else FEWER)


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off the figure that is shown beside the maps."""
    if "choices" in question["figures"]:
        soft, hard = answer.tensors["choice_reach"].data.max(-1).values.tolist()
        return (
            f"The gradient of the weights with respect to the keys is {number(soft)} for soft"
            f" attention and {number(hard)} for hard attention."
        )
    if "looked_up" in question["figures"]:
        weights = answer.tensors["scaled_dot"].data[0]
        best = int(weights.argmax())
        return (
            f"Query 0 gives {percent(weights[best].item())} of its weight to key {best}; the"
            " value of this key has the same share in what the query looks up."
        )
    if "draws" in question["figures"]:
        counts, errors = axes.labels(answer, "draws"), answer.tensors["sampling_error"].data
        return (
            f"The mean of {grouped(int(counts[-1]))} hard draws is {number(errors[-1].item())} from"
            " the soft weights; the error falls with the number of draws to the power"
            f" {decimals(measured(answer, 'sampling_slope'))}."
        )
    reach = dict(zip(NAMES, answer.tensors["reach"].data.tolist(), strict=True))
    if not any(reach.values()):
        return "The gradient of the weights with respect to the keys is 0 for all six functions."
    return (
        f"The gradient of the weights with respect to the keys is {number(reach['dot'])} for the"
        f" dot product and {number(reach['scaled_dot'])} for the scaled one."
    )


MOVING = {0: 0, 5: 1, 6: 2}
"""The choice by how many score functions have a gradient."""


EXPERIMENT = Experiment(
    question=Scores,
    answer=ScoresAnswer,
    sentence="The weights that six score functions give the same keys, how far each depends on the"
    " keys, and hard and soft, local and global attention",
    example="temperature=0.5",
    figures={
        "patterns": Figure("The same queries, the same keys", patterns, tensor="dot"),
        "reach": Figure("How far the weights move when a key changes", reach, tensor="reach"),
        "choices": Figure("Hard or soft, local or global", choices, tensor="choices"),
        "looked_up": Figure(
            "What is looked up: weights times values", looked_up, tensor="looked_up"
        ),
        "draws": Figure(
            "How the mean of hard draws nears the soft weights",
            Lines(
                "sampling_error",
                x="draws",
                looks={"": Look("mean of hard draws", "attention")},
                rules=[
                    Rule(
                        "law, 1 / √n",
                        lambda answer, question: answer.cut("sampling_law").data.numpy(),
                        "%{x} draws<br>the law gives <b>%{y:.3g}</b>",
                        dash=DOTTED,
                        law=True,
                        last=True,
                    )
                ],
                names="legend",
                hover="{name}<br>%{x} draws, root mean square error <b>%{y:.3g}</b>",
                x_scale=Scale("draws", kind="log"),
                y=Scale("root mean square error of the weights", kind="log"),
            ),
            "Error of the mean of hard draws against their number, beside its law 1 / √n.",
        ),
    },
    claim=CLAIM,
    claim_of=claim,
    look_for=LOOK_FOR.format(FIVE),
    look_for_of=look_for,
    reading=reading,
    exercise=Exercise(
        "Six functions score {keys:key} of {d_head:component}: dot, scaled dot, general,"
        " additive, cosine and location. The scores are divided by a temperature of"
        " {temperature:g}, and at 0 the best key takes all the weight. You change one key a little."
        " Under how many of the six do the weights move?",
        ("None", "Five", "All six"),
        by_findings(
            {
                f"reach.{one}": (1e-300,)
                for one in ("dot", "scaled_dot", "general", "additive", "cosine", "location")
            },
            lambda steps: MOVING.get(sum(steps)),
        ),
        {"temperature=0": "T = 0", "temperature=0.1&d_head=256": "T = 0.1, 256 components"},
    ),
)
