"""Probes: what can be read of position and token in the stream, layer by layer."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from app.experiments import Experiment, Figure
from app.figures.grammar import AxisScale, Panel, at_end, figure, line, linear
from app.figures.plot import Plot
from app.figures.seeds import with_seeds
from app.limits import Limit
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Clinic
from app.words import Question, axes
from app.words.findings import finding, measured

if TYPE_CHECKING:
    from model.answers.answer import Answer

SENTENCES = Limit("sentences", 64, "sentences", "A probe may be fitted to this many sentences.")
RIDGE = Limit("ridge", 1_000, "weight", "Large weights of a probe may cost this much.", float)


class Probes(Clinic):
    weights: Annotated[
        Literal["trained", "fresh"],
        Control(("trained", "fresh"), key="layer"),
    ] = Field(
        "trained",
        description="`trained` is the encoder of the translator, and `fresh` is twelve untrained"
        " layers.",
    )
    sentences: Annotated[
        int,
        Field(ge=8),
        up_to(SENTENCES),
        COSTLY,
        Control({n: f"{n} sentences" for n in (16, 32, 64)}, "fitted to", key="step"),
    ] = Field(64, description="How many sentences a probe is fitted to. It is tested on 32 others.")
    ridge: Annotated[float, Field(ge=1e-3), up_to(RIDGE), Control((0.01, 1, 100), "ρ")] = Field(
        1.0,
        description="The ridge penalty ρ: how much large weights of a probe cost when it is"
        " fitted.",
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.1.
        """
        trial = 0.076 + 0.0022 * self.sentences
        if self.weights == "fresh":
            trial = 0.099 + 0.002 * self.sentences
        return 0.0136 + self.seeds * trial


ROLES = {"position": "position", "token": "embedding", "control": "cross"}
EDGE = 0.02  # beyond 0 and 1, so that lines there are seen whole
PANELS = {"on": "With the residual", "off": "Without the residual, the same weights"}


def probes(answer: "Answer", question: Question, residual: str) -> Plot:
    """The share of tokens that each probe reads right after each layer: held out, and dashed where
    it was fitted. The dotted line is what the word alone gives away of its position.
    """
    values = answer.tensors[f"accuracy.{residual}"].data.numpy()
    where = points(answer)
    places = np.arange(len(where))
    word = np.full(len(where), measured(answer, "by_word"))
    hover = "position guessed from the word<br>%{y:.3g} of the tokens"
    traces = [
        line(places, word, "word alone", "ink-soft", hover, False, legend=False, dash="2px,3px")
    ]
    ends = [at_end(places[-1], word[-1], "word alone", "ink-soft")]
    labels = axes.labels(answer, "probe")
    for name, (fitted, held_out) in reversed(list(zip(labels, values, strict=True))):
        read = f"{name}, %{{customdata}}<br><b>%{{y:.3g}}</b> of"
        role = ROLES[name]
        traces += [
            line(
                places,
                held_out,
                name,
                role,
                f"{read} the tokens held out",
                legend=False,
                customdata=where,
            ),
            line(
                places,
                fitted,
                f"{name}, fitted",
                role,
                f"{read} the tokens it was fitted to",
                False,
                legend=False,
                dash="5px,4px",
                customdata=where,
            ),
        ]
        ends.append(at_end(places[-1], held_out[-1], name, role))
    y = linear(
        "share read right (dashed: fitted sentences)", [], low=-EDGE, high=1 + EDGE, wanted=6
    )
    said = f"Share of tokens that probes read right after each layer, residual {residual}."
    return figure(Panel(after_layer(answer), y, traces, ends), description=said)


def selectivity(answer: "Answer", question: Question, residual: str) -> Plot:
    """What probes read beyond their controls after each layer: the token beyond a random label for
    each word, the position beyond what the word gives away. Both figures have the same scale.
    """
    where = points(answer)
    places = np.arange(len(where))
    none = np.zeros(len(where))
    hover = "as often right as the control: <b>%{y:.3g}</b> beyond it"
    traces = [line(places, none, "control", "ink-soft", hover, False, legend=False, dash="2px,3px")]
    ends = []
    for i, name in enumerate(axes.labels(answer, "part")):
        read = f"{BEYOND[name]}, %{{customdata}}<br><b>%{{y:.3g}}</b> of the tokens"
        of_one = with_seeds(
            answer,
            f"selectivity.{residual}",
            places,
            name,
            ROLES[name],
            read,
            (i,),
            legend=False,
            customdata=where,
        )
        traces += of_one
        ends.append(at_end(places[-1], of_one[-1]["y"][-1], name, ROLES[name]))
    both = np.concatenate(
        [answer.tensors[f"selectivity.{each}.by_seed"].data.numpy().ravel() for each in PANELS]
    )
    y = linear("share read right, less that of the control", both)
    said = f"What probes read beyond their controls after each layer, residual {residual}."
    return figure(Panel(after_layer(answer), y, traces, ends), description=said)


BEYOND = {"position": "position beyond the word", "token": "token beyond a random label"}


def stream(answer: "Answer", question: Question, residual: str) -> Plot:
    """The mean cosine of two tokens of one sentence after each layer, and the shares of |x|² that
    come straight from the token and from its position.
    """
    position, token = answer.tensors[f"direct.{residual}"].data.numpy()
    cosine = answer.tensors[f"cosine.{residual}"].data.numpy()
    where = points(answer)
    places = np.arange(len(where))
    series = {
        "cosine": ("stream", cosine, "cosine of two tokens, %{customdata}<br><b>%{y:.3g}</b>"),
        "token": ("embedding", token, straight("token")),
        "position": ("position", position, straight("position")),
    }
    traces, ends = [], []
    for name, (role, values, hover) in series.items():
        traces.append(line(places, values, name, role, hover, legend=False, customdata=where))
        ends.append(at_end(places[-1], values[-1], name, role))
    low = min(0.0, *(float(values.min()) for _, values, _ in series.values()))
    title = "cosine of tokens; share of |x|² from token, position"
    y = linear(title, [], low=low - EDGE, high=1 + EDGE, wanted=6)
    said = f"Cosine of tokens and direct paths after each layer, residual {residual}."
    return figure(Panel(after_layer(answer), y, traces, ends), description=said)


def straight(part: str) -> str:
    return f"{part}, %{{customdata}}<br><b>%{{y:.3g}}</b> of |x|² straight from it"


def points(answer: "Answer") -> list[str]:
    """What each point is, in words."""
    _, *layers = axes.labels(answer, "point")
    return ["in the embedding", *(f"after layer {layer}" for layer in layers)]


def after_layer(answer: "Answer") -> AxisScale:
    """The embedding, then the layers."""
    _, *layers = axes.labels(answer, "point")
    ends = (-EDGE * len(layers), (1 + EDGE) * len(layers))
    return AxisScale("after layer", ends, range(len(layers) + 1), ["in", *layers])


RESTS_ON = ("residual.position", "residual.token", "position.over_word", "cosine.on")
LOOK_FOR = (
    "On the left, a linear map still reads the position of a token after every layer. On the right,"
    " without the residual, it reads the position worse than a guess from the word alone."
)
SELECTIVE = (
    "The lines show how much more often a probe is right than its control. Above the dotted line at"
    " 0 the vectors themselves hold what is read. The token’s line lies at 0 where the probe learns"
    " a random label just as well."
)
ALIKE = (
    "On the left, the tokens of a sentence stay different from each other. On the right, without"
    " the residual, they become nearly the same vector."
)
COLLAPSED = (
    "With twelve Post-LN layers that learned nothing, the tokens of a sentence grow alike with the"
    " residual too, only later than without it."
)


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures: in those of the stack that collapses, that it does."""
    if finding(answer, "cosine.on").verdict == "fails":
        return COLLAPSED
    if "selectivity.on" in question["figures"]:
        return SELECTIVE
    return ALIKE if "stream.on" in question["figures"] else LOOK_FOR


READING = {
    "stream.on": "After the last layer the cosine of two tokens of a sentence is {cosine.on:number}"
    " with the residual and {cosine.off:number} without it.",
    "selectivity.on": "After the last layer the accuracy of the probe less that of its control is"
    " {position.over_word:percent} for the position and {selectivity.token:percent} for the token.",
    "": "After the last layer the position is read for {position.last:percent} of held-out tokens"
    " with the residual and {position.last.off:percent} without it. A guess from the word alone is"
    " right for {by_word:percent}.",
}


EXPERIMENT = Experiment(
    question=Probes,
    sentence="What linear probes can read of position and token in the stream after each layer,"
    " with shortcuts and without",
    example="weights=fresh&sentences=32",
    figures={
        f"{name}.{residual}": Figure(
            title, partial(draw, residual=residual), tensor=f"{tensor}.{residual}"
        )
        for name, draw, tensor in (
            ("probes", probes, "accuracy"),
            ("selectivity", selectivity, "selectivity"),
            ("stream", stream, "cosine"),
        )
        for residual, title in PANELS.items()
    },
    claim="The residual carries position and token through the layers",
    rests_on=RESTS_ON,
    look_for=LOOK_FOR,
    look_for_of=look_for,
    reading=READING,
    titles={
        "position.over_word.embedding": "Position in the embedding, less the guess from the word",
        "position.over_word": "Position after the last layer, less the guess from the word",
        "position.over_word.off": "The same without the residual",
        "residual.position": "Position after the last layer, with the residual less without",
        "residual.token": "Token after the last layer, with the residual less without",
        "selectivity.token": "Token after the last layer, less random labels",
        "position.embedding": "Position in the embedding",
        "position.last": "Position after the last layer",
        "position.last.off": "Position after the last layer, without the residual",
        "by_word": "Position guessed from the word",
        "token.last": "Token after the last layer",
        "token.last.off": "Token after the last layer, without the residual",
        "control.last": "Random labels after the last layer",
        "gap": "Position after the last layer, fitted sentences less held-out ones",
        "cosine.on": "Cosine of two tokens with the residual",
        "cosine.off": "Cosine of two tokens without the residual",
        "cosine.more_without": "Cosine of two tokens, without the residual less with it",
        "direct.on": "Share that comes straight from the position",
        "direct.off": "Shares that come straight from token or position, without the residual",
        "parts": "Shares of token and position in the embedding, together, less 1",
    },
)
