"""Recurrence: networks that read step by step, with and without attention."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

from annotated_types import Le
from pydantic import Field

from app.experiments import Experiment, Figure
from app.figures.grammar import (
    AxisScale,
    Panel,
    Tile,
    at_end,
    at_values,
    figure,
    fill,
    framed,
    heat_map,
    line,
    linear,
    logarithmic,
    mosaic,
    named,
    of_seeds,
    upright,
)
from app.figures.plot import Plot
from app.limits import Limit
from app.schema.answers import ClinicAnswer, Part
from app.schema.bounds import Fixed, up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Clinic, Text
from app.words import Question, axes
from app.words.findings import measured
from app.words.text import label, percent
from app.words.verdicts import Claim

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

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5.
        """
        word = 0.012 + 0.006 * len(self.text)
        trained = 3 * (0.003 + 0.0023 * self.length)
        return word + trained + self.seeds * (0.009 + 0.0029 * self.length)


class Writing(Part):
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
CUT_ROLES = ("head:0", "head:2", "head:4", "feed-forward")
EDGE = 0.02  # beyond 0 and 1, so that lines there are seen whole


def by_length(answer: "Answer", question: Question, tensor: str) -> Plot:
    """One line for each network over the length of the word: the mean of its trainings, each of
    which is a thin line. The lengths of the training are shaded.
    """
    lengths = axes.values(answer, "length")
    what = {"letters": "letters", "words": "whole words"}[tensor]
    thin, traces, ends = by_network(
        answer, lengths, tensor, f"%{{x}} letters<br><b>%{{y:.3g}}</b> of the {what} are right"
    )
    margin = 0.03 * (lengths[-1] - lengths[0])
    ticks = [n for n in lengths if n == 1 or n % 5 == 0]
    x = AxisScale(
        "letters of the word",
        (lengths[0] - margin, lengths[-1] + margin),
        ticks,
        [str(n) for n in ticks],
    )
    y = shares(f"share of {what} that are right")
    seen = fill("sunken", x.range[0], answer.fields["trained_length"] + 0.5, *y.range)
    said = f"Share of {what} that each network writes right, by the length of the word."
    return figure(Panel(x, y, [*thin, *traces], ends, [seen]), description=said)


def by_network(answer: "Answer", x: list[float], tensor: str, hover: str):
    """Lines of all networks and their names, and thin lines of their trainings or seeds."""
    values = answer.tensors[tensor].data.numpy()
    several = "training" if f"{tensor}.by_training" in answer.tensors else "seed"
    each = answer.tensors[f"{tensor}.by_{several}"].data.numpy()
    numbers = axes.values(answer, several)
    thin, traces, ends = [], [], []
    for i, network in enumerate(axes.labels(answer, "network")):
        name, role, dash = NAMES[network], ROLES[network], DASHES.get(network, "")
        thin += of_seeds(x, each[:, i], numbers, name, role, hover, several)
        told = f"{name}<br>{hover}"
        traces.append(line(x, values[i], name, role, told, False, legend=False, dash=dash))
        log = tensor.startswith("gradient")
        ends.append(at_end(x[-1], values[i, -1], name, role, log_y=log))
    return thin, traces, ends


def shares(title: str) -> AxisScale:
    """An axis of shares from 0 to 1."""
    return linear(title, [], low=-EDGE, high=1 + EDGE, wanted=6)


def truncated(answer: "Answer", question: Question) -> Plot:
    """The share of letters that are right by the steps between reading and writing them, for each
    number of steps that a gradient passed in training.
    """
    gaps = axes.values(answer, "gap")
    cuts = axes.values(answer, "truncation")
    values = answer.tensors["truncated"].data.numpy()
    each = answer.tensors["truncated.by_training"].data.numpy()
    thin, traces, ends = [], [], []
    for i, steps in enumerate(cuts):
        name = "no cut" if steps == cuts[-1] else f"cut after {steps}"
        hover = "read %{x} steps before<br><b>%{y:.3g}</b> of the letters are right"
        trained = axes.values(answer, "training")
        thin += of_seeds(gaps, each[:, i], trained, name, CUT_ROLES[i], hover, "training")
        traces.append(line(gaps, values[i], name, CUT_ROLES[i], f"{name}<br>{hover}", legend=False))
        ends.append(at_end(gaps[-1], values[i, -1], name, CUT_ROLES[i]))
    x = at_values("steps between reading a letter and writing it", gaps, "steps")
    y = shares("share of letters that are right")
    said = "Share of right letters by the steps since they were read, for each truncation."
    return figure(Panel(x, y, [*thin, *traces], ends), description=said)


def gradient(answer: "Answer", question: Question, weights: str) -> Plot:
    """How large the gradient of the last letter is at each token that was read, by the steps
    between. The dotted line stands between what the decoder has read and the word itself.
    """
    distances = axes.values(answer, "distance")
    tensor = f"gradient.{weights}"
    hover = "%{x} steps back<br>size <b>%{y:.3g}</b>"
    thin, traces, ends = by_network(answer, distances, tensor, hover)
    every = max(2, len(distances) // 10)
    ticks = list(range(0, len(distances), every))
    margin = 0.03 * distances[-1]
    x = AxisScale(
        "steps back from the last letter",
        (-margin, distances[-1] + margin),
        ticks,
        [str(tick) for tick in ticks],
        "steps",
    )
    y = logarithmic("size of the gradient at an embedding", [trace["y"] for trace in thin])
    source = upright(len(distances) / 2 - 0.5)
    said = f"Size of the gradient by distance, {weights} networks."
    return figure(Panel(x, y, [*thin, *traces], ends, [source]), description=said)


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
    x = named("expected; wrong letters are framed", steps, above=True)
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
NAMES = {
    "rnn": "RNN",
    "lstm": "LSTM",
    "rnn-attention": f"RNN{BAHDANAU}",
    "lstm-attention": f"LSTM{BAHDANAU}",
    "transformer": "Transformer",
}
ATTENDING = ("rnn-attention", "lstm-attention", "transformer")
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
    trained, longer = (
        [percent(share).replace(" ", "\u00a0") for share in shares[:, n - 1].tolist()]
        for n in (longest, 2 * longest)
    )
    told = "; ".join(
        f"{NAMES[name]} {trained[i]}, {longer[i]}"
        for i, name in enumerate(axes.labels(answer, "network"))
    )
    return f"{what.capitalize()} that are right, at {longest} and {2 * longest} letters: {told}."


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
        "letters": Figure(
            "Letters right by length", partial(by_length, tensor="letters"), tensor="letters"
        ),
        "words": Figure(
            "Words right by length", partial(by_length, tensor="words"), tensor="words"
        ),
        "truncated": Figure("An LSTM whose gradient was cut", truncated, tensor="truncated"),
        "alignment": Figure("Where they look", alignment, tensor="alignment"),
        "gradient.trained": Figure(
            "Gradient by distance, trained",
            partial(gradient, weights="trained"),
            tensor="gradient.trained",
        ),
        "gradient.initial": Figure(
            "Gradient by distance, before training",
            partial(gradient, weights="initial"),
            tensor="gradient.initial",
            kind="random initialisation",
        ),
    },
    claim=CLAIM,
    claim_of=claim,
    look_for=LOOK_FOR,
    look_for_of=look_for,
    reading=reading,
    titles={
        "bottleneck.rnn": "What attention adds to an RNN at the longest trained words",
        "bottleneck.lstm": "What attention adds to an LSTM at the longest trained words",
        "longer.rnn": "What attention adds to an RNN at twice that length",
        "longer.lstm": "What attention adds to an LSTM at twice that length",
        **{f"beyond.{name}": f"{said}, twice the trained length" for name, said in NAMES.items()},
        "factor.rnn": "Gradient of an untrained RNN, per step",
        "factor.lstm": "The same of an LSTM, less the RNN's",
        "factor.rnn.trained": "Gradient of the trained RNN, per step",
        "factor.lstm.trained": "Gradient of the trained LSTM, per step",
        **{
            f"far_over_near.{name}": f"{NAMES[name]}, untrained: farther letters over nearer"
            for name in ATTENDING
        },
        **{
            f"{name}.{steps}": title.format(steps)
            for steps in CUTS
            for name, title in (
                ("behind_cut", "Letters read {} steps before or more, gradient cut there"),
                ("cost_of_cut", "The same, less those without the cut after {}"),
            )
        },
        "rows": "Rows of weights, less 1",
        "cut": "Logits with and without truncation, difference",
        "gradient_behind_cut": "Gradient behind a cut",
    },
)
