"""A red test says what is wrong in its first line: the sentence that its name is, for which case,
and what was found instead.
"""

from collections.abc import Iterator

import pytest

MOST = 200


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    if report.failed and call.excinfo is not None:
        file, line, _ = report.location
        report.location = (file, line, first_line(item.name, call.excinfo.exconly()))
    return report


def first_line(name: str, error: str) -> str:
    """A causal model never looks ahead [translator]: 0.2 instead of 0."""
    said, _, case = name.partition("[")
    sentence = said.removeprefix("test_").replace("_", " ").capitalize()
    found = error.removeprefix("AssertionError: ").strip().partition("\n")[0]
    whole = f"{sentence} [{case}: {found}" if case else f"{sentence}: {found}"
    return whole if len(whole) <= MOST else f"{whole[: MOST - 1]}…"
