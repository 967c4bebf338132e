"""Figures of /images: the row of one token in one head over the image, the same in every head, and
what [CLS] would say at each point of its stream.
"""

from typing import TYPE_CHECKING

import numpy as np

from app.captions import Question
from app.captions.axes import labels
from app.captions.text import grouped, label, number, percent, weight
from app.figures import theme
from app.figures.axis_scales import linear, named
from app.figures.meta import NoteLook
from app.figures.panels import Panel, Row, figure
from app.figures.patched import (
    CLS,
    Patched,
    chosen,
    each_head,
    framed,
    numbered,
    pictures,
)
from app.figures.plot import Plot, with_meta
from app.figures.stream_steps import layers, places
from app.figures.traces import bars, heat_map

if TYPE_CHECKING:
    from model.answers.answer import Answer

LARGE, SMALL = 0.1, 0.25  # of a patch's side is its frame: it is seen where a patch is small too
SHORTER = {"embed": "emb", "self": "att"}  # so that they stand level under narrow columns
LEAST = 0.005  # what is less is 0 in two digits


def painted(answer: "Answer", question: Question) -> Plot:
    """One head's row over the image."""
    layer, head = chosen(answer, question)
    tokens, query = labels(answer, "image"), answer.fields["query"]
    weights = answer.tensors["weights"].data.numpy()[layer, head]
    image = Patched(pixels(answer), grid(answer), weights[None, None], LARGE)
    looks = image.looks(
        "%{customdata}<br><b>%{z:.3g}</b> of the weight",
        lambda down, across, token: f"{tokens[query]} → {tokens[token]}",
        lambda down, across, token: {"query": token},
        unit="weight",
    )
    looks["text"] = [["" for _ in row] for row in looks["z"]]
    looks["text"] = [["[CLS]", *looks["text"][0][1:]], *looks["text"][1:]]
    looks["meta"] |= {"tiles": [[label(tokens[query]), 0, 0]], "token_names": tokens}
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
        [looks, ink],
        shapes=[image.outlines(), framed("focus", left, top, 1, 1, 3)],
        even=True,
    )
    most = int(weights.argmax())
    read = (
        f"{tokens[query]} looks most at {tokens[most]}, with {percent(float(weights[most]))} of its"
        " weight."
    )
    said = f"The image in {len(tokens) - 1} patches. In layer {layer}, head {head}, {read}"
    return with_meta(
        figure(panel, description=said),
        title=f"Where {tokens[query]} looks: layer {layer}, head {head}",
        captioned=True,
        said=read,
        beside=facts(answer),
    )


def heads(answer: "Answer", question: Question) -> Plot:
    """The same row in every head, small: layers are rows, heads are columns."""
    layer, head = chosen(answer, question)
    tokens, query = labels(answer, "image"), answer.fields["query"]
    weights = answer.tensors["weights"].data.numpy()
    down, across, _ = weights.shape
    image = Patched(pixels(answer), grid(answer), weights, SMALL)
    looks = image.looks(
        "%{customdata}<br><b>%{z:.3g}</b> of the weight",
        lambda d, a, token: f"layer {d}, head {a}: {tokens[query]} → {tokens[token]}",
        lambda d, a, token: {"layer": d, "head": a},
        showscale=False,
    )
    looks["meta"] |= {
        "tiles": [
            [f"layer {d}, head {a}", d * (image.grid[0] + 1), a * (image.grid[1] + 3)]
            for d in range(down)
            for a in range(across)
        ],
        "token_names": tokens,
    }
    at = image.step[1] * head - image.gap / 2, image.step[0] * layer - image.gap / 2
    panel = Panel(
        pictures("head", across, image.step[1], image.gap, side="top"),
        pictures("layer", down, image.step[0], image.gap),
        [
            each_head(weights, image.step, image.gap, f"{tokens[query]} looks", tokens, (0, 1)),
            looks,
            image.ink("ink <b>%{z:.3g}</b>"),
        ],
        shapes=[framed(f"head:{head}", *at, image.step[1], image.step[0], 3)],
        even=True,
    )
    said = (
        f"Where {tokens[query]} looks in each of {down * across} heads. Rows are layers and columns"
        " are heads; a brighter frame is a larger weight."
    )
    return with_meta(figure(panel, description=said), captioned=True)


def says(answer: "Answer", question: Question) -> Plot:
    """A column for each point of the stream, a row for each class; on the right the answer."""
    data = answer.tensors["says"].data.numpy()
    classes, path = labels(answer, "class"), places(answer.fields["points"])
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
    roles = ["ink" if name == best["class"] else "rule-strong" for name in classes]
    answered = bars(
        final,
        np.arange(len(classes)),
        "the answer",
        "ink",
        "the answer: class %{y}<br><b>%{x:.3g}</b> probability",
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
            "text": f"{label(name)}: {weight(float(final[i]))}",
            "look": NoteLook(kind="title", role="ink" if name == best["class"] else "ink-soft"),
        }
        for i, name in enumerate(classes)
        if final[i] >= LEAST
    ]
    drawn = figure(
        Panel(named("step", names), named("class", classes, down=True), [trace]),
        Panel(
            linear("probability", [], low=0, high=1.5, wanted=2),
            named("the answer", classes, down=True),
            [answered],
            numbers,
        ),
        description=f"What [CLS] would say at {len(path)} points of its stream; at the end"
        f" {best['class']} with probability {percent(best['probability'])}.",
        rows=[Row(2, 1, widths=(0.79, 0.21))],
    )
    return with_meta(drawn, layers=layers(path), captioned=True)


def pixels(answer: "Answer") -> np.ndarray:
    return answer.tensors["pixels"].data.numpy()


def grid(answer: "Answer") -> tuple[int, int]:
    """Rows and columns of patches."""
    return answer.fields["grid"], answer.fields["grid"]


def facts(answer: "Answer") -> dict[str, str]:
    """What stands beside the figures: the answer, and what patches of a size cost."""
    fields = answer.fields
    one = fields["cost"][0]
    cut = next(row for row in fields["cost"] if row["tokens"] == fields["grid"] ** 2)
    return {
        "class": fields["says"]["class"],
        "chance": f"with probability {percent(fields['says']['probability'])}",
        "looker": labels(answer, "image")[fields["query"]],
        "pixels": grouped(one["tokens"]),
        "pixel-pairs": grouped(one["pairs"]),
        "side": f"{cut['patch_side']} × {cut['patch_side']}",
        "patches": grouped(cut["tokens"]),
        "patch-pairs": grouped(cut["pairs"]),
        "ratio": grouped(one["pairs"] // cut["pairs"]),
    }
