"""The drawing of a word is served in its answer, and with a theme as a file."""

from xml.etree import ElementTree

import httpx2
import numpy as np
import pytest

from app.api.endpoint import endpoints
from tests.rounding import SINGLE, same

ROOM = {"width": 90, "height": 30}
FIELDS = {"model": "translator", "source": "i am cold"}
BESIDE = {"architecture": {}, "generate": {"strategy": "beam", "beams": 3, "at": 2}}
"""What is asked of each word besides a model, an input and the room."""
WORDS = {word.name: word for word in endpoints() if word.drawing is not None}
FILE = f"{WORDS['architecture'].address}/drawing"
drawn_word = pytest.mark.parametrize("word", WORDS)


def parsed(svg: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter())  # noqa: S314 - it is our own


def test_every_word_with_a_drawing_is_tried():
    assert WORDS.keys() == BESIDE.keys()


@drawn_word
def test_an_answer_with_a_drawing_has_the_fields_of_the_word_and_no_tensors(ask, word: str):
    beside = {**FIELDS, **BESIDE[word]}
    drawing = ask(f"{word}/drawing", **beside, **ROOM)
    plain = ask(word, **{name: value for name, value in beside.items() if name != "at"})
    assert {**beside, **ROOM}.items() <= drawing["question"].items()
    assert drawing.keys() - plain.keys() == set(WORDS[word].drawing_fields.model_fields)
    assert plain.keys() - drawing.keys() == {"axes", "tensors"}
    for name in drawing.keys() & plain.keys() - {"question"}:
        assert drawing[name] == plain[name]
    assert parsed(drawing["svg"])[0].get("width") == "90em"
    assert all(len(row) == len(drawing["table"]["head"]) for row in drawing["table"]["rows"])


def test_the_modules_of_an_architecture_hold_all_its_parameters(ask):
    drawing = ask("architecture/drawing", **FIELDS, **ROOM)
    total = sum(count for _, _, count in drawing["table"]["rows"])
    assert total == drawing["parameters"] == sum(t["times"] * t["each"] for t in drawing["census"])


def test_the_table_of_weights_holds_every_pattern_under_the_names_of_its_keys(ask):
    plain = ask("architecture", **FIELDS)
    listed = ask("architecture/drawing", **FIELDS, **ROOM, table="weights")["table"]
    rows = iter(listed["rows"])
    for name, tensor in plain["tensors"].items():
        heads, queries, keys = tensor["shape"]
        labels = plain["axes"][tensor["axes"][2]]["labels"]
        title, *named = next(rows)
        assert title.startswith(name.removesuffix(".pattern"))
        assert named[:keys] == labels
        found = [next(rows)[1 : keys + 1] for _ in range(heads * queries)]
        same(found, np.reshape(tensor["data"], (-1, keys)), SINGLE, scale=1)
    assert next(rows, None) is None
    assert {len(row) for row in listed["rows"]} == {len(listed["head"])}


@drawn_word
def test_an_answer_with_a_drawing_is_of_the_type_the_document_says(
    client: httpx2.Client, word: str
):
    document = client.get("/openapi.json").json()
    address = f"{WORDS[word].address}/drawing"
    schema = document["paths"][address]["get"]["responses"]["200"]["content"]["application/json"]
    name = schema["schema"]["$ref"].rpartition("/")[2]
    fields = document["components"]["schemas"][name]
    query = {**FIELDS, **BESIDE[word], **ROOM}
    drawing = client.get(address, params=query).json()
    assert set(fields["required"]) <= drawing.keys() <= fields["properties"].keys()
    assert client.post(address, json=query).json() == drawing


@drawn_word
@pytest.mark.parametrize("theme", ["light", "dark", "projector"])
def test_with_a_theme_it_is_a_file_that_says_where_it_is_from(
    client: httpx2.Client, theme: str, word: str
):
    query = {**FIELDS, **BESIDE[word], **ROOM, "theme": theme}
    address = f"{WORDS[word].address}/drawing"
    response = client.get(address, params=query)
    assert response.headers["content-type"].startswith("image/svg+xml")
    file = f'filename="vitrine-{word}-translator.svg"'
    assert file in response.headers["content-disposition"]
    assert "var(" not in response.text
    *_, model, call = [element.text for element in parsed(response.text) if element.text]
    assert "translator (weights sha256 " in model
    assert "source “i am cold”" in model
    assert call.startswith(f"GET /api/v1/{word}?model=translator&source=i am cold")
    again = call.removeprefix("GET ").replace(" ", "+")
    assert client.get(again).status_code == 200
    headers = {"if-none-match": response.headers["etag"]}
    assert client.get(address, params=query, headers=headers).status_code == 304


def test_a_tree_of_an_edited_model_says_so_and_its_call_asks_for_it(client: httpx2.Client):
    off = {"op": "zero", "at": "decoder.2.cross_attention.head_out", "where": {"head": [1]}}
    query = {**FIELDS, **BESIDE["generate"], "edits": [off], "theme": "light"}
    response = client.post(f"{WORDS['generate'].address}/drawing", json=query)
    *_, model, call = [element.text for element in parsed(response.text) if element.text]
    assert model.endswith(" · edited: decoder layer 2 cross-attention head 1: off")
    assert (
        client.get(call.removeprefix("GET ").replace(" ", "+")).json()["edits"][0]["at"]
        == off["at"]
    )


def test_a_text_that_grew_alone_has_no_tree(client: httpx2.Client):
    response = client.get(f"{WORDS['generate'].address}/drawing", params=FIELDS)
    assert response.status_code == 422
    assert "choose beam" in response.json()["detail"]


@pytest.mark.parametrize("wrong", [{"width": 3}, {"width": 1e9}, {"height": -1}, {"theme": "pink"}])
def test_a_room_that_is_none_is_refused(client: httpx2.Client, wrong: dict):
    assert client.get(FILE, params={**FIELDS, **ROOM, **wrong}).status_code == 422
