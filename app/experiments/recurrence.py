"""Recurrence: networks that read step by step, with and without attention."""

from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Le
from pydantic import Field

from app.captions import Question, axes, fields
from app.captions.exercises import Decision, Exercise
from app.captions.fields import displayed, found, lengths, setting, sides
from app.captions.findings import measured
from app.captions.text import label, percent
from app.captions.words import Words
from app.experiment import Experiment, Figure, in_words
from app.figures.marks import Cells, Lines, Look, Scale, Tiles
from app.figures.mosaic import Tile
from app.figures.traces import framed
from app.limits import Limit
from app.schema.answers import ClinicAnswer, StrictModel
from app.schema.bounds import Fixed, up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Clinic, Text
from model.recurrent.names import ATTENDING, NAMES

if TYPE_CHECKING:
    from model.answers.answer import Answer, Cut

REVERSED = Limit(
    "reversed_length",
    20,
    "letters",
    "The words whose gradients `/recurrence` measures may be this long.",
)
Letters = Annotated[int, Field(ge=2), up_to(REVERSED)]
Training = Annotated[int, Field(ge=0), Fixed(Le(2), "each network was trained three times")]


class Recurrence(Clinic):
    text: Annotated[Text, COSTLY] = "recurrent"
    length: Annotated[
        Letters,
        COSTLY,
        Control(
            {n: f"{n} letters" for n in (5, 10, 15, 20)}, "word length for gradients", key="step"
        ),
    ] = 10
    training: Annotated[
        Training, Control({0: "1st", 1: "2nd", 2: "3rd"}, "training run", key="layer")
    ] = 0

    def sizes(self) -> dict[str, float]:
        """Three trained networks read the text, and a fresh one for each seed."""
        return {
            "answer": 1,
            "characters": len(self.text),
            "trained_letters": self.length,
            "seeds": self.seeds,
            "letters": self.seeds * self.length,
        }


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
    trained_length: int


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
    "2": Look("2 steps", "head:0"),
    "4": Look("4 steps", "head:2"),
    "8": Look("8 steps", "head:4"),
    "21": Look("not truncated", "feed-forward"),
}
MAX_MARKED = 10  # of the steps of a gradient, about
SHARES: dict[str, Any] = {"low": -0.02, "high": 1.02, "ticks": 6}
"""An axis of shares, on which lines at 0 and 1 are seen whole."""


def look_of(network: Any, question: Question) -> Look:
    return Look(NAMES[network], ROLES[network], DASHES.get(network, ""), dots=False)


def by_length(tensor: str, what: str) -> Figure:
    """One line for each network over the length of the word: the mean of its trainings, each of
    which is a thin line. The lengths of the training are shaded.
    """
    mark = Lines(
        tensor,
        x="length",
        by="network",
        looks=look_of,
        seeds="behind all",
        shaded=lambda answer, _: [(None, answer.fields["trained_length"] + 0.5, None, None)],
        hover=f"{{name}}<br>%{{x}} letters<br><b>%{{y:.3g}}</b> of the {what} correct",
        x_scale=Scale("word length (letters)", kind="every", every=5, marks=(1,)),
        y=Scale(f"fraction of {what} correct", **SHARES),
    )
    return in_words(mark)


def steps_back(answer: "Answer", question: Question) -> Scale:
    every = max(2, answer.axes["distance"].size // MAX_MARKED)
    return Scale("distance from last letter", "steps", kind="every", every=every)


def gradient(weights: str) -> Lines:
    """How large the gradient of the last letter is at each token that was read, by the steps
    between. The dotted line stands between what the decoder has read and the word itself.
    """
    return Lines(
        f"gradient.{weights}",
        x="distance",
        by="network",
        looks=look_of,
        seeds="behind all",
        upright=lambda answer, _: answer.axes["distance"].size / 2 - 0.5,
        hover="{name}<br>%{x} steps back<br>gradient norm <b>%{y:.3g}</b>",
        x_scale=steps_back,
        y=Scale("gradient norm at embedding", kind="log"),
    )


def alignment(answer: "Answer", question: Question) -> list[Tile]:
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
                    f"{title}, output {steps[step]}: letter {letter + 1}, {word[letter]}"
                ),
                ROLES[network],
                head or ("mean of heads" if network == "transformer" else "Bahdanau"),
            )
        )
    return tiles


ALIGNMENT = Tiles(
    alignment,
    across=2,
    rows="output step",
    columns="letter",
    even=True,
)


def tokens_of(answer: "Answer") -> list[list[str]]:
    return [writing["tokens"] for writing in answer.fields["writings"]]


def wrong(answer: "Answer", question: Question) -> list[dict[str, Any]]:
    """Frames around the letters that are wrong."""
    steps = axes.labels(answer, "step")
    return framed(
        (i, j)
        for i, row in enumerate(tokens_of(answer))
        for j, (token, step) in enumerate(zip(row, steps, strict=True))
        if token != step
    )


WRITINGS = Cells(
    "written",
    x="step",
    y=lambda answer, _: [NAMES[writing["network"]] for writing in answer.fields["writings"]],
    columns="expected letter (frame: wrong)",
    rows="network",
    ends=(0, 1),
    unit="probability",
    cell_texts=lambda answer, _: [
        [SHORT.get(token, label(token)) for token in row] for row in tokens_of(answer)
    ],
    says=lambda answer, _: [[label(token) for token in row] for row in tokens_of(answer)],
    shapes=wrong,
    hover="%{y}<br>outputs %{customdata} with probability <b>%{z:.3g}</b>",
)
"""What each network writes, letter by letter, on the colour of its probability."""


BAHDANAU = " + attention"
RESTS_ON = {
    "gradient_initial": (
        "factor.rnn",
        "factor.lstm",
        *(f"far_over_near.{name}" for name in ATTENDING),
    ),
    "gradient_trained": ("factor.rnn.trained", "factor.lstm.trained"),
    "truncated": ("cost_of_cut.2", "cost_of_cut.4", "cost_of_cut.8"),
}
"""The findings that say whether a claim holds, by what is shown."""


def rests_on(answer: "Answer", question: Question) -> tuple[str, ...]:
    """The findings on which the heading rests."""
    about = WORDS.conditions["shown"].of(answer, question)
    return RESTS_ON.get(about, ("bottleneck.rnn", "bottleneck.lstm"))


def right(what: str, network: str) -> dict[str, fields.Field]:
    """The share of words or letters that a network has right at the last length of the training."""

    def share(answer: "Answer", question: Question) -> float:
        at = answer.fields["trained_length"] - 1
        return answer.cut(what, network=network).data[at].item()

    name = fields.identifier(f"{what}_{network}")
    return {name: fields.Field(share, "fraction", (network,))}


def text(network: str) -> dict[str, fields.Field]:
    """What a network writes for the word."""

    def text_of(answer: "Answer", question: Question) -> str:
        each = {writing["network"]: writing["text"] for writing in answer.fields["writings"]}
        return each[network]

    name = fields.identifier(f"text_{network}")
    return {name: fields.Field(text_of, "text", measured=False)}


def by_training(answer: "Answer", question: Question) -> "Cut":
    """The shares of letters that are right at the length of the question."""
    return answer.cut("letters.by_training", length=str(question["length"]))


def shares(answer: "Answer", question: Question) -> str:
    """The mean share of letters that each network has right."""
    letters = by_training(answer, question)
    means = zip(letters.along("network"), letters.data.mean(0).tolist(), strict=True)
    return ", ".join(f"{NAMES[name]} {percent(mean)}" for name, mean in means)


WORDS = Words(
    "recurrence",
    fields={
        **setting("whole", "length"),
        **found("percent", "factor.rnn", "factor.rnn.trained", "factor.lstm.trained"),
        **found("fraction", "behind_cut.2", "behind_cut.8"),
        "factor_lstm": fields.Field(
            lambda answer, _: measured(answer, "factor.rnn") + measured(answer, "factor.lstm"),
            "percent",
            ("lstm",),
        ),
        "right_writings": fields.Field(
            lambda answer, _: sum(writing["right"] for writing in answer.fields["writings"]),
            "whole",
        ),
        **lengths("network", "training"),
        "word": fields.Field(
            lambda answer, _: "".join(answer.fields["word"]), "text", measured=False
        ),
        **right("words", "rnn"),
        **right("words", "rnn-attention"),
        **right("letters", "rnn"),
        **right("letters", "rnn-attention"),
        **{name: field for network in NAMES for name, field in text(network).items()},
        "shares": fields.Field(shares, "text"),
    },
    conditions={
        **displayed("gradient.initial", "gradient.trained", "truncated", "writings", "words"),
        **sides(
            ("letters", "words", "writings", "truncated"),
            ("alignment", "gradient.trained", "gradient.initial"),
        ),
    },
)
KINDS = {"rnn": 0, "lstm": 0, "rnn-attention": 1, "lstm-attention": 1, "transformer": 2}
"""The choice of the exercise that each network belongs to."""
SEVERAL = 3
ALIKE = 0.01  # of the letters


def best(answer: "Answer", question: Question) -> Decision:
    """The choices of the exercise that are best in one of the trainings; those of networks that are
    nearly as good count too.
    """
    letters = by_training(answer, question)
    right, names = letters.data, letters.along("network")
    ahead = right >= right.max(1, keepdim=True).values - ALIKE
    kinds = [
        {KINDS[name] for name, is_marked in zip(names, row, strict=True) if is_marked}
        for row in ahead
    ]
    winners = {kind.pop() if len(kind) == 1 else SEVERAL for kind in kinds}
    return winners, WORDS("asks.reason", answer, question)


EXPERIMENT = Experiment(
    question=Recurrence,
    answer=RecurrenceAnswer,
    example="text=recurrent&length=10",
    figure="letters",
    figures={
        "writings": in_words(WRITINGS),
        "letters": by_length("letters", "letters"),
        "words": by_length("words", "whole words"),
        "truncated": in_words(
            Lines(
                "truncated",
                x="gap",
                by="truncation",
                looks=CUT_LOOKS,
                seeds="behind all",
                hover="gradient: {name}<br>letter %{x} steps earlier<br>"
                "<b>%{y:.3g}</b> of the letters correct",
                x_scale=Scale(
                    "distance from input to output",
                    "steps",
                    kind="every",
                    margin=0.04,
                ),
                y=Scale("fraction of letters correct", **SHARES),
            )
        ),
        "alignment": in_words(ALIGNMENT, tensor="alignment"),
        "gradient.trained": in_words(gradient("trained")),
        "gradient.initial": in_words(gradient("initial"), kind="random initialization"),
    },
    words=WORDS,
    opening={"shown": "other", "sides": "both", "left": "letters", "right": "alignment"},
    rests_on=rests_on,
    exercise=Exercise(
        ("vector", "attention", "transformer", "several"),
        best,
        {"length=5": "length", "length=15": "length", "length=20": "length"},
    ),
)
