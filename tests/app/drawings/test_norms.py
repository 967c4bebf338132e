"""The pictures of the start page: the block diagrams have the norms where they stand, and of a cube
the cells are filled that torch's own norm reads.
"""

from itertools import product
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from torch import nn

from app.drawings.averages import CORNER, SHAPE, cube, sharing
from app.drawings.placement import STREAM, diagram
from model.config import WITH_FINAL_NORM
from model.layers.choice_names import AVERAGES_OVER, NORMS_AT, ON_STREAM

NAME = "{http://www.w3.org/2000/svg}"


def parts(svg: object, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(str(svg)).iter(f"{NAME}{tag}"))  # noqa: S314 - our own


@pytest.mark.parametrize("placement", NORMS_AT)
def test_the_norms_of_a_block_diagram_stand_where_the_placement_has_them(placement: str):
    svg = diagram(placement, "translator", "/vitrine{}".format)
    heights = [
        float(rect.get("y", 0)) + float(rect.get("height", 0)) / 2
        for rect in parts(svg, "rect")
        if rect.get("stroke") == "var(--stream)"
    ]
    last = placement in WITH_FINAL_NORM
    assert len(heights) == 2 * len(NORMS_AT[placement]) + last
    on_stream = sum(abs(height - STREAM) < 1 for height in heights)
    assert on_stream == 2 * (ON_STREAM in NORMS_AT[placement]) + last
    assert {link.get("href") for link in parts(svg, "a")} >= {
        "/vitrine/attention?model=translator",
        "/vitrine/residual?model=translator&view=contributions",
        *([f"/vitrine/norms?placement={placement}"] if heights else []),
    }


NORMALISED = {
    "layer": nn.LayerNorm(SHAPE[-1], elementwise_affine=False),
    "batch": lambda x: nn.BatchNorm1d(SHAPE[-1], affine=False, track_running_stats=False)(x.mT).mT,
    "instance": lambda x: nn.InstanceNorm1d(SHAPE[-1])(x.mT).mT,
}
"""Torch's own, which take [sample, channel, position]."""


@pytest.mark.parametrize("norm", AVERAGES_OVER)
def test_the_cells_that_are_filled_are_those_that_torch_reads_for_the_corner(norm: str):
    draws = torch.Generator().manual_seed(0)
    x = torch.randn(SHAPE, generator=draws, dtype=torch.float64, requires_grad=True)
    NORMALISED[norm](x)[CORNER].backward()
    assert x.grad is not None
    read = x.grad.numpy() != 0
    assert np.array_equal(sharing(norm, CORNER), read)
    faces = {
        cell: (cell[0] == 0) + (cell[1] == 0) + (cell[2] == SHAPE[2] - 1)
        for cell in product(*map(range, SHAPE))
    }
    filled = [part for part in parts(cube(norm), "path") if part.get("fill") == "var(--stream)"]
    assert len(filled) == sum(number for cell, number in faces.items() if read[cell])
    (whole,) = parts(cube(norm), "svg")
    assert f"{read.sum()} of {read.size} cells" in whole.get("aria-label", "")
