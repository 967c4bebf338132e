"""The drawing of an architecture: everything lies inside, every part is a link, nothing that was
typed becomes markup, and sizes are told in em.
"""

import base64
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from app.compute.messages import Drawing
from app.drawings import svg
from app.drawings.architecture import draw, drawing
from app.drawings.architecture_groups import groups
from app.drawings.architecture_plan import Doors
from app.figures.theme import tokens
from model.analyses.architecture import DrawnBlock, architecture
from model.display_limits import DEEP
from model.errors import UnknownName
from model.inputs.input import Input
from model.layers.choice_names import NORMS_AT
from model.runs.run_model import run_model
from model.zoo.models import ids, load_model
from tests.model.support.runs import small_run
from tests.rounding import PIXELS, PRINTED, near
from tests.thorough import mostly

NAME = "{http://www.w3.org/2000/svg}"
ROOMS = [(96, 36), (76, 30), (120, 60), (27.5, 24.5), (20, 0)]


def of(id: str):
    model = load_model(id)
    example = model.card["examples"][0]
    return architecture(run_model(model, Input(**example["input"])))


def draw_one(answer, width: float = 96, height: float = 36, root: str = "", opened=None):
    doors = Doors.of(answer, {"model": answer.model, **answer.input}, root)
    return draw(answer, doors, width, height, opened)


def parsed(whole: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(whole).iter())  # noqa: S314 - it is our own


def elements(answer, *room, **more) -> list[ElementTree.Element]:
    return parsed(str(draw_one(answer, *room, **more).svg))


def links(found) -> dict[str, str]:
    return {
        element.get("aria-label"): element.get("href")
        for element in found
        if element.tag == f"{NAME}a"
    }


def words(found) -> list[str]:
    return [element.text for element in found if element.tag == f"{NAME}text"]


OF_EACH_FAMILY = ("translator", "shakespeare", "fill-in", "digits", "shapes", "penguins-saint")


@pytest.fixture(params=mostly(ids(), *OF_EACH_FAMILY))
def answer(request: pytest.FixtureRequest):
    return of(request.param)


@pytest.mark.parametrize("room", ROOMS)
def test_everything_lies_inside(answer, room: tuple[float, float]):
    check_inside(elements(answer, *room), room)


def check_inside(found: list[ElementTree.Element], room: tuple[float, float]):
    _, _, width, height = map(float, found[0].get("viewBox").split())
    assert width == room[0] * svg.EM
    for element in found:
        if element.tag in (f"{NAME}rect", f"{NAME}image"):
            x, y, wide, high = (float(element.get(key)) for key in ("x", "y", "width", "height"))
            assert wide >= 0, "a bar of no probability has no length"
            assert high > 0
            points = [(x, y), (x + wide, y + high)]
        elif element.tag == f"{NAME}path":
            pairs = element.get("d").strip("MZ").split("L")
            points = [tuple(map(float, pair.split())) for pair in pairs]
        else:
            continue
        for x, y in points:
            assert -0.5 <= x <= width + 0.5, element.attrib
            assert -0.5 <= y <= height + 0.5, element.attrib


@pytest.mark.parametrize("room", ROOMS[::3])
def test_every_part_is_a_link_that_says_its_shape(answer, room: tuple[float, float]):
    found = links(elements(answer, *room))
    for stack in answer.fields["stacks"]:
        assert any(label.startswith(f"{stack.name}.embedding: ") for label in found)
        for block in stack.blocks:
            for part in block.parts:
                (label,) = [
                    text for text in found if text.startswith(f"{part.name}: ") and "×" in text
                ]
                assert label.endswith("×".join(map(str, part.inner)))
    assert any(label.startswith("probabilities over the vocabulary") for label in found)
    assert len(answer.fields["beside"]) == sum("MLP" in label for label in found)
    for href in found.values():
        assert f"model={answer.model}" in href


def test_a_link_leads_to_the_page_of_its_part_below_the_root_of_the_house():
    found = links(elements(of("translator"), root="/vitrine"))
    query = "model=translator&source=i+am+cold&target=j%27+ai+froid"
    (cross,) = [found[label] for label in found if label.startswith("decoder.1.cross_attention")]
    assert cross == f"/vitrine/attention?{query}&kind=cross&stack=decoder&layer=1"
    (network,) = [found[label] for label in found if label.startswith("encoder.0.feed_forward")]
    assert network == f"/vitrine/feed-forward?{query}&stack=encoder&layer=0"
    norm = found["the norm of encoder.0.feed_forward"]
    assert norm == f"/vitrine/residual?{query}&view=norm&stack=encoder"
    added = found["the sum after decoder.1.attention"]
    assert added == f"/vitrine/residual?{query}&view=contributions&stack=decoder"
    (output,) = [found[label] for label in found if label.startswith("probabilities")]
    assert output == f"/vitrine/generate?{query}"


def test_a_norm_stands_only_where_the_placement_has_one_and_positions_where_they_are_told():
    for placement, stand in NORMS_AT.items():
        answer = architecture(small_run("decoder-only", placement))
        norms = [element for element in elements(answer) if element.text == "N"]
        assert len(norms) == 4 * len(stand), placement
    places = set()
    for placement in ("post", "pre", "branch"):
        found = elements(architecture(small_run("decoder-only", placement)))
        first = next(element for element in found if element.text == "N")
        places.add((first.get("x"), first.get("y")))
    assert len(places) == 3, "on the stream, on the way in, on the way out"
    added = elements(architecture(small_run("decoder-only")))
    assert "decoder.embedding.position: added to the token vectors" in links(added)
    turned = {"relative": "rope", "positions": "none"}
    relative = elements(architecture(small_run("decoder-only", **turned)))
    assert words(relative).count("RoPE") == 2
    assert not any("embedding.position" in label for label in links(relative))


def test_the_bar_of_a_saying_is_as_long_as_its_probability():
    answer = of("translator")
    bars = [element for element in elements(answer) if element.get("fill") == "var(--select)"]
    lengths = np.array([float(bar.get("width")) for bar in bars])
    chances = np.array([entry.chance for entry in answer.fields["says"]])
    near(lengths / lengths[0], chances / chances[0], PRINTED, rel=0.001)


@pytest.mark.parametrize("room", [(96, 36), (27.5, 24.5)])
def test_a_model_without_a_head_ends_with_its_stream(room: tuple[float, float]):
    found = elements(architecture(small_run("encoder-only", headless=True)), *room)
    assert not any("softmax" in word for word in words(found))
    assert not any("probabilities" in label for label in links(found))


def test_a_picture_of_a_pattern_has_the_shade_of_every_weight():
    answer = of("translator")
    (first, *_) = answer.tensors.values()
    weights = first.data[0].numpy()
    images = [element for element in elements(answer) if element.tag == f"{NAME}image"]
    assert np.array_equal(shades(images[0]), (100 * weights).round())
    assert svg.ramp()[0].tolist() == [0x00, 0x22, 0x4E]
    assert svg.ramp()[-1].tolist() == [0xFE, 0xE8, 0x38]


@pytest.mark.parametrize("room", [(96, 36), (27.5, 24.5)])
def test_parallel_sub_layers_all_read_the_input_of_their_block(room: tuple[float, float]):
    def reads(parallel: bool) -> int:
        """How many feed-forward networks read the stream itself, where it is thick."""
        found = elements(architecture(small_run("decoder-only", "pre", parallel=parallel)), *room)
        check_inside(found, room)
        paths = [
            (element.get("stroke"), element.get("d").strip("M").split("L"))
            for element in found
            if element.tag == f"{NAME}path"
        ]
        streams = {
            points[0].split()[1]
            for stroke, points in paths
            if stroke == "var(--stream)" and float(points[1].split()[0]) > room[0] * svg.EM / 2
        }
        begins = [points[0].split() for stroke, points in paths if stroke == "var(--feed-forward)"]
        return sum(y in streams for _, y in begins)

    assert reads(parallel=False) == 2
    assert reads(parallel=True) == 0


@pytest.mark.parametrize("room", [(96, 36), (27.5, 24.5)])
def test_the_transform_of_a_head_stands_before_its_probabilities(room: tuple[float, float]):
    answer = architecture(small_run("encoder-only", transform="gelu", normed_transform=True))
    found = elements(answer, *room)
    check_inside(found, room)
    labels = list(links(found))
    at = labels.index("the transform of the head, N(gelu(x W + b)), 10×16")
    assert labels[at + 1].startswith("probabilities over the vocabulary")
    (term,) = [term for term in answer.fields["census"] if term.name == "transform"]
    d = answer.fields["transform"].says[-1]
    assert answer.fields["transform"].count == term.each == d * d + d + 2 * d


@pytest.fixture(scope="module")
def long():
    """An answer about a model of so many blocks that they are drawn in groups."""
    return architecture(small_run("decoder-only", n_decoder_layers=12))


@pytest.mark.parametrize("opened", [None, "decoder.4"])
def test_a_long_stack_is_drawn_in_groups_of_which_one_is_open(long, opened: str | None):
    room = (27.5, 24.5)
    found = elements(long, *room, opened=opened)
    check_inside(found, room)
    groups = [word[2:] for word in words(found) if word[0] in "▸▾"]
    open_ones = [f"layer {i}" for i in (3, 4, 5)] if opened else ["layers 3–5"]
    assert groups == ["layers 0–2", *open_ones, "layers 6–8", "layers 9–11"]
    there = links(found)
    assert there["open layers 6–8 of the decoder"].endswith("&open=decoder.6")
    shape = "×".join(map(str, long.fields["stacks"][0].blocks[0].parts[0].inner))
    group = f"decoder.0.attention to decoder.2.attention: self-attention, each {shape}"
    assert there[group] == there["open layers 0–2 of the decoder"]
    if opened:
        closes = there["close layers 3–5 of the decoder, from layer 4"]
        assert closes.startswith("/?model=")
        assert "open=" not in closes
        assert "&layer=4" in there[f"decoder.4.attention: self-attention, {shape}"]


def test_groups_have_every_block_once_and_are_nearly_equal():
    blocks = [DrawnBlock(f"decoder.{i}", i, 0, [4, 8], []) for i in range(97)]
    for few in range(1, DEEP + 1):
        assert groups(blocks[:few]) == []
    for count in range(DEEP + 1, 98):
        found = groups(blocks[:count])
        assert [block for group in found for block in group.blocks] == blocks[:count]
        sizes = [len(group.blocks) for group in found]
        assert max(sizes) - min(sizes) <= 1
        assert max(sizes) ** 2 <= count <= (max(sizes) + 1) ** 2


def test_a_group_shows_the_mean_pattern_of_each_of_its_blocks(long):
    images = [element for element in elements(long) if element.tag == f"{NAME}image"][:-1]
    assert len(images) == 12
    for layer, image in enumerate(images):
        mean = long.tensors[f"decoder.{layer}.attention.pattern"].data.double().mean(0).numpy()
        near(shades(image), 100 * mean, PIXELS, abs=0.51)


def shades(image: ElementTree.Element) -> np.ndarray:
    """The shade of every cell of a picture, in hundredths."""
    file = BytesIO(base64.b64decode(image.get("href").partition(",")[2]))
    ramp = [tuple(colour) for colour in svg.ramp().tolist()]
    colours_of_cells = np.asarray(Image.open(file).convert("RGB"))
    return np.apply_along_axis(lambda colour: ramp.index(tuple(colour)), 2, colours_of_cells)


def test_a_block_to_open_must_be_one_of_the_model(long):
    fields = (("width", 96.0), ("height", 36.0), ("table", "parts"), ("open", "decoder.12"))
    with pytest.raises(UnknownName, match=r"no block named 'decoder\.12'.*decoder\.1"):
        drawing(long, {"model": long.model}, Drawing(fields))


@pytest.mark.parametrize("typed", ["<script>\"&'", 'a"=b', "\u0000\u0008\u202e", ']]>--><a b="'])
def test_nothing_that_was_typed_becomes_markup(typed: str):
    answer = architecture(run_model(load_model("translator"), Input(source=typed, target=typed)))
    for room in ROOMS:
        whole = draw_one(answer, *room)
        tags = {element.tag.removeprefix(NAME) for element in elements(answer, *room)}
        assert tags <= {"svg", "g", "a", "text", "rect", "path", "circle", "image", "title"}
        assert words(parsed(whole.svg.as_file("light", [typed])))


@pytest.mark.parametrize("theme", ["light", "dark", "projector"])
def test_a_file_has_the_colours_of_its_theme_its_paper_and_its_notes(theme: str):
    whole = draw_one(of("translator")).svg.as_file(theme, ["where it is from"])
    assert "var(--" not in whole
    found = parsed(whole)
    assert words(found)[-1] == "where it is from"
    paper = next(element for element in found if element.tag == f"{NAME}rect")
    assert paper.get("fill") == tokens(theme)["paper"]
    assert float(paper.get("height")) == float(found[0].get("height"))


def test_a_text_that_reads_like_a_colour_stays_a_text():
    assert svg.text(0, 0, '="var(--ink)"', "ink").count('="var(--ink)"') == 1


def test_more_height_makes_plates_higher_and_too_little_is_as_the_least():
    answer = of("digits")
    low, lower, high = (draw_one(answer, 96, height) for height in (1, 2, 60))
    assert low == lower
    assert low.least * svg.EM >= low.svg.height
    assert high.svg.height > low.svg.height
    assert draw_one(answer, 24, 1).svg == draw_one(answer, 24, 60).svg
    assert not draw_one(answer, 24, 1).fills
