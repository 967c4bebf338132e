"""Figures of /images: the row of one token in one head over the image, the same in every head, and
the prediction at [CLS] at each point of the stream.
"""

from typing import TYPE_CHECKING

import numpy as np

from app.captions import Question
from app.captions.axes import labels
from app.captions.text import counted, grouped, label, number, percent, weight
from app.figures import theme
from app.figures.axis_scales import linear, named
from app.figures.meta import NoteLook
from app.figures.patched import (
    CLS,
    MANY,
    Patched,
    chosen,
    each_head,
    framed,
    in_colour,
    numbered,
    pictures,
)
from app.figures.plot import Panel, Plot, Row, figure, with_meta
from app.figures.stream_steps import layers, places
from app.figures.traces import bars, heat_map

if TYPE_CHECKING:
    from model.answers.answer import Answer

LARGE, SMALL = 0.1, 0.25  # frame widths as fractions of a patch's side
SHORTER = {"embed": "emb", "self": "att"}  # short enough for horizontal labels under narrow columns
SMALLEST = 100_000  # maximum pixel numbers over all heads
MAX_CLASSES = 12  # maximum number of classes, the most probable at the end
BRIEF = 2  # maximum characters of a name next to its bar
LONGEST = 22  # maximum characters of a class name
LEAST = 0.005  # smaller values are 0 in two digits


def painted(answer: "Answer", question: Question) -> Plot:
    """One head's row over the image."""
    layer, head = chosen(answer, question)
    tokens, query = labels(answer, "image"), answer.fields["query"]
    weights = answer.tensors["weights"].data.numpy()[layer, head]
    image = Patched(pixels(answer), grid(answer), weights[None, None], LARGE)
    attention_map = image.attention_map(
        "%{customdata}<br><b>%{z:.3g}</b> of the weight",
        lambda down, across, token: f"{tokens[query]} → {tokens[token]}",
        lambda down, across, token: {"query": token},
        ends=reach(weights),
        unit="weight",
    )
    attention_map["text"] = [["" for _ in row] for row in attention_map["z"]]
    attention_map["text"] = [["[CLS]", *attention_map["text"][0][1:]], *attention_map["text"][1:]]
    attention_map["meta"] |= {"tiles": [[label(tokens[query]), 0, 0]], "token_names": tokens}
    ink = image.ink(
        "%{customdata}<br>ink <b>%{z:.3g}</b>",
        lambda token: (
            f"{tokens[query]} → {tokens[token]}: {number(float(weights[token]))} of the weight"
        ),
    )
    (rows, columns), (height, width) = image.grid, image.size
    top, left = image.corner(query)
    panel = Panel(
        numbered("column", [CLS + c + 0.5 for c in range(columns)], (0, width), 1, "top"),
        numbered("row", [row + 0.5 for row in range(rows)], (height, 0), 1),
        [attention_map, ink],
        shapes=[image.outlines(), framed("focus", left, top, 1, 1, 3)],
        even=True,
    )
    most = int(weights.argmax())
    read = (
        f"{named_patch(tokens[query])} attends most to {named_patch(tokens[most])},"
        f" which gets {percent(float(weights[most]))} of its attention."
    )
    patches = counted(len(tokens) - 1, "patch", "patches")
    description = f"The image in {patches}. In layer {layer}, head {head}, {read}"
    return with_meta(
        figure(panel, description=description),
        title=f"What {tokens[query]} attends to: layer {layer}, head {head}",
        captioned=True,
        said=read[0].upper() + read[1:],
        beside=facts(answer),
    )


def heads(answer: "Answer", question: Question) -> Plot:
    """The same row in every head as small maps: layers are rows, heads are columns."""
    layer, head = chosen(answer, question)
    tokens, query = labels(answer, "image"), answer.fields["query"]
    weights = answer.tensors["weights"].data.numpy()
    down, across, _ = weights.shape
    image = Patched(pixels(answer), grid(answer), weights, SMALL)
    attention_maps = image.attention_map(
        "%{customdata}<br><b>%{z:.3g}</b> of the weight",
        lambda d, a, token: f"layer {d}, head {a}: {tokens[query]} → {tokens[token]}",
        lambda d, a, token: {"layer": d, "head": a},
        ends=reach(weights),
        showscale=False,
    )
    attention_maps["meta"] |= {
        "tiles": [
            [f"layer {d}, head {a}", d * (image.grid[0] + 1), a * (image.grid[1] + 3)]
            for d in range(down)
            for a in range(across)
        ],
        "token_names": tokens,
    }
    at = image.step[1] * head - image.gap / 2, image.step[0] * layer - image.gap / 2
    traces = [
        each_head(weights, image.step, image.gap, tokens[query], tokens, (0, 1)),
        attention_maps,
    ]
    has_ink = weights.shape[0] * weights.shape[1] * image.pixels.size <= SMALLEST
    if has_ink:
        traces.append(image.ink("ink <b>%{z:.3g}</b>"))
    panel = Panel(
        pictures("head", across, image.step[1], image.gap, side="top"),
        pictures("layer", down, image.step[0], image.gap),
        traces,
        shapes=[framed(f"head:{head}", *at, image.step[1], image.step[0], 3)],
        even=True,
    )
    bright = "frame" if has_ink else "patch"
    description = (
        f"What {tokens[query]} attends to in {down * across} heads. Rows are layers, columns are"
        f" heads; a brighter {bright} has a larger weight."
    )
    return with_meta(figure(panel, description=description), captioned=True)


def says(answer: "Answer", question: Question) -> Plot:
    """A column for each point of the stream and a row for each class; the model's output is on the
    right. If there are many classes, the most probable at the end are shown.
    """
    data, path = answer.tensors["says"].data.numpy(), places(answer.fields["points"])
    top = sorted(np.argsort(-data[-1], kind="stable")[:MAX_CLASSES].tolist())
    every = labels(answer, "class")
    classes, data = [short(every[at]) for at in top], data[:, top]
    names = [SHORTER.get(place.writer.short, place.writer.short) for place in path]
    best = answer.fields["says"]
    trace = heat_map(
        data.T,
        "%{customdata}<br><b>%{z:.3g}</b> probability",
        ends=(0, 1),
        showscale=False,
        text=[[weight(p) if p >= LEAST else "" for p in row] for row in data.T],
        customdata=[
            [label(f"after {place.title}: class {name}") for place in path] for name in classes
        ],
    )
    final = data[-1]
    brief = max(map(len, classes)) <= BRIEF
    is_best = [every[at] == best["class"] for at in top]
    roles = ["ink" if best else "rule-strong" for best in is_best]
    answered = bars(
        final,
        np.arange(len(classes)),
        "output",
        "ink",
        "output: class %{y}<br><b>%{x:.3g}</b> probability",
        orientation="h",
    )
    answered["meta"] = {"role": roles, "tabled": False}
    answered["marker"]["color"] = [theme.colour(role) for role in roles]
    beside = {"xanchor": "left", "xshift": 4, "showarrow": False}
    numbers = [
        {
            **beside,
            "x": float(final[i]),
            "y": i,
            "text": f"{label(name)}: {weight(float(final[i]))}" if brief else weight(final[i]),
            "look": NoteLook(kind="title", role="ink" if is_best[i] else "ink-soft"),
        }
        for i, name in enumerate(classes)
        if final[i] >= LEAST
    ]
    note = "" if len(top) == len(every) else f" ({len(top)} most likely of {len(every)} classes)"
    drawing = figure(
        Panel(named("step", names), named("class", classes, down=True), [trace]),
        Panel(
            linear("probability", [], low=0, high=1.5, wanted=2),
            named("output", classes, down=True),
            [answered],
            numbers,
        ),
        description=f"What [CLS] would predict at {len(path)} points of its residual stream{note}."
        f" After the last layer: {best['class']} with probability {percent(best['probability'])}.",
        rows=[Row(2, 1, widths=(0.79, 0.21) if len(every) <= MAX_CLASSES else (0.7, 0.3))],
    )
    return with_meta(drawing, layers=layers(path), captioned=True)


def named_patch(token: str) -> str:
    """A token as a sentence names it: [CLS], or patch (2, 3) for the one in row 2, column 3."""
    return token if token.startswith("[") else f"patch ({token.replace(',', ', ')})"


def short(name: str) -> str:
    """The name of a class, truncated if long."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def reach(weights: np.ndarray) -> tuple[float, float]:
    """The ends of the scale of weights: 0 and 1, or the largest weight if there are many tokens."""
    return 0.0, 1.0 if weights.shape[-1] <= MANY else float(weights.max())


def pixels(answer: "Answer") -> np.ndarray:
    values = answer.tensors["pixels"].data.numpy()
    return in_colour(values) if values.ndim > 2 else values


def grid(answer: "Answer") -> tuple[int, int]:
    """Rows and columns of patches."""
    return answer.fields["grid"], answer.fields["grid"]


def facts(answer: "Answer") -> dict[str, str]:
    """The text next to the figures: the prediction, and the cost by patch size."""
    fields = answer.fields
    costs = fields["cost"][0]
    cut = next(row for row in fields["cost"] if row["tokens"] == fields["grid"] ** 2)
    return {
        "class": fields["says"]["class"],
        "chance": f"probability: {percent(fields['says']['probability'])}",
        "looker": labels(answer, "image")[fields["query"]],
        "pixels": grouped(costs["tokens"]),
        "pixel-pairs": grouped(costs["pairs"]),
        "side": f"{cut['patch_side']} × {cut['patch_side']}",
        "patches": grouped(cut["tokens"]),
        "patch-pairs": grouped(cut["pairs"]),
        "ratio": grouped(costs["pairs"] // cut["pairs"]),
    }
