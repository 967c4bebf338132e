"""Dependency: how much of the stream each sub-layer has written, at every depth."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from pydantic import Field

from app.captions import Question, axes, fields
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import Condition, choice, counts, lengths, means, named, setting
from app.captions.text import weight
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures import placements
from app.figures.axis_scales import AxisScale, linear
from app.figures.marks import Tiles
from app.figures.mosaic import Tile
from app.figures.plot import Panel, Plot, figure, with_meta
from app.figures.traces import at_end, line, of_seeds
from app.limits import Limit
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import SEEDS, Channels, Clinic, Placed

if TYPE_CHECKING:
    from model.answers.answer import Answer

LAYERS = Limit("dependency_layers", 12, "layers", "The stack of `/dependency` may be this deep.")


class Dependency(Placed, Clinic):
    compared: ClassVar = ("post", "pre", "admin")

    layers: Annotated[int, Field(ge=1), up_to(LAYERS), COSTLY, Control((2, 4, 6, 9, 12))] = 6
    d_model: Annotated[Channels, COSTLY, Control((32, 64, 128), "width d")] = 64
    seeds: Annotated[int, Field(ge=1), up_to("seeds"), COSTLY, Control(SEEDS)] = 8

    def sizes(self) -> dict[str, float]:
        sublayers = 2 * self.layers
        if self.stack == "decoder":
            sublayers = 3 * self.layers + min(2 * self.layers, self.MEMORY_SUBLAYERS)
        sublayers *= self.seeds * self.n_placements
        products = sublayers * self.d_model**2
        return {"answer": 1, "sublayers": sublayers, "products": products}


NAMED = 6  # the most writers that are named over one map
MARKED = 12  # the most sub-layers that are marked along an axis
DOTTED = "2px,4px"
KINDS = {
    "attention": ("attention", "attention"),
    "cross_attention": ("cross-attention", "cross"),
    "feed_forward": ("feed-forward", "feed-forward"),
}
"""What each kind of sub-layer is called, and its colour."""


def maps(answer: "Answer", question: Question) -> list[Tile]:
    """A triangle for each placement: rows are depths, columns writers; a click chooses it."""
    shares, kinds = answer.tensors["beta_squared.all"].data.numpy(), kinds_of(answer)
    lower = np.tri(shares.shape[-1], dtype=bool)  # no sub-layer has written before its own depth
    return [
        Tile(
            placements.NAMES[name],
            np.where(lower, share, np.nan),
            lambda i, j, name=name: cell_label(placements.NAMES[name], kinds, i, j),
            placements.ROLES[name],
            chosen=name == question["placement"],
            pick=lambda i, j, name=name: {"placement": name},
        )
        for name, share in zip(placements_of(answer), shares, strict=True)
    ]


def numbers(answer: "Answer", question: Question) -> tuple[list[str], list[str]]:
    """The depths, and of the writers as many as there is room for."""
    depths = [str(i + 1) for i in range(answer.axes["sublayer"].size)]
    every = -(-len(depths) // NAMED)
    return depths, ["" if j % every else name for j, name in enumerate(depths)]


MAPS = Tiles(
    maps,
    across=lambda answer, _: len(placements_of(answer)),
    rows="after sub-layer i",
    columns="contribution of sub-layer j",
    what="of the residual stream’s variance",
    ends=None,
    unit="fraction",
    names=numbers,
    text=weight,
)


def cell_label(name: str, kinds: Sequence[str], i: int, j: int) -> str:
    """What a cell is; a writer that has not written yet is nothing."""
    return (
        "" if j > i else f"{name}, after sub-layer {i + 1}: contribution of {sub_layer(kinds, j)}"
    )


def sub_layer(kinds: Sequence[str], i: int) -> str:
    """ "sub-layer 3, attention of layer 1": layers are counted from 0, sub-layers are depths."""
    layer, kind = divmod(i, len(kinds))
    return f"sub-layer {i + 1}, {KINDS[kinds[kind]][0]} of layer {layer}"


def newest(answer: "Answer", question: Question) -> Plot:
    """What each sub-layer of the chosen placement supplies when it has just been added, a line for
    each kind of sub-layer and thin ones for its seeds, and dotted the mean of each layer of the
    other placements. Under them are the shortcuts that Admin's profile gives.

    No mark draws it: its panels are of two tensors, and a line has the sub-layers of its kind only.
    """
    seeds, names, kinds = axes.values(answer, "seed"), placements_of(answer), kinds_of(answer)
    every = answer.tensors["dependency.all"].data.numpy()
    sublayers = np.arange(1, every.shape[1] + 1)
    by_kind = answer.tensors["by_kind"].data.numpy()
    by_seed = answer.tensors["by_kind.by_seed"].data.numpy()
    upper, ends, thin = [], [], []
    for k, kind in enumerate(kinds):
        name, role = KINDS[kind]
        places = sublayers[k :: len(kinds)]
        hover = "sub-layer %{x} contributes<br><b>%{y:.3g}</b> of the residual stream’s variance"
        upper.append(line(places, by_kind[k], name, role, f"{name}, {hover}", legend=False))
        ends.append(at_end(places[-1], by_kind[k][-1], name, role))
        thin += of_seeds(places, by_seed[:, k], seeds, name, role, hover)
    middles = sublayers.reshape(-1, len(kinds)).mean(1)
    for name, row in zip(names, every, strict=True):
        if name != question["placement"]:
            title, role = placements.NAMES[name], placements.ROLES[name]
            mean = row.reshape(-1, len(kinds)).mean(1)
            hover = f"{title}<br>mean over a layer’s sub-layers <b>%{{y:.3g}}</b>"
            dotted = line(middles, mean, title, role, hover, dots=False, dash=DOTTED, legend=False)
            upper.append(dotted)
            ends.append(at_end(middles[-1], mean[-1], title, role))
    omega = answer.tensors["omega"].data.numpy()
    omega_by_seed = answer.tensors["omega.by_seed"].data.numpy()
    admin, role = placements.NAMES["admin"], placements.ROLES["admin"]
    hover = "sub-layer %{x}<br>ω = <b>%{y:.3g}</b>"
    lower = [
        line(sublayers, omega, admin, role, f"{admin}, {hover}", legend=False),
        *of_seeds(sublayers, omega_by_seed, seeds, admin, role, hover),
    ]
    every_other = max(1, -(-len(sublayers) // MARKED))
    marked = [int(place) for place in sublayers[::every_other]]
    x = AxisScale(
        "sub-layer i", (0.5, len(sublayers) + 0.5), marked, [str(place) for place in marked]
    )
    of = placements.NAMES[question["placement"]]
    share = with_headroom(f"newest sub-layer’s fraction, {of}", by_seed, every)
    drawing = figure(
        Panel(x, share, upper + thin, ends),
        Panel(
            x,
            with_headroom("ω on the residual connection", omega, omega_by_seed),
            lower,
            [at_end(sublayers[-1], omega[-1], admin, role)],
        ),
    )
    return with_meta(drawing, aligned=True)


def with_headroom(title: str, *values: np.ndarray) -> AxisScale:
    """An axis from 0 to a little above the largest value, whose dot is then whole."""
    return linear(title, [], low=0, high=1.05 * max(float(of.max()) for of in values))


def kinds_of(answer: "Answer") -> list[str]:
    return axes.labels(answer, "kind")


def placements_of(answer: "Answer") -> list[str]:
    return axes.labels(answer, "placement")


FADING = 2 / 3  # what fades has at the last layer less than this share of its value at the first
RISES = 2  # so many times as large at the last layer as at the first


def rows(answer: "Answer", question: Question) -> str:
    """Whether the newest sub-layer fades over the layers of Pre-LN, but not of Post-LN."""
    count = len(kinds_of(answer))
    post, pre = (
        answer.cut("dependency.all", placement=name).data.unflatten(-1, (-1, count)).mean(-1)
        for name in ("post", "pre")
    )
    return "fade" if pre[-1] < FADING * pre[0] and post[-1] >= post[0] else "compare"


def lines(answer: "Answer", question: Question) -> str:
    """Whether the line of attention rises."""
    attention = answer.cut("by_kind", kind="attention").data
    return "rise" if attention[-1] > RISES * attention[0] else "compare"


WORDS = Words(
    "dependency",
    fields={
        **setting("whole", "d_model"),
        **counts("layers"),
        **lengths("sublayer"),
        **means("fraction", "dependency.all", placement=("post", "pre", "{placement}")),
        **named("placement", placements.NAMES),
        "placements": fields.Field(
            lambda answer, _: placements.listed(answer), "names", measured=False
        ),
    },
    conditions={
        **choice("stack", "encoder", "decoder"),
        "rows": Condition(rows, ("fade", "compare")),
        "lines": Condition(lines, ("rise", "compare")),
        "compared": Condition(
            lambda _, question: (
                question["placement"] if question["placement"] in ("post", "pre") else "other"
            ),
            ("post", "pre", "other"),
        ),
        "norms": Condition(
            lambda _, question: "none" if question["placement"] == "none" else "some",
            ("some", "none"),
        ),
    },
)
EXPERIMENT = Experiment(
    question=Dependency,
    example="placement=pre&layers=2",
    figures={
        "maps": in_words(MAPS, tensor="beta_squared.all"),
        "newest": in_words(newest, tensor="by_kind"),
    },
    words=WORDS,
    opening={"rows": "fade", "lines": "rise"},
    rests_on=("post_over_pre",),
    exercise=Exercise(
        ("less", "between", "more"),
        by_findings({"mean_dependency": (0.15, 0.35)}),
        {"placement=pre": "pre", "stack=decoder": "decoder", "placement=none": "none"},
    ),
)
