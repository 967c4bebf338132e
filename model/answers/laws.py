"""Laws: the expected ranges of the numbers that clinics measure. A clinic's table LAWS has for each
finding its title, the prediction in words, the range of numbers, and the unit; the clinic supplies
the numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

Number = int | float
Band = tuple[Number | None, Number | None]
"""The smallest and the largest expected number; None leaves that side open."""
OPEN: Band = (None, None)
"""The band of a number without a prediction."""
DIFFERENCE = " (difference)"
"""At the end of the unit of a difference of fractions, which is printed in percentage points."""


@dataclass(frozen=True)
class Law:
    """The prediction for one number. `name` is that of its finding, `title` its display name,
    `text` the prediction in words, and `band` the expected range. `unit` is "" for a pure number. A
    clinic replaces what depends on the question.
    """

    name: str
    title: str = ""
    text: str = ""
    band: Band = OPEN
    unit: str = ""

    def with_numbers(self, **numbers: object) -> "Law":
        """The law with numbers of the question inserted for the names in braces in its text."""
        return replace(self, text=self.text.format(**numbers))

    def where(self, it_speaks: bool) -> "Law":
        """The law if it applies to the question; otherwise the number is measured without a
        prediction.
        """
        return self if it_speaks else replace(self, band=OPEN)


def by_name(*laws: Law) -> dict[str, Law]:
    """Laws, keyed by the names of their findings."""
    return {law.name: law for law in laws}


def each(
    names: Mapping[str, str], law: Law, stated: Mapping[str, tuple[str, Band]] | None = None
) -> list[Law]:
    """One law for each of several things. The empty braces in name and title are filled with its
    name in addresses and its display name. Text and band are overridden by those `stated` for it,
    if any.
    """
    return [
        Law(law.name.format(name), law.title.format(title), text, band, law.unit)
        for name, title in names.items()
        for text, band in [(stated or {}).get(name, (law.text, law.band))]
    ]
