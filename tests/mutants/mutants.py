"""The false changes as data, and whether the code still holds what they replace."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LISTS = ("reviewed.toml", "thought_up.toml")


@dataclass(frozen=True)
class Mutant:
    """A false change: in a sentence what it makes a page say, the text `old` of a file that becomes
    `new`, and the narrowest tests that see it. Tests are what `pytest` takes, or a file of
    `node --test`.
    """

    name: str
    file: str
    old: str
    new: str
    tests: list[str]

    def trouble(self, root: Path) -> str | None:
        """Why the change cannot be made to the tree at `root`, if it cannot."""
        path = root / self.file
        if not path.exists():
            return f"{self.file} does not exist; the list must follow the code"
        found = path.read_text(encoding="utf-8").count(self.old)
        if found != 1:
            return f"{self.file} has {self.old!r} {found} times; the list must follow the code"
        return None


def listed() -> list[Mutant]:
    """All false changes, in the order of the lists."""
    here = Path(__file__).parent
    return [
        Mutant(**row)
        for name in LISTS
        for row in tomllib.loads((here / name).read_text(encoding="utf-8"))["mutant"]
    ]


def chosen(words: Sequence[str]) -> list[Mutant]:
    """Those whose name or file holds one of the words; all, if there are none."""
    return [m for m in listed() if not words or any(w in m.name + m.file for w in words)]
