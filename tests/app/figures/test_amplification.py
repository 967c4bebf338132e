"""Figures of /amplification: both upright axes show the same ratio as the same length."""

import numpy as np

from tests.rounding import same

SMALL = {"depths": "2,4,8", "d_model": 16, "seeds": 1}


def test_both_axes_span_the_same_ratio_and_hold_every_number(ask):
    spans = []
    for name in ("change", "constant"):
        figure = ask(f"amplification/figures/{name}", **SMALL)
        low, high = figure["layout"]["yaxis"]["range"]
        spans.append(high - low)
        values = np.log10(np.concatenate([trace["y"] for trace in figure["data"]]))
        assert low < values.min()
        assert values.max() < high
    same(*spans)
