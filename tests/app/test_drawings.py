"""The drawing of a word is served in its answer, and with a theme as a file."""

from urllib.parse import unquote
from xml.etree import ElementTree

import httpx2
import pytest

from app.api.endpoint import endpoints

ASKED = {"model": "translator", "source": "i am cold", "width": 90, "height": 30}
(WORD,) = [word for word in endpoints() if word.drawing is not None]
ADDRESS = f"{WORD.address}/drawing"


def parsed(svg: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter())  # noqa: S314 - it is our own


def test_an_answer_with_a_drawing_has_the_fields_of_the_word_and_no_tensors(ask):
    drawn, plain = (
        ask("architecture/drawing", **ASKED),
        ask("architecture", **dict(list(ASKED.items())[:2])),
    )
    assert drawn["question"] == {**ASKED, "encoding": "json"}
    assert drawn.keys() - plain.keys() == set(WORD.drawn_as.model_fields)
    assert plain.keys() - drawn.keys() == {"axes", "tensors"}
    for name in drawn.keys() & plain.keys() - {"question"}:
        assert drawn[name] == plain[name]
    assert parsed(drawn["svg"])[0].get("width") == "90em"
    total = sum(count for _, _, count in drawn["table"]["rows"])
    assert total == plain["parameters"] == sum(t["times"] * t["each"] for t in plain["census"])


def test_an_answer_with_a_drawing_is_of_the_type_the_document_says(client: httpx2.Client):
    document = client.get("/openapi.json").json()
    schema = document["paths"][ADDRESS]["get"]["responses"]["200"]["content"]["application/json"]
    name = schema["schema"]["$ref"].rpartition("/")[2]
    fields = document["components"]["schemas"][name]
    drawn = client.get(ADDRESS, params=ASKED).json()
    assert set(fields["required"]) <= drawn.keys() <= fields["properties"].keys()
    assert client.post(ADDRESS, json=ASKED).json() == drawn


@pytest.mark.parametrize("theme", ["light", "dark", "projector"])
def test_with_a_theme_it_is_a_file_that_says_where_it_is_from(client: httpx2.Client, theme: str):
    response = client.get(ADDRESS, params={**ASKED, "theme": theme})
    assert response.headers["content-type"].startswith("image/svg+xml")
    assert (
        'filename="vitrine-architecture-translator.svg"' in response.headers["content-disposition"]
    )
    *_, model, call = [one.text for one in parsed(response.text) if one.text]
    assert "translator (weights sha256 " in model
    assert "source “i am cold”" in model
    assert call == unquote("GET /api/v1/architecture?model=translator&source=i am cold")
    again = client.get(
        ADDRESS,
        params={**ASKED, "theme": theme},
        headers={"if-none-match": response.headers["etag"]},
    )
    assert again.status_code == 304


@pytest.mark.parametrize("wrong", [{"width": 3}, {"width": 1e9}, {"height": -1}, {"theme": "pink"}])
def test_a_room_that_is_none_is_refused(client: httpx2.Client, wrong: dict):
    assert client.get(ADDRESS, params={**ASKED, **wrong}).status_code == 422
