"""Figures of /dependency: a cell of the maps is the share of one writer at one depth."""

import numpy as np

from tests.rounding import SINGLE, is_same, same

SMALL = {"layers": 2, "d_model": 32, "seeds": 4}


def test_a_cell_is_the_share_of_its_writer_and_a_writer_to_come_has_none(ask):
    shares = np.array(ask("dependency", **SMALL)["tensors"]["beta_squared.all"]["data"])
    (maps,) = ask("dependency/figures/maps", **SMALL)["data"]
    cells = {
        said: value
        for names, values in zip(maps["customdata"], maps["z"], strict=True)
        for said, value in zip(names, values, strict=True)
        if said
    }
    for placement, name in enumerate(("Post-LN", "Pre-LN", "Admin")):
        for depth in range(4):
            said = {
                cell: value
                for cell, value in cells.items()
                if cell.startswith(f"{name}, after sub-layer {depth + 1}: ")
            }
            same(list(said.values()), shares[placement, depth, : depth + 1], SINGLE)
    assert len(cells) == 3 * (1 + 2 + 3 + 4)
    numbers = [value for row in maps["z"] for value in row if value is not None]
    assert len(numbers) == len(cells)


def test_a_click_on_a_map_chooses_its_placement(ask):
    (maps,) = ask("dependency/figures/maps", **SMALL)["data"]
    chosen = maps["meta"]["pick"]["placement"]
    names = {"post": "Post-LN", "pre": "Pre-LN", "admin": "Admin"}
    for row, placements in zip(maps["customdata"], chosen, strict=True):
        for said, placement in zip(row, placements, strict=True):
            assert not said or said.startswith(f"{names[placement]},")


def test_the_places_of_every_map_are_marked_in_the_middle_of_its_cells(ask):
    figure = ask("dependency/figures/maps", **SMALL)
    (maps,) = figure["data"]
    x, y = figure["layout"]["xaxis"], figure["layout"]["yaxis"]
    columns, rows = np.array(maps["x"]), np.array(maps["y"])
    for places, axis, edges in ((x["tickvals"], x, columns), (y["tickvals"], y, rows)):
        middles = (edges[:-1] + edges[1:]) / 2
        for place, name in zip(places, axis["ticktext"], strict=True):
            assert any(is_same(middle, place, SINGLE) for middle in middles), name
    assert x["ticktext"] == ["1", "2", "3", "4"] * 3
    assert y["ticktext"] == ["1", "2", "3", "4"]


def test_each_kind_of_sub_layer_has_a_line_and_the_other_placements_a_dotted_mean(ask):
    question = {**SMALL, "placement": "pre"}
    answer = ask("dependency", **question)
    figure = ask("dependency/figures/newest", **question)
    drawn = {trace["name"]: trace for trace in figure["data"]}
    own = answer["tensors"]["dependency"]["data"]
    same(drawn["attention"]["y"], own[::2], SINGLE)
    same(drawn["feed-forward"]["y"], own[1::2], SINGLE)
    assert drawn["feed-forward"]["x"] == [2, 4]
    post = answer["tensors"]["dependency.all"]["data"][0]
    means = [(post[0] + post[1]) / 2, (post[2] + post[3]) / 2]
    same(drawn["Post-LN"]["y"], means, SINGLE)
    assert figure["layout"]["xaxis"]["ticktext"] == ["1", "2", "3", "4"]
    assert "Pre-LN" not in drawn
