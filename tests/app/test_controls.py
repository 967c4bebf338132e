"""Controls are made of what fields declare: their choices, and the default that a page opens on."""

from typing import Annotated

import pytest
from pydantic import Field

from app.experiments import experiments
from app.limits import Limit
from app.schema.bounds import own_limits, up_to
from app.schema.controls import COSTLY, Control, Slider, controls, costly
from app.schema.questions import Question
from app.settings import Settings

MOST = Limit("most", 9, "keys", "There may be this many.")


class Example(Question):
    keys: Annotated[int, up_to(MOST), COSTLY, Control((2, 4), "n", key="step")] = 4
    sure: Annotated[bool, Control({"": "no", "1": "yes"}, opens="")] = False
    share: Annotated[float, Slider(0, 1, 0.1)] = Field(1.0, description="A share.")
    hidden: int = 3


def test_a_control_has_the_choices_of_its_field_and_opens_on_its_default():
    keys, sure, share = controls(Example).values()
    assert (keys.label, keys.options, keys.opens) == ("n", {"2": "2", "4": "4"}, "4")
    assert (sure.label, sure.options, sure.opens) == ("sure", {"": "no", "1": "yes"}, "")
    assert (share.label, share.options, share.opens) == ("share", {}, "1")


def test_a_field_says_whether_it_costs_and_which_limit_is_its_own():
    assert list(costly(Example)) == ["keys"]
    assert list(own_limits(Example)) == [MOST]


@pytest.mark.parametrize("word", experiments())
def test_every_control_of_an_experiment_opens_on_one_of_its_choices(word: str):
    spec = experiments()[word]
    for control in controls(spec.figure_query or spec.question).values():
        assert not control.options or control.opens in control.options, control.name


def test_the_limits_that_experiments_declare_are_settings():
    limits = {row["name"]: row for row in Settings().limits()}
    for spec in experiments().values():
        for limit in own_limits(spec.question):
            row = {"name": limit.name, "value": limit.default, "unit": limit.unit}
            assert limits[limit.name] == row | {"sentence": limit.sentence}
