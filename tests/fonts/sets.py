"""The fonts that the pages are tested with: three sets, each seen alone, whatever fonts the machine
has besides. `python -m tests.fonts.sets` fails when a font is not installed and says what to do.
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
    """The font files of one set, and the family that words, titles and numbers are drawn with."""

    files: tuple[str, ...]
    sans: str
    serif: str
    mono: str


DEJAVU = ("DejaVuSans", "DejaVuSerif", "DejaVuSansMono")
SETS = {
    "dejavu": FontSet(
        tuple(f"{face}{weight}.ttf" for face in DEJAVU for weight in ("", "-Bold")),
        "DejaVu Sans",
        "DejaVu Serif",
        "DejaVu Sans Mono",
    ),
    "liberation": FontSet(
        (
            "DejaVuSans.ttf",
            *(
                f"Liberation{face}-{style}.ttf"
                for face in ("Sans", "Serif", "Mono")
                for style in ("Regular", "Bold", "Italic", "BoldItalic")
            ),
        ),
        "Liberation Sans",
        "Liberation Serif",
        "Liberation Mono",
    ),
    "wide": FontSet(
        tuple(f"{face}-Bold.ttf" for face in DEJAVU),
        "DejaVu Sans",
        "DejaVu Serif",
        "DejaVu Sans Mono",
    ),
}


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


def environment(name: str, folder: Path) -> dict[str, str]:
    """The environment of a browser that sees the fonts of one set and no others; `folder` takes
    links to them and fontconfig's cache.
    """
    here = installed()
    (folder / name).mkdir(parents=True, exist_ok=True)
    for file in SETS[name].files:
        (folder / name / file).symlink_to(here[file])
    configuration = shutil.copy(Path(__file__).with_name(f"{name}.conf"), folder)
    return {
        **os.environ,
        "FONTCONFIG_FILE": str(configuration),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }


if __name__ == "__main__":
    if names := missing():
        sys.exit(what_to_do(names))
