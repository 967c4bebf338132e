"""What /pixels says explains both figures that are shown."""

import pytest

from app.experiments import pixels as words
from tests.app.said.test_clinics import pages


@pytest.mark.parametrize("left", words.LEFT)
@pytest.mark.parametrize("right", words.RIGHT)
def test_both_figures_are_explained(left: str, right: str):
    _, answer = pages("pixels")[0]
    said = words.look_for(answer, {"figures": (left, right)})
    assert words.LEFT[left] in said
    assert words.RIGHT[right] in said
