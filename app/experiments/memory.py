"""Memory: the feed-forward of a trained model as keys and values."""

import math
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from app.captions import Question, axes, fields
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import (
    Condition,
    choice,
    displayed,
    found,
    lasts,
    lengths,
    means,
    setting,
    stated,
)
from app.captions.findings import finding
from app.captions.text import label, tick, visible
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures import theme
from app.figures.axis_scales import AxisScale, named, round_numbers
from app.figures.marks import EVEN, Bars, Lines, Look, Scale
from app.figures.plot import Panel, Plot, Trace, changed, figure
from app.figures.traces import bars, fill, fitting
from app.limits import Limit
from app.schema.answers import ClinicAnswer, StrictModel
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Clinic, Layer, Text

if TYPE_CHECKING:
    from model.answers.answer import Answer

RANKS = {1: "1st", 2: "2nd", 3: "3rd", **{n: f"{n}th" for n in range(4, 13)}}
RANK = Limit(
    "key_rank", 10_000, "keys", "The keys of a feed-forward are ranked up to here in `/memory`."
)
MAX_SLOTS = Limit("slots", 32, "slots", "`/memory` may have this many persistent slots.")


USUAL_CHARACTERS = 480
"""About as many has the text that is read where none is given."""


class Memory(Clinic):
    stack: Annotated[Literal["encoder", "decoder"], Control(("encoder", "decoder"))] = "decoder"
    layer: Annotated[
        Layer,
        Control((0, 1, 2), key="layer"),
    ] = 2
    rank: Annotated[int, Field(ge=1), up_to(RANK), Control(RANKS, "key", key="step")] = 1
    slots: Annotated[int, Field(ge=0), up_to(MAX_SLOTS), COSTLY] = 8
    text: Annotated[Text | None, COSTLY] = None

    def sizes(self) -> dict[str, float]:
        characters = USUAL_CHARACTERS if self.text is None else len(self.text)
        return {self.stack: 1, f"{self.stack}_seeds": self.seeds, "characters": characters}


class Key(StrictModel):
    """A neuron of the feed-forward network, where it fires, and what it writes."""

    neuron: int
    tokens: list[str]
    words: list[str]


class Chosen(StrictModel):
    """The key that is shown."""

    neuron: int
    rank: int
    firing: float


class MemoryAnswer(ClinicAnswer):
    keys: list[Key]
    chosen: Chosen
    sentences: list[list[str]]


SHARE = 0.17  # of the width are bars; the rest is words
FIRES, WRITES = 0.62, 0.65  # of the width, where one column of words ends and the next begins
LINE = 38  # characters of a sentence in one line
GAP = 0.5  # between two sentences, in lines
MEMBERS = {
    name: Look(name, role)
    for name, role in (("feed-forward", "value"), ("slots", "attention"), ("attention", "ink-soft"))
}
TEXTS = {
    "held out": Look("held-out text", "ink-soft", "5px,4px"),
    "this text": Look("this text", "attention"),
}


def keys(answer: "Answer", question: Question) -> Plot:
    """One row for each key: the bar of its strongest firing, the token there after those before it,
    and the words that its value pushes up. The row of the chosen key is shaded.
    """
    known = answer.fields["keys"]
    firing = answer.tensors["firing"].data.numpy()
    width = float(firing[0]) / SHARE
    places = np.arange(len(known))
    labels = [
        [
            str(key["neuron"]),
            float(m),
            label(" ".join(map(visible, key["tokens"]))),
            label(", ".join(map(visible, key["words"]))),
        ]
        for key, m in zip(known, firing, strict=True)
    ]
    trace = bars(
        firing,
        places,
        "m",
        "key",
        "key %{y}: m = <b>%{x:.3g}</b><br>fires at %{customdata[2]}<br>promotes %{customdata[3]}",
        orientation="h",
        width=0.56,
        customdata=labels,
    )
    rank = answer.fields["chosen"]["rank"]
    # A key from farther down stands in the last row.
    row_of_rank = min(rank, len(known))
    ranks = [int(place) + 1 for place in places]
    ranks[row_of_rank - 1] = rank
    pick = {"rank": ranks}
    trace["meta"] |= {"pick": pick, "columns": ["key", "m", "fires at", "promotes"]}
    heads = [
        row_note("fires at", -0.5, width, FIRES, 0, "ink-soft", "right"),
        row_note("promotes", -0.5, width, WRITES, 1, "ink-soft"),
    ]
    notes = [{**note, "yanchor": "bottom"} for note in heads]
    for row, key in enumerate(known):
        *before, token = map(visible, key["tokens"])
        first, *others = map(visible, key["words"])
        notes += [
            row_note(before, row, width, FIRES, SHARE, "ink-soft", "right", after=token),
            row_note([token], row, width, FIRES, SHARE, "key", "right", bold=True),
            row_note([first], row, width, WRITES, 1, "value", bold=True),
            row_note(others, row, width, WRITES, 1, "value", before=first),
        ]
    shapes = [fill("select", 0, width, row_of_rank - 1.5, row_of_rank - 0.5)]
    ticks = round_numbers(0, float(firing[0]), 2)
    x = AxisScale("m", (0, width), ticks, [tick(value) for value in ticks], side="top")
    y = named("key", [str(key["neuron"]) for key in known], down=True)
    return figure(Panel(x, y, [trace], notes, shapes))


def row_note(
    words: str | list[str],
    row: float,
    width: float,
    at: float,
    until: float,
    role: str,
    side: str = "left",
    bold: bool = False,
    before: str = "",
    after: str = "",
) -> dict[str, Any]:
    """Words in a row, from `at` to `until` at most, both as shares of the width; the runtime leaves
    out those that do not fit. `before` and `after` stand beside them in a note of their own, and
    are left free: all letters are equally wide.
    """
    free = ("\u00a0" * (len(before) + 1) if before else "") + "{}"
    free += "\u00a0" * (len(after) + 1) if after else ""
    text = words if isinstance(words, str) else " ".join(words)
    font = {"color": theme.colour(role), **({"weight": 700} if bold else {})}
    return {
        "x": at * width,
        "y": row,
        "xanchor": side,
        "text": free.format(label(text)),
        "font": font,
        "look": {**fitting(until * width, role), "tokens": not isinstance(words, str)},
        "showarrow": False,
    }


CONTRIBUTIONS = Bars(
    "written",
    x="word",
    look=Look("v W_U", "value"),
    hover="%{x}<br><b>%{y:.3g}</b> added to its logit",
    x_scale=lambda answer, _: Scale(
        f"words promoted by value {answer.fields['chosen']['neuron']}", kind="named", **EVEN
    ),
    y=lambda answer, _: Scale(
        "added to logit (m = 1)",
        high=1.05 * max(0, answer.cut("written").data.max().item()) or None,
    ),
)
"""What the chosen value adds to the logits of the words that it pushes up most."""


def fires(answer: "Answer", question: Question) -> Plot:
    """The sentences in which the chosen key fires strongest: each token is a bar as long as it is
    written, on the colour of its firing. A sentence that is too long goes on in the next line.
    """
    chosen = answer.fields["chosen"]
    values = answer.tensors["fires"].data.numpy()
    level, tokens = 0.0, []
    for row, sentence in enumerate(answer.fields["sentences"]):
        start = 0
        for column, token in enumerate(map(visible, sentence)):
            if start and start + len(token) + 1 > LINE:
                start, level = 1, level + 1
            tokens.append((token, start, level, float(values[row, column]), row + 1))
            start += len(token) + 1
        level += 1 + GAP
    traces = [
        token_bars([token for token in tokens if token[3] <= 0], "silent", chosen["firing"]),
        token_bars([token for token in tokens if token[3] > 0], "firing", chosen["firing"]),
    ]
    x = AxisScale("token", (0, LINE), [], [], side="top", frameless=True)
    y = AxisScale("sentence", (level - GAP - 0.5, -0.5), [], [], frameless=True)
    return figure(Panel(x, y, traces))


def token_bars(tokens: list[tuple[str, int, float, float, int]], name: str, most: float) -> Trace:
    """Tokens as bars: those that fire in the colours of a scale up to `most`, the others in one."""
    words, starts, levels, values, rows = zip(*tokens, strict=True) if tokens else ([],) * 5
    trace = bars(
        [len(word) + 0.8 for word in words],
        levels,
        name,
        "sunken",
        "%{customdata[0]}, sentence %{customdata[1]}<br>m = <b>%{customdata[2]:.3g}</b>",
        orientation="h",
        base=list(starts),
        width=0.86,
        text=[label(word) for word in words],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        constraintext="none",
        customdata=[[label(w), str(row), m] for w, row, m in zip(words, rows, values, strict=True)],
    )
    columns = ["token", "sentence", "m"]
    if name == "silent":
        trace["meta"] |= {"columns": columns}
        return trace
    trace["meta"] = {"scale": "cividis", "columns": columns}
    return changed(
        trace,
        marker={
            "color": list(values),
            "cmin": 0,
            "cmax": most,
            "colorscale": theme.colorscale("cividis"),
            "colorbar": {"title": {"text": "m", "side": "right"}, "thickness": 12},
            "showscale": True,
        },
    )


def bits(answer: "Answer", question: Question) -> Scale:
    """The axis of both texts, which is not from 0 on."""
    values = np.concatenate([answer.tensors[name].data.numpy() for name in ("held_out", "bits")])
    low, high = math.floor(2 * values.min()) / 2, float(values.max() + 0.02 * np.ptp(values))
    return Scale("bits per character", low=low, high=high)


RECURRENCE = Lines(
    "bits",
    x="memory",
    parts={"held out": {"tensor": "held_out"}, "this text": {}},
    looks=TEXTS,
    hover="{name}, %{x} inputs remembered<br><b>%{y:.3g}</b> bits per character",
    x_scale=Scale("memory of each layer", "tokens", kind="every", every=64),
    y=bits,
)
"""Bits a character by how much each layer remembers: of the text held out, and of the one that was
given.
"""


def replaced(answer: "Answer", question: Question) -> str:
    """The verdict on slots in the place of feed-forward networks."""
    return finding(answer, "slots.less_feed_forward").verdict


def best_length(answer: "Answer", question: Question) -> int:
    """The length of memory at which held-out text costs least."""
    lengths, held_out = axes.values(answer, "memory"), answer.tensors["held_out"].data
    return int(lengths[int(held_out.argmin())])


def least(tensor: str) -> fields.Field:
    return fields.Field(lambda answer, _: answer.tensors[tensor].data.min().item(), "decimals")


def shown_keys(answer: "Answer", question: Question) -> int:
    """How many keys are drawn that fire strongest, without one from farther down."""
    known = len(answer.fields["keys"])
    return known - (answer.fields["chosen"]["rank"] > known)


def output_words(answer: "Answer") -> list[str]:
    return [visible(word) for word in axes.labels(answer, "word")]


WORDS = Words(
    "memory",
    fields={
        **setting("whole", "layer"),
        **stated("whole", "chosen.neuron"),
        **found("fraction", "agreement", "agreement_shuffled"),
        **means("decimals", "held_out", memory=("first", "last")),
        **means("decimals", "bits", memory=("first",)),
        **means("decimals", "slot_loss", {"trained": "last"}, member=MEMBERS),
        **lasts("decimal", "memory"),
        **lengths("kept_seed"),
        "held_out_least": least("held_out"),
        "bits_least": least("bits"),
        "best": fields.Field(best_length, "whole", measured=False),
        "keys": fields.Field(shown_keys, "whole", measured=False),
        "memory_first": fields.Field(
            lambda answer, _: axes.values(answer, "memory")[0], "whole", measured=False
        ),
        "word_names": fields.Field(
            lambda answer, _: ", ".join(output_words(answer)), "text", measured=False
        ),
    },
    conditions={
        **choice("stack", "encoder", "decoder"),
        **displayed("recurrence", "slots"),
        "replaced": Condition(replaced, ("holds", "fails", "undecided")),
    },
)
EXPERIMENT = Experiment(
    question=Memory,
    answer=MemoryAnswer,
    example="stack=encoder&layer=0&rank=2",
    figures={
        "keys": in_words(keys, tensor="firing"),
        "written": in_words(CONTRIBUTIONS),
        "fires": in_words(fires, tensor="fires"),
        "slots": in_words(
            Lines(
                "slot_loss",
                x="trained",
                by="member",
                looks=MEMBERS,
                hover="{name}<br>after %{x} steps<br><b>%{y:.3g}</b> nats per token",
                x_scale=Scale("training steps", kind="every", every=100),
                y=Scale("held-out loss", "nats per token", parts=2),
            ),
        ),
        "recurrence": in_words(RECURRENCE),
    },
    words=WORDS,
    opening={"shown": "other", "stack": "decoder"},
    rests_on=("sum_of_values", "agreement.above_chance"),
    exercise=Exercise(
        ("few", "some", "many"),
        by_findings({"agreement": (0.05, 0.2)}),
        {"layer=1": "layer", "stack=encoder": "encoder"},
    ),
)
