"""Figures of /images: every pixel and every weight lies where its patch is, and a click on a patch
asks for its token.
"""

import numpy as np
import pytest

from tests.rounding import SINGLE, same

ASKED = {"model": "digits", "image": "three"}


def array(values: list) -> np.ndarray:
    return np.array(values, float)


def middles(edges: list) -> np.ndarray:
    at = np.array(edges)
    return (at[:-1] + at[1:]) / 2


@pytest.mark.parametrize("grid", [4, 3], ids=["own", "interpolated"])
def test_a_patch_shows_its_own_pixels_within_the_frame_of_its_weight(ask, grid: int):
    asked = {**ASKED, "query": 5, "grid": grid}
    answer = ask("images", **asked)
    figure = ask("images/figures/painted", **asked, layer=1, head=2)
    looks, ink = figure["data"]
    pixels = array(answer["tensors"]["pixels"]["data"])
    labels = answer["axes"]["image"]["labels"]
    side = len(pixels) // grid
    left = looks["x"][2]
    xs, ys, shown = middles(ink["x"]), middles(ink["y"]), array(ink["z"])
    found = np.full_like(pixels, np.nan)
    for r, c in np.argwhere(np.isfinite(shown)):
        row, column = int(ys[r]), int(xs[c] - left)
        offset = (ys[r] - row - 0.1) / 0.8, (xs[c] - left - column - 0.1) / 0.8
        at = [
            patch * side + int(share * side)
            for patch, share in zip((row, column), offset, strict=True)
        ]
        found[tuple(at)] = shown[r, c]
        token = 1 + row * grid + column
        assert ink["meta"]["pick"]["query"][r][c] == token
        assert f"{labels[5]} → {labels[token]}" in ink["customdata"][r][c]
    np.testing.assert_array_equal(found, pixels)
    weights = array(answer["tensors"]["weights"]["data"])[1, 2]
    cells = looks["meta"]["tokens"]
    same([looks["z"][r][c] for r, c in cells], weights, SINGLE)
    assert [looks["meta"]["pick"]["query"][r][c] for r, c in cells] == list(range(len(labels)))
    assert [looks["customdata"][r][c].split()[-1] for r, c in cells] == labels


def test_a_layer_that_is_not_there_is_refused_in_a_sentence(client):
    refused = client.get("/api/v1/images/figures/painted", params={**ASKED, "layer": 7})
    assert refused.status_code == 422
    assert "layer is 7; it goes from 0 to 2" in refused.json()["detail"]
