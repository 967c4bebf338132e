"""What an answer costs is estimated from the sizes of its question; a question that costs too much
is refused with what to lower, and how far.
"""

import math
from functools import cache
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.api.cost import check_cost, costly, quicker, resized, size, smallest
from app.api.endpoint import Endpoint, endpoints
from app.api.figure_routes import has_figures
from app.errors import Problem
from app.experiments import attribution, effects
from app.experiments.attribution import Attribution
from app.experiments.effects import Effects
from app.experiments.norms import Norms
from app.schema.bounds import query_model
from app.schema.costs import COSTS
from app.schema.model_sizes import ModelSizes
from app.schema.questions import Question
from app.settings import Limits
from app.worker.process import State
from model import core_speed
from tests.app.problems import assert_problem
from tests.app.test_openapi import application, operations, send

BOUNDED = [word for word in endpoints() if word.question.sizes is not Question.sizes]
ESTIMATED = [word for word in BOUNDED if "edits" not in word.question.model_fields]
"""The words whose questions all have an estimate. A text that is written has one with edits alone;
it is tested in test_edits.py.
"""

every_estimate = pytest.mark.parametrize("word", ESTIMATED, ids=lambda word: word.name)
EVENTS = {"accept": "text/event-stream"}
LIMITS = Limits()


@cache
def kind(word: Endpoint) -> type[Question]:
    """Questions as this application bounds them."""
    return query_model(word.question, LIMITS)


@pytest.mark.parametrize("word", BOUNDED, ids=lambda word: word.name)
def test_the_estimate_about_a_model_that_does_not_exist_is_a_number(word):
    texts = dict.fromkeys(
        ("source", "target", "text", "image", "row", "clean", "corrupted"), "cold"
    )
    accepted = {name: text for name, text in texts.items() if name in word.question.model_fields}
    for fields in ({}, accepted):
        seconds = kind(word).model_construct(**{"model": "no-such"} | fields).estimated_seconds()
        assert math.isfinite(seconds)


@cache
def schemas(word: Endpoint) -> dict[str, dict]:
    """What the address may carry in each field, but for lists in JSON, which no estimate counts."""
    fields = kind(word).model_json_schema()["properties"]
    return {
        name: schema
        for name, schema in fields.items()
        if all("contentMediaType" not in choice for choice in schema.get("anyOf", [schema]))
    }


def values(schema: dict) -> st.SearchStrategy:
    """What the bounds of one field allow."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    low = schema.get("minimum", 0)
    match schema["type"]:
        case "boolean":
            return st.booleans()
        case "integer":
            return st.integers(low, *extremes(schema))
        case "number":
            return st.floats(low, schema["maximum"], exclude_min=True)
        case "string":
            return st.integers(1, schema["maxLength"]).map(lambda length: "a" * length)
        case "array":
            lengths = {"min_size": schema["minItems"], "max_size": schema["maxItems"]}
            return st.lists(values(schema["items"]), **lengths, unique=True)
    raise AssertionError(schema)


@cache
def questions(word: Endpoint) -> st.SearchStrategy[Question]:
    """Whatever the bounds of single fields allow."""
    fields = {name: values(schema) for name, schema in schemas(word).items()}
    return st.fixed_dictionaries({}, optional=fields).map(
        lambda fields: kind(word)(**fields | required(word))
    )


@cache
def required(word: Endpoint) -> dict[str, str]:
    """The fields without which nothing can be asked, and the model, as the example has them."""
    needed = {"model", *kind(word).model_json_schema().get("required", [])}
    return {name: value for name, value in parse_qsl(word.example) if name in needed}


def largest_question(word: Endpoint) -> Question:
    """Every size at its upper bound, every flag set, and of the choices those that cost most."""
    question = kind(word)(**required(word))
    for name, schema in schemas(word).items():
        choices = [question, *(with_value(question, name, to) for to in extremes(schema))]
        question = max(choices, key=lambda choice: choice.estimated_seconds())
    return question


def with_value(question: Question, name: str, value: object) -> Question:
    return question.model_copy(update={name: value})


def extremes(schema: dict) -> list[Any]:
    if "enum" in schema:
        return schema["enum"]
    match schema["type"]:
        case "boolean":
            return [True]
        case "string":
            return ["a" * schema["maxLength"]]
        case "array":
            top = schema["items"]["maximum"]
            return [[*range(top + 1 - schema["maxItems"], top + 1)]]
        case "integer":
            return [schema["maximum"] if "maximum" in schema else schema["exclusiveMaximum"] - 1]
    return [schema["maximum"]]


def refusal(question: Question, most: float) -> Problem:
    with pytest.raises(Problem) as refused:
        check_cost(question, most)
    return refused.value


def followed(question: Question, entry: dict) -> Question:
    """The question as the hint says: with its last number, or without the flag."""
    numbers = [int(word) for word in entry["hint"].split() if word.isdecimal()]
    return resized(question, entry["pointer"][1:], numbers[-1] if numbers else 0)


@every_estimate
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_the_estimate_grows_with_every_costly_field(word: Endpoint, data: st.DataObject):
    question = data.draw(questions(word))
    assert 0 < question.estimated_seconds() < float("inf")
    for name in costly(question):
        low, high = smallest(type(question), name), size(getattr(question, name))
        sizes = low, data.draw(st.integers(low, high), label=name), high
        estimates = [resized(question, name, to).estimated_seconds() for to in sizes]
        assert estimates == sorted(estimates), name
        assert estimates[0] < estimates[2], name


@every_estimate
@settings(max_examples=30, deadline=None)
@given(data=st.data(), most=st.floats(0.05, 20))
def test_a_question_fits_with_the_hint_of_any_entry_and_not_with_more(
    word: Endpoint, data: st.DataObject, most: float
):
    question = data.draw(questions(word))
    if question.estimated_seconds() <= most:
        check_cost(question, most)
        return
    for entry in refusal(question, most).errors:
        assert (entry["code"], entry["limit"]) == ("too_much_work", most)
        assert entry["given"] == round(question.estimated_seconds(), 2)
        if name := entry["pointer"][1:]:
            fitting = followed(question, entry)
            kind(word).model_validate(fitting.arguments())
            check_cost(fitting, most)
            step = 4 if name == "d_model" else 1
            assert (
                resized(question, name, size(getattr(fitting, name)) + step).estimated_seconds()
                > most
            )


@every_estimate
def test_the_largest_question_is_asked_or_refused_with_fields_that_help(word: Endpoint):
    question = largest_question(word)
    if question.estimated_seconds() > LIMITS.work_seconds:
        entries = refusal(question, LIMITS.work_seconds).errors
        assert [entry["pointer"] for entry in entries] != [""]


@pytest.fixture
def costs_of_norms(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a sub-layer costs, whatever was measured last."""
    fixed = {"answer": 0.05, "sublayers": 0.0022, "channels": 8.9e-6, "products": 2e-8}
    for name, cost in (fixed | {"jacobians": 9e-6}).items():
        monkeypatch.setitem(COSTS["Norms"], name, cost)


@pytest.mark.usefixtures("costs_of_norms")
def test_every_field_that_helps_is_named_with_its_largest_value_that_fits():
    question = Norms(depth=64, d_model=128, seeds=16)
    assert {entry["pointer"]: entry["hint"] for entry in refusal(question, 2).errors} == {
        "/seeds": "Lower `seeds` from 16 to 7 or less.",
        "/depth": "Lower `depth` from 64 to 30 or less.",
    }


def test_on_a_slower_core_an_answer_costs_more_and_the_hint_lowers_more():
    question = Norms(depth=64, d_model=128, seeds=16)
    with pytest.raises(Problem) as refused:
        check_cost(question, 4, slowness=2)
    assert refused.value.errors[0]["hint"] == refusal(question, 2).errors[0]["hint"]
    assert refused.value.errors[0]["given"] == round(2 * question.estimated_seconds(), 2)
    assert refused.value.errors[0]["limit"] == 4


def test_an_estimate_that_is_too_low_by_half_is_answered_before_the_deadline():
    assert 1.5 * LIMITS.work_seconds <= LIMITS.deadline_seconds


def test_the_worker_measures_its_core_and_says_how_slow_it_is(monkeypatch):
    state = SimpleNamespace(slowness=SimpleNamespace(value=1.0))
    monkeypatch.setattr(State, "pulse", state, raising=False)
    monkeypatch.setattr(State, "analyses", SimpleNamespace(slowness=lambda: 1.7), raising=False)
    for name in ("slowness", "measured_until"):
        monkeypatch.setattr(State, name, getattr(State, name))
    State.measure_core()
    assert state.slowness.value == State.slowness == 1.7
    assert 0 < core_speed.slowness() < 100


@pytest.mark.usefixtures("costs_of_norms")
def test_where_no_field_helps_alone_the_hint_names_several():
    question = Norms(depth=64, d_model=128, seeds=16)
    (entry,) = refusal(question, 0.3).errors
    assert entry["pointer"] == ""
    assert entry["hint"] == (
        "Lower `seeds` from 16 to 1 or less. Lower `depth` from 64 to 27 or less."
    )
    check_cost(question.model_copy(update={"seeds": 1, "depth": 27}), 0.3)


def test_where_no_size_helps_the_hint_names_a_quicker_choice(monkeypatch):
    """A picture of 196 patches, in a model of the size of ViT-S."""
    size = ModelSizes(sublayers=24, d_model=384, max_length=197, pictures=True)
    monkeypatch.setattr(attribution, "sizes_of", lambda id: size)
    question = Attribution(model="deep", image="0")
    quickest = question.model_copy(update={"methods": "removal"})
    assert quickest.estimated_seconds() < question.estimated_seconds() / 2
    for most, hint in (
        (quickest.estimated_seconds(), "Use `methods="),
        (quickest.estimated_seconds() / 2, "Even the smallest question is too large: the server’s"),
    ):
        (entry,) = refusal(question, most).errors
        assert entry["hint"].startswith(hint)


@pytest.mark.usefixtures("costs_of_norms")
def test_what_took_too_long_says_the_values_that_halve_the_work():
    question = Norms(depth=64, d_model=128, seeds=16)
    assert str(quicker(question)["depth"]) == (
        "Lower `depth` from 64 to 30 or less. That at least halves the work."
    )


@pytest.mark.parametrize("method", ["GET", "POST", "HEAD"])
def test_the_setting_of_the_application_bounds_the_work(method: str):
    app = application(work_seconds=1)
    query = {"depth": 64, "d_model": 128, "seeds": 16}
    fields = {"json": query} if method == "POST" else {"params": query}
    response = send(app, method, "/api/v1/norms", **fields)
    assert response.status_code == 422
    if method != "HEAD":
        problem = assert_problem(response, 422, "too_much_work")
        assert "work_seconds" in {limit["name"] for limit in app.state.services.settings.limits()}
        assert {entry["limit"] for entry in problem["errors"]} == {1}


def test_what_is_followed_is_bounded_and_a_training_is_not():
    app = application(work_seconds=1)
    large = {"depth": 64, "d_model": 128, "seeds": 16}
    assert_problem(
        send(app, "GET", "/api/v1/norms", params=large, headers=EVENTS), 422, "too_much_work"
    )
    training = {"steps": 400, "layers": 8, "seeds": 16}
    plain = send(app, "GET", "/api/v1/warmup", params=training)
    assert "event stream" in assert_problem(plain, 422, "too_much_work")["detail"]
    # It asks for a training that was not begun, and not whether there may be one.
    assert_problem(
        send(app, "GET", "/api/v1/warmup", params=training, headers=EVENTS), 404, "unknown"
    )


def test_the_document_says_which_questions_are_bounded_by_their_work(client: httpx2.Client):
    api = client.get("/openapi.json").json()
    bounded = {
        operation["operationId"].partition("_")[2]
        for operation in operations(api)
        if operation.get("x-work-limit") == "work_seconds"
    }
    with_figures = [word for word in BOUNDED if has_figures(word)]
    figures = {f"{what}_of_{word.id}" for word in with_figures for what in ("figures", "figure")}
    drawings = {f"drawing_of_{word.id}" for word in BOUNDED if word.drawing}
    assert bounded == {word.id for word in BOUNDED} | figures | drawings


def test_of_a_deep_model_the_last_layers_whose_parts_fit_are_turned_off(monkeypatch):
    """At the size of SmolLM2."""
    size = ModelSizes(
        heads=270,
        sublayers=60,
        feed_forwards=30,
        depth=30,
        d_model=576,
        vocabulary=49_152,
        max_length=8192,
        characters_a_token=4.6,
    )
    monkeypatch.setattr(effects, "sizes_of", lambda id: size)
    texts = [Effects(model="deep", text="a" * n, draws=0, loss=False) for n in (20, 120, 400)]
    windows = [text.window() for text in texts]
    assert windows[0] == range(30)
    assert 30 > len(windows[1]) > len(windows[2]) > 0
    for question, window in zip(texts, windows, strict=True):
        assert window.stop == 30
        assert question.estimated_seconds() <= effects.OPENS
        query = {"first_layer": window.start, "layers": len(window)}
        assert {name: question.arguments().get(name, query[name]) for name in query} == query
    all_layers = texts[1].model_copy(update={"first_layer": 0, "layers": 30})
    assert all_layers.estimated_seconds() > effects.OPENS
    assert texts[1].model_copy(update={"first_layer": 8}).window() == range(8, 16)
    assert [*quicker(texts[1])] == ["text"]
    assert "first_layer" not in Effects(model="translator", source="i am cold").arguments()
