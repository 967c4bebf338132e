"""Models of pictures that were added: their pages take a picture, and what a question may carry and
cost is known before anything is computed.
"""

import json
import re
from pathlib import Path

import pytest
from pydantic import ValidationError
from starlette.testclient import TestClient

from app.experiments.attribution import Attribution
from app.http.application import create_app
from app.schema.questions import AboutModel
from app.settings import Settings
from app.site.pages import find_pages
from model.display_limits import PICTURE
from model.inputs.drawn_pictures import SHAPES
from model.zoo.cards import FILE, User, read_card


def card_of(side: int, patch: int, head: str = "classes") -> dict:
    """What `vitrine add` writes."""
    return {
        "kind": "yours",
        "family": "ViT",
        "architecture": "ViT",
        "head": head,
        "encoding": "picture",
        "source": "mine",
        "classes": ["cat", "dog"] if head == "classes" else [],
        "vocabulary": 0,
        "parameters": 1_000,
        "bytes": 4_000,
        "precision": "f32",
        "weights_sha256": "0" * 64,
        "files": {},
        "config": {
            "family": "encoder-only",
            "inputs": "patches",
            "image_side": side,
            "patch_side": patch,
            "colours": 3,
            "vocabulary_size": 2,
            "max_length": (side // patch) ** 2 + 1,
            "d_model": 192,
            "n_heads": 3,
            "d_ff": 768,
            "n_encoder_layers": 12,
            "placement": "pre",
            "positions": "learned",
            "tied_unembedding": False,
        },
    }


@pytest.fixture
def pages(tmp_path: Path) -> TestClient:
    shelf = tmp_path / "cards"
    for name, card in {
        "small": card_of(32, 8),
        "large": card_of(224, 16),
        "streams": card_of(32, 8, head="none"),
    }.items():
        (shelf / name).mkdir(parents=True)
        (shelf / name / FILE).write_text(json.dumps({**card, "folder": str(tmp_path)}))
    return TestClient(create_app(Settings(models=shelf)), "http://localhost")


@pytest.fixture(autouse=True)
def own_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(User, "folder", None)  # and afterwards as it was


@pytest.mark.parametrize(("name", "side"), [("small", 32), ("large", PICTURE), ("streams", 32)])
def test_every_page_takes_a_picture_of_the_model_s_side_or_of_the_largest_in_an_address(
    pages: TestClient, name: str, side: int
):
    fitting = [page for page in find_pages() if not page.model and page.fits(read_card(name))]
    assert {"attention", "residual", "images", "attribution"} <= {page.word for page in fitting}
    for page in fitting if name == "small" else fitting[:1]:
        html = pages.get(f"{page.path}?model={name}").text
        assert 'type="file"' in html
        assert re.search(r'name="image" data-side="(\d+)"', html)[1] == str(side)
        assert "drawn by a formula" in html
        assert 'class="pad-tools"' not in html, "nothing is drawn on it"


def test_what_is_known_of_it_is_said_and_its_examples_are_shapes(pages: TestClient):
    html = pages.get("/models?model=large").text
    assert "pictures of 224 × 224 pixels in color, as [CLS] and 196 patches of 16 × 16" in html
    assert 'data-kind="trained"' not in pages.get("/images?model=small").text
    assert [example["id"] for example in read_card("large")["examples"]] == list(SHAPES)


def test_a_picture_that_is_too_long_is_refused_before_it_is_read():
    with pytest.raises(ValidationError, match="at most 200704 characters"):
        AboutModel(model="large", image="A" * 200_705)


def test_the_price_of_an_attribution_grows_with_the_patches_and_falls_with_the_methods(
    pages: TestClient,
):
    seconds = {
        (name, methods): Attribution(model=name, image="drawn-disc", methods=methods)
        for name in ("small", "large")
        for methods in (None, "gradient,rollout")
    }
    small, few, large, quick = (question.estimated_seconds() for question in seconds.values())
    assert few < small < quick < large
    assert 12 < large < 28, "19 s of a core were measured with 12 layers of 192 channels"
    assert 5 < quick < 12, "8.5 s were"
