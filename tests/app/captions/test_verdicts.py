"""The band of a finding is said as it is: what is said, read back, is the band."""

import math
import re
from types import SimpleNamespace

import pytest

from app.captions.verdicts import LEAST, band
from tests.rounding import PRINTED, near

NUMBER = r"([−\d.]+(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?)"
SAID = {
    rf"at most {NUMBER}": lambda most: (-math.inf, most),
    rf"at least {NUMBER}": lambda least: (least, math.inf),
    rf"exactly {NUMBER}": lambda value: (value, value),
    rf"{NUMBER} to {NUMBER}": lambda least, most: (least, most),
    rf"{NUMBER} within {NUMBER}": lambda middle, half: (middle - half, middle + half),
    r"more than 0": lambda: (LEAST, math.inf),
    "": lambda: (-math.inf, math.inf),
}
ENDS = (None, -2.5, -1e-4, 0.0, 0.25, 1.0, 12.0)
BANDS = [
    (low, high) for low in ENDS for high in ENDS if low is None or high is None or low <= high
] + [(1 - 1e-9, 1 + 1e-9), (LEAST / 2, None)]


def read(said: str) -> float:
    digits, _, power = said.replace("−", "-").partition(" × 10")
    return float(digits) * 10 ** int(
        power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or 0
    )


@pytest.mark.parametrize("ends", BANDS, ids=str)
def test_a_band_in_words_has_its_ends_and_its_side(ends: tuple[float | None, float | None]):
    said = band(SimpleNamespace(band=ends))
    found = [
        ends_of(*map(read, match.groups()))
        for words, ends_of in SAID.items()
        if (match := re.fullmatch(words, said))
    ]
    assert len(found) == 1, (
        f"the band {ends} is told as “{said}”, which is read in no way or in two"
    )
    low, high = ends
    wanted = (-math.inf if low is None else low, math.inf if high is None else high)
    near(found[0], wanted, PRINTED, abs=LEAST)
