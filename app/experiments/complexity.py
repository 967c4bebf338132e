"""Complexity: what a layer costs and how far it leaves two positions apart."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from app.captions import Question
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import Condition, displayed, means, setting
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures.marks import Cells, Lines, Look, Scale
from app.limits import Limit
from app.schema.bounds import at_most_long, up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Channels, Clinic, Commas, Measure

if TYPE_CHECKING:
    from model.answers.answer import Answer

LAYERS = {
    "self-attention": Look("self-attention", "attention"),
    "recurrent": Look("recurrent", "stream"),
    "convolution": Look("convolution", "feed-forward"),
    "restricted": Look("restricted self-attention", "position", "5px,4px"),
}
PATHS = {  # thin lines would fill the gaps of a dashed one
    "RNN, gain 0.8": Look("RNN 0.8", "stream", "2px,3px", seeds=False),
    "RNN, gain 1": Look("RNN 1", "stream", "6px,4px", seeds=False),
    "RNN, gain 1.2": Look("RNN 1.2", "stream"),
    "LSTM": Look("LSTM", "feed-forward", "4px,2px", seeds=False),
    "attention": Look("attention", "attention"),
}
LENGTH = Limit(
    "complexity_length", 100_000, "positions", "A sequence of `/complexity` may be this long."
)
LENGTHS = Limit("complexity_lengths", 16, "lengths", "`/complexity` may compare this many lengths.")
WINDOW = Limit(
    "complexity_window",
    1_024,
    "positions",
    "Restricted attention in `/complexity` may see this many positions.",
)
INPUT = Limit(
    "complexity_input",
    10,
    "standard deviation",
    "The inputs of the networks of `/complexity` may be this large.",
    float,
)
KERNEL = Limit("kernel", 31, "positions", "A convolution of `/complexity` may be this wide.")


TIMED = 1024
"""The time is measured up to this length."""


class Complexity(Clinic):
    lengths: Annotated[
        list[Annotated[int, Field(ge=2), up_to(LENGTH)]],
        Field(min_length=2),
        at_most_long(LENGTHS),
        Commas,
        COSTLY,
    ] = Field([8, 16, 32, 64, 128, 256, 512, 1024])
    d_model: Annotated[Channels, COSTLY, Control((16, 32, 64, 128), "width d", key="step")] = 64
    kernel: Annotated[int, Field(ge=2), up_to(KERNEL), Control((2, 3, 7), "kernel width k")] = 3
    window: Annotated[
        int, Field(ge=2), up_to(WINDOW), Control((8, 32, 128), "neighbors r", key="layer")
    ] = 32
    input_size: Annotated[
        float,
        Field(ge=0),
        up_to(INPUT),
        Control((0.0001, 0.001, 0.01, 0.1, 0.3, 1, 3), "input standard deviation"),
    ] = 0.1
    measure: Measure = False

    def sizes(self) -> dict[str, float]:
        lengths = [min(n, TIMED) for n in self.lengths] if self.measure else []
        return {
            "answer": 1,
            "seeds": self.seeds,
            "products": self.seeds * self.d_model**2,
            "positions": sum(lengths),
            "kernel_products": sum(lengths) * self.kernel * self.d_model**2,
            "scores": sum(n**2 for n in lengths) * self.d_model,
        }


def costs(tensor: str, title: str, unit: str, crossing: str = "", layers: str = "layer") -> Lines:
    """One line for each layer over the lengths; where n is the field `crossing` one is dotted."""
    return Lines(
        tensor,
        x="length",
        by=layers,
        looks=LAYERS,
        upright=crossing,
        hover="{name}, n = %{x}<br><b>%{y:.3g}</b> " + unit,
        x_scale=Scale("length n", kind="measured"),
        y=Scale(title, kind="log"),
    )


LEVEL = 1.25
"""A line whose highest point is at most so many times its lowest counts as level."""
VANISHED = 0.01
"""A gradient of which less is left is said to vanish."""


def level(path: str, otherwise: str) -> Condition:
    """Whether the line of a path is level."""

    def of(answer: "Answer", question: Question) -> str:
        line = answer.cut("gradient_by_distance", path=path).data
        return "level" if line.max() <= LEVEL * line.min() else otherwise

    return Condition(of, ("level", otherwise))


def left(path: str) -> Condition:
    """Whether something is left of a gradient over the longest distance."""

    def of(answer: "Answer", question: Question) -> str:
        line = answer.cut("gradient_by_distance", path=path).data
        return "left" if line[-1] >= VANISHED else "vanished"

    return Condition(of, ("left", "vanished"))


def strong(answer: "Answer", question: Question) -> str:
    """Where the gradient of the RNN with the largest gain is largest."""
    line = answer.cut("gradient_by_distance", path="RNN, gain 1.2").data
    return {0: "falls", len(line) - 1: "climbs"}.get(int(line.argmax()), "turns")


WORDS = Words(
    "complexity",
    fields={
        **setting("whole", "d_model"),
        **setting("decimal", "input_size"),
        **means("fraction", "gradient_by_distance", {"distance": "last"}, path=("LSTM",)),
    },
    conditions={
        **displayed("growth"),
        "attention": level("attention", "uneven"),
        "recurrent": level("RNN, gain 1", "steep"),
        "strong": Condition(strong, ("climbs", "falls", "turns")),
        "kept": left("LSTM"),
    },
)
EXPERIMENT = Experiment(
    question=Complexity,
    example="lengths=16,64,256&d_model=64",
    figures={
        "operations": in_words(
            costs("operations", "operations", "operations", "d_model"), kind="analytic"
        ),
        "sequential": in_words(
            costs("sequential", "sequential operations", "sequential steps"), kind="analytic"
        ),
        "path_length": in_words(
            costs("path_length", "maximum path length (steps)", "steps"),
            kind="analytic",
        ),
        "time": in_words(costs("time", "time on this machine (s)", "s", layers="timed")),
        "growth": in_words(
            Cells(
                "growth",
                x="input",
                y="gain",
                columns="input standard deviation",
                rows="gain of recurrent weights",
                scale="signed",
                ends=(-5, 5),
                unit="log₁₀ of growth",
                hover="gain %{y}, input standard deviation %{x}<br>log₁₀ of growth <b>%{z:.3g}</b>",
            )
        ),
        "gradient": in_words(
            Lines(
                "gradient_by_distance",
                x="distance",
                by="path",
                looks=PATHS,
                dots=False,
                seeds="behind all",
                hover="{name}, distance %{x}<br>gradient <b>%{y:.3g}</b>",
                x_scale=Scale(
                    "distance Δ", "positions", kind="every", every=16, marks=(1,), margin=0
                ),
                y=Scale("gradient magnitude", kind="log", holds=("gradient_by_distance",)),
            )
        ),
    },
    words=WORDS,
    opening={
        "shown": "other",
        "attention": "level",
        "recurrent": "steep",
        "strong": "turns",
    },
    rests_on=("gradient.attention",),
    exercise=Exercise(
        ("fades", "same", "grows"),
        by_findings({"gradient.1.2": (0.1, 10)}),
        {"input_size=0.0001": "tiny", "input_size=1": "large"},
    ),
)
