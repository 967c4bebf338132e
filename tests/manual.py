"""README.md and the manual, as tests read them. `python -m tests.manual` renews the tables that are
made and not written: of the pages, the models, and the faults of the last storms.
"""

import json
import re
from itertools import groupby
from pathlib import Path
from typing import Any

from app.site.manual import FOLDER
from app.site.model_cards import is_share, named
from app.site.pages import DOCS, LECTURE, MANUAL, SEARCH, cards, find_pages

README = Path(__file__).resolve().parents[1] / "README.md"
FILES = [README, *sorted(FOLDER.glob("*.md"))]
LAST_STORMS = Path(__file__).parent / "storm" / "last.json"
EVERYWHERE = ("threads", "descriptors", "memory more than before")
"""How what is measured after most faults begins; the page says it once."""


def text(name: str) -> str:
    """A file of the manual."""
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


def all_text() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in FILES)


def fenced(content: str, language: str) -> list[str]:
    """The blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", content, re.MULTILINE | re.DOTALL)


def pages() -> str:
    """A table for each subject, in the order in which one learns."""
    menus = sorted([*find_pages(), LECTURE, MANUAL, DOCS, SEARCH])
    parts = []
    for subject, some in groupby(menus, lambda page: page.subject):
        head = [f"## {subject}", "", "| page | title | what it shows |", "|---|---|---|"]
        rows = [f"| `{page.path}` | {page.title} | {page.sentence} |" for page in some]
        parts.append("\n".join([*head, *rows]))
    return "\n\n".join(parts)


def models() -> str:
    head = "| model | what it does | held-out measure, and baselines | training, minutes |"
    return "\n".join([head, "|---|---|---|---|", *map(model_row, cards())])


def model_row(card: dict[str, Any]) -> str:
    """What a model does, what its card measured first with its baselines, and the minutes that its
    training took.
    """
    name, measure = next(
        (name, measure)
        for name, measure in card["quality"].items()
        if isinstance(measure.get("value"), float)
    )
    share = is_share(measure)
    figures = {
        key: f"{value:.1%}" if share else f"{value:.3g}"
        for key, value in measure.items()
        if type(value) is float
    }
    beside = [f"{named(key)} {figure}" for key, figure in figures.items() if key != "value"]
    score = ", ".join([f"{named(name)} {figures['value']}", *beside])
    minutes = card["training"]["minutes"]
    return f"| `{card['id']}` | {card['task']} | {score} | {minutes:.{1 if minutes < 10 else 0}f} |"


def faults() -> str:
    """A row for each scenario of the last storms: what is done, what is promised, how many checks
    held, and what was measured.
    """
    head = ["| fault | promise | checks | measured |", "|---|---|---|---|"]
    storms = json.loads(LAST_STORMS.read_text(encoding="utf-8"))
    return "\n".join([*head, *map(fault_row, storms)])


def fault_row(storm: dict[str, Any]) -> str:
    checks = [figure for figure in storm["figures"] if figure["held"] is not None]
    held = sum(figure["held"] for figure in checks)
    verdict = f"all {held} held" if held == len(checks) else f"{held} of {len(checks)} held"
    measured = [
        f"{figure['what']}: {figure['found']} ({figure['promised']}"
        + ("" if figure["held"] else ", **missed**")
        + ")"
        for figure in checks
        if not figure["held"]
        or (
            figure["promised"].startswith(("<=", ">="))
            and not figure["what"].startswith(EVERYWHERE)
        )
    ]
    busy = f"{storm['day']}, others used {storm['others_cores']:.1f} cores"
    cells = [
        f"`{storm['name']}` {storm['fault']}. {capital(storm['done'])}",
        capital(storm["promised"]),
        f"{verdict} ({busy})",
        "; ".join(measured),
    ]
    row = " | ".join(cell.replace("|", r"\|") for cell in cells)
    return f"| {printed(row)} |"


def printed(report: str) -> str:
    """Numbers and signs of a report as the manual prints them: 0.6 and not .6, 95% and not 95 %."""
    report = re.sub(r"(?<=\s)\.(?=\d)", "0.", report)
    for plain, sign in ((" %", "%"), ("<=", "≤"), (">=", "≥"), (" x ", " × ")):
        report = report.replace(plain, sign)
    return report


def capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def renewed(content: str, begins: str, table: str) -> str:
    """A file whose part from a line on, up to the next empty line, is another; of the pages all
    that follows.
    """
    before, found, after = content.partition(f"\n{begins}")
    assert found, f"there is no line that begins with {begins!r}"
    rest = "" if begins == "## " else after.partition("\n\n")[2]
    return f"{before}\n{table}\n" + (f"\n{rest}" if rest else "")


TABLES = {
    "pages": ("## ", pages),
    "models": ("| model |", models),
    "reliability": ("| fault |", faults),
}
"""By subject how the first line of what is made begins, and what makes it."""


def whole(name: str) -> str:
    """A file of the manual with its table made again."""
    begins, make = TABLES[name]
    return renewed(text(name), begins, make())


if __name__ == "__main__":
    for name in TABLES:
        (FOLDER / f"{name}.md").write_text(whole(name), encoding="utf-8")
