"""Probes: what can be read of position and token in the stream, layer by layer."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from app.captions import Question
from app.captions.exercises import Exercise, by_findings
from app.captions.findings import finding
from app.experiment import Experiment, Figure
from app.figures.marks import Lines, Look, Rule, Scale
from app.limits import Limit
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Clinic

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

    def estimated_seconds(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5.
        """
        trial = 0.055 + 0.0016 * self.sentences
        if self.weights == "fresh":
            trial = 0.074 + 0.0015 * self.sentences
        return 0.0136 + self.seeds * trial


EDGE = 0.02  # beyond 0 and 1, so that lines there are seen whole
RESIDUALS = {"on": "With the residual", "off": "Without the residual, the same weights"}
READ = "{name}, %{customdata}<br><b>%{y:.3g}</b> of the tokens"
DIRECT = "{name}, %{customdata}<br><b>%{y:.3g}</b> of |x|² straight from it"
AFTER = Scale(
    "after layer",
    kind="named",
    margin=EDGE,
    names={"embedding": "in"},
    says=lambda point: "in the embedding" if point == "embedding" else f"after layer {point}",
)


ROLES = {"control": "cross", "token": "embedding", "position": "position"}
"""The colour of each probe, in the order in which they are drawn."""
HELD_OUT = {probe: Look(probe, role) for probe, role in ROLES.items()}
FITTED = {
    f"{probe}, fitted": Look(
        f"{probe}, fitted",
        role,
        "5px,4px",
        dots=False,
        end=None,
        hover=READ.replace("{name}", probe) + " it was fitted to",
    )
    for probe, role in ROLES.items()
}


def probes(residual: str) -> Figure:
    """The share of tokens that each probe reads right after each layer: held out, and dashed where
    it was fitted. The dotted line is what the word alone gives away of its position.
    """
    word = Rule(
        "word alone",
        "by_word",
        "position guessed from the word<br>%{y:.3g} of the tokens",
        dash="2px,3px",
    )
    mark = Lines(
        f"accuracy.{residual}",
        x="point",
        parts={
            name: {"probe": probe, "split": split}
            for probe in ROLES
            for name, split in ((probe, "held-out"), (f"{probe}, fitted", "train"))
        },
        looks=HELD_OUT | FITTED,
        rules=[word],
        seeds=None,
        hover=f"{READ} held out",
        x_scale=AFTER,
        y=Scale("share read right (dashed: fitted sentences)", low=-EDGE, high=1 + EDGE, ticks=6),
    )
    said = f"Share of tokens that probes read right after each layer, residual {residual}."
    return Figure(RESIDUALS[residual], mark, said)


BEYOND = {"position": "position beyond the word", "token": "token beyond a random label"}
SELECTIVE_LOOKS = {
    part: Look(part, ROLES[part], hover="{name}<br>" + READ.replace("{name}", said))
    for part, said in BEYOND.items()
}


def selectivity(residual: str) -> Figure:
    """What probes read beyond their controls after each layer: the token beyond a random label for
    each word, the position beyond what the word gives away. Both figures have the same scale.
    """
    control = Rule(
        "control",
        lambda answer, question: 0,
        "as often right as the control: <b>%{y:.3g}</b> beyond it",
        dash="2px,3px",
        named=False,
    )
    mark = Lines(
        f"selectivity.{residual}",
        x="point",
        by="part",
        looks=SELECTIVE_LOOKS,
        rules=[control],
        hover=READ,
        x_scale=AFTER,
        y=Scale(
            "share read right, less that of the control",
            holds=[f"selectivity.{each}" for each in RESIDUALS],
        ),
    )
    said = f"What probes read beyond their controls after each layer, residual {residual}."
    return Figure(RESIDUALS[residual], mark, said)


STREAM_LOOKS = {
    "cosine": Look(
        "cosine", "stream", hover="cosine of two tokens, %{customdata}<br><b>%{y:.3g}</b>"
    ),
    "token": Look("token", "embedding"),
    "position": Look("position", "position"),
}


def stream(residual: str) -> Figure:
    """The mean cosine of two tokens of one sentence after each layer, and the shares of |x|² that
    come straight from the token and from its position.
    """

    def lines(answer: "Answer", question: Question) -> Lines:
        drawn = (answer.cut(f"{name}.{residual}").data for name in ("cosine", "direct"))
        low = min(0.0, *(values.min().item() for values in drawn))
        return Lines(
            f"cosine.{residual}",
            x="point",
            parts={
                "cosine": {},
                **{
                    part: {"tensor": f"direct.{residual}", "part": part}
                    for part in ("token", "position")
                },
            },
            looks=STREAM_LOOKS,
            seeds=None,
            hover=DIRECT,
            x_scale=AFTER,
            y=Scale(
                "cosine of tokens; share of |x|² from token, position",
                low=low - EDGE,
                high=1 + EDGE,
                ticks=6,
            ),
        )

    said = f"Cosine of tokens and direct paths after each layer, residual {residual}."
    return Figure(RESIDUALS[residual], lines, said, tensor=f"cosine.{residual}")


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
    " with the residual and {position.last.off:percent} without it.",
}


BOTH = {(1, 1): 0, (1, 0): 1, (0, 1): 2, (0, 0): 3}
"""The choice by whether the position can be read with the residual connections and without."""


def asks(question: Question) -> str:
    """The exercise: whether a position can still be read."""
    trained = question["weights"] == "trained"
    return (
        f"{'A trained encoder' if trained else 'An encoder of twelve untrained layers'} adds the"
        " position once, before its first layer. A linear map is fitted to"
        f" {question['sentences']} sentences with ρ = {question['ridge']:g}. Can it still read the"
        " position of at least half of the tokens after the last layer? And in the same encoder"
        " without residual connections?"
    )


EXPERIMENT = Experiment(
    question=Probes,
    sentence="What linear probes can read of position and token in the stream after each layer,"
    " with shortcuts and without",
    example="weights=fresh&sentences=32",
    figures={
        f"{name}.{residual}": of(residual)
        for name, of in (("probes", probes), ("selectivity", selectivity), ("stream", stream))
        for residual in RESIDUALS
    },
    claim="The residual carries positions and keeps tokens apart",
    rests_on=RESTS_ON,
    look_for=LOOK_FOR,
    look_for_of=look_for,
    reading=READING,
    exercise=Exercise(
        asks,
        ("Yes, in both", "Only with the residual connections", "Only without them", "In neither"),
        by_findings({"position.last": (0.5,), "position.last.off": (0.5,)}, BOTH.get),
        {"weights=fresh": "untrained layers", "sentences=16": "16 sentences"},
    ),
)
