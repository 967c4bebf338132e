"""The figures of /recurrence draw the numbers of their answer, and each network in one colour."""

import numpy as np
import pytest

from app.worker.figures import draw
from model.clinics.recurrence import recurrence

QUESTION = {"figures": ("letters", "alignment")}


@pytest.fixture(scope="module")
def answer():
    return recurrence(text="abc", length=4, seeds=2)


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
        assert [text.replace("∎", "&lt;/s&gt;") for text in trace["text"][row]] == [
            token.replace("<", "&lt;").replace(">", "&gt;") for token in writing["tokens"]
        ]
    wrong = sum(
        token != expected_token
        for writing in answer.fields["writings"]
        for token, expected_token in zip(writing["tokens"], answer.axes["step"].labels, strict=True)
    )
    paths = [shape["path"] for shape in figure["layout"]["shapes"]]
    assert all(path.count("M") == wrong for path in paths)
    assert bool(paths) == bool(wrong)
