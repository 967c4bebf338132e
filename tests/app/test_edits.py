"""Edits of a run over the API: the same by GET and by POST, what they changed, the numbers without
them, and a clear answer to each that cannot be made.
"""

import json
from typing import Any

import httpx2
import pytest
from pydantic import ValidationError

from app.api.endpoint import endpoints
from app.figures.provenance import provenance
from app.schema.edits import AboutRun
from app.settings import Limits
from app.worker.process import key_of_run
from tests.app.problems import assert_problem
from tests.app.test_openapi import application, send
from tests.rounding import SINGLE, same

RUN = {"model": "translator", "source": "i am cold"}
Z = "decoder.2.cross_attention.z"
ZERO = {"op": "zero", "at": Z, "where": {"head": [1]}}
WORDS = ("activations", "attention", "feed-forward", "journey", "logits", "residual")
OTHERS = ("detection", "explain", "images", "tables")
"""Words that take edits too, and read another input or one number."""


def post_edits(client: httpx2.Client, word: str, edits: list, **fields: Any) -> httpx2.Response:
    """The answer of a word about the edited run."""
    return client.post(f"/api/v1/{word}", json={**RUN, **fields, "edits": edits})


def test_edits_are_a_field_of_the_words_about_a_run():
    found = {word.name for word in endpoints() if issubclass(word.question, AboutRun)}
    assert found == {*WORDS, *OTHERS, "generate"}


@pytest.mark.parametrize("word", [*WORDS, "attention/figures", "logits/figures"])
def test_get_and_post_give_the_same_bytes(client: httpx2.Client, word: str):
    edits = [ZERO, {"op": "add", "at": "decoder.0.residual.in", "value": 0.5}]
    fields = {"names": Z} if word == "activations" else {}
    address = {**RUN, **fields, "edits": json.dumps(edits)}
    got = client.get(f"/api/v1/{word}", params=address)
    posted = post_edits(client, word, edits, **fields)
    assert got.status_code == 200, got.text
    assert got.content == posted.content


@pytest.mark.parametrize("word", WORDS)
def test_every_word_says_what_each_edit_changed(client: httpx2.Client, word: str):
    glob = {"op": "scale", "at": "decoder.*.attention.pattern", "value": 2}
    answer = post_edits(client, word, [ZERO, glob]).json()
    first, second = answer["edits"]
    assert (first["op"], first["at"], first["names"]) == ("zero", Z, [Z])
    assert first["elements"] > 0
    assert first["largest_change"] > 0
    assert second["names"] == [f"decoder.{layer}.attention.pattern" for layer in range(3)]
    sums = next(invariant for invariant in second["invariants"] if "sum to 1" in invariant["law"])
    same(sums["largest"], 1, SINGLE, scale=1)
    assert answer["question"]["edits"][0] == ZERO


def test_the_numbers_are_edited_and_the_unedited_stand_beside_them(client: httpx2.Client):
    plain = client.get("/api/v1/activations", params={**RUN, "names": Z}).json()
    answer = post_edits(client, "activations", [ZERO], names=Z, beside=True).json()
    edited, unedited = answer["tensors"][Z]["data"], answer["unedited"][Z]
    assert unedited == plain["tensors"][Z]
    assert all(number == 0 for row in edited[1] for number in row)
    assert [edited[head] for head in (0, 2, 3)] == [unedited["data"][head] for head in (0, 2, 3)]


def test_the_unedited_tensors_come_as_typed_arrays_too(client: httpx2.Client):
    answer = post_edits(client, "logits", [ZERO], beside=True, encoding="base64").json()
    assert answer["unedited"].keys() == answer["tensors"].keys()
    assert answer["unedited"]["top_logit"]["data"]["dtype"] == "f4"
    assert answer["unedited"] != answer["tensors"]


def test_without_beside_and_without_edits_nothing_is_beside(client: httpx2.Client):
    assert "unedited" not in post_edits(client, "logits", [ZERO]).json()
    plain = client.get("/api/v1/logits", params={**RUN, "beside": "true"}).json()
    assert not {"unedited", "edits"} & plain.keys()


def test_edits_that_change_nothing_give_the_same_numbers(client: httpx2.Client):
    plain = client.get("/api/v1/logits", params={**RUN, "full": "true"}).json()
    scaled = post_edits(
        client, "logits", [{"op": "scale", "at": "*", "value": 1}], full=True
    ).json()
    assert scaled["tensors"] == plain["tensors"]
    assert scaled["edits"][0]["elements"] == 0
    assert scaled["edits"][0]["largest_change"] is None


def test_a_kept_run_is_not_taken_for_one_with_other_edits(client: httpx2.Client):
    answers = [
        post_edits(client, "logits", [{**ZERO, "where": {"head": [head]}}]).json()["tensors"]
        for head in (0, 1, 0)
    ]
    plain = client.get("/api/v1/logits", params=RUN).json()["tensors"]
    assert answers[0] == answers[2]
    assert answers[0] != answers[1]
    assert plain not in answers


def test_runs_are_told_apart_by_their_edits():
    class Weights:
        transformer = object()

    assert key_of_run(Weights, "text") == key_of_run(Weights, "text", ())
    assert key_of_run(Weights, "text", ("zero",)) != key_of_run(Weights, "text")


def test_numbers_are_copied_from_another_input(client: httpx2.Client):
    other = {"source": "i am tired"}
    there = client.get("/api/v1/activations", params={**RUN, **other, "names": Z}).json()
    patch = {"op": "patch", "at": Z, "from": other, "positions": [[2, 1]]}
    answer = post_edits(client, "activations", [patch], names=Z).json()
    edited, copied = (answer_fields["tensors"][Z]["data"] for answer_fields in (answer, there))
    assert [head[1] for head in edited] == [head[2] for head in copied]


def test_a_figure_is_drawn_of_the_edited_run_and_its_call_says_the_edits(client: httpx2.Client):
    pattern = {"op": "mean", "at": "decoder.2.cross_attention.pattern"}
    address = {**RUN, "kind": "cross", "layer": 2, "head": 1}
    plain = client.get("/api/v1/attention/figures", params=address).json()["figures"]
    edited = post_edits(client, "attention/figures", [pattern], **address | {"layer": 2, "head": 1})
    figures = edited.json()["figures"]
    assert figures.keys() == plain.keys()
    name = next(iter(figures))
    assert figures[name]["data"] != plain[name]["data"]
    meta = figures[name]["layout"]["meta"]
    assert meta["edited"] == ["decoder layer 2 cross-attention, weights: mean over the positions"]
    assert "edited" not in plain[name]["layout"]["meta"]
    assert f" · edited: {meta['edited'][0]} · " in f"{provenance(meta)} · "
    call = meta["call"]
    assert client.get(call).json()["edits"] == edited.json()["edits"]


def test_a_head_with_a_negative_weight_has_no_entropy(client: httpx2.Client):
    where = {"head": [1], "query": [0], "key": [1]}
    negative = {"op": "set", "at": "decoder.2.cross_attention.pattern", "where": where, "value": -1}
    answer = post_edits(client, "attention", [negative], kind="cross").json()
    entropy = answer["entropy"]["decoder.2.cross_attention"]
    assert [value is None for value in entropy] == [False, True, False, False]
    assert post_edits(client, "attention/figures", [negative], kind="cross").status_code == 200


ARRANGED = [
    {"order": "0,3,1,2,4"},
    {"order": "shuffle", "seed": 3},
    {"positions": "off"},
    {"positions": "shift:2"},
    {"positions": "0,0,0,0,0"},
    {"pad": "left:2"},
    {"pad": "right:1", "padding_mask": "off"},
]


@pytest.mark.parametrize("fields", ARRANGED, ids=str)
def test_an_arranged_input_is_the_same_by_get_and_by_post(client: httpx2.Client, fields: dict):
    got = client.get("/api/v1/logits", params={**RUN, **fields})
    posted = client.post("/api/v1/logits", json={**RUN, **fields})
    assert got.status_code == 200, got.text
    assert got.content == posted.content
    first, *rest = got.json()["edits"]
    assert first["op"] == next(iter(fields))
    assert first["elements"] > 0
    assert not rest
    assert got.json()["tensors"] != client.get("/api/v1/logits", params=RUN).json()["tensors"]


def test_a_body_may_have_the_order_as_a_list(client: httpx2.Client):
    order = [0, 3, 1, 2, 4]
    listed = client.post("/api/v1/logits", json={**RUN, "order": order}).json()
    arranged = client.post("/api/v1/logits", json={**RUN, "order": "0,3,1,2,4"}).json()
    assert listed["tensors"] == arranged["tensors"]
    assert listed["aligned"]["source"] == order


def test_each_token_stands_beside_itself(client: httpx2.Client):
    order, name = [0, 3, 1, 2, 4], "encoder.embedding.token"
    fields = {**RUN, "names": name, "beside": "true", "order": "0,3,1,2,4", "pad": "left:1"}
    answer = client.get("/api/v1/activations", params=fields).json()
    plain = client.get("/api/v1/activations", params={**RUN, "names": name}).json()
    labels, data = plain["axes"]["source"]["labels"], plain["tensors"][name]["data"]
    assert answer["axes"]["source"]["labels"] == ["<pad>", *(labels[at] for at in order)]
    assert answer["aligned"]["source"] == [None, *order]
    beside = answer["unedited"][name]["data"]
    assert beside[0] == [None] * len(data[0])
    assert beside[1:] == [data[at] for at in order]
    assert answer["tensors"][name]["data"][1:] == beside[1:]
    assert any("another order" in note for note in answer["notes"])


def test_a_whole_number_beside_a_pad_is_minus_one(client: httpx2.Client):
    fields = {"model": "induction-2", "text": "abcab", "pad": "left:2", "beside": "true"}
    ids = client.get("/api/v1/logits", params=fields).json()["unedited"]["top_id"]["data"]
    assert [row == [-1] * len(row) for row in ids] == [True, True] + [False] * (len(ids) - 2)


def test_edits_and_an_arrangement_go_together(client: httpx2.Client):
    answer = post_edits(
        client, "logits", [ZERO], order="shuffle", positions="off", beside=True
    ).json()
    assert [change["op"] for change in answer["edits"]] == ["order", "positions", "zero"]
    assert answer["unedited"].keys() == answer["tensors"].keys()


def test_a_kept_run_is_not_taken_for_one_that_is_arranged(client: httpx2.Client):
    answers = [
        client.get("/api/v1/logits", params={**RUN, **fields}).json()["tensors"]
        for fields in ({}, {"positions": "off"}, {"positions": "shift:1"}, {})
    ]
    assert answers[0] == answers[3]
    assert answers[0] != answers[1] != answers[2]


def test_a_figure_of_an_arranged_run_has_its_tokens_in_their_order(client: httpx2.Client):
    fields = {**RUN, "kind": "cross", "layer": 2, "head": 1, "order": "0,3,1,2,4"}
    response = client.get("/api/v1/attention/figures", params=fields)
    assert response.status_code == 200, response.text
    figure = next(iter(response.json()["figures"].values()))
    call = figure["layout"]["meta"]["call"]
    assert client.get(call).json()["aligned"]["source"] == [0, 3, 1, 2, 4]


def test_generation_takes_edits_and_tells_what_is_written_without_them(client: httpx2.Client):
    silent = {"op": "zero", "at": "decoder.2.cross_attention.z"}
    answer = post_edits(client, "generate", [silent], beside=True).json()
    plain = client.get("/api/v1/generate", params=RUN).json()
    assert answer["without_edits"]["text"] == plain["text"] != answer["text"]
    assert answer["edits"][0]["op"] == "zero"
    assert answer["unedited"].keys() == answer["tensors"].keys()
    response = post_edits(client, "generate/figures", [silent])
    assert response.status_code == 200, response.text
    with client.stream(
        "POST",
        "/api/v1/generate",
        json={**RUN, "edits": [silent]},
        headers={"accept": "text/event-stream"},
    ) as events:
        lines = [line for line in events.iter_lines() if line.startswith("data: {")]
    steps = [json.loads(line.removeprefix("data: ")) for line in lines][: len(answer["steps"])]
    assert [step["token"] for step in steps] == [step["token"] for step in answer["steps"]]
    assert steps[-1]["without_edits"] == answer["without_edits"]


def test_too_many_edited_steps_are_refused_with_what_to_lower():
    fields = {"edits": json.dumps([ZERO]), "strategy": "beam", "beams": 8, "max_new_tokens": 60}
    response = send(application(work_seconds=1), "GET", "/api/v1/generate", params=RUN | fields)
    problem = assert_problem(response, 422, "too_much_work")
    assert {error["pointer"] for error in problem["errors"]} >= {"/beams", "/max_new_tokens"}


UNARRANGED = {
    "order": "1,0",
    "positions": "up",
    "pad": "left",
    "padding_mask": "maybe",
    "seed": "-1",
}


@pytest.mark.parametrize("field", UNARRANGED)
def test_an_arrangement_that_cannot_be_made_is_refused_in_a_sentence(
    client: httpx2.Client, field: str
):
    problem = assert_problem(
        client.get("/api/v1/logits", params={**RUN, field: UNARRANGED[field]}), 422
    )
    assert problem["errors"][0]["pointer"] == f"/{field}"
    assert problem["detail"].endswith(".")


WRONG = {
    "no list": ({"op": "zero"}, 422, "list_type"),
    "no object": (["zero"], 422, "model_attributes_type"),
    "no operation": ([{"at": Z}], 422, "missing"),
    "no place": ([{"op": "zero"}], 422, "missing"),
    "an unknown operation": ([{"op": "remove", "at": Z}], 422, "literal_error"),
    "an unknown field": ([{**ZERO, "heads": [1]}], 422, "unknown_field"),
    "a name that names nothing": ([{"op": "zero", "at": "decoder.9.z"}], 404, None),
    "an unknown axis": ([{**ZERO, "where": {"neuron": [1]}}], 422, "refused"),
    "an index out of range": ([{**ZERO, "where": {"head": [4]}}], 422, "refused"),
    "a negative index": ([{**ZERO, "where": {"head": [-1]}}], 422, "greater_than_equal"),
    "true for an index": ([{**ZERO, "where": {"head": [True]}}], 422, "int_type"),
    "an index that is no list": ([{**ZERO, "where": {"head": 1}}], 422, "list_type"),
    "a wrong shape": ([{"op": "set", "at": Z, "value": [1, 2, 3]}], 422, "refused"),
    "a text for a number": ([{"op": "set", "at": Z, "value": "1"}], 422, "numbers"),
    "true for a number": ([{"op": "set", "at": Z, "value": [[True]]}], 422, "numbers"),
    "an empty list of numbers": ([{"op": "set", "at": Z, "value": []}], 422, "numbers"),
    "an infinite number": ([{"op": "scale", "at": Z, "value": 1e39}], 422, "refused"),
    "a division by 0 later": (
        [{"op": "zero", "at": "decoder.0.norm1.scale"}],
        422,
        "refused",
    ),
    "no value": ([{"op": "scale", "at": Z}], 422, "refused"),
    "a value too many": ([{**ZERO, "value": 1}], 422, "refused"),
    "a mask where there is no score": ([{"op": "mask", "at": Z}], 422, "refused"),
    "an input of another kind": (
        [{"op": "patch", "at": Z, "from": {"image": "3"}}],
        422,
        "refused",
    ),
    "an input with a field that no input has": (
        [{"op": "patch", "at": Z, "from": {"sentence": "i am tired"}}],
        422,
        "unknown_field",
    ),
    "an input that is longer": (
        [{"op": "patch", "at": Z, "from": {"source": "i am very tired now"}}],
        422,
        "refused",
    ),
    "a pair of three": (
        [{"op": "patch", "at": Z, "from": {"source": "i am tired"}, "positions": [[1, 2, 3]]}],
        422,
        "too_long",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_an_edit_that_cannot_be_made_is_refused_in_a_sentence(client: httpx2.Client, case: str):
    edits, status, code = WRONG[case]
    posted = assert_problem(post_edits(client, "logits", edits), status, code)
    address = {**RUN, "edits": json.dumps(edits)}
    got = assert_problem(client.get("/api/v1/logits", params=address), status)
    assert posted["detail"].rstrip("…").endswith((".", "?"))
    if case not in ("no list", "no object"):
        assert got["detail"] == posted["detail"]
    if status == 422:
        assert posted["errors"][0]["pointer"].startswith("/edits")
    else:
        assert posted["nearest"]


MANY = {
    "edits": [ZERO] * (Limits().edits + 1),
    "edit_axes": [{**ZERO, "where": {f"axis{i}": [0] for i in range(Limits().edit_axes + 1)}}],
    "edit_indices": [{**ZERO, "where": {"channel": [*range(Limits().edit_indices + 1)]}}],
    "edit_values": [{"op": "set", "at": Z, "value": [0.0] * (Limits().edit_values + 1)}],
    "edit_inputs": [
        {"op": "mean", "at": Z, "from": [{"source": "i am cold"}] * (Limits().edit_inputs + 1)}
    ],
}


@pytest.mark.parametrize("limit", MANY)
def test_too_many_are_refused_with_the_limit(client: httpx2.Client, limit: str):
    problem = assert_problem(post_edits(client, "logits", MANY[limit]), 422, "too_long")
    entry = next(error for error in problem["errors"] if error["code"] == "too_long")
    assert entry["limit"] == getattr(Limits(), limit)
    listed = client.get("/api/v1/limits").json()["limits"]
    assert {limit_row["name"]: limit_row["value"] for limit_row in listed}[limit] == entry["limit"]


NAMES = {f"{i}": 1 for i in range(24_000)}
ENDLESS = {
    "edit": ({**ZERO, **NAMES}, "`edits/0` must have at most 7 entries; 24003 were given."),
    "where": ({**ZERO, "where": NAMES}, "`edits/0/where/0` must be a list"),
    "from": ({**ZERO, "from": NAMES}, "`edits/0/from/OtherInput` must have at most 5 entries"),
}


@pytest.mark.parametrize("case", ENDLESS)
def test_names_that_no_edit_has_make_one_error_and_not_one_each(client: httpx2.Client, case: str):
    """Each error costs the event loop as much as a kilobyte does, and ten are sent."""
    edit, detail = ENDLESS[case]
    with pytest.raises(ValidationError) as found:
        AboutRun.model_validate({**RUN, "edits": [edit]})
    assert found.value.error_count() <= 2, "an input in `from` may also be one of a list"
    assert detail in assert_problem(post_edits(client, "logits", [edit]), 422)["detail"]


@pytest.mark.parametrize("text", ["", "[", "zero", "{}", "[null]", "[NaN]", "[" * 40])
def test_what_is_no_list_of_edits_in_an_address_is_refused(client: httpx2.Client, text: str):
    assert_problem(client.get("/api/v1/logits", params={**RUN, "edits": text}), 422)


@pytest.mark.parametrize(
    ("word", "fields"),
    [
        ("attention", {"kind": "cross", "stack": "decoder", "layer": 0, "head": 0, "forward": 1}),
    ],
)
def test_what_is_computed_without_the_edits_is_refused_with_them(
    client: httpx2.Client, word: str, fields: dict
):
    problem = assert_problem(post_edits(client, word, [ZERO], **fields), 422, "refused")
    assert "or `edits`" in problem["detail"]


def test_figures_show_the_run_the_edited_run_or_their_difference(client: httpx2.Client):
    whole = client.get("/api/v1/logits/figures/lens", params=RUN)
    address = {**RUN, "edits": json.dumps([ZERO])}
    figures = {
        shows: client.get("/api/v1/logits/figures/lens", params={**address, "shows": shows})
        for shows in ("run", "edited", "difference")
    }
    default = client.get("/api/v1/logits/figures/lens", params=address)
    assert figures["run"].content == whole.content
    assert figures["edited"].content == default.content != whole.content
    assert figures["difference"].json()["layout"]["meta"]["shows"] == "difference"
    posted = post_edits(client, "logits/figures/lens", [ZERO], shows="difference")
    assert posted.content == figures["difference"].content
    several = post_edits(client, "logits/figures", [ZERO], shows="difference").json()
    assert several["figures"]["lens"] == posted.json()
    assert "shows" not in several["question"]


@pytest.mark.parametrize("shows", ["run", "edited", "difference"])
def test_without_edits_there_is_one_figure(client: httpx2.Client, shows: str):
    plain = client.get("/api/v1/logits/figures/lens", params=RUN)
    asked_for = client.get("/api/v1/logits/figures/lens", params={**RUN, "shows": shows})
    assert asked_for.content == plain.content
    assert "beside" not in plain.json()["layout"]["meta"]["call"]


def test_what_figures_show_is_one_of_three_words(client: httpx2.Client):
    asked_for = {**RUN, "edits": json.dumps([ZERO]), "shows": "both"}
    assert_problem(client.get("/api/v1/logits/figures", params=asked_for), 422, "literal_error")
    assert_problem(client.get("/api/v1/logits", params={**RUN, "shows": "run"}), 422)
    assert_problem(
        client.get("/api/v1/models/figures", params={"shows": "run"}), 422, "unknown_field"
    )


def test_a_page_of_a_difference_leads_to_the_page_that_shows_it(client: httpx2.Client):
    address = {**RUN, "edits": json.dumps([ZERO]), "shows": "difference"}
    html = {"accept": "text/html"}
    page = client.get("/api/v1/logits/figures/lens", params=address, headers=html)
    assert page.status_code == 200
    assert ": difference" in page.text
    assert "shows=difference" in page.text


def test_a_number_that_is_explained_says_by_which_edit_it_was_set(client: httpx2.Client):
    cell = {"name": Z, "at": "1,2,3"}
    explained = post_edits(client, "explain", [ZERO], **cell).json()
    assert [edit["op"] for edit in explained["set_by"]] == ["zero"]
    assert explained["value"] == 0
    same(explained["set_by"][0]["was"], explained["recomputed"], SINGLE, scale=1)
    address = {**RUN, "trail": f"{Z}-1-2-3", "edits": json.dumps([ZERO])}
    trail = client.get("/api/v1/explain/trail", params=address).json()
    assert "edit 1 (zero):" in trail["html"]


def test_words_that_do_not_take_edits_refuse_them(client: httpx2.Client):
    problem = assert_problem(post_edits(client, "tokens", [ZERO]), 422, "unknown_field")
    assert "`edits`" in problem["detail"]


def test_beside_keeps_its_other_meanings(client: httpx2.Client):
    window = {"pattern": "window_2d", "columns": 4, "length": 16, "above": 1, "beside": 1}
    assert client.get("/api/v1/masks", params=window).json()["beside"] == 1
