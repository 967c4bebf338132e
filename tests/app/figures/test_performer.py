"""The maps of /performer stand on the scale of the exact one, and what is off it is counted."""

import numpy as np
import pytest

from app.captions.text import percent
from app.experiments.performer import off_scale
from tests.rounding import SINGLE, same

SMALL = {"length": 8, "features": 16, "seeds": 1}


@pytest.mark.parametrize("kernel", ["positive", "trigonometric"])
@pytest.mark.parametrize("norm", [0.5, 2])
def test_both_maps_have_the_scale_of_the_exact_one(ask, kernel, norm):
    asked = {"kernel": kernel, "norm": norm, **SMALL}
    exact, estimated = (
        np.array(ask("performer", **asked)["tensors"][name]["data"])
        for name in ("exact", "approximate")
    )
    (trace,) = ask("performer/figures/maps", **asked)["data"]
    same(trace["zmax"], exact.max(), SINGLE)
    same(trace["zmin"], -exact.max() if estimated.min() < 0 else 0, SINGLE)
    drawn = np.array(trace["z"], dtype=float)
    (height, width), places = trace["meta"]["size"], [at for _, *at in trace["meta"]["tiles"]]
    for (top, left), values in zip(places, (exact, estimated), strict=True):
        same(drawn[top : top + height, left : left + width], values, SINGLE)


def test_what_is_off_the_scale_is_counted_on_both_sides_of_zero():
    exact = np.array([[0.3, 0.1], [0.2, 0.2]])
    assert off_scale(exact, np.array([[0.1, -0.2], [0.3, 0.0]])) == (0, 0)
    assert off_scale(exact, np.array([[0.1, -0.2], [0.4, 0.0]])) == (0.25, 0.4)
    assert off_scale(exact, np.array([[0.1, -4.5], [2.0, 0.0]])) == (0.5, -4.5)


def test_the_count_stands_over_the_estimated_map_and_in_a_sentence(ask):
    asked = {"length": 16, "features": 4, "seeds": 1}
    tensors = ask("performer", **asked)["tensors"]
    exact, estimated = (np.array(tensors[name]["data"]) for name in ("exact", "approximate"))
    share = percent((np.abs(estimated) > exact.max()).mean())
    assert share != "0 %"
    answer = ask("performer/figures", figures="maps", **asked)
    notes = answer["figures"]["maps"]["layout"]["annotations"]
    assert any(note["text"].replace("\u00a0", " ").startswith(f"{share} off") for note in notes)
    assert f"{share} of the estimated weights are off this scale" in answer["words"]["look_for"]
