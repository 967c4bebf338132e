"""Figures of /logits: the logit lens, what would be said next if the stream ended at each step."""

from typing import TYPE_CHECKING

import numpy as np

from app.captions import Question
from app.captions.text import label, percent, shortened, visible, weight
from app.figures.annotations import beside, framed
from app.figures.axis_scales import AxisScale, named
from app.figures.panels import Panel, Row, figure
from app.figures.patched import framed as around
from app.figures.plot import Plot, with_meta
from app.figures.stream_steps import along, chosen_by, layers, places
from app.figures.traces import heat_map

if TYPE_CHECKING:
    from model.answers.answer import Answer

MOST = 10  # letters of a token in a cell
CLOSE = 16  # tokens whose guesses have room in a figure of the usual height
MAX_LINES = 64  # of a longer text the guesses are seen when a part of it is enlarged
MAX_NAMED = 4  # guesses that a sentence names


def lens(answer: "Answer", question: Question) -> Plot:
    """The first guess for every token at every step of the stream, on the colour of its
    probability. A frame marks where the first guess is what really comes next.
    """
    top = answer.tensors["lens.top_probability"]
    chances = top.data.numpy().swapaxes(0, 1)
    guesses = answer.fields["lens_tokens"]
    path = places(answer.fields["points"])
    axis = answer.axes[top.axes[1]]
    tokens = axis.labels or [str(i) for i in range(axis.size)]
    ranks = answer.tensors["lens.expected_rank"].data.numpy()
    expected, first = answer.fields["expected"], answer.fields["expected_from"]
    following = dict(enumerate(expected, start=first))
    said, sentences = [], []
    for p, token in enumerate(tokens):
        said.append([])
        sentences.append([])
        for s, place in enumerate(path):
            best = ", ".join(
                f"{visible(guess)} {percent(chance)}"
                for guess, chance in zip(guesses[s][p][:MAX_NAMED], chances[p, s], strict=False)
            )
            next_is = (
                f"; the real next token, {visible(following[p])}, has rank {ranks[s, p - first]}"
                if p in following
                else ""
            )
            said[p].append([label(place.title), label(f"{best}{next_is}")])
            sentences[p].append(
                f"At “{visible(token)}”, the guesses after {place.within_a_sentence} are"
                f" {best}{next_is}."
            )
    trace = heat_map(
        chances[..., 0],
        "after %{y}, %{customdata[0]}<br><b>%{z:.3g}</b> probability of the first guess"
        "<br>%{customdata[1]}",
        ends=(0, 1),
        unit="probability of the first guess",
        customdata=said,
        text=[
            [
                f"{label(shortened(guesses[s][p][0], MOST))}<br>{weight(chances[p, s, 0])}"
                for s in range(len(path))
            ]
            for p in range(len(tokens))
        ],
    )
    trace["meta"] |= {
        "worded": True,  # a cell of a table says the guess and its probability
        "pick": {"step": chosen_by(path, range(len(path)))},
        "pick_row": {"position": list(range(len(tokens)))},
    }
    hit = [(int(p) + first, int(s)) for s, p in np.argwhere(ranks == 1)]
    notes = [
        beside(len(path) - 0.5, p, label(f"→ {shortened(token, MOST)}"))
        for p, token in following.items()
        if p < len(tokens)
    ]
    frames = framed(hit)
    if (chosen := question.get("position")) is not None:
        row = min(chosen, len(tokens) - 1)
        frames.append(around("focus", -0.5, row - 0.5, len(path), 1, 2))
    panel = Panel(along(path), named("after", tokens, down=True), [trace], notes, frames)
    description = f"What {len(tokens)} tokens would be followed by at {len(path)} steps."
    if "windows" in answer.fields:
        both = [panel, whole(answer, tokens)]
        drawing = figure(*both, description=description, rows=[Row(2, 1, widths=(0.78, 0.22))])
    else:
        drawing = figure(panel, description=description)
    told = {
        "layers": layers(path),
        "sentences": sentences,
        "without_bar": "after; dark: probability 0, bright: 1",
        **({"tall": min(len(tokens), MAX_LINES)} if len(tokens) > CLOSE else {}),
    }
    return with_meta(drawing, **told)


def whole(answer: "Answer", tokens: list[str]) -> Panel:
    """The first guess at the end of every window of layers, on the colour of its probability. A
    click on one shows its window.
    """
    chances = answer.tensors["whole.top_probability"].data.numpy()[..., 0].T
    windows, guesses = answer.fields["windows"], answer.fields["whole_tokens"]
    ends = [str(place.layer) for place in places(windows)]
    first = [str(window["first_layer"]) for window in windows]
    trace = heat_map(
        chances,
        "after %{y}, at the end of layer %{x}<br><b>%{z:.3g}</b> probability of the first guess"
        "<br>%{customdata}",
        ends=(0, 1),
        unit="probability of the first guess",
        customdata=[[label(rows[p][0]) for rows in guesses] for p in range(len(tokens))],
        showscale=False,
        x=np.arange(1.0, len(ends) + 1),
    )
    trace["meta"] |= {
        "pick": {"first_layer": first},
        "pick_row": {"position": list(range(len(tokens)))},
    }
    rows = AxisScale("", (len(tokens) - 0.5, -0.5), [], [])
    # Columns from 1 on: those from 0 on would be taken for steps, and their layers be named.
    columns = range(1, len(ends) + 1)
    across = AxisScale("after layer", (0.5, len(ends) + 0.5), columns, ends, side="top")
    return Panel(across, rows, [trace])
