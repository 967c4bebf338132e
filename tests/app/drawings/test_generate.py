"""The drawing of a beam search: what was kept differs from what was dropped by more than colour,
every text says what became of it, and a long search has all its steps.
"""

from typing import Any
from xml.etree import ElementTree

import pytest

from app.compute.messages import Drawing
from app.drawings.generate import Beam, draw, drawing
from model.analyses.generate import generate
from model.errors import InvalidInput
from model.inputs.input import Input
from model.zoo.models import load_model

NAME = "{http://www.w3.org/2000/svg}"


def node(
    number: int, parent: int | None, step: int, text: str, score: float, finished: bool = False
) -> dict[str, Any]:
    return {
        "number": number,
        "parent": parent,
        "step": step,
        "token": {"text": text, "id": number},
        "log_probability": -0.5,
        "score": score,
        "finished": finished,
    }


# Two beams: "a" is better at first, "b" alone in the end. Number 0 is the prompt.
TREE = {
    "nodes": [
        node(0, None, -1, "<s>", 0),
        node(1, 0, 0, "a", -0.5),
        node(2, 0, 0, "b", -0.9),
        node(3, 1, 1, "c", -2),
        node(4, 1, 1, "d", -3),
        node(5, 2, 1, "</s>", -1, finished=True),
        node(6, 2, 1, "e", -4),
    ],
    "kept": [[1, 2], [5, 3]],
    "hypotheses": [{"text": "b", "score": -1.0}, {"text": "a c", "score": -2.0}],
}


def parsed(beam: Beam, width: float = 70, height: float = 35) -> list[ElementTree.Element]:
    whole = str(draw(beam, width, height))
    return list(ElementTree.fromstring(whole).iter())  # noqa: S314 - it is our own


def words(found: list[ElementTree.Element]) -> list[str]:
    return [element.text or "" for element in found if element.tag == f"{NAME}text"]


def numbers_of(column: list) -> list[int]:
    return [entry.node["number"] for entry in column]


def test_a_column_has_what_was_kept_before_what_was_dropped_the_best_first():
    first, second = Beam(TREE, 1).columns
    assert numbers_of(first) == [1, 2]
    assert numbers_of(second) == [5, 3, 4, 6]
    assert [entry.stands for entry in second] == [True, True, False, False]


def test_a_text_that_has_ended_waits_in_the_columns_after_its_end():
    longer = Beam({**TREE, "kept": [*TREE["kept"], [5, 3]]}, 2)
    assert [(entry.node["number"], entry.waits) for entry in longer.columns[2]] == [
        (5, True),
        (3, True),
    ]


@pytest.mark.parametrize("source", ["i am cold", "Start the car."])
def test_the_greedy_text_is_the_one_that_greedy_decoding_writes(source: str):
    model = load_model("translator")
    tree = generate(model, Input(source=source), strategy="beam", beams=3).fields["tree"]
    steps = generate(model, Input(source=source)).fields["steps"]
    followed = [tree["nodes"][number]["token"] for number in sorted(Beam(tree, 0).greedy)]
    assert followed == [step["token"] for step in steps[: len(followed)]]
    assert followed


def test_kept_and_dropped_differ_by_more_than_colour():
    found = parsed(Beam(TREE, 1))
    assert "× d" in words(found)
    assert "× c" not in words(found)
    lines = [element for element in found if element.tag == f"{NAME}path" and element.get("stroke")]
    assert sum(line.get("stroke-dasharray") is not None for line in lines) == 2
    assert sum(line.get("stroke-width") == "3.5" for line in lines) == 2, (
        "the best is the thick line"
    )


def test_every_text_says_what_became_of_it_and_the_table_lists_all():
    beam = Beam(TREE, 1)
    sentences = [beam.sentence(entry) for entry in beam.columns[1]]
    assert sentences[0] == "b </s>: −1, kept, rank 1, ends here; ln p of this token −0.500"
    assert sentences[3] == "b e: −4, dropped; ln p of this token −0.500"
    labels = [
        element.get("aria-label") for element in parsed(beam) if element.get("data-step") == "2"
    ]
    assert labels == sentences
    assert [row[2] for row in beam.table()["rows"]] == [-0.5, -0.9, -1, -2, -3, -4]


def test_steps_after_the_one_in_focus_are_faint():
    groups = [element for element in parsed(Beam(TREE, 0)) if element.get("opacity")]
    assert [words(list(group.iter()))[:1] for group in groups] == [[], ["step 2"]]


@pytest.mark.parametrize("room", [(20, 0), (27.5, 24.5), (70, 35), (120, 60)])
@pytest.mark.parametrize("beams", [1, 4, 8])
def test_everything_lies_inside_and_a_narrow_room_has_every_step(
    room: tuple[float, float], beams: int
):
    answer = generate(
        load_model("translator"), Input(source="i am cold"), strategy="beam", beams=beams
    )
    beam = Beam(answer.fields["tree"], 0)
    found = parsed(beam, *room)
    _, _, width, height = map(float, str(found[0].get("viewBox")).split())
    steps = len(beam.columns)
    assert {f"step {step + 1}" for step in range(steps)} <= set(words(found))
    for element in found:
        if element.tag in (f"{NAME}rect", f"{NAME}text"):
            x, y = float(element.get("x", 0)), float(element.get("y", 0))
            assert 0 <= x <= x + float(element.get("width", 0)) <= width
            assert 0 <= y <= y + float(element.get("height", 0)) <= height


def test_a_text_that_grew_alone_has_no_tree():
    answer = generate(load_model("translator"), Input(source="i am cold"))
    with pytest.raises(InvalidInput, match="beam"):
        drawing(answer, {}, Drawing((("at", None), ("width", 70), ("height", 35))))
