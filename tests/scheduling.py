"""Which tests share a process, and which come first there.

What a test computes is kept in its process for those that look at it next, so tests that share
answers are one scope, which one process takes whole: a file, or what several files ask about one
word.
"""

import re
from functools import cache

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

TESTS_OF_WORDS = "|".join(
    [
        "drawn/.*",
        "captions/test_(every_clinic|exercises)",
        "test_every_choice",
        "words/test_pages",
    ]
)
WORD = r"\[(?P<word>[a-z_-]+?)(?:-[a-z]{2})?\]"
"""A word as the name of a test has it, before a language where it has one."""
SHARED = {
    rf"tests/app/({TESTS_OF_WORDS})\.py.*{WORD}": r"app: asked \g<word>",
    r"tests/model/clinics/test_(by_seed|claims|progress)\.py": "model: every clinic",
    r"tests/browser/test_(every_page|first_visit)\.py.*\[chromium-(.+)\]": r"browser: page \2",
    r"tests/packaging/test_(readme|wheel)\.py": "packaging: the built wheel",
}
"""The scopes of tests that share answers beyond a file, or only with some of it. The others share
their file.
"""
FIRST = (("app", "", "browser"), ("browser", "", "app"), ("", "app", "browser"))
"""What the processes take first; "" is everything else. Many tests of the app wait, a browser fills
more than one core, and what only computes fills what they leave.
"""
SHORT = "browser: page "
"""Scopes that last a few seconds. They come last, so that all processes end at about one time."""


@cache
def scope_of(test: str) -> str:
    """The scope of a test, whose first word is the folder that holds it."""
    for pattern, scope in SHARED.items():
        if found := re.match(pattern, test):
            return found.expand(scope).replace("_", "-")
    file = test.partition("::")[0]
    return f"{file.split('/')[1]}: {file}"


class Scheduling(LoadScopeScheduling):
    """Gives the processes scope after scope, in the order of `FIRST`."""

    def __init__(self, config: pytest.Config, log: Producer):
        config.option.loadscopereorder = False  # the scopes with most tests are not the longest
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        first = FIRST[int(node.gateway.id.removeprefix("gw")) % len(FIRST)]

        def place(scope: str) -> tuple[int, bool]:
            folder = scope.partition(":")[0]
            return first.index(folder if folder in first else ""), scope.startswith(SHORT)

        self.workqueue.move_to_end(min(self.workqueue, key=place), last=False)
        super()._assign_work_unit(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling:
    return Scheduling(config, log)
