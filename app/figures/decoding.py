"""Figures of /decoding: every text of a small chain as a tree, and a real next token before and
after temperature and filter.
"""

from typing import Any

import numpy as np

from app.figures import axes, theme
from app.figures.drawing import Drawn, Question
from app.figures.findings import measured
from app.figures.grammar import AxisScale, Panel, across, bars, dots, figure, linear, named
from app.figures.plot import Plot, changed
from app.figures.text import label, percent, visible, weight
from model.answers.answer import Answer

BRANCH, LETTER = 1.0, 1.9  # how long a branch is, and the space for the letter at its end
THICK = 14  # pixels of a branch that every text goes through
LEAST = 1  # and of one that no text does
BAR = 0.8  # how wide a bar is, as a share of the distance between two
MARGIN = 0.08  # before the first branch
RING = (
    0.25  # beyond the last branch, and RING_ROW beside the first and the last text, for the rings
)
RING_ROW = 0.8
MOST_NAMED = 27  # of the letters in a column; of more only those of the greedy and the best text
OTHERS = "all others"


def tree(answer: Answer, question: Question) -> Plot:
    """Every text as a path from the left: a branch is as thick as what begins with it is probable.
    Rings are what the beam kept; the greedy text and the best one have colours of their own.
    """
    texts = axes.labels(answer, "text")
    probabilities, sampled = (
        answer.tensors[name].data.numpy() for name in ("probability", "sampled")
    )
    depth, sums, levels = len(texts[0]), prefixes(texts, probabilities), heights(texts)
    paths = {"greedy": answer.fields["greedy"], "best": answer.fields["best"]}
    drawn = dict(zip(texts, sampled, strict=True))
    kept = {prefix for step in answer.fields["beam"] for prefix in step}

    def said(prefix: str) -> str:
        return ", ".join(name for name, text in paths.items() if text == prefix)

    def role(prefix: str, other: str) -> str:
        if paths["best"].startswith(prefix):
            return "ink"
        return "head:5" if paths["greedy"].startswith(prefix) else other

    def often(prefix: str) -> str:
        if prefix in drawn:
            return f"drawn in {percent(drawn[prefix], 1)} of the samples"
        return f"{weight(sums[prefix] / sums[prefix[:-1]], 3)} after {prefix[:-1] or 'the start'}"

    def beam(prefix: str) -> str:
        return "kept by the beam" if prefix in kept else ""

    def arrives(n: int) -> float:
        return n * BRANCH + (n - 1) * LETTER

    begun = [prefix for prefix in sums if prefix]
    begun.sort(key=lambda prefix: role(prefix, "rule") != "rule")  # coloured branches lie on top
    shapes, notes = [], []
    for prefix in begun:
        n, before = len(prefix), prefix[:-1]
        leaves = arrives(n - 1) + LETTER if before else 0.0
        start, end = (leaves, levels[before]), (arrives(n), levels[prefix])
        shapes.append(branch(start, end, LEAST + THICK * sums[prefix], role(prefix, "rule")))
        share = f"{prefix[-1]} {weight(sums[prefix] / sums[before], 3)}"
        crowded = sum(len(other) == n for other in begun) > MOST_NAMED
        if n < depth and (not crowded or role(prefix, "") != ""):
            limit = arrives(n) + LETTER
            notes.append(note(f"fit {limit:.6g} {role(prefix, 'ink')}", end, share, 6))
    for text, probability in zip(texts, probabilities, strict=True):
        words = f"{text} {weight(probability, 3)} {said(text)}".strip()
        name = f"end {role(text, 'ink-soft')}" if said(text) else "end? ink-soft"
        notes.append(note(name, (arrives(depth), levels[text]), words, 8, bool(said(text))))
    customdata = [
        [
            "the text" if len(prefix) == depth else "what begins with",
            label(prefix),
            sums[prefix],
            ", ".join(filter(None, [often(prefix), beam(prefix), said(prefix)])),
        ]
        for prefix in begun
    ]
    hover = "%{customdata[0]} %{customdata[1]}<br>probability <b>%{customdata[2]:.3g}</b>"
    hover += "<br>%{customdata[3]}"
    places = np.array([(arrives(len(prefix)), levels[prefix]) for prefix in begun])
    ends = dots(*places.T, "texts", "stream", hover, customdata=customdata)
    changed(ends, marker={"opacity": 0})
    ends["meta"] |= {"columns": ["", "text", "probability", "how often"]}
    held = [i for i, prefix in enumerate(begun) if prefix in kept]
    held_data = [customdata[i] for i in held]
    rings = dots(*places[held].T, "kept by the beam", "ink", hover, customdata=held_data)
    changed(rings, marker={"symbol": "circle-open", "size": 11, "line": {"width": 1.5}})
    rings["meta"] |= {"columns": []}
    ticks = [arrives(n + 1) for n in range(depth)]
    x = AxisScale(
        "letter",
        (-MARGIN, ticks[-1] + RING),
        ticks,
        [str(n + 1) for n in range(depth)],
        above=True,
        bare=True,
    )
    y = AxisScale("text", (len(texts) - 1 + RING_ROW, -RING_ROW), [], [], bare=True)
    description = (
        f"All {len(texts)} texts of {depth} letters: greedy writes {paths['greedy']}, the best is"
        f" {paths['best']}."
    )
    return figure(Panel(x, y, [ends, rings], notes, shapes), description=description)


def prefixes(texts: list[str], probabilities: np.ndarray) -> dict[str, float]:
    """The probability of what begins with each prefix: the sum over its texts."""
    sums: dict[str, float] = {}
    for text, probability in zip(texts, probabilities, strict=True):
        for n in range(len(text) + 1):
            sums[text[:n]] = sums.get(text[:n], 0.0) + float(probability)
    return sums


def heights(texts: list[str]) -> dict[str, float]:
    """Where each prefix stands: in the middle between its first text and its last."""
    rows: dict[str, list[int]] = {}
    for row, text in enumerate(texts):
        for n in range(len(text) + 1):
            rows.setdefault(text[:n], []).append(row)
    return {prefix: (those[0] + those[-1]) / 2 for prefix, those in rows.items()}


Place = tuple[float, float]


def branch(start: Place, end: Place, width: float, role: str) -> dict[str, Any]:
    """A bent line from one place to another."""
    (x0, y0), (x1, y1) = start, end
    middle = (x0 + x1) / 2
    return {
        "type": "path",
        "path": f"M {x0:.6g},{y0:g} C {middle:.6g},{y0:g} {middle:.6g},{y1:g} {x1:.6g},{y1:g}",
        "line": {"color": theme.colour(role), "width": width},
        "layer": "below",
        "name": f"line {role}",
    }


def note(name: str, at: Place, text: str, shift: int, bold: bool = False) -> dict[str, Any]:
    """Words at the right of a place, in the colour of the role that ends their name."""
    font = {"color": theme.colour(name.split()[-1]), **({"weight": 700} if bold else {})}
    return {
        "x": at[0],
        "y": at[1],
        "xanchor": "left",
        "xshift": shift,
        "text": label(text),
        "font": font,
        "name": name,
        "showarrow": False,
    }


def filtered(answer: Answer, question: Question) -> Plot:
    """The likeliest next tokens, and all others together as the last: bars are what temperature and
    filter leave of them, marks how probable they were before.
    """
    tokens = axes.labels(answer, "token")
    before, after = (
        np.append(shares, max(0.0, 1 - shares.sum()))
        for shares in (answer.tensors[name].data.double().numpy() for name in ("before", "after"))
    )
    names, places = [*tokens, OTHERS], np.arange(len(tokens) + 1)
    kept = int(measured(answer, "kept"))
    traces = [
        bars(places, after, "after", "stream", "%{x}<br>probability <b>%{y:.3g}</b> after", True),
        across(
            places,
            before,
            "before",
            "rule-strong",
            "%{x}<br>probability <b>%{y:.3g}</b> before",
            BAR,
        ),
    ]
    high = 1.1 * float(max(before.max(), after.max()))
    notes = [
        note(
            f"fit {place + 0.5:g} ink-soft",
            (place - BAR / 2, max(share, earlier) + 0.04 * high),
            short(share),
            0,
        )
        for place, (share, earlier) in enumerate(zip(after, before, strict=True))
    ]
    can = f"{kept} token{'s'[: kept != 1]} can be drawn"
    x = named(f"the {len(tokens)} likeliest next tokens, and all others; {can}", names)
    y = linear("probability", [], low=0, high=high)
    said = f"The next token before and after the filter: {', '.join(map(visible, names))}."
    return figure(Panel(x, y, traces, notes), description=said)


def short(share: float) -> str:
    """A probability over its bar: two digits, and at most four decimals."""
    return weight(share, 2 if share >= 0.1 or share == 0 else 3 if share >= 0.01 else 4)


FIGURES = {
    "tree": Drawn("Every text", tree, "probability"),
    "filter": Drawn("A real next token", filtered, "after", "trained"),
}
