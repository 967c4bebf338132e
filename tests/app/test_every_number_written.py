"""Every number of /generate, read again from the start for every token."""

import json

import numpy as np
import pytest

from tests.app.every_number import differences
from tests.app.expected_writing import ExpectedWriting, filtered
from tests.model.support.numpy_reading import END, START
from tests.rounding import SINGLE, same

SOURCE, REFERENCE = "i am cold", "il a froid"


@pytest.fixture(scope="module")
def writing(reading):
    return ExpectedWriting(reading, reading.source_ids(SOURCE))


def test_greedy_beside_teacher_forcing(ask, writing):
    answer = ask("generate", model="translator", source=SOURCE, target=REFERENCE, max_new_tokens=12)
    expected = writing.answer(answer, {"max_new_tokens": 12})
    target = writing.reading.target_ids(REFERENCE)
    ids = answer["axes"]["step"]["ids"]
    expected["teacher_forcing"] = writing.teacher_forcing(answer["teacher_forcing"], ids, target)
    assert differences(answer, expected) == {}
    assert [START, *(id for id in ids if id != END)] == writing.reading.greedy(writing.source, 12)


@pytest.mark.parametrize("encoding", ["json", "base64"])
@pytest.mark.parametrize(
    "filters",
    [
        {},
        {"temperature": 0.7, "top_k": 8},
        {"temperature": 1.5, "top_p": 0.8},
        {"top_k": 20, "top_p": 0.9, "min_p": 0.05},
    ],
    ids=["as it is", "top k", "top p", "all filters"],
)
def test_sampling(ask, writing, filters, encoding):
    settings = {"temperature": 1.0, "seed": 3, "max_new_tokens": 6, **filters}
    answer = ask(
        "generate",
        model="translator",
        source=SOURCE,
        strategy="sample",
        encoding=encoding,
        **settings,
    )
    expected = writing.answer(answer, settings, lambda logits, _: filtered(logits, **filters))
    assert differences(answer, expected) == {}


@pytest.mark.parametrize("beams", [1, 3])
def test_beam_search(ask, writing, beams):
    answer = ask(
        "generate",
        model="translator",
        source=SOURCE,
        strategy="beam",
        beams=beams,
        max_new_tokens=6,
    )
    expected = writing.answer(answer, {"beams": beams, "max_new_tokens": 6}, lambda *_: None)
    expected["tree"] = writing.tree(answer["tree"], beams)
    assert differences(answer, expected) == {}
    same(answer["log_probability"], answer["tree"]["hypotheses"][0]["score"], SINGLE, scale=1)


def test_the_event_stream_tells_the_same_steps_and_where_each_looked(client, ask, writing):
    question = {"model": "translator", "source": SOURCE, "max_new_tokens": 12}
    with client.stream(
        "GET", "/api/v1/generate", params=question, headers={"accept": "text/event-stream"}
    ) as response:
        lines = list(response.iter_lines())
    events = [json.loads(line.removeprefix("data:")) for line in lines if line.startswith("data:")]
    steps = [event for event in events if "token" in event]
    answer = ask("generate", **question)
    assert len(steps) == len(answer["steps"])
    patterns = {
        name: value
        for name, value in writing.tensors(answer["axes"]["step"]["ids"]).items()
        if not name.endswith("mean")
    }
    for index, (event, step) in enumerate(zip(steps, answer["steps"], strict=True)):
        looked = np.stack([pattern[:, index] for pattern in patterns.values()])
        same(np.array(event["attention"]), looked, SINGLE, scale=1)
        assert {key: event[key] for key in step} == step
