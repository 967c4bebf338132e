"""What the README says is true: its commands, its example, its tree and its figures."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from app.cli import parser, serve
from app.paths import weights
from app.settings import Settings
from app.site.model_cards import named
from app.site.pages import SUBJECTS, cards, find_pages
from tests.app.serving import Running
from tests.packaging.conftest import ROOT
from tests.packaging.serving import PATIENCE
from tests.rounding import PRINTED, near

README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCES = dict.fromkeys(("sh", "bash", "python", "text", "ini", "nginx", "dockerfile", "toml"), ())
for language, content in re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL):
    FENCES[language] += (content,)
COMMANDS = [
    shlex.split(line, comments=True) for fence in FENCES["sh"] for line in fence.splitlines()
]


def tree() -> list[Path]:
    """The paths of the file tree, each with the folder it is indented under."""
    found, folder = [], Path()
    for line in FENCES["text"][-1].splitlines():
        name = line.split()[0]
        folder = Path() if not line.startswith(" ") else folder
        found.append(folder / name)
        folder = Path(name) if not line.startswith(" ") and name.endswith("/") else folder
    return found


def test_the_tree_names_every_room_and_module_and_nothing_that_is_not_there():
    listed = {path.as_posix() for path in tree()}
    assert all((ROOT / path).exists() for path in listed)
    inside = {
        path.relative_to(ROOT).as_posix()
        for folder in ("app", "model")
        for path in (ROOT / folder).iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert inside - {"app/__init__.py", "model/__init__.py"} <= listed
    assert {"app", "model", "static", "templates", "tests"} <= listed


def test_every_line_of_the_tree_says_what_the_file_is():
    for line in FENCES["text"][-1].splitlines():
        assert re.fullmatch(r" *\S+ +\S.+", line), line


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_make_command_is_one_that_make_would_run(command: list[str]):
    assert command[0] == "make"
    # As a reader would type it: the tests themselves run inside a make, whose settings a make
    # within it would take over.
    shell = {
        name: value
        for name, value in os.environ.items()
        if name not in {"ARGS", "MAKEFLAGS", "MAKELEVEL", "MFLAGS"}
    }
    planned = subprocess.run(
        ["make", "--dry-run", *command[1:]],
        cwd=ROOT,
        env=shell,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    last = planned.strip().splitlines()[-1]
    if command[1] == "test":
        assert (ROOT / last.split()[-1]).is_file()
    else:
        program, *arguments = shlex.split(last)
        assert program.endswith("bin/vitrine")
        parser().parse_args(arguments)


def test_what_operators_copy_names_options_and_settings_that_there_are():
    """The lines of shells, the unit of systemd and the container's file."""
    (unit,), (container,) = FENCES["ini"], FENCES["dockerfile"]
    lines = [line for fence in FENCES["bash"] for line in fence.splitlines()]
    started = [line for line in lines if re.match("vitrine($| -)", line)]
    started += [line.rpartition("/")[2] for line in unit.splitlines() if "ExecStart=" in line]
    assert len(started) == 5
    for line in started:
        options = parser().parse_args(shlex.split(line, comments=True)[1:])
        assert options.run is serve
    for line in lines:
        if re.match("vitrine [a-z]", line):
            parser().parse_args(shlex.split(line, comments=True)[1:])
    named = set(re.findall(r"VITRINE_([A-Z_]+)=", unit + container))
    assert named
    assert named <= {name.upper() for name in Settings.model_fields}


def test_commands_within_the_text_exist():
    targets = set(
        re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )
    named = set(re.findall(r"`make ([a-z]+)", README)) | {command[1] for command in COMMANDS}
    assert {"run", "test", "train", "bench", "wheel", "format"} <= named <= targets


def test_the_tables_of_pages_name_them_as_menus_do_in_the_order_of_the_subjects():
    """Every page has a row, but that a clinic may be in the menu alone."""
    listed = re.findall(r"^\*\*([\w -]+)\.\*\*|^\| `(/[\w-]*)` \| ([^|]+) \|", README, re.MULTILINE)
    assert [room for room, _, _ in listed if room] == list(SUBJECTS)
    named = {path: title for _, path, title in listed if path}
    pages = find_pages()
    unnamed = {page.path for page in pages if page.has_claim} - named.keys()
    assert named == {page.path: page.title for page in pages if page.path not in unnamed} | {
        "/docs": "API",
        "/lecture": "Lectures",
    }


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+\.\d+", text)]


@pytest.fixture
def address(vitrine: Running) -> str:
    """Where one server answers both programs of the README."""
    return vitrine.address


@pytest.mark.thorough  # a model of torch is read anew
def test_the_example_prints_what_the_readme_says(address: str):
    code = FENCES["python"][0]
    said = FENCES["text"][0]
    assert "http://127.0.0.1:8000" in code
    assert code == (ROOT / "templates/_partials/example.txt").read_text(encoding="utf-8")
    code = code.replace("http://127.0.0.1:8000", address)
    printed = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout
    assert re.sub(r"\d+\.\d+", "#", printed) == re.sub(r"\d+\.\d+", "#", said)
    near(numbers(printed), numbers(said), PRINTED, abs=0.011)


SHOWS_NOTHING = """
import plotly.io
from plotly.io.base_renderers import ExternalRenderer
class Seen(ExternalRenderer):
    def render(self, figure):
        names = [trace["name"] for trace in figure["data"]]
        print(figure["layout"]["meta"]["title"], *names, sep="|")
plotly.io.renderers["seen"] = Seen()
plotly.io.renderers.default = "seen"
"""


@pytest.mark.thorough  # the notebooks of a case show theirs
def test_the_notebook_s_three_lines_show_the_figure(address: str):
    code = FENCES["python"][1]
    assert len([line for line in code.splitlines() if line]) == 3
    code = code.replace("http://127.0.0.1:8000", address)
    printed = subprocess.run(
        [sys.executable, "-c", SHOWS_NOTHING + code], check=True, capture_output=True, text=True
    ).stdout
    asked = re.search(r'urlopen\("([^"]+)"', code)[1]
    drawn = httpx2.get(asked, timeout=PATIENCE).json()
    names = [trace["name"] for trace in drawn["data"]]
    assert names
    assert printed.splitlines() == ["|".join([drawn["layout"]["meta"]["title"], *names])]


def model_row(card: dict) -> str:
    """What a model does, what its card measured first with what stands beside it, and how long it
    was trained.
    """
    name, measure = next(
        (name, measure)
        for name, measure in card["quality"].items()
        if isinstance(measure.get("value"), float)
    )
    share = measure["how"].startswith("share")
    figures = {
        key: f"{value:.1%}".replace("%", " %") if share else f"{value:.3g}"
        for key, value in measure.items()
        if type(value) is float
    }
    beside = [f"{named(key)} {figure}" for key, figure in figures.items() if key != "value"]
    minutes = card["training"]["minutes"]
    said = ", ".join([f"{named(name)} {figures['value']}", *beside])
    return f"| `{card['id']}` | {card['task']} | {said} | {minutes:.{1 if minutes < 10 else 0}f} |"


def test_the_table_of_models_is_the_models_with_the_figures_of_their_cards():
    rows = [model_row(card) for card in cards()]
    assert re.findall(r"^\| `[a-z0-9-]+` \|.*$", README, re.MULTILINE) == rows


def test_the_figures_are_those_of_the_card():
    quality = json.loads((weights() / "translator" / "card.json").read_text(encoding="utf-8"))[
        "quality"
    ]
    for measure in ("token_accuracy", "exact_match", "alignment"):
        assert f"{quality[measure]['value']:.1%}".replace("%", " %") in README
    for measure, baseline in (
        ("token_accuracy", "bigram"),
        ("exact_match", "word_by_word"),
        ("alignment", "diagonal"),
    ):
        assert f"{quality[measure][baseline]:.1%}".replace("%", " %") in README
    for key in ("value", "word_by_word"):
        assert f"{quality['chrf'][key] * 100:.1f}" in README


def test_what_is_said_of_the_calibration_of_flights_is_what_its_card_decides():
    """Its interval holds the boosted trees' error, and its surest tenth is too sure."""
    card = json.loads((weights() / "flights-ft" / "card.json").read_text(encoding="utf-8"))
    error = card["quality"]["calibration_error"]
    low, high = error["interval"]
    assert low < error["boosting"] < high
    said = f"{error['value']:.1%}, from {100 * low:.1g} to {high:.1%} with other days, which does"
    surest = card["held_out"]["reliability"]["model"][0][-1]
    assert surest["high"] < surest["believed"]
    told = " ".join(README.split())
    assert f"{said} not decide".replace("%", " %") in told
    sure = f"it gives {surest['believed']:.0%}, {surest['happened']:.0%} were late"
    assert sure.replace("%", " %") in told


def test_every_picture_is_there():
    for path in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README):
        assert 0 < (ROOT / path).stat().st_size < 400_000
