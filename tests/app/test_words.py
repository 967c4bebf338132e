"""Every word of the API: its example answers in both encodings, is kept by the browser, and its fields are what its analysis takes."""

import base64
import inspect

import httpx2
import numpy as np
import pytest

from app.api import Word, words
from model.analyses import INPUT, OF_A_MODEL, OF_A_RUN, function_of
from model.strategies import Settings as GenerateSettings
from tests.app.test_assets import DECODE, raw

ANSWERED = [word for word in words() if word.local is None]


def address(word: Word, **more: str) -> str:
    query = "&".join([word.example] * bool(word.example) + [f"{name}={value}" for name, value in more.items()])
    return f"{word.address.replace('{id}', 'translator')}?{query}"


@pytest.mark.parametrize("word", ANSWERED, ids=lambda word: word.address)
def test_the_example_answers_and_both_encodings_hold_the_same_numbers(client: httpx2.Client, word: Word):
    plain, packed = client.get(address(word)), client.get(address(word, encoding="base64"))
    assert plain.status_code == 200, plain.text
    assert plain.headers["content-type"] == "application/json"
    answer, other = plain.json(), packed.json()
    assert {"kind", "axes", "tensors"} <= answer.keys()
    assert answer["tensors"].keys() == other["tensors"].keys()
    for name, tensor in answer["tensors"].items():
        data = other["tensors"][name].pop("data")
        array = np.frombuffer(base64.b64decode(data["bdata"]), data["dtype"]).reshape([int(size) for size in data["shape"].split(",")])
        np.testing.assert_array_equal(np.array(tensor.pop("data"), array.dtype), array)
        assert list(array.shape) == tensor["shape"]
        assert [answer["axes"][axis]["size"] for axis in tensor["axes"]] == tensor["shape"]
        assert tensor["formula"]
    assert answer == other


@pytest.mark.parametrize("word", ANSWERED, ids=lambda word: word.address)
def test_what_the_browser_has_is_not_sent_again(client: httpx2.Client, word: Word):
    first = client.get(address(word))
    again = client.get(address(word), headers={"if-none-match": f'"other", {first.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert client.get(address(word), headers={"if-none-match": '"other"'}).status_code == 200
    assert client.get(address(word, encoding="base64")).headers["etag"] != first.headers["etag"] or not first.json()["tensors"]


@pytest.mark.parametrize("word", ANSWERED, ids=lambda word: word.address)
def test_head_gives_the_head_of_get(client: httpx2.Client, word: Word):
    got, head = client.get(address(word)), client.head(address(word))
    assert head.status_code == 200
    assert head.content == b""
    assert head.headers["etag"] == got.headers["etag"]


@pytest.mark.parametrize("word", ANSWERED, ids=lambda word: word.address)
def test_the_fields_of_a_question_are_the_parameters_of_its_analysis(word: Word):
    fields = word.question.model_fields.keys() - {"encoding"}
    parameters = {
        name for name, parameter in inspect.signature(function_of(word.name)).parameters.items() if parameter.kind is parameter.KEYWORD_ONLY
    }
    if word.name in OF_A_RUN + OF_A_MODEL:
        parameters |= {"model", *INPUT}
    if word.name == "generate":
        parameters |= set(inspect.signature(GenerateSettings).parameters)
    assert fields <= parameters
    assert word.path or fields == parameters or word.name == "models"


def test_long_answers_are_compressed_and_short_ones_are_not(client: httpx2.Client):
    long, short = address(next(word for word in ANSWERED if word.name == "residual")), "/healthz"
    plain = client.get(long, headers={"accept-encoding": "identity"}).content
    for encoding in ("br", "gzip"):
        response, body = raw(client, long, encoding)
        assert response.headers["content-encoding"] == encoding
        assert "accept-encoding" in response.headers["vary"].lower()
        assert DECODE[encoding](body) == plain
    assert "content-encoding" not in client.get(short, headers={"accept-encoding": "gzip"}).headers


def test_the_limits_say_name_value_unit_and_sentence(client: httpx2.Client):
    answer = client.get("/api/v1/limits").json()
    for limit in answer["limits"]:
        assert limit.keys() == {"name", "value", "unit", "sentence"}
        assert limit["value"] > 0
        assert limit["unit"]
        assert limit["sentence"].endswith(".")
    assert {"worker", "waiting", "running", "service_seconds", "streams"} <= answer["load"].keys()
    assert client.post("/api/v1/limits", json={}).json()["limits"] == answer["limits"]
