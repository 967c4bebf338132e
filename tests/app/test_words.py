"""Every word of the API: its example answers in both encodings, is kept by the browser, and its
fields are what its analysis takes.
"""

import base64
import contextlib
import inspect
import re
from pathlib import Path

import httpx2
import numpy as np
import pytest
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from pydantic.fields import PydanticUndefined

from app.api.endpoint import Endpoint, endpoints
from app.api.strict_routes import routes_of
from model.analyses import OF_LONG_TEXTS
from model.analytic.position_comparison import COMPARED
from model.layers.choice_names import SCHEME_NAMES
from model.layers.mask_parameters import MASK_PARAMETERS
from model.layers.masks import MASKS
from model.layers.position_parameters import SCHEME_PARAMETERS
from model.runs.strategies import Settings as GenerateSettings
from tests.app.serving import Running
from tests.app.test_assets import DECODE, raw
from tests.app.test_openapi import application
from tests.model.support.asked_fields import asked_fields

ANSWERED = [word for word in endpoints() if word.local is None]


def address(word: Endpoint, **more: str) -> str:
    query = "&".join(
        [word.example] * bool(word.example) + [f"{name}={value}" for name, value in more.items()]
    )
    return f"{word.address.replace('{id}', 'translator')}?{query}"


@pytest.mark.parametrize("word", ANSWERED, ids=lambda word: word.address)
def test_the_example_answers_and_both_encodings_hold_the_same_numbers(
    client: httpx2.Client, word: Endpoint
):
    plain, packed = client.get(address(word)), client.get(address(word, encoding="base64"))
    assert plain.status_code == 200, plain.text
    assert plain.headers["content-type"] == "application/json"
    answer, other = plain.json(), packed.json()
    assert {"kind", "axes", "tensors"} <= answer.keys()
    assert answer["tensors"].keys() == other["tensors"].keys()
    for name, tensor in answer["tensors"].items():
        data = other["tensors"][name].pop("data")
        array = np.frombuffer(base64.b64decode(data["bdata"]), data["dtype"]).reshape(
            [int(size) for size in data["shape"].split(",")]
        )
        np.testing.assert_array_equal(np.array(tensor.pop("data"), array.dtype), array)
        assert list(array.shape) == tensor["shape"]
        assert [answer["axes"][axis]["size"] for axis in tensor["axes"]] == tensor["shape"]
        assert tensor["formula"]
    assert answer.pop("question") == {**other.pop("question"), "encoding": "json"}
    assert answer == other


@pytest.fixture(scope="module")
def answer_types() -> dict[str, type[BaseModel]]:
    """What FastAPI says of each endpoint's answer, by address."""
    routes = [route for route in routes_of(application()) if isinstance(route, APIRoute)]
    return {route.path: route.response_model for route in routes if "GET" in route.methods}


MORE_EXAMPLES = {
    "activations": ["model=translator&source=i+am+cold"],
    "attention": ["model=penguins-saint&row=adelie&kind=rows", "model=shakespeare&text=to+be"],
    "attribution": [
        "model=translator&source=i+am+cold&answer=0&methods=rollout",
        "model=digits&image=three",
        "model=penguins-ft&row=adelie",
        "model=fill-in&text=I+lost+___+keys",
    ],
    "circuit": [
        "model=translator&source=i+am+cold&part=weights",
        "model=translator&source=i+am+cold&part=composition",
        "model=induction-1&text=abcab&part=paths&without=0.1",
    ],
    "complexity": ["measure=true&lengths=8,16"],
    "decoding": ["chain=drawn&top_k=3&min_p=0.1"],
    "effects": [
        "model=digits&image=three&unit=position&ablation=resample",
        "model=penguins-ft&row=adelie&unit=neurons&groups=4&ablation=mean",
    ],
    "explain": ["model=translator&source=a&name=decoder.0.attention.masked_scores&at=0,0,1"],
    "feed-forward": [
        "model=translator&source=i+am+cold&stack=encoder&layer=0",
        "model=penguins-ft&row=adelie",
        "model=digits&image=three&top=20",
    ],
    "generate": ["model=translator&source=i+am+cold&strategy=sample&target=j%27+ai+froid"],
    "images": ["model=digits&image=three&grid=8"],
    "journey": [
        "model=shakespeare&text=to+be",
        "model=fill-in&text=a+___",
        "model=digits&image=one",
    ],
    "logits": ["model=translator&source=a&attribution=true&token=9&full=true&lens=true"],
    "masks": ["cells=[[1,0],[1,1]]", "pattern=causal&model=translator&source=i+am+cold"],
    "models": [""],
    "modes": ["text=i+am+cold&target=j%27+ai+froid"],
    "positions": ["scheme=t5&board=true", "model=digits&interpolated=9", "model=speller&source=a"],
    "pixels": ["network=all&digit=0&given=0&temperature=0&pixel=63&seeds=1"],
    "recurrence": ["text=a&length=2&training=2&seeds=1"],
    "residual": ["model=digits&image=three"],
    "tables": ["model=penguins-tab&row=adelie"],
    "tokens": ["model=digits&image=three", "model=penguins-ft&row=adelie"],
    "training": [""],
}
EXAMPLES = [
    (word, query)
    for word in endpoints()
    for query in [word.example, *(MORE_EXAMPLES.get(word.name, []) if not word.path else [])]
]


@pytest.mark.parametrize(
    ("word", "query"), EXAMPLES, ids=[f"{word.address}?{query}" for word, query in EXAMPLES]
)
@pytest.mark.parametrize("encoding", ["json", "base64"])
def test_an_answer_is_of_the_type_the_document_says(
    client: httpx2.Client, answer_types, word: Endpoint, query: str, encoding: str
):
    """With every field it must have, none besides, and no number where a text is said to be."""
    path = word.address.replace("{id}", "translator")
    response = client.get(f"{path}?{query}&encoding={encoding}")
    assert response.status_code == 200, response.text
    answer_types[word.address].model_validate_json(response.content, strict=True)


@pytest.mark.parametrize("word", endpoints(), ids=lambda word: word.address)
def test_an_answer_says_the_question_with_every_default(client: httpx2.Client, word: Endpoint):
    question = client.get(address(word)).json()["question"]
    defaults = {name: field.default for name, field in word.question.model_fields.items()}
    given_names = {pair.partition("=")[0] for pair in word.example.split("&") if pair}
    assert given_names <= question.keys()
    assert None not in question.values()
    for name, default in defaults.items():
        if name not in given_names and default not in (None, PydanticUndefined):
            assert question[name] == default, name
    assert question.keys() <= defaults.keys() | {"id"}


@pytest.mark.parametrize("word", ANSWERED, ids=lambda word: word.address)
def test_the_question_that_an_answer_says_has_the_same_answer(
    client: httpx2.Client, word: Endpoint
):
    answer = client.get(address(word))
    question = {name: value for name, value in answer.json()["question"].items() if name != "id"}
    path = word.address.replace("{id}", "translator")
    assert client.post(path, json=question).content == answer.content


@pytest.mark.parametrize("word", ANSWERED, ids=lambda word: word.address)
def test_what_the_browser_has_is_not_sent_again(client: httpx2.Client, word: Endpoint):
    first = client.get(address(word))
    again = client.get(
        address(word), headers={"if-none-match": f'"other", {first.headers["etag"]}'}
    )
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert client.get(address(word), headers={"if-none-match": '"other"'}).status_code == 200
    assert (
        client.get(address(word, encoding="base64")).headers["etag"] != first.headers["etag"]
        or not first.json()["tensors"]
    )


@pytest.mark.parametrize("word", ANSWERED, ids=lambda word: word.address)
def test_head_gives_the_head_of_get(client: httpx2.Client, word: Endpoint):
    got, head = client.get(address(word)), client.head(address(word))
    assert head.status_code == 200
    assert head.content == b""
    assert head.headers["etag"] == got.headers["etag"]


@pytest.mark.parametrize("word", ANSWERED, ids=lambda word: word.address)
def test_the_fields_of_a_question_are_the_parameters_of_its_analysis(word: Endpoint):
    fields = word.question.model_fields.keys() - {"encoding"}
    parameters = asked_fields(word.name)
    rows: dict = {"masks": MASKS, "positions": COMPARED}.get(word.name, {})
    parameters |= {parameter.name for row in rows.values() for parameter in row.parameters}
    parameters |= {OF_LONG_TEXTS.get(word.name, word.name)} & fields
    if word.name == "generate":
        parameters |= set(inspect.signature(GenerateSettings).parameters)
    assert fields <= parameters
    assert word.path or fields == parameters or word.name == "models"


@pytest.mark.parametrize(
    ("word", "choice", "rows"), [("masks", "pattern", MASKS), ("positions", "scheme", COMPARED)]
)
def test_the_parameters_of_masks_and_schemes_are_fields_of_question_and_answer(
    word: str, choice: str, rows: dict
):
    """A question takes every value that the check of a parameter takes, and no unknown one."""
    (endpoint,) = [each for each in endpoints() if each.name == word]
    fields = endpoint.question.model_fields
    assert set(re.findall(r"\w+", fields[choice].description or "")) >= rows.keys()
    for parameter in {item.name: item for row in rows.values() for item in row.parameters}.values():
        assert parameter.sentence in (fields[parameter.name].description or "")
        assert parameter.name in endpoint.answer.model_fields
        assert taken(endpoint, parameter.name, parameter.least)
        assert not taken(endpoint, parameter.name, -1)
        if word == "positions":
            assert taken(endpoint, parameter.name, parameter.greatest)
            assert not taken(endpoint, parameter.name, parameter.greatest + 1)


def taken(endpoint: Endpoint, name: str, value: float) -> bool:
    """Whether the type of a field takes the number, alone or in a list."""
    for value_sent in (value, [value]):
        with contextlib.suppress(ValidationError):
            endpoint.question.model_validate({name: value_sent})
            return True
    return False


def test_every_mask_and_scheme_takes_the_parameters_that_the_web_process_knows():
    assert {name: mask.parameters for name, mask in MASKS.items()} == MASK_PARAMETERS
    assert {
        name: scheme.parameters for name, scheme in COMPARED.items() if scheme.parameters
    } == SCHEME_PARAMETERS
    assert SCHEME_NAMES.keys() == COMPARED.keys()


def test_the_web_process_knows_the_parameters_and_never_imports_torch(
    house: Running, client: httpx2.Client
):
    api = client.get("/openapi.json").json()
    known = {parameter["name"] for parameter in api["paths"]["/api/v1/masks"]["get"]["parameters"]}
    assert known >= {parameter.name for row in MASK_PARAMETERS.values() for parameter in row}
    assert "libtorch" not in Path(f"/proc/{house.process.pid}/maps").read_text()
    assert "libtorch" in Path(f"/proc/{house.worker()}/maps").read_text()


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
