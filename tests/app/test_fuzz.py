"""Hundreds of questions nobody would ask: each is answered or refused, and none costs the server
its worker. They are the same in every run; VITRINE_FUZZ_SEED=2 asks others, and `make storm`
thousands.
"""

import json
import os
import random
from collections.abc import Iterator
from urllib.parse import quote

import httpx2
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from app.api.endpoint import endpoints
from tests.app.problems import assert_problem
from tests.app.questions import in_address, once
from tests.app.serving import Running

N_REQUESTS = 400
SEED = int(os.environ["VITRINE_FUZZ_SEED"])
WORDS = endpoints()
FIELDS = sorted({name for word in WORDS for name in word.question.model_fields})
ODD_VALUES = [
    "", " ", "0", "-1", "1e400", "1", "0" * 400, "NaN", "Infinity", "-0", "0x10", "1_000", "٣",
    "½", "true", "null", "None", "[]", "{}", "[[1]]", "[1,", "1,2,3", ",", "1,,2", "*", "**",
    "[a-", "decoder.*", "</s>", "<b>", "' or 1=1 --", "../../etc/passwd", "%00", "\x00", "\u202e",
    "\ufeff", "a" * 2001, "é" * 999, "\U0001f600", "ﷺ" * 50, "json", "base64", "translator",
    "i am cold", "pattern", "causal", "sinusoidal", "beam", "cross", "encoder",
    "decoder.2.cross_attention.pattern", "1,2,3", "self", "scores", "window", "padding",
    "9999999999", "1.5", "-1e-300", "4",
]  # fmt: skip
ODD_JSON = [
    None, True, False, 0, -1, 1, 2, 3, 10**15, 10**400, 1e308, -0.5, [], [[]], [1, 2],
    [[1, 0], [1, 1]], [[True]], [["1"]], {}, {"a": {"b": []}}, "\ud800", "\udfff\ud800", [None],
    [10**30], [[10**30]],
]  # fmt: skip

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(ODD_JSON[:12] + ODD_VALUES),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=8) | st.sampled_from(FIELDS), inner, max_size=4)
    ),
    max_leaves=8,
)
json_objects = st.dictionaries(
    st.sampled_from(FIELDS) | st.text(max_size=10), json_values, max_size=6
)
JSON = {"content-type": "application/json"}
FEW_CHECKS = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def check(response: httpx2.Response, request: object) -> None:
    """Questions are asked one by one, so that none may hear that the server is busy."""
    if response.status_code != 200:
        assert response.status_code in (404, 413, 415, 422, 431), (request, response.text[:500])
        assert_problem(response, response.status_code)


def workers_replaced(house: Running) -> int:
    with house.client() as client:
        return client.get("/api/v1/limits").json()["load"]["workers_replaced"]


@pytest.fixture(autouse=True)
def the_server_stays_as_it_was(house: Running) -> Iterator[None]:
    before = workers_replaced(house)
    yield
    with house.client() as client:
        assert client.get("/readyz").json() == {"ready": True, "worker": "ready"}
    assert workers_replaced(house) == before
    assert "failure" not in (house.calls.parent / "log").read_text()


def odd_question(chance: random.Random, values: list) -> tuple[str, dict[str, object]]:
    """A word with some of its fields, most of them plausible, one or two odd; a clinic is small
    and done once, as its repetitions ask alike.
    """
    word = chance.choice(WORDS)
    known = list(word.question.model_fields)
    plausible = {"model": "translator", "source": "i am cold"}
    fields: dict[str, object] = once(word) | {
        name: plausible[name] for name in plausible if name in known and chance.random() < 0.9
    }
    for name in chance.sample(known, chance.randint(0, min(3, len(known)))):
        fields[name] = chance.choice(values)
    if chance.random() < 0.1:
        fields[chance.choice(FIELDS)] = chance.choice(values)
    return (
        word.address.replace(
            "{id}", chance.choice(["translator", quote(chance.choice(ODD_VALUES), safe="")])
        ),
        fields,
    )


def test_odd_addresses(house: Running):
    chance = random.Random(f"addresses {SEED}")
    with house.client() as client:
        for _ in range(N_REQUESTS):
            path, fields = odd_question(chance, ODD_VALUES)
            query = in_address(fields)
            check(client.get(f"{path}?{query}"), (path, query))


def test_odd_bodies(house: Running):
    chance = random.Random(f"bodies {SEED}")
    with house.client() as client:
        for _ in range(N_REQUESTS):
            path, fields = odd_question(chance, ODD_JSON + ODD_VALUES)
            body = json.dumps(fields)
            if chance.random() < 0.05:
                body = body[: chance.randrange(len(body) + 1)]
            check(
                client.post(path, content=body.encode("utf-8", "surrogatepass"), headers=JSON),
                (path, body),
            )


@seed(SEED)
@settings(max_examples=150, deadline=None, suppress_health_check=FEW_CHECKS, database=None)
@given(word=st.sampled_from(WORDS), fields=json_objects)
def test_any_json_object_is_answered(client: httpx2.Client, word: object, fields: dict):
    body = json.dumps(once(word) | fields)
    check(client.post(word.address, content=body, headers=JSON), (word.address, body))


@seed(SEED)
@settings(max_examples=100, deadline=None, suppress_health_check=FEW_CHECKS, database=None)
@given(word=st.sampled_from(WORDS), body=st.binary(max_size=200))
def test_any_bytes_are_answered(client: httpx2.Client, word: object, body: bytes):
    response = client.post(word.address, content=body, headers=JSON)
    assert response.status_code in (404, 422)
    assert_problem(response, response.status_code)
