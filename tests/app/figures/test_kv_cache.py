"""What a cell of the keys and values is called: computed at the step of its token, read afterwards
from the cache, and without the cache computed again at every step.
"""

import pytest

from app.worker.figures import draw
from tests.model.clinics.every_clinic import ask


@pytest.mark.parametrize("way", ["with", "without"])
def test_a_cell_says_whether_its_keys_and_values_are_computed_or_read(way: str):
    answer = ask("kv_cache", seeds=1)
    (trace,) = draw("kv-cache", way, answer, {})["data"]
    for step, (words, letters) in enumerate(zip(trace["customdata"], trace["text"], strict=True)):
        for token, (said, letter) in enumerate(zip(words, letters, strict=True)):
            again = token == step or way == "without"
            wanted = "" if token > step else "computed" if again else "read from the cache"
            assert said == wanted, (
                f"at step {step + 1} token {token + 1} is {said!r}, {way} a cache"
            )
            assert letter == wanted[:1].upper()
