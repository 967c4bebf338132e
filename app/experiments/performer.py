"""Performer: attention by random features, its error and its cost."""

from math import ceil
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from app.captions import Question, fields
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import Condition, counts, displayed, lengths, setting, where
from app.captions.findings import measured
from app.captions.text import number, percent
from app.captions.words import Words
from app.experiment import Experiment, Figure, in_words
from app.figures.marks import Lines, Look, Place, Rule, Scale, Tiles
from app.figures.mosaic import Tile
from app.limits import Limit
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control, Slider
from app.schema.questions import SEEDS, Clinic, Measure

if TYPE_CHECKING:
    from numpy import ndarray

    from model.answers.answer import Answer

METHODS = {
    "attention": Look("attention", "ink-soft"),
    "performer": Look("FAVOR+", "stream"),
}
TIMES = ("times_as_many.1", "times_as_many.2")
FEATURES = Limit("features", 512, "features", "`/performer` may draw this many random features.")
LENGTH = Limit("performer_length", 96, "positions", "`/performer` may have this many queries.")
NORM = Limit(
    "performer_norm",
    3,
    "length",
    "The queries and keys of `/performer` may be vectors this long.",
    float,
)


N_FEATURES, D_HEAD = 2**14, 16
"""How many features are drawn for a mean over draws, and the channels of a query."""


class Performer(Clinic):
    features: Annotated[
        int,
        Field(ge=1),
        up_to(FEATURES),
        COSTLY,
        Control((16, 32, 64, 128, 256, 512), "features m", key="layer"),
    ] = 256
    length: Annotated[int, Field(ge=4), up_to(LENGTH), COSTLY] = 64
    norm: Annotated[float, Field(ge=0.1), up_to(NORM), Slider(0.5, 2, 0.25, key="step")] = 1.0
    orthogonal: Annotated[
        bool, COSTLY, Control({"": "independent", "1": "orthogonal"}, "projections", opens="")
    ] = False
    kernel: Annotated[
        Literal["positive", "trigonometric"], Control(("positive", "trigonometric"), "kind")
    ] = "positive"
    measure: Measure = False
    seeds: Annotated[int, Field(ge=1), up_to("seeds"), COSTLY, Control(SEEDS)] = 16

    def sizes(self) -> dict[str, float]:
        """Few orthogonal features take long, because they are drawn in more trials."""
        m, waves = self.features, 2 if self.kernel == "trigonometric" else 1
        trials = self.seeds * self.orthogonal
        return {
            "answer": 1,
            "seeds": self.seeds,
            "positions": self.seeds * self.length * waves,
            "orthogonal": trials,
            "orthogonal_draws": trials * (N_FEATURES // m) * ceil(m / D_HEAD),
            "measured": self.measure,
            "measured_features": m * self.measure,
        }


def maps(answer: "Answer", question: Question) -> list[Tile]:
    """The exact map beside the estimated one, on the scale of colours of the exact one. What the
    estimate has beyond that scale is counted beside its name.
    """
    exact, estimated = both(answer)
    share, farthest = off_scale(exact, estimated)
    beyond = f"{percent(share)} off scale (to {number(farthest)})" if share else "none off scale"

    def hover_text(q: int, k: int) -> str:
        return f"query {q}, key {k}: exact {number(exact[q, k])}, FAVOR+ {number(estimated[q, k])}"

    return [
        Tile("exact", exact, hover_text, note=f"maximum {number(float(exact.max()))}"),
        Tile("FAVOR+", estimated, hover_text, note=beyond),
    ]


def ends(answer: "Answer", question: Question) -> tuple[float, float]:
    """Those of the exact map; around 0 where a number is below it."""
    most = float(both(answer)[0].max())
    return (-most if is_signed(answer) else 0, most)


def is_signed(answer: "Answer") -> bool:
    return min(values.min() for values in both(answer)) < 0


MAPS = Tiles(
    maps,
    across=2,
    what=lambda answer, _: f"of the weight (uniform: {number(1 / answer.axes['key'].size)})",
    scale=lambda answer, _: "signed" if is_signed(answer) else "cividis",
    ends=ends,
    unit=lambda answer, _: f"weight (uniform: {1 / answer.axes['key'].size:.2g})",
    even=True,
)


def both(answer: "Answer") -> tuple["ndarray", "ndarray"]:
    """The exact map and the estimated one."""
    return answer.cut("exact").data.numpy(), answer.cut("approximate").data.numpy()


def off_scale(exact: "ndarray", estimated: "ndarray") -> tuple[float, float]:
    """The share of the estimated cells that are larger than every exact one, or below 0 by more,
    and the farthest of them; 0 where there is none.
    """
    beyond = estimated[abs(estimated) > exact.max()]
    if not beyond.size:
        return 0.0, 0.0
    return beyond.size / estimated.size, float(beyond[abs(beyond).argmax()])


def look_of(norm: Place, question: Question) -> Look:
    """The chosen norm stands out, with its seeds."""
    chosen = norm == question["norm"]
    return Look(f"norm {norm:g}", "stream" if chosen else "ink-soft", dots=chosen, seeds=chosen)


def costs(tensor: str, title: str, unit: str) -> Figure:
    """One line for attention and one for its estimate, over the lengths."""
    mark = Lines(
        tensor,
        x="length",
        by="method",
        looks=METHODS,
        hover="{name}, n = %{x}<br><b>%{y:.3g}</b> " + unit,
        x_scale=Scale("length n", kind="measured"),
        y=Scale(title, kind="log"),
    )
    return in_words(mark)


def off(answer: "Answer", question: Question) -> tuple[float, float]:
    return off_scale(*both(answer))


def ordered(answer: "Answer", question: Question) -> str:
    """Whether every curve of the error falls, and that of a larger norm lies higher."""
    error = answer.tensors["error"].data  # [norm, features], the norms from small to large
    falls = (error[:, -1] < error[:, 0]).all() and (error.diff(dim=0) > 0).all()
    return "yes" if falls else "no"


def wrong(answer: "Answer", question: Question) -> float:
    """The error as the curve has it, where it has a point."""
    error, features = answer.cut("error"), question["features"]
    if features in error.numbers("features"):
        return error.at(norm=question["norm"], features=features).data.item()
    return measured(answer, "relative_error")


WORDS = Words(
    "performer",
    fields={
        **setting("whole", "length"),
        **setting("number", "norm"),
        **setting("name", "kernel"),
        **counts("features"),
        **lengths("query", "key"),
        "norm_asked": fields.Field(lambda _, question: question["norm"], "decimal", measured=False),
        "waves": fields.Field(
            lambda _, question: 2 * question["features"], "whole", measured=False
        ),
        "share_beyond": fields.Field(lambda *inputs: off(*inputs)[0], "fraction"),
        "farthest": fields.Field(lambda *inputs: off(*inputs)[1], "number"),
        "wrong": fields.Field(wrong, "percent"),
        # One exponential: a map’s error is mostly that of its largest entries, so it needs more.
        "more": fields.Field(
            lambda answer, _: float(f"{measured(answer, TIMES[-1]):.2g}"), "number"
        ),
    },
    conditions={
        **displayed("error", "operations", "time"),
        **where("in_waves", lambda question: question["kernel"] == "trigonometric"),
        **where(
            "at_right_angles", lambda question: question["orthogonal"] and question["features"] > 1
        ),
        "scale": Condition(
            lambda *inputs: "beyond" if off(*inputs)[0] else "within", ("within", "beyond")
        ),
        "ordered": Condition(ordered, ("yes", "no")),
    },
)


EXPERIMENT = Experiment(
    question=Performer,
    example="norm=2&features=512",
    figures={
        "maps": in_words(MAPS, tensor="approximate"),
        "error": in_words(
            Lines(
                "error",
                x="features",
                by="norm",
                looks=look_of,
                rules=[
                    Rule(
                        "uniform",
                        "uniform_error",
                        "uniform attention<br>relative error %{y:.3g}",
                        "stream",
                        law=True,
                        last=True,
                    )
                ],
                hover="{name}, m = %{x}<br>relative error <b>%{y:.3g}</b>",
                x_scale=Scale("features m", kind="measured"),
                y=Scale("relative error of map", kind="log"),
                upright="features",
                pick={"features": "features", "norm": "norm"},
            )
        ),
        "operations": costs("operations", "multiplications", "multiplications"),
        "time": costs("time", "time on this machine (s)", "s"),
    },
    words=WORDS,
    opening={"shown": "error", "scale": "within", "ordered": "yes"},
    rests_on=TIMES,
    exercise=Exercise(
        ("half", "equal", "larger"),
        by_findings({"error_over_uniform": (0.5, 1)}),
        {"features=16": "features", "norm=2": "norm", "norm=0.5&features=512": "both"},
    ),
)
