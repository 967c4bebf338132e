"""What is stated of the figures of each word, in a file of `stated/` for each."""

from pathlib import Path

FILES = Path(__file__).parent / "stated"


def read(word: str) -> dict[str, list[str]]:
    """The lines of each figure of a word; none for a word that has no file."""
    found: dict[str, list[str]] = {}
    file = FILES / f"{word}.txt"
    for line in file.read_text().splitlines() if file.exists() else ():
        if line.startswith("[") and line.endswith("]"):
            lines = found.setdefault(line[1:-1], [])
        elif line:
            lines.append(line)
    return found


def write(word: str, figures: dict[str, list[str]]) -> None:
    FILES.mkdir(exist_ok=True)
    text = "\n\n".join("\n".join([f"[{name}]", *lines]) for name, lines in figures.items())
    (FILES / f"{word}.txt").write_text(text + "\n")
