"""A model of pictures that was added: a file is chosen or dropped, the browser scales it, and what
the model says of it is in the address. Whoever changes the field of a picture runs it.
"""

import base64
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from model.inputs.picture_files import read_picture
from model.zoo.cards import User
from model.zoo.own_models import add_model
from tests.app.serving import OF_THE_HOUSE, running
from tests.browser.conftest import LAPTOP, PHONE, Visitor
from tests.model.support.hub_models import ENCODERS, model_of
from tests.model.support.pictures import picture

pytestmark = pytest.mark.thorough

SIDE = 12
LEFT, RIGHT = (200, 30, 60), (10, 90, 220)
FILE = {
    "name": "two.png",
    "mimeType": "image/png",
    "buffer": base64.b64decode(
        picture(np.repeat(np.array([[LEFT] * 24 + [RIGHT] * 24], np.uint8), 24, axis=0))
    ),
}
NO_PICTURE = {"name": "text.png", "mimeType": "image/png", "buffer": b"nothing"}
DROPPED = """content => {
  const bytes = Uint8Array.from(atob(content), sign => sign.charCodeAt(0));
  const carried = new DataTransfer();
  carried.items.add(new File([bytes], "two.png", {type: "image/png"}));
  document.body.dispatchEvent(
    new DragEvent("drop", {dataTransfer: carried, bubbles: true, cancelable: true}));
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    place = tmp_path_factory.mktemp("pictures")
    theirs = model_of(ENCODERS["ViT"], 0)
    assert theirs.config.image_size == SIDE
    theirs.save_pretrained(place / "mine")
    (place / "mine" / "preprocessor_config.json").write_text(f'{{"size": {SIDE}}}')
    before, User.folder = User.folder, place / "cards"
    add_model(place / "mine", "mine", "mine", 2**31)
    User.folder = before
    with running(place, OF_THE_HOUSE, models=place / "cards") as server:
        yield server.until_ready().address


@pytest.fixture
def somebody(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Visitor]:
    context = browser.new_context(**getattr(request, "param", LAPTOP))
    yield (it := Visitor(context, address))
    context.close()
    assert not it.wrongs


def pixels_of(page: Page) -> np.ndarray:
    """The pixels of the picture in the address, [row, column, colour]."""
    (encoded,) = parse_qs(urlsplit(page.url).query)["image"]
    return np.asarray(read_picture(encoded))


def check_shown(page: Page) -> None:
    """The file was squeezed to a square, and is shown as it is asked for."""
    page.wait_for_url("**image=iVBOR**")
    pixels = pixels_of(page).astype(int)
    assert pixels.shape == (SIDE, SIDE, 3)
    for half, colour in ((pixels[:, : SIDE // 2 - 1], LEFT), (pixels[:, SIDE // 2 + 1 :], RIGHT)):
        assert np.abs(half - colour).max() <= 2, "one colour, whatever Chromium smooths with"
    for image in page.locator("img.shown").all():
        expect(image).to_have_attribute("src", f"data:image/png;base64,{value(page)}")


def value(page: Page) -> str:
    return page.locator('input[name="image"]').input_value()


def test_a_file_is_chosen_and_the_model_says_what_it_is_and_back_goes_back(somebody: Visitor):
    page = somebody.visit("/images?model=mine")
    page.locator("main input[type=file]").set_input_files(FILE)
    check_shown(page)
    somebody.ready()
    answer = page.request.get(
        f"{somebody.address}/api/v1/images", params={"model": "mine", "image": value(page)}
    ).json()
    expect(page.locator("#class")).to_have_text(answer["says"]["class"])
    assert (np.array(answer["tensors"]["pixels"]["data"]) == pixels_of(page)).all()
    page.go_back()
    expect(page.locator('input[name="image"]')).to_have_value("drawn-disc")


def test_a_file_is_dropped_on_any_page(somebody: Visitor):
    page = somebody.visit("/attention?model=mine")
    page.evaluate(DROPPED, base64.b64encode(FILE["buffer"]).decode())
    check_shown(page)
    somebody.ready()
    for link in page.locator("a[data-travels]").all():
        assert "image=iVBOR" in link.get_attribute("href")


def test_a_file_that_is_no_picture_is_told_in_a_sentence(somebody: Visitor):
    page = somebody.visit("/images?model=mine")
    page.locator("main input[type=file]").set_input_files(NO_PICTURE)
    expect(page.locator("#status")).to_contain_text("can’t open this file as an image")
    assert value(page) == "drawn-disc"


@pytest.mark.parametrize("somebody", [PHONE], indirect=True, ids=["phone"])
def test_a_phone_has_room_for_the_picture_and_its_patches(somebody: Visitor):
    page = somebody.visit("/images?model=mine")
    page.locator("[popovertarget=input]").click()
    page.locator(".image-field summary").click()
    page.locator(".image-field input[type=file]").set_input_files(FILE)
    check_shown(page)
    somebody.ready()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("image", "sentence"),
    [
        ("three", "There is no example named 'three'"),
        ("R0lGODlh" + "A" * 60, "The image is not PNG, JPEG or WebP: convert it first."),
        (
            picture(np.zeros((4, 4, 3), np.uint8))[:80],
            "The image file is truncated or damaged: save it again.",
        ),
    ],
)
def test_what_is_no_picture_in_an_address_is_refused_in_a_sentence(
    somebody: Visitor, image: str, sentence: str
):
    somebody.refused("status of 422", "status of 404", "ERR_INVALID_URL")
    page = somebody.page
    page.goto(f"{somebody.address}/images?model=mine&image={image.replace('+', '%2B')}")
    expect(page.locator(".failure").first).to_contain_text(sentence)
