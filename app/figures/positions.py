"""Figures of /positions: what a scheme tells, as a map with single rows as curves, and beside it
one of five: one map shifts every position, similarity, norms, twice the length, all schemes.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from app.figures import axes, theme
from app.figures.drawing import Drawn, Question
from app.figures.grammar import (
    AxisScale,
    Panel,
    Row,
    at_end,
    bars,
    dots,
    figure,
    heat_map,
    line,
    linear,
    named,
    round_numbers,
    upright,
)
from app.figures.text import label, number, tick
from model.answers.answer import Answer

MOST_CURVES = 6
CHANNELS = "0,4,8,12"
"""The channels that are drawn as curves where none are named."""


def table(answer: Answer, question: Question) -> go.Figure:
    """What the scheme tells: channels or heads down, positions or offsets across, and below it the
    rows that were chosen, as curves.
    """
    tensor = "encoding" if "encoding" in answer.tensors else "bias"
    told = answer.tensors[tensor]
    values = told.data.numpy() if tensor == "bias" else told.data.numpy().T
    row, column = told.axes if tensor == "bias" else reversed(told.axes)
    turns = answer.fields.get("how") == "turns queries and keys"
    quantity = {"bias": "bias"}.get(tensor, "cos, sin" if turns else "PE")
    if column == "offset" and tensor == "encoding":
        quantity = "a"
    rows, columns = values.shape
    first = 1 - answer.fields["length"] if column == "offset" else 0
    here = 0 if column == "offset" else within(question.get("position", 4), 0, columns - 1)
    chosen = chosen_rows(question, row, rows)
    places = np.arange(first, first + columns)
    hover = f"{row} %{{y}}, {column} %{{x}}<br>{quantity} <b>%{{z:.3g}}</b>"
    colours = heat_map(values, hover, "signed", unit=quantity, x=places)
    marks = [mark(y, first, columns, f"head:{i}") for i, y in enumerate(chosen)]
    map_of_all = Panel(
        counted(column, first, columns, above=True),
        counted(row, 0, rows, down=True),
        [colours],
        [note for _, note in marks],
        [*(shape for shape, _ in marks), frame(here - 0.5, here + 0.5, -0.5, rows - 0.5)],
    )
    most = float(np.abs(values).max()) or 1.0
    ends = (-most if values.min() < 0 else 0.0, most if values.max() > 0 else 0.0)
    low, high = ends if ends[0] < ends[1] else (ends[0], most)
    room = 0.03 * (high - low)
    up = linear(quantity, [], low=low - room, high=high + room, wanted=3)
    traces, notes = [], []
    for i, y in enumerate(chosen):
        role = f"head:{i}"
        said = f"{row} {y}, {column} %{{x}}<br>{quantity} <b>%{{y:.3g}}</b>"
        traces += [
            line(places, values[y], f"{row} {y}", role, said, dots=False, legend=False),
            point(here, values[y, here - first], f"{row} {y}", role, said),
        ]
        notes.append(at_end(float(places[-1]), float(values[y, -1]), str(y), role))
    curves = Panel(
        counted(column, first, columns),
        up,
        [
            trace.update(marker={"size": 8}) if trace.mode == "markers" else trace
            for trace in traces
        ],
        notes,
        [dotted(here)],
    )
    titles = {"bias": "A number for every offset", "a": "A vector for every offset"}
    said = f"{rows} {row}s, {columns} {column}s; {row}s {listed(chosen)} are drawn as curves."
    drawn = figure(map_of_all, curves, description=said, rows=(Row(1, 0.58), Row(1, 0.42)))
    turned = "Angles for every position" if turns else "A vector for every position"
    return saying(
        drawn,
        answer,
        tensor,
        title=titles.get(quantity, turned),
        caption=f"below, single {row}s as curves; choose a row",
        tells=[row, column],
        aligned=True,
    )


def chosen_rows(question: Question, row: str, rows: int) -> list[int]:
    """The channels that were chosen; all heads, or one of many."""
    if row == "head":
        head = within(question.get("head") or 0, 0, rows - 1)
        return [head] if rows > 8 else list(range(rows))
    named = question.get("channels", CHANNELS)
    channels = [] if named == "none" else [int(channel) for channel in named.split(",")]
    return [channel for channel in dict.fromkeys(channels) if channel < rows][:MOST_CURVES]


def shift(answer: Answer, question: Question) -> go.Figure:
    """Pairs of channels as clocks that one map turns from p to p + k, and how far the map is off at
    each offset k.
    """
    encoding = answer.tensors["encoding"].data.numpy()
    waves = answer.tensors["wavelength"].data.numpy()
    float64, float32 = answer.tensors["shift_error"].data.numpy()
    length = len(encoding)
    p = within(question.get("position", 4), 0, length - 1)
    k = within(question.get("offset", 3), 1, max(1, length - 1 - p))
    channels = chosen_rows(question, "channel", encoding.shape[1])
    pairs = {}
    for i, channel in enumerate(channels):
        pairs.setdefault(channel // 2, f"head:{i}")
    clocks = [clock(encoding, pair, waves[pair], p, k, role) for pair, role in pairs.items()]
    offsets = np.arange(1, length)
    lines, ends = [], []
    for name, errors, role in (
        ("float32", float32, "feed-forward"),
        ("float64", float64, "attention"),
    ):
        hover = f"{name}, offset k = %{{x}}<br>largest error <b>%{{y:.3g}}</b>"
        trace = line(
            offsets,
            np.where(errors > 0, errors, np.nan),
            name,
            role,
            hover,
            dots=length == 2,
            legend=False,
        )
        trace.meta = {
            **trace.meta,
            "pick": {"offset": offsets.tolist()},
            **({} if errors.all() else {"said": errors.tolist()}),
        }
        lines.append(trace)
        shown = np.flatnonzero(errors)  # an axis of logarithms has no place for an error of 0
        if shown.size:
            last = shown[-1]
            ends.append(at_end(float(offsets[last]), float(errors[last]), name, role, log_y=True))
    powers = range(-16, -4, 2)
    names = [f"10{tick(power)}" for power in powers]
    up = AxisScale(
        "largest |PE(p + k) − Mₖ PE(p)|",
        (-17, -5),
        [10.0**power for power in powers],
        [name.translate(RAISED_AFTER_TEN) for name in names],
        type="log",
    )
    errors = Panel(
        counted("offset k", 1, max(1, length - 1)),
        up,
        lines,
        ends,
        [dotted(k)] if length > 2 else [],
    )
    said = (
        f"Clocks of the pairs {listed(pairs)}: from position {p} to {p + k} each turns by its own"
        f" angle, the same from every position. The largest error at this offset is"
        f" {number(float(float64[k - 1]))} in float64, {number(float(float32[k - 1]))} in float32."
    )
    rows = (Row(len(clocks), 0.4, wrap=True), Row(1, 0.6)) if clocks else (Row(1, 1.0),)
    drawn = figure(*clocks, errors, description=said, rows=rows)
    return saying(
        drawn,
        answer,
        "shift_error",
        caption="pair i turns by k · 360° / λᵢ, its wavelength",
        facts=SHIFT_FACTS,
    )


RAISED_AFTER_TEN = {ord("−"): "⁻", ord("4"): "⁴", ord("6"): "⁶", ord("8"): "⁸"}


def clock(encoding: np.ndarray, pair: int, wave: float, p: int, k: int, role: str) -> Panel:
    """One pair of channels: cosine to the right, sine upward. A hollow hand points at p, a full one
    at p + k, and all positions are dots.
    """
    sine, cosine = encoding[:, 2 * pair], encoding[:, 2 * pair + 1]
    turn = 360 * k / float(wave)
    at = "<br>sine <b>%{y:.3g}</b>, cosine <b>%{x:.3g}</b>"
    places = np.arange(len(encoding))
    all_of_them = dots(
        cosine,
        sine,
        f"pair {pair}",
        "rule-strong",
        f"pair {pair}, position %{{customdata}}{at}",
        customdata=places.tolist(),
    ).update(marker={"size": 3, "opacity": 1})
    all_of_them.meta = {**all_of_them.meta, "pick": {"position": places.tolist()}}
    traces = [all_of_them]
    if p + k < len(encoding):
        from_p = math.atan2(sine[p], cosine[p])
        angles = from_p + np.linspace(0, math.radians(min(turn, 360)), 17, dtype=np.float32)
        law = f"turn from p to p + k<br><b>{degrees(turn)}</b>, at sine %{{y:.3g}}"
        inner = 0.45 * np.cos(angles), 0.45 * np.sin(angles)
        traces += [
            line(*inner, f"turn of pair {pair}", role, law, law=True, legend=False, dash="3px,1px"),
            hand(sine[p + k], cosine[p + k], p + k, pair, role, 3),
        ]
    traces.append(hand(sine[p], cosine[p], p, pair, "ink", 2))
    under = {"x": 0, "y": -CLOCK, "yanchor": "middle", "showarrow": False}
    notes = [
        {
            **under,
            "text": degrees(turn),
            "yshift": -10,
            "name": f"title {role}",
            "font": {"color": theme.colour(role)},
        },
        {
            **under,
            "text": f"λ {tick(float(f'{wave:.2f}' if wave < 100 else f'{wave:.0f}'))}",
            "yshift": -25,
            "name": "title ink-soft",
            "font": {"color": theme.colour("ink-soft")},
        },
    ]
    circle = {
        "type": "circle",
        "x0": -1,
        "x1": 1,
        "y0": -1,
        "y1": 1,
        "line": {"color": theme.colour("rule"), "width": 1},
        "layer": "below",
        "name": "line rule",
    }
    for trace in traces:
        trace.meta = {**trace.meta, "aside": True}
    level, up = (
        AxisScale(of, (-CLOCK, CLOCK), [], [], bare=True) for of in ("cosine", f"pair {pair}, sine")
    )
    return Panel(level, up, traces, notes, [circle], even=True)


CLOCK = 1.15  # half of a clock's room, in radii


def hand(sine: float, cosine: float, p: int, pair: int, role: str, width: int) -> go.Scatter:
    """A hand of a clock, from the middle to the position p."""
    hover = f"pair {pair}, position {p}<br>sine <b>%{{y:.3g}}</b>, cosine <b>%{{x:.3g}}</b>"
    trace = line([0, cosine], [0, sine], f"position {p}", role, hover, legend=False)
    end = {"size": [0, 9], "opacity": 1, "symbol": "circle-open" if role == "ink" else "circle"}
    return trace.update(line={"width": width}, marker=end)


def degrees(turn: float) -> str:
    """An angle in degrees, in turns where it is two of them or more."""
    if turn >= 720:
        return f"{turn / 360:.1f} turns"
    return f"{number(turn)}°" if turn < 0.1 else f"{turn:.{1 if turn < 10 else 0}f}°"


MEETING = {
    "added to the token": ("Similarity", "position p", "position q", "PE({0}) · PE({1})"),
    "turns queries and keys": ("Turned, they meet", "query p", "key q", "R({0})x · R({1})x"),
    "added to the score": ("Added to the score", "query p", "key q", "bias({0}, {1})"),
}
"""By how a scheme tells: the title of its similarity, its axes, and one of its numbers."""


def similarity(answer: Answer, question: Question) -> go.Figure:
    """How alike positions are, or what is added to the score of each pair, and the row of one
    position below.
    """
    values = answer.tensors["similarity"].data.numpy()
    n = len(values)
    p = within(question.get("position", 4), 0, n - 1)
    how = answer.fields.get("how", "added to the token")
    title, rows, columns, meets = MEETING.get(how, MEETING["added to the token"])
    head = f" of head {question.get('head') or 0}" if "heads" in answer.fields else ""
    q_minus_p = [[tick(q - r) for q in range(n)] for r in range(n)]
    hover = f"{meets.format('%{y}', '%{x}')}{head} = <b>%{{z:.3g}}</b><br>at offset %{{customdata}}"
    colours = heat_map(values, hover, "signed", customdata=q_minus_p)
    map_of_all = Panel(
        counted(columns, 0, n, above=True),
        counted(rows, 0, n, down=True),
        [colours],
        shapes=[frame(-0.5, n - 0.5, p - 0.5, p + 0.5)],
    )
    grid = answer.fields.get("grid")
    below = on_grid(values, p, grid, meets) if grid else as_curve(values[p], p, meets)
    said = f"{meets.format('p', 'q')}{head} for {n} positions; below, p = {p}."
    shares = (Row(1, 0.58), Row(1, 0.42))
    drawn = figure(map_of_all, below, description=said, rows=shares)
    return saying(
        drawn,
        answer,
        "similarity",
        title=title,
        caption=f"{meets.format('p', 'q')}{head}; below, the row of one position",
        facts=SIMILARITY_FACTS,
        aligned=not grid,
    )


def as_curve(row: np.ndarray, p: int, meets: str) -> Panel:
    """The row of one position, over the offsets from it."""
    offsets = np.arange(-p, len(row) - p)
    hover = f"{meets.format(p, '%{customdata}')} = <b>%{{y:.3g}}</b><br>at offset %{{x}}"
    keys = list(range(len(row)))
    what = meets.format(p, "q")
    curve = line(offsets, row, what, "position", hover, dots=False, legend=False, customdata=keys)
    itself = point(0, row[p], what, "ink", hover, customdata=[p])
    low, high = min(0.0, float(row.min())), max(0.0, float(row.max()))
    high = high if low < high else 1.0
    room = 0.04 * (high - low)
    up = linear(what, [], low=low and low - room, high=high + room, wanted=4)
    return Panel(
        counted("offset k = q − p", -p, len(row), sign=True),
        up,
        [curve, itself],
    )


def on_grid(values: np.ndarray, p: int, side: int, meets: str) -> Panel:
    """The row of one patch, laid out as the patches lie; [CLS], which comes before them, has no
    place there.
    """
    first = len(values) - side * side
    patches = values[p, first:].reshape(side, side)
    names = (first + np.arange(side * side)).reshape(side, side)
    hover = (
        f"{meets.format(p, '%{customdata}')} = <b>%{{z:.3g}}</b>"
        "<br>patch in row %{y}, column %{x}"
    )
    most = float(np.abs(values).max()) or 1.0
    colours = heat_map(
        patches, hover, "signed", (-most, most), customdata=names.tolist(), showscale=False
    )
    own = p - first
    here = (
        [frame(own % side - 0.5, own % side + 0.5, own // side - 0.5, own // side + 0.5)]
        if own >= 0
        else []
    )
    return Panel(
        counted("column of q", 0, side),
        counted(f"{meets.format(p, 'q')}, row of q", 0, side, down=True),
        [colours],
        shapes=here,
        even=True,
    )


def norms(answer: Answer, question: Question) -> go.Figure:
    """How long the vectors of positions are beside those of the tokens to which they are added."""
    texts = texts_of(answer)
    tokens = [name for text in texts for name in axes.labels(answer, text)]
    token = np.concatenate([answer.tensors[f"token_norm.{text}"].data.numpy() for text in texts])
    norm = answer.tensors["position_norm"].data.numpy()
    position = np.concatenate([norm[: answer.axes[text].size] for text in texts])
    places = np.arange(len(tokens))
    both: list[go.Bar | go.Scatter] = [
        bars(
            places,
            values,
            name,
            role,
            f"{said} of %{{x}}<br>norm <b>%{{y:.3g}}</b>",
            legend=True,
            width=0.32,
            offset=offset,
        )
        for values, name, said, role, offset in (
            (token, "token", "embedding", "embedding", -0.34),
            (position, "position", "position", "position", 0.02),
        )
    ]
    quantiles = {row["quantile"]: row["value"] for row in answer.fields.get("vocabulary_norm", [])}
    high = max(float(token.max()), float(position.max()), quantiles.get(0.95, 0.0)) * 1.08
    shapes = []
    if quantiles:
        median = np.full(len(tokens), quantiles[0.5])
        low, median_of_all, top = (number(quantiles[share]) for share in (0.05, 0.5, 0.95))
        name = f"vocabulary: median {median_of_all}"
        hover = (
            "median of the vocabulary<br>norm <b>%{y:.3g}</b>"
            f"<br>from 5 to 95 % of it: {low} to {top}"
        )
        both.append(line(places, median, name, "ink", hover, law=True))
        shapes.append(
            {
                "type": "rect",
                "x0": -0.5,
                "x1": len(tokens) - 0.5,
                "y0": quantiles[0.05],
                "y1": quantiles[0.95],
                "fillcolor": theme.colour("select"),
                "line": {"width": 0},
                "layer": "below",
                "name": "fill select",
            }
        )
    up = linear("norm", [], "units of the residual stream", low=0, high=high)
    said = (
        f"Norms of the token embeddings, {number(float(token.min()))} to"
        f" {number(float(token.max()))}, beside those of the positions,"
        f" {number(float(position[0]))}."
    )
    tensor = f"token_norm.{texts[0]}"
    drawn = figure(
        Panel(named(", then ".join(texts), tokens), up, both, shapes=shapes), description=said
    )
    formula = answer.tensors[tensor].formula
    return saying(
        drawn,
        answer,
        tensor,
        caption=f"{answer.model}’s own: {formula} and |PE(p)|"
        + ("; band: 5 to 95 %" if quantiles else ""),
        facts=NORM_FACTS,
    )


def texts_of(answer: Answer) -> list[str]:
    """What the model reads, by the names of its axes."""
    return [
        name.removeprefix("token_norm.")
        for name in answer.tensors
        if name.startswith("token_norm.")
    ]


def twice(answer: Answer, question: Question) -> go.Figure:
    """How large the identifiers become up to twice the length, and what the last query sees of the
    keys behind it.
    """
    sizes = finite(answer.tensors["identifier_norm"].data.numpy())
    profile = finite(answer.tensors["profile"].data.numpy())
    length = len(sizes) // 2
    places = np.arange(2 * length)
    relative = answer.fields["how"] != "added to the token"
    across = "positions behind" if relative else "position"
    hover = f"{across} %{{x}}<br>size of the identifier <b>%{{y:.3g}}</b>"
    size = line(places, sizes, "size", "position", hover, dots=False, legend=False)
    missing = int(np.isnan(sizes).sum())
    most = float(np.nanmax(sizes)) or 1.0
    note = {"y": 0, "yanchor": "bottom", "yshift": 6, "name": "title ink-soft"}
    notes = [
        {**note, "x": length, "xanchor": "right", "xshift": -6, "text": "the length"},
        {
            **note,
            "x": length,
            "xanchor": "left",
            "xshift": 6,
            "text": "nothing beyond" if missing else "beyond",
        },
    ]
    above = Panel(
        counted(across, 0, 2 * length),
        linear("size of the identifier", sizes, low=0, high=most * 1.04, wanted=4),
        [size],
        notes,
        [dotted(length)],
    )
    traces, ends = [], []
    queries = axes.labels(answer, "query")
    for i, (query, values) in enumerate(zip(queries, profile, strict=True)):
        known = np.flatnonzero(np.isfinite(values))
        hover = f"query p = {query}, key %{{x}} behind<br>it sees <b>%{{y:.3g}}</b>"
        dash = "6px,4px" if i else ""
        role, name = f"head:{i}", f"p = {query}"
        traces.append(line(places, values, name, role, hover, dots=False, legend=False, dash=dash))
        if known.size:
            ends.append(at_end(float(places[-1]), float(values[known[-1]]), name, role))
    seen = profile[np.isfinite(profile)]
    low, high = min(0.0, float(seen.min(initial=0))), max(0.0, float(seen.max(initial=0)))
    up = linear(
        "what a query sees of the keys behind it",
        [],
        low=low,
        high=high if low < high else 1.0,
        wanted=4,
    )
    below = Panel(
        counted("positions behind the query", 0, 2 * length), up, traces, ends, [dotted(length)]
    )
    shown = sizes[np.isfinite(sizes)]
    said = (
        f"Size of the identifiers up to twice the length, {number(float(shown[0]))} at first and"
        f" {number(float(shown[-1]))} at last"
        + (f"; {missing} positions have none" if missing else "")
        + "; below, what the last query sees behind it."
    )
    drawn = figure(above, below, description=said)
    return saying(
        drawn,
        answer,
        "profile",
        caption="dashes: where the length ends",
        facts=TWICE_FACTS,
        aligned=True,
    )


QUESTIONS = {
    "change_with_length": ("any length", "the same at any length", "change"),
    "weight": ("bounded", "bounded", "beside a token"),
    "distinct": ("all distinct", "all distinct", "identifiers"),
    "score_spread": ("offset only", "the offset alone decides", "spread"),
    "missing": ("goes on", "goes on beyond the length", "missing"),
    "unseen": ("nothing new", "nothing new beyond the length", "distance"),
    "far_share": ("far is little", "what is far counts little", "weight beyond"),
}
"""By the name of a fact: what stands over its column, what is asked, and what the number is."""
NONE = "—"


def board(answer: Answer, question: Question) -> go.Figure:
    """Every scheme against the same questions, each with the number that was measured and whether
    it holds.
    """
    schemes = answer.fields["board"]
    facts = [{fact.name: fact for fact in row["facts"]} for row in schemes]
    here = next(
        (i for i, row in enumerate(schemes) if row["name"] == answer.fields["scheme"]), None
    )
    values = np.array(
        [[known[name].value if name in known else np.nan for name in QUESTIONS] for known in facts],
        dtype=float,
    )
    texts, said, notes = [], [], []
    shapes = [] if here is None else [band(-0.5, len(QUESTIONS) - 0.5, here, "select")]
    for r, (row, known) in enumerate(zip(schemes, facts, strict=True)):
        cells = [known.get(name) for name in QUESTIONS]
        texts.append([marked(fact) if fact else NONE for fact in cells])
        said.append(
            [
                label(f"{row['name']}: {asked}\n{told(fact, quantity)}").replace("⏎", "<br>")
                for fact, (_, asked, quantity) in zip(cells, QUESTIONS.values(), strict=True)
            ]
        )
        for c, fact in enumerate(cells):
            role = "ink-soft" if fact is None else "ink" if fact.holds else "error"
            if fact is not None and not fact.holds and r != here:
                shapes.append(band(c - 0.5, c + 0.5, r, "sunken"))
            notes.append(
                {
                    "x": c,
                    "y": r,
                    "text": texts[r][c],
                    "name": f"cell {role}",
                    "font": {"color": theme.colour(role)},
                    "showarrow": False,
                }
            )
    cells = heat_map(
        np.where(np.isnan(values), 0, values),
        "%{customdata}",
        showscale=False,
        opacity=0,
        customdata=said,
    )
    cells.meta = {**cells.meta, "said": texts}
    untrained = [row["name"] for row in schemes if row["kind"] != "analytic"]
    panel = Panel(
        named("question", [short for short, *_ in QUESTIONS.values()], above=True),
        named("scheme", [row["name"] for row in schemes], down=True),
        [cells],
        notes,
        shapes,
    )
    kept = ", ".join(
        f"{row['name']} keeps {sum(fact.holds for fact in row['facts'])} of {len(row['facts'])}"
        for row in schemes
    )
    drawn = figure(
        panel, description=f"{len(schemes)} schemes, {len(QUESTIONS)} questions: {kept}."
    )
    fields = answer.fields
    return saying(
        drawn,
        answer,
        "identifier_norm",
        caption=f"{fields['length']} positions, d = {fields['d_model']}; choose a row;"
        f" {', '.join(untrained)} as before training",
        axes=["scheme", "question"],
        shape=[len(schemes), len(QUESTIONS)],
        schemes=[row["name"] for row in schemes],
    )


def marked(fact: Any) -> str:
    """Whether a fact holds, and its number; what is 0 but for rounding is 0."""
    value = 0.0 if fact.holds and abs(fact.value) < 1e-6 else float(fact.value)
    return f"{'✓' if fact.holds else '✗'} {number(value)}"


def told(fact: Any, quantity: str) -> str:
    """One cell of the board in words."""
    if fact is None:
        return "not asked"
    return (
        f"{quantity} {'✓' if fact.holds else '✗'} {number(float(fact.value))}\nasked for {fact.law}"
    )


def band(left: float, right: float, row: int, role: str) -> dict[str, Any]:
    """A filled rectangle under the cells of a row."""
    return {
        "type": "rect",
        "x0": left,
        "x1": right,
        "y0": row - 0.5,
        "y1": row + 0.5,
        "fillcolor": theme.colour(role),
        "line": {"width": 0},
        "layer": "below",
        "name": f"fill {role}",
    }


def frame(left: float, right: float, top: float, bottom: float) -> dict[str, Any]:
    """A rectangle around what was chosen, over the colours."""
    return {
        "type": "rect",
        "x0": left,
        "x1": right,
        "y0": top,
        "y1": bottom,
        "line": {"color": theme.colour("ink"), "width": 1.5},
        "layer": "above",
        "name": "line ink",
    }


def dotted(x: float) -> dict[str, Any]:
    """A dotted line at what was chosen, which is seen on a line of the grid too."""
    line = {"color": theme.colour("ink"), "width": 1, "dash": "2px,3px"}
    return {**upright(x), "line": line, "layer": "above", "name": "line ink"}


def mark(row: int, first: int, columns: int, role: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A line through a row of a map in the colour of its curve, and an arrow at the row's edge."""
    colour = theme.colour(role)
    left = first - 0.5
    shape = {
        "type": "line",
        "x0": left,
        "x1": left + columns,
        "y0": row,
        "y1": row,
        "line": {"color": colour, "width": 2},
        "layer": "above",
        "name": f"line {role}",
    }
    arrow = {
        "x": left,
        "y": row,
        "text": "▸",
        "xanchor": "right",
        "xshift": 2,
        "font": {"color": colour},
        "name": f"title {role}",
        "showarrow": False,
    }
    return shape, arrow


def point(x: float, y: float, name: str, role: str, hover: str, **more: Any) -> go.Scatter:
    """The point of a line that was chosen."""
    one = dots([x], [y], name, role, hover, **more).update(marker={"size": 8, "opacity": 1})
    one.meta = {**one.meta, "aside": True}
    return one


def counted(
    title: str, first: int, count: int, down: bool = False, above: bool = False, sign: bool = False
) -> AxisScale:
    """An axis of whole numbers from `first` on; `sign` writes the sign of those above 0 too."""
    last = first + count - 1
    ticks = sorted(
        {round(value) for value in round_numbers(first, last, 6 if count > 6 else count)}
    )
    ticks = [value for value in ticks if first <= value <= last]
    names = [f"+{value}" if sign and value > 0 else tick(value) for value in ticks]
    ends = (first - 0.5, last + 0.5)
    return AxisScale(title, ends[::-1] if down else ends, ticks, names, above=above)


def within(value: float, low: int, high: int) -> int:
    return int(max(low, min(high, value)))


def finite(values: np.ndarray) -> np.ndarray:
    """The numbers of a masked tensor; what is masked is NaN."""
    return np.where(np.isfinite(values), values, np.nan)


def listed(numbers: Sequence[int] | dict[int, Any]) -> str:
    return ", ".join(str(number) for number in numbers) or "none"


def saying(figure: go.Figure, answer: Answer, tensor: str, **more: Any) -> go.Figure:
    """The figure with what depends on the answer: its kind, formula and shape, and what else is
    said of it.
    """
    told = answer.tensors[tensor]
    kinds = answer.fields.get("kinds", {})
    for trace in figure.data:
        trace.update({axis: short(trace[axis]) for axis in ("x", "y") if trace[axis] is not None})
    figure.layout.meta = {
        **figure.layout.meta,
        "kind": kinds.get(tensor, answer.kind),
        "formula": told.formula,
        "axes": list(told.axes),
        "shape": list(told.data.shape),
        **more,
    }
    return figure


def tells(answer: Answer) -> bool:
    """Whether the answer has what the scheme tells, vectors or numbers."""
    return not {"encoding", "bias"}.isdisjoint(answer.tensors)


def short(values: np.ndarray) -> np.ndarray:
    """The same numbers in half as many bytes, where they are whole or have 32 bits."""
    if (values == np.round(values)).all():
        return values.astype(np.int16)
    halved = values.astype(np.float32)
    return halved if np.array_equal(halved, values, equal_nan=True) else values


SHIFT_FACTS = {
    "shift_error": "Largest error, float64",
    "shift_error_float32": "The same, float32",
    "shift_crookedness": "Mₖᵀ Mₖ misses 1 by",
    "shortest_wavelength": "Shortest wave",
    "longest_wavelength": "Longest wave",
}
SIMILARITY_FACTS = {
    "same_size_change": "Interpolated to its own size",
    "squared_norm": "|PE|²",
    "distinct": "Distinct identifiers",
    "offset_spread": "Spread over p",
    "score_spread": "Like tokens: over p",
    "rises": "Offsets where it rises again",
}
NORM_FACTS = {
    "squared_norm": "|PE|²",
    "largest_value": "Largest number",
    "change_with_length": "Change with length",
    "nearest_distance": "Nearest two positions",
}
TWICE_FACTS = {
    "change_with_length": "Change with length",
    "weight": "Largest identifier",
    "missing": "Without one",
    "unseen": "Farthest from any",
    "far_share": "Weight beyond",
}
"""What the facts beside each figure are called."""

FIGURES = {
    "table": Drawn("A vector for every position", table, has=tells),
    "shift": Drawn("One map shifts every position", shift, "shift_error", has=tells),
    "similarity": Drawn("Similarity", similarity, "similarity"),
    "norms": Drawn("Embedding beside position", norms, has=lambda answer: bool(texts_of(answer))),
    "twice": Drawn("At twice the length", twice, "profile"),
    "board": Drawn(
        "Every scheme against the same questions",
        board,
        has=lambda answer: "board" in answer.fields,
    ),
}
