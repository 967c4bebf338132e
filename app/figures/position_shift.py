"""One linear map shifts every position: pairs of channels as clocks, before and after it."""

import math
from typing import TYPE_CHECKING

import numpy as np

from app.captions import Question
from app.captions.facts import to_rows
from app.captions.text import number, power_of_ten, tick
from app.figures import theme
from app.figures.axis_scales import AxisScale, counted
from app.figures.meta import NoteLook
from app.figures.plot import Panel, Plot, Row, Trace, changed, figure
from app.figures.position_marks import (
    chosen_rows,
    dotted,
    with_tensor_meta,
    within,
)
from app.figures.traces import at_end, dots, line
from model.words import listed

if TYPE_CHECKING:
    from model.answers.answer import Answer


def shift(answer: "Answer", question: Question) -> Plot:
    """Pairs of channels as clocks, rotated by one map from p to p + k, and the error of the map at
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
        trace["meta"] |= {
            "pick": {"offset": offsets.tolist()},
            **({} if errors.all() else {"said": errors.tolist()}),
        }
        lines.append(trace)
        nonzero = np.flatnonzero(errors)  # a logarithmic axis cannot show an error of 0
        if nonzero.size:
            last = nonzero[-1]
            ends.append(at_end(float(offsets[last]), float(errors[last]), name, role, log_y=True))
    powers = range(-16, -4, 2)
    up = AxisScale(
        "largest |PE(p + k) − Mₖ PE(p)|",
        (-17, -5),
        [10.0**power for power in powers],
        [power_of_ten(power) for power in powers],
        type="log",
    )
    errors = Panel(
        counted("offset k", 1, max(1, length - 1)),
        up,
        lines,
        ends,
        [dotted(k)] if length > 2 else [],
    )
    description = (
        f"Clocks of the pairs {listed(pairs, 'and')}: from position {p} to {p + k}, each rotates by"
        f" its own angle, the same from every position. The largest error at this offset is"
        f" {number(float(float64[k - 1]))} in float64, {number(float(float32[k - 1]))} in float32."
    )
    rows = (Row(len(clocks), 0.4, wrap=True), Row(1, 0.6)) if clocks else (Row(1, 1.0),)
    drawing = figure(*clocks, errors, description=description, rows=rows)
    return with_tensor_meta(
        drawing,
        answer,
        "shift_error",
        caption="pair i rotates by k · 360° / λᵢ (λᵢ: wavelength)",
        facts=to_rows(answer, SHIFT_FACTS),
    )


def clock(encoding: np.ndarray, pair: int, wave: float, p: int, k: int, role: str) -> Panel:
    """One pair of channels: cosine to the right, sine upward. A hollow hand points to p, a filled
    one to p + k, and dots mark all positions.
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
    )
    pick = {"position": places.tolist()}
    changed(all_of_them, marker={"size": 3, "opacity": 1}, meta={"pick": pick})
    traces = [all_of_them]
    if p + k < len(encoding):
        from_p = math.atan2(sine[p], cosine[p])
        angles = from_p + np.linspace(0, math.radians(min(turn, 360)), 17, dtype=np.float32)
        law = f"rotation from p to p + k<br><b>{degrees(turn)}</b>, at sine %{{y:.3g}}"
        inner = 0.45 * np.cos(angles), 0.45 * np.sin(angles)
        traces += [
            line(
                *inner,
                f"rotation of pair {pair}",
                role,
                law,
                law=True,
                legend=False,
                dash="3px,1px",
            ),
            hand(sine[p + k], cosine[p + k], p + k, pair, role, 3),
        ]
    traces.append(hand(sine[p], cosine[p], p, pair, "ink", 2))
    under = {"x": 0, "y": -CLOCK, "yanchor": "middle", "showarrow": False}
    notes = [
        {
            **under,
            "text": degrees(turn),
            "yshift": -10,
            "look": NoteLook(kind="title", role=role),
            "font": {"color": theme.colour(role)},
        },
        {
            **under,
            "text": f"λ {tick(float(f'{wave:.2f}' if wave < 100 else f'{wave:.0f}'))}",
            "yshift": -25,
            "look": NoteLook(kind="title", role="ink-soft"),
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
        trace["meta"] |= {"tabled": False}
    level, up = (
        AxisScale(of, (-CLOCK, CLOCK), [], [], frameless=True)
        for of in ("cosine", f"pair {pair}, sine")
    )
    return Panel(level, up, traces, notes, [circle], even=True)


CLOCK = 1.15  # half the size of a clock, in radii


def hand(sine: float, cosine: float, p: int, pair: int, role: str, width: int) -> Trace:
    """A hand of a clock, from the center to the position p."""
    hover = f"pair {pair}, position {p}<br>sine <b>%{{y:.3g}}</b>, cosine <b>%{{x:.3g}}</b>"
    trace = line([0, cosine], [0, sine], f"position {p}", role, hover, legend=False)
    end = {"size": [0, 9], "opacity": 1, "symbol": "circle-open" if role == "ink" else "circle"}
    return changed(trace, line={"width": width}, marker=end)


def degrees(turn: float) -> str:
    """An angle in degrees, or in turns from two turns on."""
    if turn >= 720:
        return f"{turn / 360:.1f} turns"
    return f"{number(turn)}°" if turn < 0.1 else f"{turn:.{1 if turn < 10 else 0}f}°"


SHIFT_FACTS = {
    "shift_error": "Largest error, float64",
    "shift_error_float32": "Largest error, float32",
    "shift_crookedness": "Distance of Mₖᵀ Mₖ from 1",
    "shortest_wavelength": "Shortest wavelength",
    "longest_wavelength": "Longest wavelength",
}
