"""Laws: what is expected of the numbers that clinics measure. A clinic's table LAWS has for each
finding its title, the law in words, the band of numbers that the law allows, and the unit; the
clinic supplies the numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

Number = int | float
Band = tuple[Number | None, Number | None]
"""The smallest and the largest number that a law allows; None leaves that side open."""
OPEN: Band = (None, None)
"""The band of a number that is only measured."""


@dataclass(frozen=True)
class Law:
    """What is expected of one number. `name` is that of its finding and `title` what a page calls
    it, `text` says the law, and `band` has the numbers that it allows. `unit` is "" for a pure
    number. A clinic replaces what its question decides.
    """

    name: str
    title: str = ""
    text: str = ""
    band: Band = OPEN
    unit: str = ""

    def with_numbers(self, **numbers: object) -> "Law":
        """The law with numbers of the question in its text, which has their names in braces."""
        return replace(self, text=self.text.format(**numbers))

    def where(self, it_speaks: bool) -> "Law":
        """The law where it speaks of the question; elsewhere its number is only measured."""
        return self if it_speaks else replace(self, band=OPEN)


def by_name(*laws: Law) -> dict[str, Law]:
    """Laws by the names of their findings."""
    return {law.name: law for law in laws}


def each(
    names: Mapping[str, str], law: Law, stated: Mapping[str, tuple[str, Band]] | None = None
) -> list[Law]:
    """One law for each of several things: name and title have empty braces for what it is in an
    address and for what it is called. Text and band are those that are `stated` of it, if any are.
    """
    return [
        Law(law.name.format(name), law.title.format(title), text, band, law.unit)
        for name, title in names.items()
        for text, band in [(stated or {}).get(name, (law.text, law.band))]
    ]
