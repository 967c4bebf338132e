"""The same fields from the address or a body; every kind of bad one has its own clear answer."""

import json

import httpx2
import pytest
from pydantic import ValidationError

from app.questions import AboutModel
from tests.app.problems import assert_problem

ATTENTION = {"model": "translator", "source": "i am cold"}
JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("word", "fields"),
    [
        ("attention", {**ATTENTION, "layer": 1, "head": 2, "stage": "scores"}),
        ("logits", {**ATTENTION, "lens": True, "top": 3}),
        ("positions", {"scheme": "sinusoidal", "length": 9, "d_model": 8, "base": 100.0}),
        ("masks", {"pattern": "padding", "length": 5, "lengths": [5, 3, 1]}),
        ("masks", {"cells": [[1, 0], [1, 1]]}),
        ("models/translator", {}),
        ("explain", {**ATTENTION, "name": "encoder.0.attention.pattern", "at": "0,1,2"}),
    ],
)
def test_get_and_post_give_the_same_bytes(client: httpx2.Client, word: str, fields: dict):
    lists = {name: json.dumps(value) for name, value in fields.items() if isinstance(value, list)}
    got = client.get(f"/api/v1/{word}", params={**fields, **lists})
    posted = client.post(f"/api/v1/{word}", json=fields)
    assert got.status_code == 200, got.text
    assert got.content == posted.content


def test_numbers_with_commas_are_a_list(client: httpx2.Client):
    commas = client.get("/api/v1/masks", params={"pattern": "padding", "length": 5, "lengths": "5,3,1"})
    assert commas.content == client.get("/api/v1/masks", params={"pattern": "padding", "length": 5, "lengths": "[5,3,1]"}).content


BAD_ADDRESSES = {
    "an unknown field": ("model=translator&source=a&layr=1", "unknown_field"),
    "a field twice": ("model=translator&source=a&layer=1&layer=2", "repeated"),
    "a field twice with the same value": ("model=translator&source=a&source=a", "repeated"),
    "no model": ("source=a", "missing"),
    "a word for a number": ("model=translator&source=a&layer=two", "int_parsing"),
    "true for a number": ("model=translator&source=a&layer=true", "int_parsing"),
    "a fraction for a whole number": ("model=translator&source=a&layer=1.5", "int_parsing"),
    "a negative layer": ("model=translator&source=a&layer=-1", "greater_than_equal"),
    "10^400": ("model=translator&source=a&layer=1" + "0" * 400, "less_than"),
    "10^5000": ("model=translator&source=a&layer=1" + "0" * 5000, "int_parsing_size"),
    "NaN": ("model=translator&source=a&layer=NaN", "int_parsing"),
    "no choice of the list": ("model=translator&source=a&stage=softmax", "literal_error"),
    "an empty choice": ("model=translator&source=a&stage=", "literal_error"),
    "a text over the limit": ("model=translator&source=" + "a" * 2001, "string_too_long"),
    "an empty text": ("model=translator&source=", "refused"),
    "a text of spaces": ("model=translator&source=+++", "refused"),
    "no input": ("model=translator", "refused"),
    "an input of another family": ("model=translator&text=hello", "refused"),
    "a layer the model does not have": ("model=translator&source=a&layer=17", "refused"),
    "bytes that are not UTF-8": ("model=translator&source=%ff%fe", "encoding"),
    "half a surrogate pair in UTF-8": ("model=translator&source=%ed%a0%80", "encoding"),
    "a hundred fields": ("&".join(f"f{i}=1" for i in range(100)), "fields"),
}


@pytest.mark.parametrize(("query", "code"), BAD_ADDRESSES.values(), ids=BAD_ADDRESSES)
def test_a_bad_address_is_answered_with_what_is_wrong(client: httpx2.Client, query: str, code: str):
    assert_problem(client.get(f"/api/v1/attention?{query}"), 422, code)


BAD_BODIES = {
    "true for a number": ('{"model": "translator", "source": "a", "layer": true}', "int_type"),
    "a word for a number": ('{"model": "translator", "source": "a", "layer": "1"}', "int_type"),
    "a fraction for a whole number": ('{"model": "translator", "source": "a", "layer": 1.0}', "int_type"),
    "10^400": ('{"model": "translator", "source": "a", "layer": 1%s}' % ("0" * 400), "less_than"),
    "1e400": ('{"model": "translator", "source": "a", "layer": 1e400}', "int_type"),
    "a number of 5,000 digits": ('{"model": "translator", "source": "a", "layer": 1%s}' % ("0" * 5000), "json"),
    "NaN": ('{"model": "translator", "source": "a", "layer": NaN}', "json"),
    "-Infinity": ('{"model": "translator", "source": "a", "layer": -Infinity}', "json"),
    "a number for a text": ('{"model": "translator", "source": 5}', "string_type"),
    "null for what is needed": ('{"model": null, "source": "a"}', "string_type"),
    "half a surrogate pair": ('{"model": "translator", "source": "\\ud800"}', "surrogate"),
    "half a surrogate pair in an image": ('{"model": "digits", "image": "0\\ud800"}', "surrogate"),
    "half a surrogate pair in a row": ('{"model": "penguins-ft", "row": {"sex": "\\udfff"}}', "surrogate"),
    "half a surrogate pair in a name": ('{"model": "translator", "\\udfff": "a"}', "surrogate"),
    "half a surrogate pair in a name further down": ('{"model": "translator", "source": {"\\udfff": 1}}', "surrogate"),
    "a field twice": ('{"model": "translator", "source": "a", "source": "b"}', "repeated"),
    "an unknown field": ('{"model": "translator", "source": "a", "__proto__": 1}', "unknown_field"),
    "edits, which are not yet": ('{"model": "translator", "source": "a", "edits": []}', "unknown_field"),
    "a list": ("[1, 2]", "json"),
    "a number": ("7", "json"),
    "null": ("null", "json"),
    "nothing": ("", "json"),
    "half an object": ('{"model": "tr', "json"),
    "a trailing comma": ('{"model": "translator",}', "json"),
    "a hundred thousand brackets": ("[" * 100_000, "nested"),
    "an object in an object, very deep": ('{"a":' * 20_000, "nested"),
    "a null character in the id of a model": ('{"model": "\\u0000", "source": "a"}', "unknown"),
}


@pytest.mark.parametrize(("body", "code"), BAD_BODIES.values(), ids=BAD_BODIES)
def test_a_bad_body_is_answered_with_what_is_wrong(client: httpx2.Client, body: str, code: str):
    assert_problem(client.post("/api/v1/attention", content=body, headers=JSON), 404 if code == "unknown" else 422, code)


def test_bytes_that_are_not_utf_8_are_refused(client: httpx2.Client):
    assert_problem(client.post("/api/v1/attention", content=b'{"model": "\xff"}', headers=JSON), 422, "encoding")


def test_a_post_has_no_fields_in_its_address(client: httpx2.Client):
    assert_problem(client.post("/api/v1/attention?layer=1", json=ATTENTION), 422, "address")


def test_the_path_names_the_model_once(client: httpx2.Client):
    assert_problem(client.get("/api/v1/models/translator?id=other"), 422, "repeated")


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/jsonp"])
def test_a_body_of_another_type_is_refused(client: httpx2.Client, media_type: str):
    assert_problem(client.post("/api/v1/attention", content=json.dumps(ATTENTION), headers={"content-type": media_type}), 415, "media_type")


def test_ten_errors_are_enough(client: httpx2.Client):
    problem = assert_problem(client.get("/api/v1/attention?" + "&".join(f"f{i}=1" for i in range(40))), 422)
    assert len(problem["errors"]) == 10


def test_what_was_given_is_not_echoed_whole(client: httpx2.Client):
    response = client.get("/api/v1/attention", params={"model": "x" * 99, "source": "secret" * 400})
    assert_problem(response, 422, "string_too_long")
    assert "secret" * 20 not in response.text
    assert response.json()["errors"][0]["limit"] == 2000
    assert response.json()["errors"][0]["given"] == 2400


def test_the_nearest_names_are_offered(client: httpx2.Client):
    assert assert_problem(client.get("/api/v1/attention?model=transltor&source=a"), 404)["nearest"][0] == "translator"
    assert "/api/v1/attention" in assert_problem(client.get("/api/v1/atention"), 404)["nearest"]
    names = {**ATTENTION, "names": "decoder.0.attention.patern"}
    assert "decoder.0.attention.pattern" in assert_problem(client.get("/api/v1/activations", params=names), 404)["nearest"]
    assert "`layer`" not in assert_problem(client.get("/api/v1/tokens?model=a&source=b&layre=1"), 422)["detail"]
    assert "layer" in assert_problem(client.get("/api/v1/attention?model=a&source=b&layre=1"), 422)["detail"]


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ([[0, 0.5], [1, 0.25]], "0,0.5,1,0.25"),
        ([0, 0.5], "0,0.5"),
        ("[[0, 0.5], [1, 0.25]]", "0,0.5,1,0.25"),
        ("0,0.5", "0,0.5"),
        ("three", "three"),
    ],
)
def test_rows_of_an_image_are_the_numbers_of_an_address(given, asked):
    assert AboutModel(model="digits", image=given).asked() == {"model": "digits", "image": asked}


@pytest.mark.parametrize("given", [3, 0.5, True, {"rows": []}, "0," * 1001])
def test_what_is_neither_rows_nor_text_is_no_image(given):
    with pytest.raises(ValidationError):
        AboutModel(model="digits", image=given)


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ({"bill_length_mm": 39.1, "island": "Biscoe"}, "bill_length_mm=39.1,island=Biscoe"),
        ({"bill_length_mm": 39, "sex": None}, "bill_length_mm=39,sex="),
        ("island=Biscoe", "island=Biscoe"),
        ("adelie", "adelie"),
    ],
)
def test_columns_with_their_values_are_the_row_of_an_address(given, asked):
    assert AboutModel(model="penguins-ft", row=given).asked() == {"model": "penguins-ft", "row": asked}


@pytest.mark.parametrize("given", [3, True, [], ["island"], {"island": "Biscoe,sex=male"}, {"a=b": 3}, "island=Biscoe," * 1001])
def test_what_is_neither_columns_nor_text_is_no_row(given):
    with pytest.raises(ValidationError):
        AboutModel(model="penguins-ft", row=given)
