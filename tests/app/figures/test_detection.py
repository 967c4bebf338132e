"""Figures of /detection: boxes lie where they are said, frames are as strong as the weights, and a
click asks for the query of the smallest box around the pointer.
"""

from itertools import combinations, pairwise

import numpy as np

from app.figures.detection_boxes import Prediction
from app.figures.detection_tags import Place, tags
from tests.rounding import SINGLE, same

QUERY = {"model": "shapes", "image": "three"}


def tensor(answer: dict, name: str) -> np.ndarray:
    return np.array(answer["tensors"][name]["data"], float)


def boxes_of(trace: dict, side: int) -> np.ndarray:
    """Centres and sizes, as shares of the picture, of the closed lines of a trace."""
    points = np.array([trace["x"], trace["y"]], float).T
    lines = np.split(points, np.flatnonzero(np.isnan(points[:, 0])))
    lines = [line[np.isfinite(line[:, 0])] for line in lines]
    corners = [(line.min(0), line.max(0)) for line in lines if len(line)]
    shares = [((low - 0.5) / side, (high - 0.5) / side) for low, high in corners]
    return np.array([[*(low + high) / 2, *(high - low)] for low, high in shares])


def test_every_box_lies_where_it_is_said(ask):
    answer = ask("detection", **QUERY, query=1)
    traces = ask("detection/figures/found", **QUERY, query=1, layer=1)["data"]
    boxes, side = tensor(answer, "boxes"), answer["axes"]["row"]["size"]
    lines = [t for t in traces if t.get("mode") == "lines" and t.get("hoverinfo") != "skip"]
    truth, *trail, others, mine = lines
    same(boxes_of(truth, side), tensor(answer, "truth"), SINGLE, scale=1)
    same(np.vstack([boxes_of(t, side) for t in trail]), boxes[[0, 2], 1], SINGLE, scale=1)
    same(boxes_of(mine, side), boxes[1, [1]], SINGLE, scale=1)
    chances = tensor(answer, "chances")[1]
    listed = [q for q in range(8) if q != 1 and chances[q].argmax() < chances.shape[1] - 1]
    same(boxes_of(others, side), boxes[1, listed], SINGLE, scale=1)
    assert sorted(set(others["meta"]["pick"]["query"])) == listed
    for name, probability in others["customdata"]:
        query = int(name.split(":")[0].split()[-1])
        same(probability, chances[query].max(), SINGLE)


def test_the_shapes_are_told_as_they_were_asked_for_and_one_more_stands_where_most_room_is(ask):
    red = {"kind": "ellipse", "colour": "red", "x": 0.2, "y": 0.2, "width": 0.3, "height": 0.25}
    blue = {**red, "kind": "triangle", "colour": "blue", "x": 0.7}
    image = "; ".join(" ".join(map(str, shape.values())) for shape in (red, blue))
    meta = ask("detection/figures/found", model="shapes", image=image)["layout"]["meta"]
    same(meta["scene"], [red, blue], SINGLE)
    assert meta["room"] == {"x": 0.4, "y": 0.8, "width": 0.28, "height": 0.28}


def test_the_picture_and_the_weights_are_the_answer_s(ask):
    answer = ask("detection", **QUERY)
    unseen, picture, frames, *_ = ask("detection/figures/found", **QUERY, head=3)["data"]
    light = tensor(answer, "picture").transpose(1, 2, 0)
    same(np.array(picture["z"]), light, SINGLE)
    weights = tensor(answer, "weights")[-1, 3].reshape(8, 8)
    same(np.array(unseen["z"], float), weights, SINGLE)
    strips = np.array(frames["z"], float)
    assert np.isnan(strips[1::3, 1::3]).all(), "the picture is seen within the frames"
    for row, column in ((0, 0), (0, 1), (2, 2), (1, 0)):
        same(strips[row::3, column::3], weights, SINGLE)
    assert frames["zmax"] == np.float32(tensor(answer, "weights").max())


def test_a_point_belongs_to_the_smallest_box_around_it_or_to_the_chosen_query(ask):
    answer = ask("detection", **QUERY, query=6)
    _, picture, *_ = ask("detection/figures/found", **QUERY, query=6)["data"]
    picked = picture["meta"]["pick"]["query"]
    chances, boxes = tensor(answer, "chances")[-1], tensor(answer, "boxes")[-1]
    for row in range(0, 32, 3):
        for column in range(0, 32, 3):
            point = np.array([column + 0.5, row + 0.5]) / 32
            around = [
                (width * height, q)
                for q, (x, y, width, height) in enumerate(boxes)
                if chances[q].argmax() < 12
                and abs(point[0] - x) <= width / 2
                and abs(point[1] - y) <= height / 2
            ]
            assert picked[row][column] == (min(around)[1] if around else 6)


def test_the_small_boxes_are_those_of_each_layer(ask):
    answer, figure = ask("detection", **QUERY), ask("detection/figures/heads", **QUERY)
    outline = next(s for s in figure["layout"]["shapes"] if s["type"] == "path")
    corners = [
        np.array([pair.split(",") for pair in path.replace("L", " ").lstrip("M").split()], float)
        for path in outline["path"].split("Z")
        if path
    ]
    found = np.array([[*(box.min(0)), *(box.max(0) - box.min(0))] for box in corners])
    x, y, width, height = tensor(answer, "boxes")[:, 0].T * 8
    step = 8.9
    for layer in range(3):
        for head in range(4):
            left, top, wide, high = found[4 * layer + head]
            assert abs(left - (head * step + x[layer] - width[layer] / 2)) < 2e-3
            assert abs(top - (layer * step + y[layer] - height[layer] / 2)) < 2e-3
            assert abs(wide - width[layer]) < 2e-3
            assert abs(high - height[layer]) < 2e-3


def test_labels_of_boxes_that_lie_close_do_not_cover_each_other_nor_leave_the_picture():
    side, boxes = 32, [(0.25, 0.3, 0.3, 0.3), (0.65, 0.31, 0.3, 0.3), (0.45, 0.65, 0.4, 0.2)]
    mine, *others = [
        Prediction(query, "red ellipse", 0.99, False, np.array(box))
        for query, box in enumerate(boxes)
    ]
    notes = tags(mine, others, side)
    assert notes[-1]["text"].startswith("0 ")
    spots = [
        Place(note["x"] - 0.5, note["y"] - 0.5, note["xanchor"], note["yanchor"], len(note["text"]))
        for note in notes
    ]
    assert all(spot.inside(side) for spot in spots)
    assert all(spot.covers(other) == 0 for spot, other in combinations(spots, 2))


def test_how_much_two_labels_cover_is_the_area_that_both_take():
    left, right = Place(0, 10, "left", "bottom", 10), Place(16, 11, "right", "bottom", 10)
    assert left.covers(right) == right.covers(left) == 4 * 1.5
    assert left.covers(Place(0, 10, "left", "top", 10)) == 0
    assert not Place(0, 1, "left", "bottom", 10).inside(32)


def test_the_bars_of_the_loss_are_its_terms_and_are_stacked_to_the_whole(ask):
    answer = ask("detection", **QUERY)
    terms, loss = tensor(answer, "loss_terms"), answer["loss"]
    plot = ask("detection/figures/loss", **QUERY, layer=1)
    layers, queries = plot["data"][:3], plot["data"][3:]
    same(sum(np.array(t["y"]) for t in layers).sum(), loss["total"], SINGLE)
    for term, by_layer, by_query in zip(terms, layers, queries, strict=True):
        same(by_layer["y"], term.sum(1), SINGLE)
        same(by_query["y"], term[1], SINGLE)
        assert by_layer["name"] == by_query["name"]
    for under, over in pairwise(queries):
        tops = np.array(under["base"]) + under["y"]
        same(over["base"], tops, SINGLE)
    labels = [row[0] for row in queries[0]["customdata"]]
    owners = {p["query"]: p["object"] for p in loss["pairs"] if p["layer"] == 1}
    names = answer["axes"]["object"]["labels"]
    for query, name in enumerate(labels):
        assert name.endswith(names[owners[query]] if query in owners else "no object")
