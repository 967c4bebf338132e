"""Figures of /basis: each point is one number before the rotation and the same number after it."""

import numpy as np


def test_each_point_names_its_position_and_its_channel(ask):
    answer = ask("basis")
    figure = ask("basis/figures/stream")
    before, after = (np.array(state) for state in answer["tensors"]["stream"]["data"])
    (cloud,) = figure["data"]
    at = cloud["customdata"].index("position 2, channel 17")
    assert cloud["x"][at] == before[2, 17]
    assert cloud["y"][at] == after[2, 17]
    assert len(cloud["x"]) == before.size


def test_no_change_is_the_diagonal_of_a_square(ask):
    layout = ask("basis/figures/hidden")["layout"]
    assert layout["xaxis"]["range"] == layout["yaxis"]["range"]
    assert layout["yaxis"]["scaleanchor"] == "x"
    (diagonal,) = layout["shapes"]
    assert (diagonal["x0"], diagonal["x1"]) == (diagonal["y0"], diagonal["y1"])
