"""Figures of /recurrence: what five networks write, how well by the length of the word, where they
look, and how much of a gradient arrives from how far.
"""

from functools import partial

from app.figures import axes
from app.figures.drawing import Drawn, Question
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
from app.figures.text import label
from app.words.recurrence import BAHDANAU, NAMES
from model.answers.answer import Answer

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
CUTS = ("head:0", "head:2", "head:4", "feed-forward")
EDGE = 0.02  # beyond 0 and 1, so that lines there are seen whole


def by_length(answer: Answer, question: Question, tensor: str) -> Plot:
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


def by_network(answer: Answer, x: list[float], tensor: str, hover: str):
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


def truncated(answer: Answer, question: Question) -> Plot:
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
        thin += of_seeds(gaps, each[:, i], trained, name, CUTS[i], hover, "training")
        traces.append(line(gaps, values[i], name, CUTS[i], f"{name}<br>{hover}", legend=False))
        ends.append(at_end(gaps[-1], values[i, -1], name, CUTS[i]))
    x = at_values("steps between reading a letter and writing it", gaps, "steps")
    y = shares("share of letters that are right")
    said = "Share of right letters by the steps since they were read, for each truncation."
    return figure(Panel(x, y, [*thin, *traces], ends), description=said)


def gradient(answer: Answer, question: Question, weights: str) -> Plot:
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


def alignment(answer: Answer, question: Question) -> Plot:
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


def writings(answer: Answer, question: Question) -> Plot:
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


FIGURES = {
    "writings": Drawn("What each network writes", writings, "written"),
    "letters": Drawn("Letters right by length", partial(by_length, tensor="letters"), "letters"),
    "words": Drawn("Words right by length", partial(by_length, tensor="words"), "words"),
    "truncated": Drawn("An LSTM whose gradient was cut", truncated, "truncated"),
    "alignment": Drawn("Where they look", alignment, "alignment"),
    "gradient.trained": Drawn(
        "Gradient by distance, trained", partial(gradient, weights="trained"), "gradient.trained"
    ),
    "gradient.initial": Drawn(
        "Gradient by distance, before training",
        partial(gradient, weights="initial"),
        "gradient.initial",
        "random initialisation",
    ),
}
