"""The figures of /recurrence draw the numbers of their answer, and each network in one colour."""

import numpy as np
import pytest

from app.experiments.recurrence import NAMES, ROLES
from app.worker.figures import draw
from model.clinics.recurrence import recurrence
from tests.rounding import SINGLE, same

QUESTION = {"figures": ("letters", "alignment")}


@pytest.fixture(scope="module")
def answer():
    return recurrence(text="abc", length=4, seeds=2)


def thick(figure):
    return [trace for trace in figure["data"] if trace["line"]["width"] == 2]


@pytest.mark.parametrize("name", ["letters", "words", "gradient.trained", "gradient.initial"])
def test_each_network_has_a_line_of_its_mean_and_thin_lines_of_what_it_is_the_mean_of(answer, name):
    figure = draw("recurrence", name, answer, QUESTION)
    values = answer.tensors[name].data.numpy()
    drawn = thick(figure)
    assert [trace["name"] for trace in drawn] == list(NAMES.values())
    for trace, row, network in zip(drawn, values, NAMES, strict=True):
        same(trace["y"], row, SINGLE)
        assert trace["meta"]["role"] == ROLES[network]
    each = 2 if name == "gradient.initial" else 3
    assert len(figure["data"]) == len(NAMES) * (1 + each)


def test_a_gradient_is_drawn_whole_with_every_thin_line(answer):
    for name in ("gradient.trained", "gradient.initial"):
        figure = draw("recurrence", name, answer, QUESTION)
        low, high = figure["layout"]["yaxis"]["range"]
        for trace in figure["data"]:
            assert low <= np.log10(trace["y"]).min()
            assert np.log10(trace["y"]).max() <= high


def test_every_letter_that_is_written_stands_in_its_cell_and_wrong_ones_have_a_frame(answer):
    figure = draw("recurrence", "writings", answer, QUESTION)
    (trace,) = figure["data"]
    for row, writing in enumerate(answer.fields["writings"]):
        assert [said.replace("∎", "&lt;/s&gt;") for said in trace["text"][row]] == [
            token.replace("<", "&lt;").replace(">", "&gt;") for token in writing["tokens"]
        ]
    wrong = sum(
        token != asked
        for writing in answer.fields["writings"]
        for token, asked in zip(writing["tokens"], answer.axes["step"].labels, strict=True)
    )
    paths = [shape["path"] for shape in figure["layout"]["shapes"]]
    assert all(path.count("M") == wrong for path in paths)
    assert bool(paths) == bool(wrong)


def test_there_is_a_map_for_each_that_attends(answer):
    figure = draw("recurrence", "alignment", answer, QUESTION)
    (trace,) = figure["data"]
    maps = answer.tensors["alignment"].data.numpy()
    assert len(trace["meta"]["tiles"]) == len(maps) == 4
    for values, (_, row, column) in zip(maps, trace["meta"]["tiles"], strict=True):
        height, width = values.shape
        drawn = trace["z"][row : row + height, column : column + width]
        same(drawn, values, SINGLE)


def test_a_line_for_each_truncation(answer):
    figure = draw("recurrence", "truncated", answer, QUESTION)
    names = [trace["name"] for trace in thick(figure)]
    assert names == ["cut after 2", "cut after 4", "cut after 8", "no cut"]
