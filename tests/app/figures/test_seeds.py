"""A quantity and its seeds in one call: every number of every line is one of the answer's."""

import numpy as np
import torch

from app.figures.seeds import with_seeds
from model.answers.answer import Answer, Labelled, counted, numbered
from model.clinics._shared.initialised_stacks import by_seed

EACH = torch.tensor([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[3.0, 4.0, 5.0], [0.0, 1.0, 2.0]]])


def answer() -> Answer:
    together = {"length": Labelled(("kind", "depth"), EACH.mean(0), "|x|")}
    axes = {
        "kind": counted("step", 2, "kind"),
        "depth": numbered("step", [1, 2, 4], "depth"),
        "seed": counted("step", 2, "seed"),
    }
    return Answer("analytic", axes, together | by_seed(together, {"length": EACH}))


def test_the_line_is_the_tensor_and_each_thin_line_one_seed_of_it():
    *thin, line = with_seeds(answer(), "length", [1, 2, 4], "second", "stream", "%{y}", at=(1,))
    np.testing.assert_array_equal(line["y"], [2, 3, 4])
    np.testing.assert_array_equal([trace["y"] for trace in thin], EACH[:, 1])
    assert [trace["name"] for trace in thin] == ["second, seed 0", "second, seed 1"]
    assert {trace["legendgroup"] for trace in thin} == {"second"}
    assert {trace["showlegend"] for trace in thin} == {False}


def test_every_line_says_what_it_is_when_it_is_pointed_at():
    *thin, line = with_seeds(answer(), "length", [1, 2, 4], "first", "stream", "%{y}", at=(0,))
    assert line["hovertemplate"].startswith("first<br>%{y}")
    assert thin[1]["hovertemplate"].startswith("first, seed 1<br>%{y}")
