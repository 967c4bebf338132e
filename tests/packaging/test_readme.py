"""What README.md and the manual say is true: commands, examples, tree, settings, and figures."""

import ast
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import httpx2
import pytest
from PIL import Image, ImageSequence
from pydantic import SecretStr

from app.cli import parser, serve
from app.paths import weights
from app.settings import Settings
from app.site.manual import FOLDER, LISTED, PARSER, sections
from app.site.pages import find_pages
from tests.app.serving import Running
from tests.manual import FILES, README, TABLES, all_text, fenced, text, whole
from tests.packaging.conftest import ROOT
from tests.packaging.serving import PATIENCE
from tests.rounding import PRINTED, near

COMMANDS = [
    shlex.split(line, comments=True)
    for fence in fenced(all_text(), "sh")
    for line in fence.splitlines()
]
(TREE,) = fenced(text("house"), "text")


def tree() -> list[Path]:
    """The paths of the file tree, each with the folder it is indented under."""
    found, folder = [], Path()
    for line in TREE.splitlines():
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
    for line in TREE.splitlines():
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
        if program.endswith("bin/vitrine"):
            parser().parse_args(arguments)
        else:
            assert program.endswith("bin/python")
            assert arguments[0] == "-m"
            assert find_spec(arguments[1])


def test_what_operators_copy_names_options_and_settings_that_there_are():
    """The lines of shells, the unit of systemd and the container's file."""
    (unit,), (container,) = (fenced(text("class"), kind) for kind in ("ini", "dockerfile"))
    lines = [line for fence in fenced(all_text(), "bash") for line in fence.splitlines()]
    settings = re.compile(r"^(?:[A-Z_]+=\S+ )+")
    started = [settings.sub("", line) for line in lines]
    started = [line for line in started if re.match("vitrine($| +[-#])", line)]
    started += [line.rpartition("/")[2] for line in unit.splitlines() if "ExecStart=" in line]
    assert len(started) >= 9
    for line in started:
        options = parser().parse_args(shlex.split(line, comments=True)[1:])
        assert options.run is serve
    for line in lines:
        if re.match("vitrine [a-z]", line):
            parser().parse_args(shlex.split(line, comments=True)[1:])
    named = set(re.findall(r"VITRINE_([A-Z_]+)=", unit + container + "\n".join(lines)))
    assert named
    assert named <= {name.upper() for name in Settings.model_fields}


def test_commands_within_the_text_exist():
    targets = set(
        re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )
    named = set(re.findall(r"`make ([a-z]+)", all_text())) | {command[1] for command in COMMANDS}
    assert {"run", "test", "train", "bench", "wheel", "format"} <= named <= targets


PARAGRAPH = re.compile(
    r"^### `VITRINE_(\w+)`\n\nDefault: (.+?)\.(?: Option: `--(\w+)`\.)?\n\n(.+)", re.MULTILINE
)


@pytest.mark.parametrize("name", TABLES)
def test_what_is_made_of_the_manual_is_as_it_would_be_made_now(name: str):
    assert text(name) == whole(name), "python -m tests.manual renews it"


def test_every_setting_has_its_paragraph_and_every_limit_its_line_with_the_defaults():
    chapter = text("settings")
    parts = PARAGRAPH.findall(chapter)
    limits = {row["name"]: row for row in Settings().limits()}
    fields = {name: field for name, field in Settings.model_fields.items() if name not in limits}
    assert {name.lower() for name, *_ in parts} == set(fields)
    for name, default, option, paragraph in parts:
        assert default.partition(" ")[0] == as_printed(fields[name.lower()].default), name
        if option:
            assert f"--{option} " in parser().format_help(), name
        assert len(paragraph.split()) > 3, name
    rows = re.findall(r"^\| `VITRINE_(\w+)` \| ([\d.,]+)( [\w -]+)? \| (\S.+) \|$", chapter, re.M)
    assert sorted(name.lower() for name, *_ in rows) == sorted(limits)
    for name, default, unit, sentence in rows:
        limit = limits[name.lower()]
        assert float(default.replace(",", "")) == limit["value"], name
        assert unit.strip() in (limit["unit"], "" if limit["unit"] in UNITLESS else None), name
        assert sentence.endswith("."), name


UNITLESS = ("ratio", "weight", "length")


def as_printed(default: object) -> str:
    """A default as the manual says it: a folder by its last name."""
    match default:
        case None | () | "":
            return "none"
        case SecretStr():
            return as_printed(default.get_secret_value())
        case bool():
            return f"`{str(default).lower()}`"
        case Path():
            return f"`{default.name}`"
    return f"`{default}`"


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+\.\d+", text)]


@pytest.fixture
def address(vitrine: Running) -> str:
    """Where one server answers the programs of the manual."""
    return vitrine.address


@pytest.mark.thorough  # a model of torch is read anew
def test_the_example_prints_what_the_manual_says(address: str):
    code = fenced(text("rest"), "python")[0]
    (expected,) = fenced(text("rest"), "text")
    assert "http://127.0.0.1:8000" in code
    assert code == (ROOT / "templates/_partials/example.txt").read_text(encoding="utf-8")
    code = code.replace("http://127.0.0.1:8000", address)
    printed = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout
    assert re.sub(r"\d+\.\d+", "#", printed) == re.sub(r"\d+\.\d+", "#", expected)
    near(numbers(printed), numbers(expected), PRINTED, abs=0.011)


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
    code = fenced(text("rest"), "python")[1]
    assert len([line for line in code.splitlines() if line]) == 3
    code = code.replace("http://127.0.0.1:8000", address)
    printed = subprocess.run(
        [sys.executable, "-c", SHOWS_NOTHING + code], check=True, capture_output=True, text=True
    ).stdout
    url = re.search(r'urlopen\("([^"]+)"', code)[1]
    figure = httpx2.get(url, timeout=PATIENCE).json()
    names = [trace["name"] for trace in figure["data"]]
    assert names
    assert printed.splitlines() == ["|".join([figure["layout"]["meta"]["title"], *names])]


def test_the_figures_are_those_of_the_card():
    chapter = text("models")
    quality = json.loads((weights() / "translator" / "card.json").read_text(encoding="utf-8"))[
        "quality"
    ]
    for measure in ("token_accuracy", "exact_match", "alignment"):
        assert f"{quality[measure]['value']:.1%}" in chapter
    for measure, baseline in (
        ("token_accuracy", "bigram"),
        ("exact_match", "word_by_word"),
        ("alignment", "diagonal"),
    ):
        assert f"{quality[measure][baseline]:.1%}" in chapter
    for key in ("value", "word_by_word"):
        assert f"{quality['chrf'][key] * 100:.1f}" in chapter


def test_what_is_said_of_the_calibration_of_flights_is_what_its_card_decides():
    """Its interval holds the boosted trees' error, and its surest tenth is too sure."""
    card = json.loads((weights() / "flights-ft" / "card.json").read_text(encoding="utf-8"))
    error = card["quality"]["calibration_error"]
    low, high = error["interval"]
    assert low < error["boosting"] < high
    claim = f"{error['value']:.1%}, from {100 * low:.1g}% to {high:.1%} with other days; theirs is"
    surest = card["held_out"]["reliability"]["model"][0][-1]
    assert surest["high"] < surest["believed"]
    chapter = " ".join(text("models").split())
    assert f"{claim} {error['boosting']:.1%}, so the difference is inconclusive" in chapter
    sure = f"it predicts {surest['believed']:.0%}, and {surest['happened']:.0%} were late"
    assert sure in chapter


def test_the_readme_is_short_and_its_picture_moves_for_eight_seconds():
    readme = README.read_text(encoding="utf-8")
    assert len(readme.encode()) <= 8_000
    (path,) = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", readme)
    assert 0 < (ROOT / path).stat().st_size <= 1_500_000
    assert len(find_pages()) > 40, "it says so"
    durations = []
    with Image.open(ROOT / path) as picture:
        for frame in ImageSequence.Iterator(picture):
            frame.load()
            durations.append(frame.info["duration"])
    assert len(durations) > 20
    assert 7_500 <= sum(durations) <= 8_500


def test_every_block_of_python_and_toml_is_whole():
    for block in fenced(all_text(), "python"):
        ast.parse(block)
    for block in fenced(all_text(), "toml"):
        assert tomllib.loads(block)


def places(path: Path) -> list[str]:
    return [section.place for section in sections(PARSER.parse(path.read_text(encoding="utf-8")))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_link_between_files_leads_to_a_file_and_a_heading_of_it(path: Path):
    """As a code host follows them, which makes places of the headings' words."""
    assert len(places(path)) == len(set(places(path)))
    links = re.findall(r"\]\((?!http)([^)#]*)#?([\w-]*)\)", path.read_text(encoding="utf-8"))
    for file, place in links:
        target = (path.parent / file).resolve() if file else path
        assert target.is_file(), file
        assert not place or place in places(target), f"{file}#{place}"


def test_the_index_lists_every_subject_once():
    listed = LISTED.findall(text("README"))
    assert sorted([*listed, "README"]) == [path.stem for path in sorted(FOLDER.glob("*.md"))]


def test_every_file_names_the_version_of_the_package():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    for path, place in {
        "README.md": f"version = {{{version}}}",
        ".github/CITATION.cff": f"version: {version}",
        ".github/CHANGELOG.md": f"## {version}",
    }.items():
        assert place in (ROOT / path).read_text("utf-8"), path
