"""Circuits theory: two layers of attention alone, as a sum of paths."""

import math
from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from app.captions import Question, axes
from app.captions.exercises import Exercise, by_findings
from app.captions.findings import finding, measured
from app.captions.text import decimals, number, percent
from app.captions.verdicts import Claim
from app.experiment import Experiment, Figure
from app.figures.annotations import row_sums
from app.figures.axis_scales import named
from app.figures.panels import Panel, figure
from app.figures.plot import Plot
from app.figures.traces import heat_map
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.controls import Control
from app.schema.questions import Clinic

if TYPE_CHECKING:
    from model.answers.answer import Answer

BY = {"q": "queries", "k": "keys", "v": "values"}
STEPS = (
    0,
    50,
    100,
    150,
    200,
    250,
    300,
    350,
    400,
    500,
    600,
    700,
    800,
    1000,
    1200,
    1400,
    1700,
    2000,
    2500,
    3000,
)


class CircuitsTheory(Clinic):
    weights: Annotated[
        Literal["constructed", "random", "trained"],
        Control({"constructed": "by hand", "random": "random", "trained": "trained"}),
    ] = Field(
        "constructed",
        description="`constructed` is an induction head written by hand among six random heads,"
        " `random` is eight random heads, and `trained` is the heads of induction-2.",
    )
    step: Annotated[
        Annotated[int, Field(ge=0), up_to("kept_step")] | None,
        Control({n: f"{n} steps" for n in STEPS}, "trained for", key="head", opens=3000),
    ] = Field(
        None,
        description="A kept step of the training of induction-2, for trained weights only. If it is"
        " left out, the last step is used.",
    )

    def estimated_seconds(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5.
        """
        return (0.041 if self.weights == "trained" else 0.033) * self.seeds


class CircuitsTheoryFigures(CircuitsTheory):
    display_fields: ClassVar = ("position", "composition")

    position: Annotated[
        Literal["0", "1", "2", "3", "4", "5", "6", "7"],
        Control({n: str(n) for n in range(8)}, key="step"),
    ] = Field(
        "3", description="The position in the repetition, counted from 0, whose paths are shown."
    )
    composition: Annotated[
        Literal["q", "k", "v"],
        Control(BY, "layer 1 reads by", key="layer"),
    ] = Field(
        "k",
        description="How the heads of layer 1 read those of layer 0: through their queries, keys"
        " or values.",
    )


class CircuitsTheoryAnswer(ClinicAnswer):
    letters: str
    period: int
    expected: float = Field(
        description="The size of the virtual weights that is expected of two random heads."
    )
    pair: list[str] = Field(
        description="The two heads that the findings are about, one of each layer."
    )
    step: int | None = Field(
        None, description="The step of the training, where the weights are trained."
    )


PAST = "past"


def paths(
    answer: "Answer", question: Question, tensor: str, rows: str, columns: str, what: str
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
        named(columns, names[1], side="top"),
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
    """How query and key came to the head of layer 1."""
    said = ["past layer 0" if way == PAST else f"through {way}" for way in (query, key)]
    return f"query {said[0]}, key {said[1]}"


WAYS = {"logit_paths": through, "score_paths": query_and_key}


def pairs(answer: "Answer", question: Question) -> Plot:
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
        named("writes, layer 0", first, side="top"),
        named("reads, layer 1", second, down=True),
        [trace],
        even=True,
    )
    return figure(panel, description=f"Composition of heads by {by}; {random}.")


def composed(answer: "Answer", question: Question) -> tuple[np.ndarray, float, float]:
    """The composition of all pairs by queries, keys or values; mean and standard deviation of
    random pairs.
    """
    chosen = axes.labels(answer, "composition").index(question["composition"])
    mean, spread = answer.tensors["baseline"].data.numpy()[chosen]
    return answer.tensors["composition"].data.numpy()[chosen], float(mean), float(spread)


CLAIM = "One head passes on the letter before, and a second head predicts the next letter from it"
ONE_PATH = (
    "Head 1.0 is the first head of layer 1. On the left, one of 25 paths carries the next letter:"
    " the path through head 1.0 alone."
)
BY_KEYS = (
    "On the right, one pair of heads stands out: head 1.0 reads what head 0.0 writes. Choose"
    " “score” to see what head 0.0 is needed for."
)
BY_OTHERS = (
    "On the right, the {} of head 1.0 read nothing of what head 0.0 writes, so their cell is 0."
    " Choose keys, by which it does read it."
)
LOOK_FOR = f"{ONE_PATH} {BY_KEYS}"
RANDOM = (
    "On the left, no path carries the next letter, and the network guesses. On the right, the"
    " virtual weights of all pairs are about as large as those of random matrices."
)
LEARNED = (
    "On the left, the four paths through one head of layer 1 alone carry the letter.{} On the"
    " right, the virtual weights from head {} to the {} of head {} are {} times as large as those"
    " of random pairs. Go back through the steps of the training."
)
SPARE = (
    " Without head {} the network still predicts {} of the letters, because the other heads of"
    " layer 1 do the same."
)
LEARNING = (
    "The network is still learning: it predicts {} of the letters, and without head {} it predicts"
    " {}. On the right, the virtual weights from head {} to the {} of head {} are {} times as large"
    " as those of random pairs. Choose a later step."
)
BEGINNING = (
    "The network has begun to learn: it predicts {} of the letters. On the left, the paths through"
    " layer 1 begin to carry the letter. Choose a later step."
)
OF_LAYER_1 = "Layer 1 predicts the next letter from what head {} wrote"
HALF = 0.5
GUESSED = 0.15
"""Twice what a guess among 15 letters would be right for, in round numbers."""
RESTS_ON = ("accuracy", "share.layer_2", "over_baseline", "ablated.1.0")


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds. In the random network its pair
    composes as random pairs do, which is the law there and no part of the claim.
    """
    if question["weights"] == "random":
        return Claim(CLAIM, ("accuracy", "share.score"))
    if question["weights"] == "trained":
        return Claim(OF_LAYER_1.format(answer.fields["pair"][0]), RESTS_ON)
    return Claim(CLAIM, (*RESTS_ON, "ablated.2.0"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures, which depends on the weights and on what was found."""
    by = BY[question["composition"]]
    if question["weights"] == "constructed":
        return LOOK_FOR if by == BY["k"] else f"{ONE_PATH} {BY_OTHERS.format(by)}"
    value, mean = virtual_weights(answer, question)
    over, right = decimals(value / mean), measured(answer, "accuracy")
    if question["weights"] == "random" or right < HALF:
        return RANDOM if right < GUESSED else BEGINNING.format(percent(right))
    first, second = answer.fields["pair"]
    if all(finding(answer, name).holds for name in RESTS_ON):
        without = finding(answer, "ablated.2.0")
        spare = SPARE.format(second, percent(without.number)) if without.number > HALF else ""
        return LEARNED.format(spare, first, by, second, over)
    without = percent(measured(answer, "ablated.1.0"))
    return LEARNING.format(percent(right), first, without, first, by, second, over)


def virtual_weights(answer: "Answer", question: Question) -> tuple[float, float]:
    """The virtual weights of the pair of heads by the chosen composition, and those of random
    pairs.
    """
    (first, second), chosen = heads(answer), "qkv".index(question["composition"])
    return (
        float(answer.tensors["composition"].data[chosen, second, first]),
        float(answer.tensors["baseline"].data[chosen, 0]),
    )


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off: what the one path gives, and how large the pair's virtual weights
    are.
    """
    position, letters = int(question["position"]), answer.fields["letters"]
    here = len(letters) - 1 - len(axes.labels(answer, "position")) + position
    first, second = heads(answer)
    one, two = answer.fields["pair"]
    if "score" in question["figures"]:
        ways = answer.tensors["score_paths"].data[position]
        part = float(ways[0, 1 + first])
        what = f"The key through head {one} adds {decimals(part, 1)} to the score of head {two}"
    else:
        ways = answer.tensors["logit_paths"].data[position]
        part = float(ways[1 + second, 0])
        what = f"The path through head {two} alone adds {decimals(part, 1)} to its logit"
    rest = float(ways.sum()) - part
    read, following = letters[here - 1 : here + 1], letters[here + 1]
    return (
        f"After “…{read}” comes “{following}”. {what}, and all other paths together"
        f" add {decimals(rest, 1)}."
    )


def heads(answer: "Answer") -> tuple[int, int]:
    """The numbers of the two heads in their layers."""
    first, second = (int(name.split(".")[1]) for name in answer.fields["pair"])
    return first, second


WHOSE = {
    "constructed": "Two of its heads are an induction head written by hand, the others are random.",
    "random": "All of its heads are random.",
    "trained": "Its heads are those of induction-2 after {} of training.",
}


def asks(question: Question) -> str:
    """The exercise: how much of a logit comes through one head."""
    step = question.get("step")
    after = "the last step" if step is None else f"step {step}"
    return (
        "A text of letters begins to repeat itself. A network with two layers of four heads, here"
        " called layer 0 and layer 1, predicts the next letter."
        f" {WHOSE[question['weights']].format(after)} How much of the logit of"
        " the right letter comes through the one head of layer 1 that attends to it, and"
        " through no head of layer 0?"
    )


EXPERIMENT = Experiment(
    question=CircuitsTheory,
    answer=CircuitsTheoryAnswer,
    sentence="Every path through two layers of attention, and the virtual weights between their"
    " heads, beside those of random heads",
    example="weights=random",
    figure_query=CircuitsTheoryFigures,
    figures={
        "logit": Figure(
            "The logit of the next letter, by path",
            partial(
                paths,
                tensor="logit_paths",
                rows="through layer 1",
                columns="through layer 0",
                what="Logit of the right next letter less the mean of all",
            ),
            tensor="logit_paths",
        ),
        "score": Figure(
            "The score of the second head, by path",
            partial(
                paths,
                tensor="score_paths",
                rows="query through layer 0",
                columns="key through layer 0",
                what="Score for the right key less the mean of the keys that the query sees",
            ),
            tensor="score_paths",
        ),
        "pairs": Figure("Virtual weights of each pair", pairs, tensor="composition"),
    },
    claim=CLAIM,
    claim_of=claim,
    look_for=LOOK_FOR,
    look_for_of=look_for,
    reading=reading,
    exercise=Exercise(
        asks,
        ("Less than 20 %", "20 % to 80 %", "More than 80 %"),
        by_findings({"share.logit": (0.2, 0.8)}),
        {"weights=trained": "trained heads", "weights=random": "random heads"},
    ),
)
