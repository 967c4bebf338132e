"""The trail of a derivation: every number on it with its value, down to a weight, whose value
stands in the answer that used it.
"""

import re
from html import unescape

import httpx2
import pytest

from app.site import derivation, trail
from app.site.trail import Place
from tests.app.problems import assert_problem

RUN = {"model": "translator", "source": "i am cold"}
PATTERN = "decoder.1.cross_attention.pattern-2-1-2"
Q = "decoder.2.cross_attention.q-2-1-5"
USED = {
    "operands": [
        {
            "name": "whole.weight",
            "kind": "weight",
            "short": "W",
            "index": [None, 7],
            "values": [1, 2],
        },
        {
            "name": "part.weight",
            "kind": "weight",
            "short": "W",
            "index": [[4, 6], 3],
            "values": [3, 4],
        },
        {"name": "one.bias", "kind": "weight", "short": "b", "index": [7], "values": 0.25},
        {
            "name": "table.weight",
            "kind": "weight",
            "short": "W",
            "index": [None, [4, 6]],
            "values": [[1]],
        },
    ]
}


@pytest.fixture
def follow(client: httpx2.Client):
    def follow(*numbers: str) -> dict:
        query = {**RUN, "trail": "*".join(numbers)}
        response = client.get("/api/v1/explain/trail", params=query)
        assert response.status_code == 200, response.text
        return response.json()

    return follow


def crumbs(body: dict) -> list[tuple[str, str]]:
    """The name and the value of each number of a trail, as text."""
    found = re.findall(r"<span>(.*?)</span><b[^>]*>(.*?)</b>", body["crumbs"])
    return [(unescape(name), value) for name, value in found]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (Place("whole.weight", (1, 7)), 2),
        (Place("part.weight", (5, 3)), 4),
        (Place("one.bias", (7,)), 0.25),
        (Place("whole.weight", (1, 8)), None),
        (Place("whole.weight", (2, 7)), None),
        (Place("part.weight", (3, 3)), None),
        (Place("one.bias", (7, 0)), None),
        (Place("table.weight", (0, 4)), None),
        (Place("another.weight", (0,)), None),
    ],
)
def test_the_value_of_a_weight_stands_in_the_answer_that_used_it(place: Place, value: float | None):
    found = trail.leaf(USED, place)
    assert (found and found["value"]) == value


@pytest.mark.parametrize(
    "name",
    [
        "embedding.token",
        "decoder.attention.mask",
        "patches",
        "untied",
        "unembedding_bias",
        "encoder.0.norm1.gain",
    ],
)
def test_weights_masks_and_inputs_are_ends(name: str):
    assert Place(name, (0,)).is_leaf


@pytest.mark.parametrize("name", ["encoder.embedding.token", "decoder.1.norm2.scale", "logits"])
def test_what_is_computed_is_no_end(name: str):
    assert not Place(name, (0,)).is_leaf


@pytest.mark.parametrize(
    "trail_text", ["", "<img>-1", "a b-1", "decoder.0.attention.q", "q-1-x", "x-99999999999"]
)
def test_what_is_no_trail_is_refused_and_never_asked(client: httpx2.Client, trail_text: str):
    assert trail.read(trail_text) == []
    response = client.get("/api/v1/explain/trail", params={**RUN, "trail": trail_text})
    assert assert_problem(response, 422, "invalid")["errors"][0]["pointer"] == "/trail"


def test_a_trail_that_is_too_long_is_refused(client: httpx2.Client):
    response = client.get("/api/v1/explain/trail", params={**RUN, "trail": "*".join(["q-1"] * 129)})
    assert "129 numbers" in assert_problem(response, 422, "invalid")["detail"]


def test_what_follows_a_part_that_is_no_number_is_left_out():
    assert trail.read(f"{Q}*?*{PATTERN}") == [Place("decoder.2.cross_attention.q", (2, 1, 5))]


def test_a_pattern_is_explained_together_with_the_scores_it_was_made_of(follow):
    (place,) = trail.read(PATTERN)
    names = [place_name.name for place_name in trail.explained_with(place)]
    assert [name.rpartition(".")[2] for name in names] == ["scores", "masked_scores", "pattern"]
    captions = [table["caption"] for table in follow(PATTERN)["tables"]]
    assert captions == [f"{name}[2, 1, 2]" for name in names]
    (other,) = trail.read(Q)
    assert trail.explained_with(other) == [other]


def test_every_number_of_a_trail_has_its_name_and_its_value(client: httpx2.Client, follow):
    score = PATTERN.replace("pattern", "scores")
    body = follow(PATTERN, score)
    answers = [
        client.get("/api/v1/explain", params={**RUN, "name": name, "at": "2,1,2"}).json()
        for name, _, _ in (number.partition("-") for number in (PATTERN, score))
    ]
    assert crumbs(body) == [
        (derivation.crumb(answer), derivation.spoken(answer["value"])) for answer in answers
    ]
    assert 'aria-current="step"' in body["crumbs"].rpartition("<li>")[2]
    assert body["place"] == {"name": score.partition("-")[0], "at": "2,1,2"}


def test_a_trail_ends_at_a_weight_with_the_number_that_is_used(client: httpx2.Client, follow):
    query = {**RUN, "name": "decoder.2.cross_attention.q", "at": "2,1,5"}
    operands = client.get("/api/v1/explain", params=query).json()["operands"]
    weight = next(
        operand
        for operand in operands
        if operand["kind"] == "weight" and operand["index"][0] is None
    )
    column = weight["index"][1]
    body = follow(Q, f"{weight['name']}-3-{column}")
    assert 'data-leaf="weight"' in body["html"]
    assert f"{weight['name']}[3, {column}] = {weight['values'][3]!r}<" in body["html"]
    assert crumbs(body)[-1][0] == f"{weight['short']}[3, {column}]"
    assert body["tables"] == []
    assert body["place"]["name"] == "decoder.2.cross_attention.q"


def test_a_weight_that_the_number_before_does_not_use_is_said_to_be_none_of_its_own(follow):
    body = follow(Q, "decoder.2.cross_attention.query.weight-3-0")
    assert "is not computed from it" in body["html"]
    assert "data-leaf" not in body["html"]


def test_a_row_of_the_embedding_names_its_token(client: httpx2.Client, follow):
    labels, ids = (
        client.get("/api/v1/tokens", params=RUN).json()["axes"]["source"][name]
        for name in ("labels", "ids")
    )
    body = follow("encoder.embedding.token-1-3", f"embedding.token-{ids[1]}-3")
    assert f"in the row of “{labels[1]}”" in unescape(body["html"])


def test_a_number_that_this_run_does_not_have_is_said_to_be_none(follow):
    body = follow(PATTERN, "decoder.1.cross_attention.q-2-99-0")
    assert "99 does not exist" in body["html"]
    assert (body["tables"], body["kind"]) == ([], None)
    assert len(crumbs(body)) == 2
