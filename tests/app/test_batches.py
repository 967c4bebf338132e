"""Questions that wait together are answered as each of them alone: those of every word about runs,
about every model, of several lengths, with and without edits.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any

import pytest
from cachetools import LRUCache
from pydantic import ValidationError
from torch import Tensor

from app.api.endpoint import endpoints
from app.compute.messages import Failed, Numbers, Sizes, WorkerQuery
from app.schema.questions import AboutModel
from app.settings import Limits
from app.worker import process as worker
from app.worker.process import State
from model import analyses
from model.activations.catalogue import activations
from model.activations.site import Site
from model.analyses import function_of, parameters_by_type, takes_edits
from model.analyses.attention import SUBLAYERS
from model.interpretability import value_path
from model.interpretability.masks.key_removal import Removal, removals
from model.runs.run import Run
from model.runs.strategies import PROMPTS
from model.transformer import Transformer
from model.zoo.models import ids, load_model
from tests.rounding import SHIPPED, SINGLE, same
from tests.thorough import mostly

LONG = ("attribution", "circuit", "effects")
"""These take more than a turn, and are computed alone."""
WORDS = [
    endpoint
    for endpoint in endpoints()
    if issubclass(endpoint.question, AboutModel)
    and Run in parameters_by_type(function_of(endpoint.name))
    and endpoint.name not in LONG
]
EDITED: tuple[dict, ...] = (
    {"edits": [{"op": "zero", "at": "*.1.*attention.z", "where": {"head": [0]}}]},
    {"order": "shuffle", "seed": 3},
    {"edits": [{"op": "scale", "at": "*.0.*attention.out", "value": 0.5}], "beside": True},
    {"edits": [{"op": "scale", "at": "*.0.*attention.z", "value": 1e38}]},
)
"""The last is refused: what comes of it is not finite."""


@pytest.fixture
def worker_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the process of a worker keeps, in this process, with time for every question."""
    usual = {size.name: Limits.model_fields[size.name].default for size in fields(Sizes)}
    monkeypatch.setattr(State, "analyses", analyses, raising=False)
    monkeypatch.setattr(State, "sizes", Sizes(**usual | {"turn_seconds": 1e6}), raising=False)
    pulse = SimpleNamespace(beat=SimpleNamespace(value=0), at=SimpleNamespace(value=0))
    monkeypatch.setattr(State, "pulse", pulse, raising=False)
    monkeypatch.setattr(State, "memo", {})


def forget() -> None:
    """The process keeps no run and no answer."""
    State.keep_runs(State.sizes.runs_kept, State.sizes.runs_bytes)
    State.answers = LRUCache(1)


def questions(id: str) -> Iterator[WorkerQuery]:
    """Each word about one of the model's examples, and where it may be about an edited run about
    another with edits. Of two examples what the keys of one query are worth as well.
    """
    examples = [example["input"] for example in load_model(id).card["examples"]]
    yield from followed(id, examples[:2])
    for number, word in enumerate(WORDS):
        edits = ({}, EDITED[number % len(EDITED)]) if takes_edits(word.name) else ({},)
        for place, more in enumerate(edits):
            fields = {"model": id} | examples[(number + place) % len(examples)] | more
            with suppress(ValidationError):
                question = word.question(**fields).arguments()
                yield WorkerQuery(f"{word.name} {place}", word.name, question, Numbers())


def followed(id: str, inputs: list[dict]) -> list[WorkerQuery]:
    """What the weights of one query in the first attention are used for, of each input."""
    model = load_model(id)
    site = next(at for at in map(Site.parse, activations(model.config)) if at.value == "scores")
    kind = next(kind for kind, part in SUBLAYERS.items() if part == site.part)
    place = {"kind": kind, "stack": site.stack, "layer": site.layer, "head": 0, "forward": 1}
    return [
        WorkerQuery(str(number), "attention", {"model": id} | input | place, Numbers())
        for number, input in enumerate(inputs)
    ]


def answer_apart(query: WorkerQuery) -> Any:
    forget()
    return worker.answers([query])[0]


def assert_alike(found: Any, expected: Any) -> None:
    """The same answer: to the last bit, or its numbers up to rounding."""
    if found == expected or not isinstance(expected, bytes):
        assert found == expected
        return
    found, expected = list(leaves(json.loads(found))), list(leaves(json.loads(expected)))
    numbers = [result for result in expected if isinstance(result, float)]
    numbers_found = [result for result in found if isinstance(result, float)]
    same(numbers_found, numbers, SINGLE, n=SHIPPED, scale=1)
    others = [
        [result for result in all if not isinstance(result, float)] for all in (found, expected)
    ]
    assert others[0] == others[1]


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from leaves(item)
    else:
        yield value


@pytest.mark.parametrize(
    "id", mostly(ids(), "translator", "induction-2", "shapes", "penguins-saint")
)
@pytest.mark.usefixtures("worker_state")
def test_every_word_answers_among_many_what_it_answers_alone(id):
    queries = list(questions(id))
    expected = [answer_apart(query) for query in queries]
    assert any(isinstance(result, bytes) for result in expected)
    assert not any(isinstance(result, Failed) for result in expected)
    forget()
    found = worker.answers([replace(query, id=f"{query.id} together") for query in queries])
    assert found == expected


SETTINGS: tuple[dict, ...] = (
    {},
    {"strategy": "sample", "seed": 3, "top_p": 0.9},
    {"strategy": "beam", "beams": 3},
    {"edits": [{"op": "zero", "at": "decoder.0.attention.z", "where": {"head": [0]}}]},
    {"edits": [{"op": "scale", "at": "decoder.0.*", "value": 1e38}]},
    {"strategy": "beam", "beams": 2, **EDITED[2]},
)
"""How streams are written. One is refused."""
LATER = 1
"""Every second stream begins so many steps later, and has written less than the others."""


def writers() -> list[str]:
    configs = {id: load_model(id).config for id in ids()}
    return [id for id, card in configs.items() if (card.inputs, card.family) in PROMPTS]


def streams(id: str) -> list[tuple[str, str, dict]]:
    """Streams of a model about its examples, which differ in length."""
    examples = [example["input"] | {"target": None} for example in load_model(id).card["examples"]]
    questions = [
        {"model": id, "max_new_tokens": 3} | examples[number % len(examples)] | how
        for number, how in enumerate(SETTINGS)
    ]
    return [(f"{id} {number}", "generate", question) for number, question in enumerate(questions)]


def events_of(stream: tuple[str, str, dict]) -> list[Any]:
    """All events of a stream that is written alone."""
    found: list[Any] = []
    while isinstance(event := worker.event(*stream, len(found)), bytes):
        found.append(event)
    return [*found, event]


@pytest.mark.parametrize("id", mostly(writers(), "translator", "shakespeare-xl"))
@pytest.mark.usefixtures("worker_state")
def test_streams_that_wait_write_among_many_what_they_write_alone(id):
    forget()
    stream_list = streams(id)
    expected = [events_of((f"{stream} alone", *more)) for stream, *more in stream_list]
    assert not any(isinstance(events[-1], Failed) for events in expected)
    found: list[list[Any]] = [[] for _ in stream_list]
    for turn in range(max(map(len, expected)) + LATER):
        going = [
            number
            for number, events in enumerate(found)
            if len(events) < len(expected[number]) and turn >= LATER * (number % 2)
        ]
        steps = [(*stream_list[number], len(found[number])) for number in going]
        for number, event in zip(going, worker.events(steps), strict=True):
            found[number].append(event)
    for events, others in zip(found, expected, strict=True):
        for event, other in zip(events, others, strict=True):
            assert_alike(event, other)


@pytest.mark.usefixtures("worker_state")
def test_texts_of_one_model_are_read_in_one_pass_and_one_that_fails_changes_none(monkeypatch):
    forget()
    stream_list = [
        (f"one pass {text}", "generate", {"model": "induction-2", "text": text})
        for text in ("ab", "abcabc", "qvmtzqvm")
    ]
    expected = [events_of((f"{stream} alone", *more))[:4] for stream, *more in stream_list]
    rows, method = [], Transformer.unembed

    def unembed(self: Transformer, x: Tensor, *more: Any) -> Tensor:
        rows.append(len(x))
        if rows.count(3) == 2 and len(x) == 3:
            raise MemoryError
        return method(self, x, *more)

    monkeypatch.setattr(Transformer, "unembed", unembed)
    for step in range(4):
        found = worker.events([(*stream, step) for stream in stream_list])
        for events, event in zip(expected, found, strict=True):
            assert_alike(event, events[step])
    assert rows == [1, 1, 1, 3, 3, 1, 1, 1, 3]


@pytest.mark.usefixtures("worker_state")
def test_keys_are_removed_in_one_pass_from_runs_of_one_length(monkeypatch):
    passes = []

    def counted(removal_list: list[Removal]) -> list[Tensor]:
        passes.append(len(removal_list))
        return removals(removal_list)

    monkeypatch.setattr(value_path, "removals", counted)
    forget()
    inputs = [{"source": f"i am {word}", "target": "je suis"} for word in ("cold", "old", "happy")]
    queries = followed("translator", inputs)
    waiting = [(queries[2].word, queries[2].question)]
    worker.answers(queries[:2], waiting)
    assert [run for run in passes if run] == [3]  # that of a later turn was found as well
    worker.answers(queries[2:])
    assert [run for run in passes if run] == [3]
