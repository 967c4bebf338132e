"""Figures of /images: every pixel and every weight lies where its patch is, and a click on a patch
asks for its token.
"""

import numpy as np
import pytest

from tests.rounding import SINGLE, same

QUERY = {"model": "digits", "image": "three"}


def array(values: list) -> np.ndarray:
    return np.array(values, float)


def middles(edges: list) -> np.ndarray:
    at = np.array(edges)
    return (at[:-1] + at[1:]) / 2


@pytest.mark.parametrize("grid", [4, 3], ids=["own", "interpolated"])
def test_a_patch_shows_its_own_pixels_within_the_frame_of_its_weight(ask, grid: int):
    query = {**QUERY, "query": 5, "grid": grid}
    answer = ask("images", **query)
    figure = ask("images/figures/painted", **query, layer=1, head=2)
    attention, ink = figure["data"]
    pixels = array(answer["tensors"]["pixels"]["data"])
    labels = answer["axes"]["image"]["labels"]
    side = len(pixels) // grid
    left = attention["x"][2]
    xs, ys, image_cells = middles(ink["x"]), middles(ink["y"]), array(ink["z"])
    found = np.full_like(pixels, np.nan)
    for r, c in np.argwhere(np.isfinite(image_cells)):
        row, column = int(ys[r]), int(xs[c] - left)
        offset = (ys[r] - row - 0.1) / 0.8, (xs[c] - left - column - 0.1) / 0.8
        at = [
            patch * side + int(share * side)
            for patch, share in zip((row, column), offset, strict=True)
        ]
        found[tuple(at)] = image_cells[r, c]
        token = 1 + row * grid + column
        assert ink["meta"]["pick"]["query"][r][c] == token
        assert f"{labels[5]} → {labels[token]}" in ink["customdata"][r][c]
    np.testing.assert_array_equal(found, pixels)
    weights = array(answer["tensors"]["weights"]["data"])[1, 2]
    cells = attention["meta"]["tokens"]
    same([attention["z"][r][c] for r, c in cells], weights, SINGLE)
    assert [attention["meta"]["pick"]["query"][r][c] for r, c in cells] == list(range(len(labels)))
    assert [attention["customdata"][r][c].split()[-1] for r, c in cells] == labels


def test_a_layer_that_is_not_there_is_refused_in_a_sentence(client):
    refused = client.get("/api/v1/images/figures/painted", params={**QUERY, "layer": 7})
    assert refused.status_code == 422
    assert "layer is 7; it must be between 0 and 2" in refused.json()["detail"]
