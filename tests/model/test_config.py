"""Choices and sizes of a model are checked when its Config is made."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from model.config import CHOICES, Config
from model.errors import InvalidInput

ROOT = Path(__file__).parents[2]
SIZES = {"vocabulary_size": 7, "d_model": 12, "n_heads": 2, "d_ff": 8, "n_decoder_layers": 1}


def config(**choices: object) -> Config:
    return Config(**{"family": "decoder-only", **SIZES, **choices})


def test_a_choice_that_there_is_not_is_refused_and_the_nearest_named():
    """In a process of its own, because the tests check types before a Config does."""
    script = f"""
from model.config import CHOICES, Config
for name in CHOICES:
    try:
        Config(**{{"family": "decoder-only", **{SIZES}, name: CHOICES[name][-1] + "s"}})
    except Exception as refusal:
        print(type(refusal).__name__, refusal)
"""
    told = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert len(told) == len(CHOICES) > 10
    for line, (name, choices) in zip(told, CHOICES.items(), strict=True):
        assert line.startswith(f"UnknownName There is no {name} named {choices[-1] + 's'!r}."), line
        assert choices[-1] in line.partition("nearest")[2], line


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"d_model": 13}, "d_model 13 cannot be split over 2 heads."),
        ({"d_model": 6, "relative": "rope"}, "d_head is 3: it has to be even."),
        ({"n_heads": 4, "n_kv_heads": 3}, "4 heads cannot share 3 keys and values evenly."),
        ({"n_decoder_layers": 0}, "decoder-only with 0 decoder layers makes no sense."),
    ],
)
def test_sizes_that_do_not_fit_are_refused_in_a_sentence(choices: dict, sentence: str):
    with pytest.raises(InvalidInput, match=re.escape(sentence)):
        config(**choices)
