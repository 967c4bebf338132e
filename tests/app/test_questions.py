"""The same fields from the address or a body; every kind of bad one has its own clear answer."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
from pydantic import ValidationError

from app.api.endpoint import endpoints
from app.api.strict_routes import from_body
from app.errors import Problem
from app.limits import SharedLimits
from app.schema.bounds import body_model, query_model
from app.schema.model_sizes import first_example
from app.schema.questions import AboutModel
from tests.app.problems import assert_problem
from tests.app.serving import Running

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
    commas = client.get(
        "/api/v1/masks", params={"pattern": "padding", "length": 5, "lengths": "5,3,1"}
    )
    assert (
        commas.content
        == client.get(
            "/api/v1/masks", params={"pattern": "padding", "length": 5, "lengths": "[5,3,1]"}
        ).content
    )


BAD_ADDRESSES = {
    "an unknown field": ("model=translator&source=a&layr=1", "unknown_field"),
    "a field twice": ("model=translator&source=a&layer=1&layer=2", "repeated"),
    "a field twice with the same value": ("model=translator&source=a&source=a", "repeated"),
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
    "an input of another family": ("model=translator&text=hello", "refused"),
    "a layer the model does not have": ("model=translator&source=a&layer=17", "refused"),
    "bytes that are not UTF-8": ("model=translator&source=%ff%fe", "encoding"),
    "half a surrogate pair in UTF-8": ("model=translator&source=%ed%a0%80", "encoding"),
    "a hundred fields": ("&".join(f"f{i}=1" for i in range(100)), "fields"),
}


@pytest.mark.parametrize(("query", "code"), BAD_ADDRESSES.values(), ids=BAD_ADDRESSES)
def test_a_bad_address_is_answered_with_what_is_wrong(client: httpx2.Client, query: str, code: str):
    assert_problem(client.get(f"/api/v1/attention?{query}"), 422, code)


ABOUT_A_MODEL = {
    endpoint.name: endpoint for endpoint in endpoints() if issubclass(endpoint.question, AboutModel)
}


@pytest.mark.parametrize("kind", [query_model, body_model])
def test_without_fields_it_is_the_first_example_of_the_model_of_the_word(kind: Callable):
    """Which is that of the example that the API's document gives."""
    needed = {"explain": {"name": "logits", "at": "0"}}
    for word, endpoint in ABOUT_A_MODEL.items():
        question = kind(endpoint.question, SharedLimits())(**needed.get(word, {}))
        assert f"model={question.model}&" in f"{endpoint.example}&"
        if word != "heads":  # which are measured on held-out inputs
            assert first_example(question.model).items() <= question.arguments().items()


def test_an_answer_says_which_example_it_is_about_and_a_problem_what_is_missing(
    client: httpx2.Client,
):
    example = {"model": "translator", "source": "i am cold"}
    response = client.get("/api/v1/attention")
    assert example.items() <= response.json()["question"].items()
    for same in (example, {"source": None}, response.json()["question"]):
        assert client.post("/api/v1/attention", json=same).content == response.content
    for word, needed in (("explain", "name"), ("steering", "toward")):
        problem = client.get(f"/api/v1/{word}").json()
        assert f"`{needed}` is missing" in problem["detail"]


def test_an_input_that_is_given_is_what_is_read(client: httpx2.Client):
    for word, fields, read in (
        ("tokens", {"source": "he is cold"}, {"model": "translator", "source": "he is cold"}),
        ("tokens", {"model": "shakespeare"}, {"text": first_example("shakespeare")["text"]}),
        ("masks", {"model": "translator"}, {"source": "i am cold"}),
        ("modes", {}, {"text": "i am cold"}),
        ("patching", {"corrupted": "i am cold", "clean": "he is cold"}, {"source": None}),
    ):
        question = client.get(f"/api/v1/{word}", params=fields).json()["question"]
        assert {name: question.get(name) for name in read} == read


BAD_BODIES = {
    "true for a number": ('{"model": "translator", "source": "a", "layer": true}', "int_type"),
    "a word for a number": ('{"model": "translator", "source": "a", "layer": "1"}', "int_type"),
    "a fraction for a whole number": (
        '{"model": "translator", "source": "a", "layer": 1.0}',
        "int_type",
    ),
    "10^400": ('{"model": "translator", "source": "a", "layer": 1%s}' % ("0" * 400), "less_than"),
    "1e400": ('{"model": "translator", "source": "a", "layer": 1e400}', "int_type"),
    "a number of 5,000 digits": (
        '{"model": "translator", "source": "a", "layer": 1%s}' % ("0" * 5000),
        "json",
    ),
    "NaN": ('{"model": "translator", "source": "a", "layer": NaN}', "json"),
    "-Infinity": ('{"model": "translator", "source": "a", "layer": -Infinity}', "json"),
    "a number for a text": ('{"model": "translator", "source": 5}', "string_type"),
    "null for what is needed": ('{"model": null, "source": "a"}', "string_type"),
    "half a surrogate pair": ('{"model": "translator", "source": "\\ud800"}', "surrogate"),
    "half a surrogate pair in an image": ('{"model": "digits", "image": "0\\ud800"}', "surrogate"),
    "half a surrogate pair in a row": (
        '{"model": "penguins-ft", "row": {"sex": "\\udfff"}}',
        "surrogate",
    ),
    "half a surrogate pair in a name": ('{"model": "translator", "\\udfff": "a"}', "surrogate"),
    "half a surrogate pair in a name further down": (
        '{"model": "translator", "source": {"\\udfff": 1}}',
        "surrogate",
    ),
    "a field twice": ('{"model": "translator", "source": "a", "source": "b"}', "repeated"),
    "an unknown field": ('{"model": "translator", "source": "a", "__proto__": 1}', "unknown_field"),
    "edits that are no list": ('{"model": "translator", "source": "a", "edits": {}}', "list_type"),
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
    assert_problem(
        client.post("/api/v1/attention", content=body, headers=JSON),
        404 if code == "unknown" else 422,
        code,
    )


def test_bytes_that_are_not_utf_8_are_refused(client: httpx2.Client):
    assert_problem(
        client.post("/api/v1/attention", content=b'{"model": "\xff"}', headers=JSON),
        422,
        "encoding",
    )


def test_a_post_has_no_fields_in_its_address(client: httpx2.Client):
    query = "/api/v1/attention?model=translator&source=a"
    assert client.get(query).status_code == 200
    assert_problem(client.post(query, json=ATTENTION), 422, "address")


def body_of(count: int) -> bytes:
    """So many fields that are not there, the last of them twice."""
    fields = [f'"{index:05d}":0' for index in [*range(count), count - 1]]
    return f"{{{','.join(fields)}}}".encode()


def seconds_to_refuse(count: int) -> float:
    """The processor's time for a body of so many fields, the best of three."""

    def once() -> float:
        body, begun = body_of(count), time.process_time()
        with pytest.raises(Problem):
            from_body("application/json", body)
        return time.process_time() - begun

    return min(once() for _ in range(3))


def test_the_longest_body_of_repeated_fields_is_refused_at_once():
    assert seconds_to_refuse(25_000) < 0.5
    # In one pass about 40 times as long, because the longer one fits into no cache; were each field
    # compared with every other, 625 times.
    assert seconds_to_refuse(25_000) < 200 * seconds_to_refuse(1_000)


def test_others_are_answered_while_a_long_body_is_refused(house: Running):
    body = body_of(25_000)
    with house.client() as client, house.client() as other, ThreadPoolExecutor(1) as threads:
        refused = threads.submit(client.post, "/api/v1/limits", content=body, headers=JSON)
        waits = []
        while not refused.done():
            begun = time.monotonic()
            assert other.get("/healthz").json() == {"alive": True}
            waits.append(time.monotonic() - begun)
        assert_problem(refused.result(), 422, "repeated")
    assert max(waits, default=0) < 5


@pytest.mark.parametrize("word", ["limits", "attention", "models/translator"])
def test_more_fields_than_there_are_is_refused_before_they_are_looked_at(
    client: httpx2.Client, word: str
):
    names = [f"f{index}" for index in range(30)]
    body = client.post(f"/api/v1/{word}", json=dict.fromkeys(names, 1))
    assert_problem(body, 422, "fields")
    query = client.get(f"/api/v1/{word}", params=dict.fromkeys(names, 1))
    assert_problem(query, 422, "fields")


def test_a_field_twice_is_told_as_such_where_there_is_only_one(client: httpx2.Client):
    query = "encoding=json&encoding=json"
    assert_problem(client.get(f"/api/v1/limits?{query}"), 422, "repeated")


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        ("[" * 20 + "]" * 20, "nested"),
        (f"[{','.join(['[]'] * 2_000)}]", "too_long"),
        (f"[{','.join(['[0]'] * 2_000)}]", "too_long"),
        ('[{"a": 1, "a": 2}]', "repeated"),
        ("[" * 15_000, "nested"),
        ("[[1, 0], [1, NaN]]", "list_type"),
    ],
)
def test_json_in_an_address_has_the_same_bounds(client: httpx2.Client, cells: str, code: str):
    assert_problem(client.get("/api/v1/masks", params={"cells": cells}), 422, code)


def test_json_of_more_values_than_any_question_has_is_refused(client: httpx2.Client):
    rows = f'{{"cells": [{",".join(["[]"] * 80_000)}]}}'
    assert_problem(client.post("/api/v1/masks", content=rows, headers=JSON), 422, "values")


def test_null_is_no_value_in_an_address_and_nothing_in_a_body(client: httpx2.Client):
    assert_problem(
        client.get("/api/v1/attention", params={**ATTENTION, "layer": "null"}), 422, "int_parsing"
    )
    without, null = (
        client.post("/api/v1/attention", json=fields)
        for fields in (ATTENTION, {**ATTENTION, "layer": None})
    )
    assert without.content == null.content


def test_the_path_names_the_model_once(client: httpx2.Client):
    assert_problem(client.get("/api/v1/models/translator?id=other"), 422, "repeated")


@pytest.mark.parametrize(
    "media_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "",
        "application/jsonp",
    ],
)
def test_a_body_of_another_type_is_refused(client: httpx2.Client, media_type: str):
    assert_problem(
        client.post(
            "/api/v1/attention", content=json.dumps(ATTENTION), headers={"content-type": media_type}
        ),
        415,
        "media_type",
    )


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "deflate, gzip"])
def test_a_compressed_body_is_refused_by_its_name(client: httpx2.Client, encoding: str):
    response = client.post(
        "/api/v1/attention", content=b"\x1f\x8b", headers={**JSON, "content-encoding": encoding}
    )
    assert f"compressed ({encoding})" in assert_problem(response, 415, "media_type")["detail"]


def test_a_body_may_begin_with_the_mark_of_powershell(client: httpx2.Client):
    body = json.dumps(ATTENTION).encode("utf-8-sig")
    headers = {**JSON, "content-encoding": "identity"}
    marked = client.post("/api/v1/attention", content=body, headers=headers)
    assert marked.content == client.post("/api/v1/attention", json=ATTENTION).content


def test_ten_errors_are_enough(client: httpx2.Client):
    fields = "&".join(f"f{i}=1" for i in range(12))
    problem = assert_problem(client.get(f"/api/v1/attention?{fields}"), 422, "unknown_field")
    assert len(problem["errors"]) == 10


def test_what_was_given_is_not_echoed_whole(client: httpx2.Client):
    response = client.get("/api/v1/attention", params={"model": "x" * 99, "source": "secret" * 400})
    assert_problem(response, 422, "string_too_long")
    assert "secret" * 20 not in response.text
    assert response.json()["errors"][0]["limit"] == 2000
    assert response.json()["errors"][0]["given"] == 2400


def choices() -> list[tuple[str, str]]:
    """The fields of all words that take one of a few values."""
    return [
        (word.address, name)
        for word in endpoints()
        for name, field in word.question.model_json_schema()["properties"].items()
        if "enum" in str(field) and "{" not in word.address
    ]


@pytest.mark.parametrize(("address", "name"), choices())
def test_a_sentence_that_names_every_choice_is_short(client: httpx2.Client, address: str, name):
    problem = assert_problem(client.get(address, params={name: "0" * 400}), 422)
    (error,) = [entry for entry in problem["errors"] if entry["pointer"] == f"/{name}"]
    assert "0000" in error["hint"]
    assert len(error["hint"]) <= 300


def test_the_nearest_names_are_offered(client: httpx2.Client):
    assert (
        assert_problem(client.get("/api/v1/attention?model=transltor&source=a"), 404)["nearest"][0]
        == "translator"
    )
    assert "/api/v1/attention" in assert_problem(client.get("/api/v1/atention"), 404)["nearest"]
    names = {**ATTENTION, "names": "decoder.0.attention.patern"}
    assert (
        "decoder.0.attention.pattern"
        in assert_problem(client.get("/api/v1/activations", params=names), 404)["nearest"]
    )
    assert (
        "`layer`"
        not in assert_problem(client.get("/api/v1/tokens?model=a&source=b&layre=1"), 422)["detail"]
    )
    assert (
        "layer"
        in assert_problem(client.get("/api/v1/attention?model=a&source=b&layre=1"), 422)["detail"]
    )


@pytest.mark.parametrize(
    ("rows", "image"),
    [
        ([[0, 0.5], [1, 0.25]], "0,0.5,1,0.25"),
        ([0, 0.5], "0,0.5"),
        ("[[0, 0.5], [1, 0.25]]", "0,0.5,1,0.25"),
        ("0,0.5", "0,0.5"),
        ("three", "three"),
    ],
)
def test_rows_of_an_image_are_the_numbers_of_an_address(rows, image):
    assert AboutModel(model="digits", image=rows).arguments() == {
        "model": "digits",
        "image": image,
    }


@pytest.mark.parametrize("rows", [3, 0.5, True, {"rows": []}, "0," * 100_353])
def test_what_is_neither_rows_nor_text_is_no_image(rows):
    with pytest.raises(ValidationError):
        AboutModel(model="digits", image=rows)


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        ({"bill_length_mm": 39.1, "island": "Biscoe"}, "bill_length_mm=39.1,island=Biscoe"),
        ({"bill_length_mm": 39, "sex": None}, "bill_length_mm=39,sex="),
        ("island=Biscoe", "island=Biscoe"),
        ("adelie", "adelie"),
    ],
)
def test_columns_with_their_values_are_the_row_of_an_address(columns, row):
    assert AboutModel(model="penguins-ft", row=columns).arguments() == {
        "model": "penguins-ft",
        "row": row,
    }


@pytest.mark.parametrize(
    "columns",
    [3, True, [], ["island"], {"island": "Biscoe,sex=male"}, {"a=b": 3}, "island=Biscoe," * 1001],
)
def test_what_is_neither_columns_nor_text_is_no_row(columns):
    with pytest.raises(ValidationError):
        AboutModel(model="penguins-ft", row=columns)
