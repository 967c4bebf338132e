"""Pictures in colours beneath maps of patches: a pixel has its own colour, or where there are too
many different ones nearly so, and of many classes the likeliest are told.
"""

import numpy as np

from app.figures import attention, images
from app.figures.patched import image_of
from app.figures.picture import COLOURS, STOPS, in_few_colours, sampled
from app.figures.plot import Trace
from model.analyses.architecture import input_in_words
from model.analyses.attention import attention as weights_of
from model.analyses.images import images as patches_of
from tests.model.support.pictures import picture_model, run_of_picture
from tests.rounding import SINGLE, same

PIXELS = np.random.default_rng(0).integers(0, 256, (8, 8, 3), dtype=np.uint8)


def colours_of(trace: Trace) -> np.ndarray:
    """The colour of each pixel that is drawn, row by row."""
    scale = [stop for _, stop in trace["colorscale"]]
    assert (trace["zmin"], trace["zmax"], len(scale)) == (0, len(scale) - 1, STOPS)
    numbers = np.asarray(trace["z"])
    colours = [scale[int(number)] for number in numbers[np.isfinite(numbers)]]
    return np.array([[int(stop[at : at + 2], 16) for at in (1, 3, 5)] for stop in colours])


def test_a_pixel_lies_in_its_patch_in_its_own_colour():
    answer = patches_of(run_of_picture(picture_model(), PIXELS))
    attention, ink = images.painted(answer, {"layer": 1, "head": 2})["data"]
    assert colours_of(ink).tolist() == PIXELS.reshape(-1, 3).tolist()
    assert "scale" not in ink["meta"]
    assert ink["hoverinfo"] == "skip"
    weights = answer.tensors["weights"].data[1, 2].tolist()
    same([attention["z"][r, c] for r, c in attention["meta"]["tokens"]], weights, SINGLE)


def test_the_page_of_attention_shows_the_picture_too():
    run = run_of_picture(picture_model(), PIXELS)
    answer = weights_of(run, layer=1, head=0)
    assert image_of(answer).tolist() == PIXELS.tolist()
    _, ink = attention.weights_over_image(answer, {}).traces
    assert colours_of(ink).tolist() == PIXELS.reshape(-1, 3).tolist()


def test_more_colours_than_a_scale_has_are_drawn_close_to_their_own():
    ramp = np.stack(np.meshgrid(np.arange(0, 256, 4), np.arange(0, 256, 4)), -1)
    smooth = np.dstack([ramp, np.full((64, 64), 7)]).astype(np.uint8)
    numbers, scale = in_few_colours(smooth)
    assert len(np.unique(numbers)) == COLOURS
    colours = np.array([[int(stop[at : at + 2], 16) for at in (1, 3, 5)] for _, stop in scale])
    off = np.abs(colours[numbers].astype(int) - smooth).max()
    assert off <= 16, "4,096 colours in 255 groups of 16 or 17, 4 apart"


def test_many_pixels_of_a_patch_are_drawn_by_some_of_them():
    large = np.random.default_rng(1).integers(0, 256, (32, 30, 3), dtype=np.uint8)
    assert sampled(PIXELS, (4, 4)).tolist() == PIXELS.tolist()
    taken = sampled(large, (2, 4))
    assert taken.shape == (16, 32, 3)
    assert taken[0, 0].tolist() == large[1, 0].tolist()
    assert taken[-1, -1].tolist() == large[31, 29].tolist()


def test_of_many_classes_the_likeliest_at_the_end_are_told():
    answer = patches_of(run_of_picture(picture_model(n_classes=40), PIXELS))
    figure = images.says(answer, {})
    probabilities = answer.tensors["says"].data.numpy()
    cells = np.asarray(figure["data"][0]["z"])
    assert cells.shape == (images.MAX_CLASSES, len(probabilities))
    same(sorted(cells[:, -1]), sorted(probabilities[-1])[-images.MAX_CLASSES :], SINGLE)
    assert "12 most likely of 40 classes" in figure["layout"]["meta"]["description"]


def test_the_architecture_says_how_large_the_picture_is():
    run = run_of_picture(picture_model(), PIXELS[:, :6])
    assert input_in_words(run) == "6 × 8 pixels"
