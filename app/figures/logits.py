"""Figures of /logits: the logit lens, the prediction if the stream ended at each step."""

from typing import TYPE_CHECKING

import numpy as np

from app.captions import Question
from app.captions.text import label, percent, shortened, visible, weight
from app.figures.axis_scales import AxisScale, named
from app.figures.patched import framed as around
from app.figures.plot import Panel, Plot, Row, figure, with_meta
from app.figures.stream_steps import along, chosen_by, layers, places
from app.figures.traces import beside, framed, heat_map, outline
from model.words import listed, quoted

if TYPE_CHECKING:
    from model.answers.answer import Answer

MOST = 10  # maximum characters of a token in a cell
CLOSE = 16  # maximum tokens for predictions in a figure of the usual height
MAX_LINES = 64  # with more tokens, predictions are only visible after zooming in
MAX_NAMED = 4  # maximum predictions named in a sentence


def lens(answer: "Answer", question: Question) -> Plot:
    """The top prediction for every token at every step of the stream, colored by its probability. A
    frame marks predictions that equal the true next token.
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
    customdata, sentences = [], []
    for p, token in enumerate(tokens):
        customdata.append([])
        sentences.append([])
        for s, place in enumerate(path):
            shares = zip(guesses[s][p][:MAX_NAMED], chances[p, s], strict=False)
            tops = [f"{quoted(visible(guess))} ({percent(share)})" for guess, share in shares]
            best = listed(tops, "and")
            next_is = ""
            if p in following:
                rank = "ranks first" if (n := ranks[s, p - first]) == 1 else f"has rank {n}"
                next_is = f"; the true next token, “{visible(following[p])}”, {rank}"
            customdata[p].append([label(place.title), label(f"{best}{next_is}")])
            sentences[p].append(
                f"At “{visible(token)}”, after {place.within_a_sentence}, the top predictions are"
                f" {best}{next_is}."
            )
    trace = heat_map(
        chances[..., 0],
        "after %{y}, %{customdata[0]}<br>top prediction: probability <b>%{z:.3g}</b>"
        "<br>%{customdata[1]}",
        ends=(0, 1),
        unit="probability of top prediction",
        customdata=customdata,
        text=[
            [
                f"{label(shortened(guesses[s][p][0], MOST))}<br>{weight(chances[p, s, 0])}"
                for s in range(len(path))
            ]
            for p in range(len(tokens))
        ],
    )
    trace["meta"] |= {
        "worded": True,  # a table cell has the prediction and its probability
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
    description = f"Predicted next tokens after {len(tokens)} tokens at {len(path)} steps."
    if "windows" in answer.fields:
        both = [panel, whole(answer, tokens)]
        drawing = figure(*both, description=description, rows=[Row(2, 1, widths=(0.78, 0.22))])
    else:
        drawing = figure(panel, description=description)
    meta = {
        "layers": layers(path),
        "sentences": sentences,
        "without_bar": "after (dark 0, bright 1)",
        **({"tall": min(len(tokens), MAX_LINES)} if len(tokens) > CLOSE else {}),
    }
    return with_meta(drawing, **meta)


def whole(answer: "Answer", tokens: list[str]) -> Panel:
    """The top prediction at the end of every window of layers, colored by its probability. Clicking
    one shows its window.
    """
    chances = answer.tensors["whole.top_probability"].data.numpy()[..., 0].T
    windows, guesses = answer.fields["windows"], answer.fields["whole_tokens"]
    ends = [str(place.layer) for place in places(windows)]
    first = [str(window["first_layer"]) for window in windows]
    trace = heat_map(
        chances,
        "after %{y}, layer %{x}<br>top prediction: probability <b>%{z:.3g}</b><br>%{customdata}",
        ends=(0, 1),
        unit="probability of top prediction",
        customdata=[[label(rows[p][0]) for rows in guesses] for p in range(len(tokens))],
        showscale=False,
        x=np.arange(1.0, len(ends) + 1),
    )
    trace["meta"] |= {
        "pick": {"first_layer": first},
        "pick_row": {"position": list(range(len(tokens)))},
    }
    rows = AxisScale("", (len(tokens) - 0.5, -0.5), [], [])
    # Columns start at 1: from 0 they would be treated as steps and get layer names.
    columns = range(1, len(ends) + 1)
    across = AxisScale("after layer", (0.5, len(ends) + 0.5), columns, ends, side="top")
    names = {point["name"] for point in answer.fields["points"]}
    within = [i for i, window in enumerate(windows, 1) if window["name"] in names]
    high = len(tokens) - 0.5
    frames = [outline("ink", i - 0.5, i + 0.5, -0.5, high, 2) for i in within]
    return Panel(across, rows, [trace], shapes=frames)
