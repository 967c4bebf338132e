"""Figures of /journey: one picture for each step of the walk of a token, named by its number."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.axes import labels
from app.captions.journey import spoken
from app.captions.text import label, visible, weight
from app.figures import attention
from app.figures.annotations import beside, framed, outline
from app.figures.axis_scales import AxisScale, linear, named
from app.figures.panels import Panel, figure
from app.figures.patched import Patched
from app.figures.plot import Plot
from app.figures.stream_steps import places
from app.figures.traces import bars, heat_map

if TYPE_CHECKING:
    from model.answers.answer import Answer

MAX_ROWS = 16  # of bars, and of a map whose rows are tokens
WRAPPED = 8  # tokens in a line
LETTERED = 12  # the most columns whose weights stand in the cells
LONGEST = 14  # letters of a token beside a bar
FRAME = 0.12  # of a patch's side is its frame
MAX_STEPS = 14

Draw = Callable[["Answer", dict[str, Any]], list[Panel] | Plot]


def draw_step(step: int, answer: "Answer", question: Question) -> Plot:
    """The picture of the step with this index, with the title and the sentences of the step."""
    taken, said = answer.fields["steps"][step], spoken(step, answer, question)
    tensor, sentences = answer.tensors[taken["tensor"]], " ".join(said.sentences)
    drawing = DRAWS[said.name](answer, taken["numbers"])
    if isinstance(drawing, list):
        drawing = figure(*drawing, description=sentences, across=True)
    meta = {key: value for key, value in drawing["layout"]["meta"].items() if key in LAYOUT}
    drawing["layout"]["meta"] = {
        **meta,
        **({"switches": []} if said.name in MARKED else {}),
        "title": said.title,
        "description": sentences,
        "formula": tensor.formula,
        "axes": list(tensor.axes),
        "shape": list(tensor.data.shape),
    }
    return drawing


MARKED = ("text", "patches", "decoder_input")
"""Steps whose colours say yes or no; no other scale of colours is offered."""
LAYOUT = ("rows", "notes")
"""What the runtime needs to lay panels out; what other pages say of a figure is left out."""


def strip(
    answer: "Answer", tokens: Sequence[str], marks: np.ndarray, title: str, below: Sequence[str]
) -> list[Panel]:
    """Tokens as cells in reading order, in lines of a few; the marked ones stand out."""
    across = min(WRAPPED, len(tokens))
    down = -(-len(tokens) // across)
    cells = np.full(down * across, np.nan, np.float32)
    cells[: len(tokens)] = marks
    said = [*(f"{label(token)}, {note}" for token, note in zip(tokens, below, strict=True))]
    text = [f"{label(short(token))}<br>{note}" for token, note in zip(tokens, below, strict=True)]
    empty = [""] * (down * across - len(tokens))
    trace = heat_map(
        cells.reshape(down, across),
        "token %{customdata}",
        ("sunken", "select"),
        (0, 1),
        showscale=False,
        customdata=np.array([*said, *empty], dtype=object).reshape(down, across).tolist(),
        text=np.array([*text, *empty], dtype=object).reshape(down, across).tolist(),
        xgap=2,
        ygap=2,
    )
    trace["meta"] |= {"worded": True}
    level = AxisScale(title, (-0.5, across - 0.5), [], [], side="top", frameless=True)
    upright = AxisScale("line", (down - 0.5, -0.5), [], [], frameless=True)
    chosen = [divmod(int(i), across) for i in np.flatnonzero(marks)]
    return [Panel(level, upright, [trace], shapes=framed(chosen[-1:]))]


def text(answer: "Answer", numbers: dict[str, Any]) -> list[Panel]:
    axis = answer.tensors["text.followed"].axes[0]
    ids = answer.tensors["text.ids"].data.tolist()
    return strip(
        answer,
        labels(answer, axis),
        answer.tensors["text.followed"].data.numpy(),
        "the text as tokens, each with its number",
        [str(id) for id in ids],
    )


def decoder_input(answer: "Answer", numbers: dict[str, Any]) -> list[Panel]:
    read = answer.tensors["decoder_input.read"].data.numpy()
    return strip(
        answer,
        labels(answer, "target"),
        read,
        "what the decoder has read",
        ["read" if one else "to come" for one in read],
    )


def patches(answer: "Answer", numbers: dict[str, Any]) -> list[Panel]:
    """The image in its patches; the followed one has a frame."""
    marks = answer.tensors["text.followed"].data.numpy().astype(np.float32)
    axis = answer.axes["image"]
    assert axis.grid, "an axis of patches has a grid"
    names = labels(answer, "image")
    grey = np.array((answer.input or {})["image"].split(","), float)
    side = round(grey.size**0.5)
    image = Patched(
        grey.reshape(side, side), (axis.grid[0], axis.grid[1]), marks[None, None], FRAME
    )
    looks = image.looks(
        "%{customdata}<br><b>%{z}</b> (1: followed)",
        lambda down, across, token: names[token],
        lambda down, across, token: {"token": token} if token else {},
        ("sunken", "focus"),
        showscale=False,
    )
    high, wide = image.size
    level = AxisScale("column of patches", (0, wide), [], [], side="top", frameless=True)
    upright = AxisScale("row of patches", (high, 0), [], [], frameless=True)
    traces = [looks, image.ink("%{z:.3g} ink")]
    return [Panel(level, upright, traces, shapes=[image.outlines()], even=True)]


def vectors(
    rows: Sequence[str], values: np.ndarray, title: str, frame: int | None = None
) -> list[Panel]:
    """Vectors as rows of a map, a column for each channel."""
    width = values.shape[1]
    trace = heat_map(
        values,
        "%{y}, channel %{x}<br><b>%{z:.3g}</b>",
        "signed",
        unit="value",
    )
    ends = linear("channel", [0, width - 1], low=-0.5, high=width - 0.5)
    ticks = [one for one in ends.ticks if one >= 0]
    level = replace(ends, ticks=ticks, names=[f"{one:g}" for one in ticks])
    shapes = (
        [] if frame is None else [outline("ink", -0.5, width - 0.5, frame - 0.5, frame + 0.5, 2)]
    )
    return [
        Panel(level, named(title, [short(row) for row in rows], down=True), [trace], shapes=shapes)
    ]


def embedding(answer: "Answer", numbers: dict[str, Any]) -> list[Panel]:
    names = {"token": "token", "position": "+ position", "sum": "= sum"}
    tensor = answer.tensors["embedding"]
    rows = [names[name] for name in labels(answer, "summand")]
    return vectors(rows, tensor.data.numpy(), "vector")


def add(answer: "Answer", numbers: dict[str, Any]) -> list[Panel]:
    names = {
        "before": "before",
        "written": "+ attention",
        "sum": "= sum",
        "normed": "after the norm",
        "edited": "after the edit",
    }
    rows = [names[name] for name in labels(answer, "term")]
    return vectors(rows, answer.tensors["add"].data.numpy(), "vector")


def output(answer: "Answer", numbers: dict[str, Any]) -> list[Panel]:
    tensor = answer.tensors[
        next(step["tensor"] for step in answer.fields["steps"] if step["name"] == "output")
    ]
    rows = labels(answer, tensor.axes[0])
    return vectors(rows, tensor.data.numpy(), "token", answer.fields["followed"])


def values(answer: "Answer", numbers: dict[str, Any]) -> list[Panel]:
    """The rows that keys hand over, and their sum. Where there are many, the longest are shown, and
    the sum of the others in one row.
    """
    tensor = answer.tensors["values"]
    given, total = tensor.data.numpy(), answer.tensors["values.sum"].data.numpy()
    names = labels(answer, tensor.axes[0])
    kept = strongest(np.linalg.norm(given, axis=-1))
    others = np.delete(given, kept, axis=0)
    rest = [others.sum(0)] if len(others) else []
    of_rest = [f"+ {len(others)} other{'s' if len(others) > 1 else ''}"] if rest else []
    rows = np.stack([*given[kept], *rest, total])
    said = [*(names[i] for i in kept), *of_rest, "= sum"]
    return vectors(said, rows, "weight × value", len(said) - 1)


def strongest(sizes: np.ndarray) -> list[int]:
    """The places of the largest numbers, at most so many as rows can be read, in their order."""
    return sorted(np.argsort(-sizes, kind="stable")[:MAX_ROWS].tolist())


def lying(
    names: Sequence[str],
    numbers: np.ndarray,
    rows: str,
    columns: str,
    role: str,
    hover: str,
    said: Sequence[str],
    high: float | None = None,
) -> Panel:
    """Bars from 0 to the right, one under the other, each with its number or a word at its end."""
    ends = linear(columns, numbers, high=high)
    room = (ends.range[1] - ends.range[0]) * 0.3  # where the words at the ends stand
    level = replace(ends, range=(ends.range[0], ends.range[1] + room))
    trace = bars(
        numbers,
        np.arange(len(names)),
        columns,
        role,
        f"%{{customdata}}<br><b>%{{x:.3g}}</b> {hover}",
        orientation="h",
        customdata=[label(name) for name in names],
    )
    notes = [
        beside(max(0.0, float(value)), row, label(word))
        for row, (value, word) in enumerate(zip(numbers, said, strict=True))
    ]
    upright = named(rows, [short(name) for name in names], down=True)
    return Panel(level, upright, [trace], notes)


def over_keys(answer: "Answer", name: str, columns: str, role: str, hover: str) -> list[Panel]:
    """A number for each key that may be looked at; the largest where there are many."""
    tensor = answer.tensors[name]
    row, names = tensor.data.numpy(), labels(answer, tensor.axes[0])
    seen = np.flatnonzero(np.isfinite(row))
    kept = [int(seen[i]) for i in strongest(row[seen])]
    shown = row[kept]
    said = [f"{value:.2f}".replace("-", "−") for value in shown]
    high = 1.0 if name == "weights" else None
    all_keys = f"key: {len(kept)} of {len(seen)}, those with the largest {name}"
    rows = "key" if len(kept) == len(seen) else all_keys
    return [lying([names[i] for i in kept], shown, rows, columns, role, hover, said, high)]


def scores(answer: "Answer", numbers: dict[str, Any]) -> list[Panel]:
    return over_keys(answer, "scores", "score: query · key / √d", "query", "score")


def weights(answer: "Answer", numbers: dict[str, Any]) -> list[Panel]:
    return over_keys(answer, "weights", "weight", "attention", "of the weight")


def feed_forward(answer: "Answer", numbers: dict[str, Any]) -> list[Panel]:
    """The neurons that fire most, the strongest first; where none fires, the largest number."""
    fires = answer.tensors["feed_forward"].data.numpy()
    firing = max(1, min(MAX_ROWS, numbers["firing"]))
    kept = np.argsort(-fires, kind="stable")[:firing]
    said = [f"{value:.2f}".replace("-", "−") for value in fires[kept]]
    return [
        lying(
            [str(i) for i in kept],
            fires[kept],
            "neuron, the strongest first",
            "activation",
            "feed-forward",
            "activation of this neuron",
            said,
        )
    ]


def map_of(answer: "Answer", name: str) -> "Answer":
    """The answer of /attention about one map of this one."""
    stack = name.split(".", maxsplit=1)[0]
    mask = f"{stack}.attention.mask"
    tensors = {name: answer.tensors[name], mask: answer.tensors[mask]}
    return replace(answer, tensors=tensors, fields={**answer.fields, "stage": "pattern"})


def masked(answer: "Answer", numbers: dict[str, Any]) -> Plot:
    name = f"decoder.{numbers['layer']}.attention.pattern"
    drawing = attention.one_head(map_of(answer, name), {"head": numbers["head"]})
    at = answer.fields["read_at"]
    width = answer.tensors[name].data.shape[-1]
    frame = outline("query", -0.5, width - 0.5, at - 0.5, at + 0.5, 3)
    drawing["layout"]["shapes"].append({**frame, "xref": "x", "yref": "y"})
    return drawing


def looks(answer: "Answer", numbers: dict[str, Any]) -> Plot:
    name = f"encoder.{numbers['layer']}.attention.pattern"
    return attention.over_image(map_of(answer, name), {"query": answer.fields["followed"]})


def cls(answer: "Answer", numbers: dict[str, Any]) -> Plot:
    name = f"encoder.{numbers['layer']}.attention.pattern"
    return attention.over_image(map_of(answer, name), {"query": 0})


def cross(answer: "Answer", numbers: dict[str, Any]) -> list[Panel]:
    """A row for each head, a column for each token of the source."""
    rows = answer.tensors["cross"].data.numpy()
    keys = labels(answer, "source")
    trace = heat_map(
        rows,
        "head %{y} → %{x}<br><b>%{z:.3g}</b> of the weight",
        ends=(0, 1),
        unit="weight",
    )
    if len(keys) <= LETTERED:
        trace["text"] = [[weight(value) for value in row] for row in rows]
    chosen = framed([(numbers["head"], answer.fields["followed"])])
    level = named("key: source token", keys, side="top")
    return [
        Panel(
            level,
            named("head", [str(i) for i in range(len(rows))], down=True),
            [trace],
            shapes=chosen,
        )
    ]


def stream(answer: "Answer", numbers: dict[str, Any]) -> list[Panel]:
    """The probability of the word after each step, and at the end of each bar the first guess."""
    points = answer.fields["points"]
    steps = [
        f"{place.writer.short}" if place.layer is None else f"{place.layer} {place.writer.short}"
        for place in places(points)
    ]
    said = [f"{visible(short(point['guess']))}" for point in points]
    chances = answer.tensors["stream"].data.numpy()
    word = visible(numbers["word"])
    return [
        lying(
            steps,
            chances,
            "step: layer and sub-layer",
            f"probability of {word}; at the end of a bar the first guess",
            "stream",
            f"probability of {label(word)}",
            said,
            1.0,
        )
    ]


def logits(answer: "Answer", numbers: dict[str, Any]) -> list[Panel]:
    """The candidates with their logits, and with their probabilities."""
    names = labels(answer, "candidate")
    sizes = answer.tensors["logits"].data.numpy()
    chances = answer.tensors["logits.probability"].data.numpy()
    return [
        lying(
            names,
            sizes,
            "token",
            "logit",
            "stream",
            "logit",
            [f"{value:.2f}".replace("-", "−") for value in sizes],
        ),
        lying(
            names,
            chances,
            "token",
            "probability",
            "attention",
            "probability",
            [weight(value, 3) for value in chances],
            1.0,
        ),
    ]


def fed_back(answer: "Answer", numbers: dict[str, Any]) -> list[Panel]:
    """How probable each token was as the next one; of a long text the last ones."""
    chances = answer.tensors["fed_back"].data.numpy()[-MAX_ROWS:]
    names = labels(answer, "expected")[-MAX_ROWS:]
    return [
        lying(
            names,
            chances,
            "the next token",
            "probability",
            "stream",
            "probability as the next token",
            [weight(value) for value in chances],
            1.0,
        )
    ]


def short(token: str) -> str:
    return token if len(token) <= LONGEST else f"{token[: LONGEST - 1]}…"


DRAWS: dict[str, Draw] = {
    "text": text,
    "patches": patches,
    "embedding": embedding,
    "masked": masked,
    "scores": scores,
    "weights": weights,
    "looks": looks,
    "values": values,
    "add": add,
    "feed_forward": feed_forward,
    "output": output,
    "decoder_input": decoder_input,
    "cross": cross,
    "cls": cls,
    "stream": stream,
    "logits": logits,
    "fed_back": fed_back,
}
"""The picture of each step: panels, or a figure of another page."""


def has_step(step: int, answer: "Answer") -> bool:
    return step < len(answer.fields["steps"])
