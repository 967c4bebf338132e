"""Recurrence: networks that read step by step, with and without attention."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Le
from pydantic import Field

from app.captions import Question, axes
from app.captions.exercises import Decision, Exercise
from app.captions.findings import measured
from app.captions.text import label, percent
from app.captions.verdicts import Claim
from app.experiment import Experiment, Figure
from app.figures.annotations import framed
from app.figures.axis_scales import named
from app.figures.marks import Lines, Look, Scale
from app.figures.mosaic import Tile, mosaic
from app.figures.panels import Panel, figure
from app.figures.plot import Plot
from app.figures.traces import heat_map
from app.limits import Limit
from app.schema.answers import ClinicAnswer, StrictModel
from app.schema.bounds import Fixed, up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Clinic, Text
from model.recurrent.names import ATTENDING, NAMES

if TYPE_CHECKING:
    from model.answers.answer import Answer

REVERSED = Limit(
    "reversed_length",
    20,
    "letters",
    "The words whose gradients `/recurrence` measures may be this long.",
)
Letters = Annotated[int, Field(ge=2), up_to(REVERSED)]
Training = Annotated[int, Field(ge=0), Fixed(Le(2), "each network was trained three times")]


class Recurrence(Clinic):
    text: Annotated[Text, COSTLY] = Field(
        "recurrent",
        description="The word that the networks write backwards: 1 to 20 of the letters a to z.",
    )
    length: Annotated[
        Letters,
        COSTLY,
        Control({n: f"{n} letters" for n in (5, 10, 15, 20)}, "gradient over", key="step"),
    ] = Field(
        10, description="How many letters the random words have whose gradients are measured."
    )
    training: Annotated[Training, Control({0: "1st", 1: "2nd", 2: "3rd"}, key="layer")] = Field(
        0,
        description="Which of its three trainings, counted from 0, each network comes from that"
        " writes the word.",
    )

    def estimated_seconds(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5.
        """
        word = 0.012 + 0.006 * len(self.text)
        trained = 3 * (0.003 + 0.0023 * self.length)
        return word + trained + self.seeds * (0.012 + 0.0041 * self.length)


class Writing(StrictModel):
    """What a network writes for the word: the text up to </s>, every token, and whether all is
    right.
    """

    network: str
    text: str
    tokens: list[str]
    right: bool


class RecurrenceAnswer(ClinicAnswer):
    word: list[str]
    writings: list[Writing]
    trained_length: int = Field(
        description="How many letters the longest word of the training has."
    )


ROLES = {
    "rnn": "stream",
    "lstm": "feed-forward",
    "rnn-attention": "cross",
    "lstm-attention": "query",
    "transformer": "attention",
}
DASHES = {"rnn": "6px,4px", "lstm": "6px,4px"}
"""Dashes of the networks without attention."""
SHORT = {"</s>": "∎"}  # in a cell, which is as wide as one letter
CUT_LOOKS = {
    "2": Look("cut after 2", "head:0"),
    "4": Look("cut after 4", "head:2"),
    "8": Look("cut after 8", "head:4"),
    "21": Look("no cut", "feed-forward"),
}
MAX_MARKED = 10  # of the steps of a gradient, about
SHARES: dict[str, Any] = {"low": -0.02, "high": 1.02, "ticks": 6}
"""An axis of shares, on which lines at 0 and 1 are seen whole."""


def look(network: Any, question: Question) -> Look:
    return Look(NAMES[network], ROLES[network], DASHES.get(network, ""), dots=False)


def by_length(tensor: str, what: str) -> Figure:
    """One line for each network over the length of the word: the mean of its trainings, each of
    which is a thin line. The lengths of the training are shaded.
    """
    mark = Lines(
        tensor,
        x="length",
        by="network",
        looks=look,
        seeds="behind all",
        shaded=lambda answer, _: (None, answer.fields["trained_length"] + 0.5, None, None),
        hover=f"{{name}}<br>%{{x}} letters<br><b>%{{y:.3g}}</b> of the {what} are right",
        x_scale=Scale("letters of the word", kind="every", every=5, marks=(1,)),
        y=Scale(f"share of {what} that are right", **SHARES),
    )
    said = f"Share of {what} that each network writes right, by the length of the word."
    return Figure(f"{tensor.capitalize()} right by length", mark, said)


def gradient(weights: str) -> "Callable[[Answer, Question], Lines]":
    """How large the gradient of the last letter is at each token that was read, by the steps
    between. The dotted line stands between what the decoder has read and the word itself.
    """

    def lines(answer: "Answer", question: Question) -> Lines:
        steps = answer.axes["distance"].size
        return Lines(
            f"gradient.{weights}",
            x="distance",
            by="network",
            looks=look,
            seeds="behind all",
            upright=lambda answer, question: steps / 2 - 0.5,
            hover="{name}<br>%{x} steps back<br>size <b>%{y:.3g}</b>",
            x_scale=Scale(
                "steps back from the last letter",
                "steps",
                kind="every",
                every=max(2, steps // MAX_MARKED),
            ),
            y=Scale("size of the gradient at an embedding", kind="log"),
        )

    return lines


def alignment(answer: "Answer", question: Question) -> Plot:
    """Where each network that attends looks in the word before each letter that it writes."""
    word, steps = axes.labels(answer, "letter"), axes.labels(answer, "step")
    tiles = []
    for name, values in zip(
        axes.labels(answer, "map"), answer.tensors["alignment"].data.numpy(), strict=True
    ):
        network, _, head = name.partition(", ")
        title = NAMES[network].removesuffix(BAHDANAU)
        tiles.append(
            Tile(
                title,
                values,
                lambda step, letter, title=title: (
                    f"{title}, to write {steps[step]}, letter {letter + 1}, {word[letter]}"
                ),
                ROLES[network],
                head or ("mean of heads" if network == "transformer" else "Bahdanau"),
            )
        )
    panel = mosaic(
        tiles,
        across=2,
        rows="step of writing",
        columns="letter",
        what="of the weight",
        ends=(0, 1),
        unit="weight",
        even=True,
    )
    said = f"Weights over the letters of {''.join(word)} at each step of writing it backwards."
    return figure(panel, description=said)


def writings(answer: "Answer", question: Question) -> Plot:
    """What each network writes, letter by letter, on the colour of its probability; letters that
    are wrong have a frame.
    """
    steps = axes.labels(answer, "step")
    values = answer.tensors["written"].data.numpy()
    rows = [writing["tokens"] for writing in answer.fields["writings"]]
    names = [NAMES[writing["network"]] for writing in answer.fields["writings"]]
    wrong = [
        (i, j)
        for i, row in enumerate(rows)
        for j, (token, asked) in enumerate(zip(row, steps, strict=True))
        if token != asked
    ]
    trace = heat_map(
        values,
        "%{y}<br>writes %{customdata} with probability <b>%{z:.3g}</b>",
        ends=(0, 1),
        unit="probability",
        text=[[SHORT.get(token, label(token)) for token in row] for row in rows],
        customdata=[[label(token) for token in row] for row in rows],
    )
    x = named("expected; wrong letters are framed", steps, side="top")
    panel = Panel(x, named("network", names, down=True), [trace], shapes=framed(wrong))
    said = "; ".join(
        f"{name} writes {writing['text']}"
        for name, writing in zip(names, answer.fields["writings"], strict=True)
    )
    return figure(panel, description=f"{said}.")


CLAIM = "Within the trained lengths, attention gets more letters right than a single vector"
UNTRAINED = (
    "Before training a gradient fades at every step of recurrence, fades less with gates, and does"
    " not fade through attention"
)
TRAINED = "Once trained, a recurrent network passes its gradient on"
TRUNCATED = "A gradient that is cut teaches less about letters that were read long before"
LENGTHS = (
    "Five networks of similar size have learned to write words of 1 to 10 letters backwards. The"
    " shaded lengths are those that they have seen; to the right of them are longer words."
)
LEFT = {
    "letters": LENGTHS,
    "words": LENGTHS,
    "writings": (
        "Each row is a network, and each cell is a letter that it writes for your word. The colour"
        " is the probability of the letter, and a frame marks a wrong one."
    ),
    "truncated": (
        "Each line is an LSTM whose gradient was cut in training after the number of steps at its"
        " end. Letters farther to the right were read earlier."
    ),
}
RIGHT = {
    "alignment": (
        "Each row of a map is a step of writing, and shows where in the word the network looks."
    ),
    "gradient.trained": (
        "The curves show how strongly each token that was read moves the last letter. The dotted"
        " line separates the letters of the word from what the decoder has read."
    ),
    "gradient.initial": (
        "The curves show how strongly each token that was read moves the last letter. On a"
        " straight line downward the same share is lost at every step."
    ),
}
LOOK_FOR = f"{LENGTHS} {RIGHT['alignment']}"
"""What to look for in the two figures with which the page opens."""
BAHDANAU = " + attention"
CUTS = (2, 4, 8)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    if "gradient.initial" in question["figures"]:
        level = tuple(f"far_over_near.{name}" for name in ATTENDING)
        return Claim(UNTRAINED, ("factor.rnn", "factor.lstm", *level))
    if "gradient.trained" in question["figures"]:
        return Claim(TRAINED, ("factor.rnn.trained", "factor.lstm.trained"))
    if "truncated" in question["figures"]:
        return Claim(TRUNCATED, tuple(f"cost_of_cut.{steps}" for steps in CUTS))
    return Claim(CLAIM, ("bottleneck.rnn", "bottleneck.lstm"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figure on the left, then in that on the right."""
    shown = question["figures"]
    said = {name: sentence for name, sentence in (LEFT | RIGHT).items() if name in shown}
    return " ".join(said.values()) or LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off: of gradients, of a cut, of the reader's word, or of the lengths."""
    shown = question["figures"]
    if "gradient.initial" in shown:
        rnn = measured(answer, "factor.rnn")
        lstm = rnn + measured(answer, "factor.lstm")
        return (
            f"Before training each step back leaves {percent(rnn)} of the RNN's gradient, and"
            f" {percent(lstm)} of the LSTM's."
        )
    if "gradient.trained" in shown:
        rnn, lstm = (
            percent(measured(answer, f"factor.{name}.trained")) for name in ("rnn", "lstm")
        )
        return (
            f"After training each step back leaves {rnn} of the RNN's gradient, and {lstm} of the"
            " LSTM's."
        )
    if "truncated" in shown:
        right = ", ".join(
            f"{percent(measured(answer, f'behind_cut.{steps}'))} with a cut after {steps} steps"
            for steps in CUTS
        )
        return f"Of the letters that were read before the cut, these are right: {right}."
    writings = answer.fields["writings"]
    right = sum(writing["right"] for writing in writings)
    if "writings" in shown:
        word = "".join(answer.fields["word"])
        return f"{right} of {len(writings)} networks write « {word} » backwards without a mistake."
    what = "words" if "words" in shown else "letters"
    shares, longest = answer.tensors[what].data, answer.fields["trained_length"]
    right = dict(zip(axes.labels(answer, "network"), shares[:, longest - 1].tolist(), strict=True))
    alone, attending = (percent(right[name]) for name in ("rnn", "rnn-attention"))
    return (
        f"Of {what} at the last length of the training the RNN has {alone} right, and the RNN with"
        f" attention {attending}."
    )


KINDS = {"rnn": 0, "lstm": 0, "rnn-attention": 1, "lstm-attention": 1, "transformer": 2}
"""The choice of the exercise that each network belongs to."""
SEVERAL = 3
ALIKE = 0.01  # of the letters


def best(answer: "Answer", question: Question) -> Decision:
    """The choices of the exercise that are best in one of the trainings; those of networks that are
    nearly as good count too.
    """
    letters = answer.cut("letters.by_training")
    right = letters.data[..., question["length"] - 1]
    names = letters.along("network")
    means = zip(names, right.mean(0).tolist(), strict=True)
    numbers = ", ".join(f"{NAMES[name]} {percent(mean)}" for name, mean in means)
    ahead = right >= right.max(1, keepdim=True).values - ALIKE
    kinds = [{KINDS[name] for name, one in zip(names, row, strict=True) if one} for row in ahead]
    winners = {kind.pop() if len(kind) == 1 else SEVERAL for kind in kinds}
    return winners, f"Letters right, mean of {len(right)} trainings: {numbers}."


EXPERIMENT = Experiment(
    question=Recurrence,
    answer=RecurrenceAnswer,
    sentence="Encoder-decoders with RNN and LSTM cells, with Bahdanau's attention and without,"
    " beside a Transformer: accuracy by length, alignment, gradient by distance, and"
    " training with truncated back-propagation",
    example="text=recurrent&length=10",
    figure="letters",
    figures={
        "writings": Figure("What each network writes", writings, tensor="written"),
        "letters": by_length("letters", "letters"),
        "words": by_length("words", "whole words"),
        "truncated": Figure(
            "An LSTM whose gradient was cut",
            Lines(
                "truncated",
                x="gap",
                by="truncation",
                looks=CUT_LOOKS,
                seeds="behind all",
                hover="{name}<br>read %{x} steps before<br>"
                "<b>%{y:.3g}</b> of the letters are right",
                x_scale=Scale(
                    "steps between reading a letter and writing it",
                    "steps",
                    kind="every",
                    margin=0.04,
                ),
                y=Scale("share of letters that are right", **SHARES),
            ),
            "Share of right letters by the steps since they were read, for each truncation.",
        ),
        "alignment": Figure("Where they look", alignment, tensor="alignment"),
        "gradient.trained": Figure(
            "Gradient by distance, trained",
            gradient("trained"),
            "Size of the gradient by distance, trained networks.",
            tensor="gradient.trained",
        ),
        "gradient.initial": Figure(
            "Gradient by distance, before training",
            gradient("initial"),
            "Size of the gradient by distance, initial networks.",
            tensor="gradient.initial",
            kind="random initialisation",
        ),
    },
    claim=CLAIM,
    claim_of=claim,
    look_for=LOOK_FOR,
    look_for_of=look_for,
    reading=reading,
    exercise=Exercise(
        "A network reads a word letter by letter, keeps one vector, and then writes the word"
        " backwards from it. A second may look back at every letter before it writes the next one,"
        " and a third is a Transformer. All have seen words of 1 to 10 letters. Which of them"
        " writes most letters of words of {length} letters right, in each of three trainings?",
        (
            "One with a single vector",
            "One with Bahdanau’s attention",
            "The Transformer",
            "Several of them, within 1 %",
        ),
        best,
        {"length=5": "5 letters", "length=15": "15 letters", "length=20": "20 letters"},
    ),
)
