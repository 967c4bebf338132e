"""Another scale comes with a figure where it helps; its range and ticks hold every number."""

import math

import numpy as np
import plotly.graph_objects as go
import pytest

from app.figures.axis_scales import HEADROOM, linear, logarithmic
from app.figures.plot import Panel, figure
from app.figures.switches import switches
from app.figures.traces import bars, heat_map, line
from tests.rounding import SINGLE, same

LEVEL = linear("step", [1, 2, 3])
WIDE = [0.02, 0.5, 4.0]


def plot_of(upright, *traces, **more) -> go.Figure:
    return figure(Panel(LEVEL, upright, traces, **more), description="A line.")


def lined(values: list[float]) -> go.Scatter:
    return line([1, 2, 3], values, "loss", "attention", "%{y:.3g}")


def test_a_line_over_more_than_a_decade_may_stand_on_either_scale():
    (switch,) = switches(plot_of(linear("loss", WIDE), lined(WIDE)))
    assert [choice["name"] for choice in switch["choices"]] == ["linear", "log"]
    axis = switch["choices"][1]["layout"]["yaxis"]
    low, high = axis["range"]
    assert axis["type"] == "log"
    assert low <= math.log10(min(WIDE))
    assert high >= math.log10(max(WIDE))
    assert axis["tickvals"] == [0.01, 0.1, 1, 10]
    (back,) = switches(plot_of(logarithmic("loss", WIDE), lined(WIDE)))
    axis = back["choices"][1]["layout"]["yaxis"]
    assert axis["type"] == "linear"
    assert axis["range"] == [0, 4 * (1 + HEADROOM)]


def test_a_note_stays_at_its_number():
    notes = [{"text": "end", "x": 3, "y": 4.0}, {"text": "above", "x": 1, "y": 1, "yref": "paper"}]
    (switch,) = switches(plot_of(linear("loss", WIDE), lined(WIDE), notes=notes))
    same(switch["choices"][1]["layout"]["annotations"], {"0": {"y": math.log10(4)}}, SINGLE)


@pytest.mark.parametrize(
    "values", [[0, 1, 100], [-1, 1, 100], [1, 2, 9]], ids=["zero", "below zero", "within a decade"]
)
def test_where_it_would_not_help_there_is_no_other_scale(values: list[float]):
    assert switches(plot_of(linear("loss", values), lined(values))) == []


def test_bars_begin_at_zero_and_have_one_scale():
    assert switches(plot_of(linear("loss", WIDE), bars([1, 2, 3], WIDE, "a", "key", "%{y}"))) == []


def test_colours_from_zero_to_one_may_fit_the_numbers():
    z = np.array([[0.1, 0.3], [0.2, np.nan]])
    (switch,) = switches(plot_of(LEVEL, heat_map(z, "%{z:.3g}", ends=(0, 1))))
    assert [choice["name"] for choice in switch["choices"]] == ["0 to 1", "fitted"]
    assert switch["choices"][1]["data"] == {
        "0": {"zmin": 0.1, "zmax": 0.3, "meta": {"fitted": True}}
    }
    assert switches(plot_of(LEVEL, heat_map(z, "%{z:.3g}"))) == []
