"""Probes: what can be read of position and token in the stream, layer by layer."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from app.captions import Question
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import Condition, choice, displayed, found, setting
from app.captions.findings import finding
from app.captions.words import Words
from app.experiment import Experiment, Figure, in_words
from app.figures.marks import Lines, Look, Rule, Scale
from app.limits import Limit
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Clinic
from model.labels import label as told

if TYPE_CHECKING:
    from model.answers.answer import Answer

SENTENCES = Limit("sentences", 64, "sentences", "A probe may be fitted to this many sentences.")
RIDGE = Limit("ridge", 1_000, "weight", "Large weights of a probe may cost this much.", float)


class Probes(Clinic):
    weights: Annotated[
        Literal["trained", "fresh"],
        Control({"trained": "trained", "fresh": "untrained"}, key="layer"),
    ] = "trained"
    sentences: Annotated[
        int,
        Field(ge=8),
        up_to(SENTENCES),
        COSTLY,
        Control({n: f"{n} sentences" for n in (16, 32, 64)}, "fitted to", key="step"),
    ] = 64
    ridge: Annotated[float, Field(ge=1e-3), up_to(RIDGE), Control((0.01, 1, 100), "ρ")] = 1.0

    def sizes(self) -> dict[str, float]:
        sentences = self.seeds * self.sentences
        fresh = self.seeds * (self.weights == "fresh")
        return {"answer": 1, "seeds": self.seeds, "sentences": sentences, "fresh": fresh}


EDGE = 0.02  # beyond 0 and 1, so that lines there are seen whole
RESIDUALS = ("on", "off")
READ = "{name}, %{customdata}<br><b>%{y:.3g}</b> of the"
DIRECT = "{name}, %{customdata}<br>direct contribution <b>%{y:.3g}</b> of |x|²"
AFTER = Scale(
    "after layer",
    kind="named",
    margin=EDGE,
    names={"embedding": "input"},
    says=lambda point: told("in the embedding" if point == "embedding" else f"after layer {point}"),
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
        hover=READ.replace("{name}", probe) + " fitted tokens correct",
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
        "position guessed from the word<br>%{y:.3g} of the tokens correct",
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
        hover=f"{READ} held-out tokens correct",
        x_scale=AFTER,
        y=Scale(
            "accuracy (dashed: on the sentences used for fitting)",
            low=-EDGE,
            high=1 + EDGE,
            ticks=6,
        ),
    )
    return in_words(mark)


BEYOND = {"position": "position beyond the word", "token": "token beyond a random label"}
BEYOND_IT = "{name}, %{customdata}<br>accuracy difference <b>%{y:.3g}</b>"
SELECTIVE_LOOKS = {
    part: Look(part, ROLES[part], hover="{name}<br>" + BEYOND_IT.replace("{name}", text))
    for part, text in BEYOND.items()
}


def selectivity(residual: str) -> Figure:
    """What probes read beyond their controls after each layer: the token beyond a random label for
    each word, the position beyond what the word gives away. Both figures have the same scale.
    """
    control = Rule(
        "control",
        lambda answer, question: 0,
        "as accurate as the control: difference <b>%{y:.3g}</b>",
        dash="2px,3px",
        named=False,
    )
    mark = Lines(
        f"selectivity.{residual}",
        x="point",
        by="part",
        looks=SELECTIVE_LOOKS,
        rules=[control],
        hover=BEYOND_IT,
        x_scale=AFTER,
        y=Scale(
            "accuracy − control accuracy",
            holds=[f"selectivity.{each}" for each in RESIDUALS],
        ),
    )
    return in_words(mark)


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

    def scale(answer: "Answer", question: Question) -> Scale:
        tensors = (answer.cut(f"{name}.{residual}").data for name in ("cosine", "direct"))
        low = min(0.0, *(values.min().item() for values in tensors))
        title = "cosine, or fraction of |x|²"
        return Scale(title, low=low - EDGE, high=1 + EDGE, ticks=6)

    direct = {
        part: {"tensor": f"direct.{residual}", "part": part} for part in ("token", "position")
    }
    mark = Lines(
        f"cosine.{residual}",
        x="point",
        parts={"cosine": {}, **direct},
        looks=STREAM_LOOKS,
        seeds=None,
        hover=DIRECT,
        x_scale=AFTER,
        y=scale,
    )
    return in_words(mark)


def picture_of(answer: "Answer", question: Question) -> str:
    """What there is to see: in a stack that collapses, that it does."""
    if finding(answer, "cosine.on").verdict == "fails":
        return "collapsed"
    if "selectivity.on" in question["figures"]:
        return "selective"
    return "alike" if "stream.on" in question["figures"] else "read"


WORDS = Words(
    "probes",
    fields={
        **setting("whole", "sentences"),
        **setting("decimal", "ridge"),
        **found("number", "cosine.on", "cosine.off"),
        **found("fraction", "position.last", "position.last.off"),
        **found("points", "position.over_word", "selectivity.token"),
    },
    conditions={
        **displayed("stream.on", "selectivity.on"),
        **choice("weights", "trained", "fresh"),
        "look": Condition(picture_of, ("read", "selective", "alike", "collapsed")),
    },
)
BOTH = {(1, 1): 0, (1, 0): 1, (0, 1): 2, (0, 0): 3}
"""The choice by whether the position can be read with the residual connections and without."""


EXPERIMENT = Experiment(
    question=Probes,
    example="weights=fresh&sentences=32",
    figures={
        f"{name}.{residual}": of(residual)
        for name, of in (("probes", probes), ("selectivity", selectivity), ("stream", stream))
        for residual in RESIDUALS
    },
    words=WORDS,
    opening={"look": "read"},
    rests_on=("residual.position", "residual.token", "position.over_word", "cosine.on"),
    exercise=Exercise(
        ("both", "on", "off", "neither"),
        by_findings({"position.last": (0.5,), "position.last.off": (0.5,)}, BOTH.get),
        {"weights=fresh": "fresh", "sentences=16": "sentences"},
    ),
)
