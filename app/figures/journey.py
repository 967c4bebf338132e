"""Figures of /journey: one figure for each step of a token's walk, named by its number. All have
the token's column on top, its vector as a stripe of colors.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.axes import labels
from app.captions.text import counted, label, visible, weight
from app.figures import attention
from app.figures.axis_scales import AxisScale, linear, named
from app.figures.meta import NoteLook
from app.figures.patched import Patched, image_of
from app.figures.plot import Panel, Plot, Row, figure
from app.figures.stream_steps import places
from app.figures.traces import bars, beside, framed, heat_map, outline

if TYPE_CHECKING:
    from model.answers.answer import Answer

MAX_ROWS = 16  # of bars
LETTERED = 12  # maximum columns with weights in the cells
LONGEST = 14  # maximum characters of a token next to a bar
FRAME = 0.12  # as a fraction of a patch's side
MAX_STEPS = 14
WEIGHT = "of the weight"
COLUMN = 0.22  # height of the column at every step, as a fraction
FULL = 0.85  # fraction of the numbers in all columns within the color scale; the others are clipped

Line = list[Panel]
"""Panels side by side."""
Draw = Callable[["Answer", dict[str, Any]], list[Line]]


class Stripe(Panel):
    """A vector as a stripe of colors. All stripes have the same scale and width."""


def draw_step(step: int, title: str, answer: "Answer", question: Question) -> Plot:
    """The figure of the step with this index and title. The column is on top, at the same place in
    every step, and what the step does with it is below.
    """
    taken = answer.fields["steps"][step]
    name, tensor = taken["name"], answer.tensors[taken["tensor"]]
    lines = lines_of(step, answer)
    rows = [
        Row(len(line), share, widths=WIDTHS.get(name, ())) if len(line) > 1 else Row(1, share)
        for line, share in zip(lines, shares(lines), strict=True)
    ]
    panels = [panel for line in lines for panel in line]
    drawing = figure(*panels, rows=rows)
    stripes = all(isinstance(panel, Stripe) for panel in panels)
    drawing["layout"]["meta"] |= {
        **({"switches": []} if name in MARKED else {}),
        **({"table": table_of(panels, title)} if stripes else {}),
        "came": came(step, answer),
        "title": title,
        "formula": tensor.formula,
        "axes": list(tensor.axes),
        "shape": list(tensor.data.shape),
    }
    if not question.get("beside"):  # a difference has its own colors
        say_end_of_colours(drawing)
    if not stripes:
        for trace in drawing["data"]:
            trace["meta"]["tabled"] = trace["meta"].get("tabled", True) and trace["yaxis"] != "y"
    return drawing


WIDTHS = {"logits": (0.42, 0.58), "fed_back": (0.58, 0.42), "patches": (0.4, 0.6)}
"""The widths of two panels side by side, as fractions, if not equal."""
MARKED = ("patches",)
"""Steps with yes-or-no colors, for which no other scale is offered."""


def say_end_of_colours(drawing: Plot) -> None:
    """Adds to vectors in the column's colors that larger numbers are clipped."""
    for trace in drawing["data"]:
        if trace["meta"].get("scale") != "signed" or trace["meta"]["fitted"]:
            continue
        extent, bar = f"colors saturate at ±{trace['zmax']:g}", trace["colorbar"]["title"]
        trace["hovertemplate"] = trace["hovertemplate"].replace("</b>", f"</b> ({extent})")
        if bar["text"]:
            bar["text"] = extent


def lines_of(step: int, answer: "Answer") -> list[Line]:
    """The content of a step's figure, from top to bottom."""
    taken = answer.fields["steps"][step]
    return [[column(answer, step)], *DRAWS[taken["name"]](answer, taken["numbers"])]


def shares(lines: Sequence[Line]) -> list[float]:
    """The fraction of the height of each line; a stripe next to a map is as high as the column."""
    rest, thin = lines[1:], [isinstance(line[0], Stripe) for line in lines[1:]]
    if all(thin):
        return [COLUMN, *[(1 - COLUMN) / len(rest)] * len(rest)]
    wide = (1 - COLUMN * (1 + sum(thin))) / (len(rest) - sum(thin))
    return [COLUMN, *(COLUMN if is_thin else wide for is_thin in thin)]


def came(step: int, answer: "Answer") -> float:
    """The fraction of the height from which the column moves up after the previous step, where it
    was a part of the figure.
    """
    if not step:
        return 0.0
    before = lines_of(step - 1, answer)
    vector = answer.tensors["columns"].data[step].numpy()
    starts = np.cumsum([0, *shares(before)])
    for line, start in zip(before, starts, strict=False):
        for stripe in line:
            if isinstance(stripe, Stripe) and np.array_equal(values_of(stripe), vector):
                return float(start)
    return 0.0


def values_of(stripe: Stripe) -> np.ndarray:
    return next(iter(stripe.traces))["z"][0]


def table_of(stripes: Sequence[Panel], caption: str) -> dict[str, Any]:
    """The numbers of stripes, one row each."""
    rows = [
        [stripe.y.title, *values_of(stripe).tolist()]
        for stripe in stripes
        if isinstance(stripe, Stripe)
    ]
    return {
        "caption": caption,
        "head": ["channel", *map(str, range(len(rows[0]) - 1))],
        "rows": rows,
    }


def reach(answer: "Answer") -> float:
    """The color limit of a walk's vectors: a round number above most numbers in its columns, so
    that an outlier does not make the others pale.
    """
    size = float(np.quantile(np.abs(answer.tensors["columns"].data.numpy()), FULL)) or 1.0
    power = 10.0 ** math.floor(math.log10(size))
    return next(float(f"{m * power:.6g}") for m in (1, 2, 3, 5, 10) if m * power >= size * 0.999)


def stripe(answer: "Answer", vector: np.ndarray, name: str, caption: str = "") -> Stripe:
    """A vector as a stripe of colors, below its name."""
    ends = reach(answer)
    trace = heat_map(
        vector[None],
        f"{label(name)}, channel %{{x}}<br><b>%{{z:.3g}}</b>",
        "signed",
        (-ends, ends),
    )
    what = caption or f"{len(vector)} channels"
    level = AxisScale(what, (-0.5, len(vector) - 0.5), [], [], side="top", frameless=True)
    return Stripe(level, AxisScale(name, (0.5, -0.5), [], [], frameless=True), [trace])


def standing(column: str, walk: str) -> str:
    """Where in the model a stream activation's vector is."""
    stack, *layer, kind, point = column.split(".")
    where = f" of the {stack}" if walk == "translation" else ""
    template = STANDING[point]
    if point == "token" and walk == "image":
        return "pixels as a vector"
    return f"{template.format(*layer)}{where if kind != 'embedding' else ''}"


STANDING = {
    "token": "learned vector for this ID",
    "sum": "with position added",
    "in": "before layer {}",
    "after_attention": "after attention in layer {}",
    "after_cross_attention": "after cross-attention in layer {}",
    "out": "after the last layer",
}


def column(answer: "Answer", step: int) -> Stripe:
    """The vector of the followed token before a step, framed."""
    taken, vector = answer.fields["steps"][step], answer.tensors["columns"].data[step].numpy()
    where = standing(taken["column"], answer.fields["walk"])
    frame = outline("ink", -0.5, len(vector) - 0.5, -0.5, 0.5, 3)
    plain = stripe(answer, vector, quoted(taken["token"]), where)
    return replace(plain, shapes=[frame])


def vectors_of(
    answer: "Answer", rows: Sequence[str], name: str, title: str, frame: int | None = None
) -> Line:
    """A vector for each token, in the column's colors."""
    ends = reach(answer)
    values = answer.tensors[name].data.numpy()
    return vectors(rows, values, title, frame, (-ends, ends))


def text(answer: "Answer", numbers: dict[str, Any]) -> list[Line]:
    """Every token with its id, and the vector selected by the id."""
    tokens = labels(answer, answer.tensors["text.followed"].axes[0])
    ids = answer.tensors["text.ids"].data.tolist()
    rows = [f"{short(token)} {id}" for token, id in zip(tokens, ids, strict=True)]
    at = answer.fields["followed"]
    return [vectors_of(answer, rows, "text.vectors", "token and ID", at)]


def decoder_input(answer: "Answer", numbers: dict[str, Any]) -> list[Line]:
    """The vectors of the tokens that the decoder has read; later ones are hatched."""
    read = answer.tensors["decoder_input.read"].data.numpy().astype(bool)
    names = [
        short(token) if is_read else f"{short(token)} (future)"
        for token, is_read in zip(labels(answer, "target"), read, strict=True)
    ]
    at = answer.fields["read_at"]
    panel, *_ = vectors_of(answer, names, "decoder_input.vectors", "target token", at)
    (trace,) = panel.traces
    z = np.where(read[:, None], trace["z"], np.nan)
    return [
        [replace(panel, traces=[{**trace, "z": z, "meta": {**trace["meta"], "hatched": True}}])]
    ]


def patches(answer: "Answer", numbers: dict[str, Any]) -> list[Line]:
    """The image in patches; the followed one has a frame."""
    marks = answer.tensors["text.followed"].data.numpy().astype(np.float32)
    axis = answer.axes["image"]
    assert axis.grid, "an axis of patches has a grid"
    names = labels(answer, "image")
    image = Patched(image_of(answer), (axis.grid[0], axis.grid[1]), marks[None, None], FRAME)
    followed = image.attention_map(
        "%{customdata}<br><b>%{z}</b> (1: followed)",
        lambda down, across, token: names[token],
        lambda down, across, token: {"token": token} if token else {},
        ("sunken", "focus"),
        showscale=False,
    )
    high, wide = image.size
    level = AxisScale("patch", (0, wide), [], [], side="top", frameless=True)
    upright = AxisScale("image", (high, 0), [], [], frameless=True)
    traces = [followed, image.ink("%{z:.3g} ink")]
    picture = Panel(level, upright, traces, shapes=[image.outlines()], even=True)
    at = int(marks.argmax())
    return [[picture, *vectors_of(answer, names, "text.vectors", "patch", at)]]


def vectors(
    rows: Sequence[str],
    values: np.ndarray,
    title: str,
    frame: int | None = None,
    ends: tuple[float, float] | None = None,
) -> Line:
    """Vectors as rows of a map, with a column for each channel."""
    width = values.shape[1]
    trace = heat_map(
        values,
        "%{y}, channel %{x}<br><b>%{z:.3g}</b>",
        "signed",
        ends,
        unit="value",
    )
    level = linear("channel", [0, width - 1], low=-0.5, high=width - 0.5)
    ticks = [tick for tick in level.ticks if tick >= 0]
    level = replace(level, ticks=ticks, names=[f"{tick:g}" for tick in ticks])
    shapes = (
        [] if frame is None else [outline("ink", -0.5, width - 0.5, frame - 0.5, frame + 0.5, 2)]
    )
    return [
        Panel(level, named(title, [short(row) for row in rows], down=True), [trace], shapes=shapes)
    ]


def embedding(answer: "Answer", numbers: dict[str, Any]) -> list[Line]:
    names = {"position": "+ position", "sum": "= sum"}
    return parts(answer, "embedding", "summand", names)


def add(answer: "Answer", numbers: dict[str, Any]) -> list[Line]:
    names = {
        "written": "+ attention output",
        "sum": "= sum",
        "normed": "after the norm",
        "edited": "after the edit",
    }
    return parts(answer, "add", "term", names)


def parts(answer: "Answer", name: str, axis: str, names: dict[str, str]) -> list[Line]:
    """The column, the vectors added to it, and the result."""
    every = zip(labels(answer, axis)[1:], answer.tensors[name].data.numpy()[1:], strict=True)
    return [[stripe(answer, vector, names[part])] for part, vector in every]


def output(answer: "Answer", numbers: dict[str, Any]) -> list[Line]:
    name = next(step["tensor"] for step in answer.fields["steps"] if step["name"] == "output")
    rows = labels(answer, answer.tensors[name].axes[0])
    return [vectors_of(answer, rows, name, "token", answer.fields["followed"])]


def values(answer: "Answer", numbers: dict[str, Any]) -> list[Line]:
    """The values of the keys, and their sum. If there are many, the largest by norm are shown, and
    the others are summed in one row.
    """
    tensor = answer.tensors["values"]
    weighted_values, total = tensor.data.numpy(), answer.tensors["values.sum"].data.numpy()
    names = labels(answer, tensor.axes[0])
    longest = strongest(np.linalg.norm(weighted_values, axis=-1))
    others = np.delete(weighted_values, longest, axis=0)
    rest = [others.sum(0)] if len(others) else []
    of_rest = [f"+ {counted(len(others), 'other')}"] if rest else []
    rows = np.stack([*weighted_values[longest], *rest, total])
    row_names = [*(names[i] for i in longest), *of_rest, "= sum"]
    return [vectors(row_names, rows, "weight × value", len(row_names) - 1)]


def strongest(sizes: np.ndarray) -> list[int]:
    """The indices of the largest numbers that fit, in their original order."""
    return sorted(np.argsort(-sizes, kind="stable")[:MAX_ROWS].tolist())


def lying(
    names: Sequence[str],
    numbers: np.ndarray,
    rows: str,
    columns: str,
    role: str,
    hover: str,
    texts: Sequence[str],
    high: float | None = None,
    stays: bool = False,
) -> Panel:
    """Horizontal bars from 0, one below the other, each with its number or a word at its end. On a
    narrow screen, the words are hidden unless the text `stays`.
    """
    ends = linear(columns, numbers, high=high)
    # position of the words at the ends
    room = (ends.range[1] - ends.range[0]) * (0.45 if stays else 0.3)
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
        {
            **beside(max(0.0, float(value)), row, label(word)),
            "look": NoteLook(kind="here" if stays else "sum", role="ink"),
        }
        for row, (value, word) in enumerate(zip(numbers, texts, strict=True))
    ]
    upright = named(rows, [short(name) for name in names], down=True)
    return Panel(level, upright, [trace], notes)


def over_keys(answer: "Answer", name: str, columns: str, role: str, hover: str) -> list[Line]:
    """A number for each visible key; the largest if there are many."""
    tensor = answer.tensors[name]
    row, names = tensor.data.numpy(), labels(answer, tensor.axes[0])
    allowed = np.flatnonzero(np.isfinite(row))
    keys = [int(allowed[i]) for i in strongest(row[allowed])]
    largest = row[keys]
    texts = [f"{value:.2f}".replace("-", "−") for value in largest]
    high = 1.0 if name == "weights" else None
    all_keys = f"key ({len(keys)} of {len(allowed)}: largest {name})"
    rows = "key" if len(keys) == len(allowed) else all_keys
    return [[lying([names[i] for i in keys], largest, rows, columns, role, hover, texts, high)]]


def scores(answer: "Answer", numbers: dict[str, Any]) -> list[Line]:
    return over_keys(answer, "scores", "score: query · key / √d", "query", "score")


def weights(answer: "Answer", numbers: dict[str, Any]) -> list[Line]:
    return over_keys(answer, "weights", "weight", "attention", WEIGHT)


def feed_forward(answer: "Answer", numbers: dict[str, Any]) -> list[Line]:
    """The neurons that fire most strongly; if none fires, those with the largest numbers."""
    fires = answer.tensors["feed_forward"].data.numpy()
    firing = max(1, min(MAX_ROWS, numbers["firing"]))
    top = np.argsort(-fires, kind="stable")[:firing]
    texts = [f"{value:.2f}".replace("-", "−") for value in fires[top]]
    bars = lying(
        [str(i) for i in top],
        fires[top],
        "neuron (strongest first)",
        "activation",
        "feed-forward",
        "activation",
        texts,
    )
    after = answer.tensors["feed_forward.after"].data.numpy()
    return [[bars], [stripe(answer, after, "= after layer")]]


def map_of(answer: "Answer", name: str) -> "Answer":
    """An answer of /attention about one map of this one."""
    stack = name.split(".", maxsplit=1)[0]
    mask = f"{stack}.attention.mask"
    tensors = {name: answer.tensors[name], mask: answer.tensors[mask]}
    return replace(answer, tensors=tensors, fields={**answer.fields, "stage": "pattern"})


def masked(answer: "Answer", numbers: dict[str, Any]) -> list[Line]:
    name = f"decoder.{numbers['layer']}.attention.pattern"
    panel = attention.map_of_head(map_of(answer, name))
    at, width = answer.fields["read_at"], answer.tensors[name].data.shape[-1]
    frame = outline("query", -0.5, width - 0.5, at - 0.5, at + 0.5, 3)
    return [[replace(panel, shapes=[*panel.shapes, frame])]]


def attention_over_image(answer: "Answer", numbers: dict[str, Any]) -> list[Line]:
    return over_image(answer, numbers["layer"], answer.fields["followed"])


def cls(answer: "Answer", numbers: dict[str, Any]) -> list[Line]:
    return over_image(answer, numbers["layer"], 0)


def over_image(answer: "Answer", layer: float, query: int) -> list[Line]:
    """A patch's weights over the image, and as bars."""
    name = f"encoder.{layer}.attention.pattern"
    row = answer.tensors[name].data[0, query].numpy()
    names, texts = labels(answer, "image"), [weight(value) for value in row]
    bars = lying(names, row, "patch", "weight", "attention", WEIGHT, texts, 1.0)
    picture = attention.weights_over_image(map_of(answer, name), {"query": query})
    return [[picture, bars]]


def cross(answer: "Answer", numbers: dict[str, Any]) -> list[Line]:
    """A row for each head, and a column for each source token."""
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
    heads = named("head", [str(i) for i in range(len(rows))], down=True)
    return [[Panel(level, heads, [trace], shapes=chosen)], [encoded(answer)]]


def encoded(answer: "Answer") -> Stripe:
    """The followed token's column after the encoder."""
    at = next(i for i, step in enumerate(answer.fields["steps"]) if step["name"] == "output")
    taken, vector = answer.fields["steps"][at], answer.tensors["columns"].data[at].numpy()
    return stripe(answer, vector, f"{quoted(taken['token'])} from the encoder")


def stream(answer: "Answer", numbers: dict[str, Any]) -> list[Line]:
    """The probability of the word after each step, with the top prediction at each bar."""
    points = answer.fields["points"]
    steps = [
        f"{place.writer.short}" if place.layer is None else f"{place.layer} {place.writer.short}"
        for place in places(points)
    ]
    guesses = [f"{visible(short(point['guess']))}" for point in points]
    chances = answer.tensors["stream"].data.numpy()
    word = visible(numbers["word"])
    bars = lying(
        steps,
        chances,
        "layer and sub-layer",
        f"probability of {word}; top prediction",
        "stream",
        f"probability of {label(word)}",
        guesses,
        1.0,
        stays=True,
    )
    return [[bars]]


def logits(answer: "Answer", numbers: dict[str, Any]) -> list[Line]:
    """The candidates with their logits and probabilities."""
    sizes = answer.tensors["logits"].data.numpy()
    texts = [f"{value:.2f}".replace("-", "−") for value in sizes]
    names = labels(answer, "candidate")
    return [[lying(names, sizes, "token", "logit", "stream", "logit", texts), next_word(answer)]]


def next_word(answer: "Answer") -> Panel:
    """The probabilities of the candidates at the requested temperature."""
    chances = answer.tensors["logits.probability"].data.numpy()
    numbers = next(step["numbers"] for step in answer.fields["steps"] if step["name"] == "logits")
    return lying(
        labels(answer, "candidate"),
        chances,
        "next token" if "fed_back" in answer.tensors else "token",
        f"softmax(logits / T), T = {numbers['temperature']:g}",
        "attention",
        "probability",
        [weight(value, 3) for value in chances],
        1.0,
        stays=True,
    )


def fed_back(answer: "Answer", numbers: dict[str, Any]) -> list[Line]:
    """The candidates for the next token, and the probability of each token of the text as the next
    one, at temperature 1; for a long text, of the last ones.
    """
    chances = answer.tensors["fed_back"].data.numpy()[-MAX_ROWS:]
    names = labels(answer, "expected")[-MAX_ROWS:]
    of_text = lying(
        names,
        chances,
        "token",
        "next-token probability (T = 1)",
        "stream",
        "probability as the next token",
        [weight(value) for value in chances],
        1.0,
    )
    return [[next_word(answer), of_text]]


def quoted(token: str) -> str:
    return f"“{visible(short(token))}”"


def short(token: str) -> str:
    return token if len(token) <= LONGEST else f"{token[: LONGEST - 1]}…"


DRAWS: dict[str, Draw] = {
    "text": text,
    "patches": patches,
    "embedding": embedding,
    "masked": masked,
    "scores": scores,
    "weights": weights,
    "looks": attention_over_image,
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
"""The content below the column at each step."""
