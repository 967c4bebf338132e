"""The fonts that the pages are tested with: three sets, each in force alone, whatever fonts the
machine has besides. `python -m tests.fonts.sets` fails when a font is not installed and says what
to do.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDERS = [
    Path("/usr/share/fonts"),
    Path("/usr/local/share/fonts"),
    Path.home() / ".local/share/fonts",
    Path.home() / ".fonts",
]
PACKAGES = ("fonts-dejavu-core", "fonts-liberation")


@dataclass(frozen=True)
class FontSet:
    """The font files of one set; what the browser knows their families as, ahead of Sans, Serif and
    Mono; and the families that words, titles and numbers are drawn with.
    """

    files: tuple[str, ...]
    known_as: str
    sans: str
    serif: str
    mono: str


DEJAVU = ("DejaVuSans", "DejaVuSerif", "DejaVuSansMono")
SETS = {
    "dejavu": FontSet(
        tuple(f"{face}{weight}.ttf" for face in DEJAVU for weight in ("", "-Bold")),
        "",
        "DejaVu Sans",
        "DejaVu Serif",
        "DejaVu Sans Mono",
    ),
    "liberation": FontSet(
        tuple(
            f"Liberation{face}-{style}.ttf"
            for face in ("Sans", "Serif", "Mono")
            for style in ("Regular", "Bold", "Italic", "BoldItalic")
        ),
        "Narrow",
        "Liberation Sans",
        "Liberation Serif",
        "Liberation Mono",
    ),
    "wide": FontSet(
        tuple(f"{face}-Bold.ttf" for face in DEJAVU),
        "Wide",
        "DejaVu Sans",
        "DejaVu Serif",
        "DejaVu Sans Mono",
    ),
}
"""The usual one, which also has a MATH table; one as narrow as Arial, Times and Courier; and bold
faces alone, one eighth wider than Verdana. Signs that a set lacks are DejaVu's.
"""


def style(name: str) -> str:
    """The rules that put a set in force on a page as it stands: every font of a page is one of
    three tokens, or that of a formula.
    """
    known_as = SETS[name].known_as
    if not known_as:
        return ""
    tokens = " ".join(
        f'--{face}: "{known_as} {face.title()}", sans-serif;' for face in ("sans", "serif", "mono")
    )
    return f":root {{ {tokens} }} math {{ font-family: var(--sans); }}"


def installed() -> dict[str, Path]:
    """Every font file of this machine, by its name."""

    def found() -> Iterator[Path]:
        for folder in FOLDERS:
            yield from folder.rglob("*.ttf")

    return {path.name: path for path in found()}


def missing() -> list[str]:
    """The font files that the sets need and this machine does not have."""
    here = installed()
    return sorted({name for it in SETS.values() for name in it.files} - set(here))


def what_to_do(names: list[str]) -> str:
    return (
        f"The browser tests need fonts that are not installed ({', '.join(names)}):"
        f" sudo apt-get install {' '.join(PACKAGES)}"
    )


def environment(folder: Path) -> dict[str, str]:
    """The environment of a browser that sees the fonts of the sets and no others; `folder` takes
    links to them and fontconfig's cache.
    """
    here = installed()
    for name, it in SETS.items():
        (folder / "files" / name).mkdir(parents=True)
        for file in it.files:
            (folder / "files" / name / file).symlink_to(here[file])
    configuration = shutil.copy(Path(__file__).with_name("seen.conf"), folder)
    return {
        **os.environ,
        "FONTCONFIG_FILE": str(configuration),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }


if __name__ == "__main__":
    if names := missing():
        sys.exit(what_to_do(names))
