"""One test for the sentences that modules say, as those of errors: a site that says one names a
message that there is and gives the values that it names, and each message is said somewhere.
"""

import ast
import re
import shutil
from collections.abc import Iterator
from contextvars import copy_context
from copy import copy
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import httpx2
import pytest
from fluent.syntax import ast as fluent

from app import cli
from app.errors import Problem
from model import words
from model.errors import InvalidInput, NotRead, UnknownName
from model.words import FUNCTIONS, languages, messages, target
from tests.app.test_openapi import application

INPUT, FILES, SERVER, COMMAND = "errors-input", "errors-files", "errors", "command-line"
EDITS, DERIVATION, DRAWINGS = "edits", "derivation", "drawings"
EDIT = ("op", "at", "field", "limit", "given")
SAYS: dict[str, tuple[str, int, tuple[str, ...]]] = {
    "InvalidInput": (INPUT, 0, ()),
    "UnknownName": (INPUT, 0, ("name", "known", "hint")),
    "edit.refusal": (INPUT, 0, EDIT),
    "named.refusal": (INPUT, 0, EDIT),
    "cells.edit.refusal": (INPUT, 0, EDIT),
    "model/inputs/scenes.py refusal": (INPUT, 0, ("field", "given", "shape")),
    "refuse": (INPUT, 1, ("field", "given")),
    "NotRead": (FILES, 0, ()),
    "CorruptWeights": (FILES, 0, ()),
    "Unread": (FILES, 0, ("key",)),
    "library": (FILES, 0, ("why",)),
    "Problem": (SERVER, 1, ()),
    "busy": (SERVER, 0, ()),
    "sentence": (SERVER, 0, ()),
    "refusal": (SERVER, 2, ("limit", "given")),
    "app/compute/wire.py super().__init__": (SERVER, 0, ()),
    "app/worker/process.py super().__init__": (SERVER, 0, ()),
    "CannotStart": (COMMAND, 0, ()),
    "wording": (COMMAND, 0, ()),
    "of_edits": (EDITS, 0, ()),
    "of_derivations": (DERIVATION, 0, ()),
    "of_drawings": (DRAWINGS, 0, ()),
}
"""What says a message: of which file, by which of its arguments, and the values that it gives to
each itself.
"""
OUTSIDE = {
    INPUT: {"field", "limit", "given"},
    SERVER: {"errors", "headers", "nearest", "id", "limit", "given", "code"},
}
"""What a site gives to the error and not only to its sentence."""
NAMED = ("title-", "narrow-")
"""The beginnings of names that are made of a code or a field."""
NUMBER = re.compile(r"(?<![\w.:/-])\d+(?![\w.:/-])")


class Site(NamedTuple):
    """Where messages are said: at which line, by what, which, and with which values; `open` where
    some are unpacked there.
    """

    module: Path
    line: int
    by: str
    messages: list[str]
    values: set[str]
    open: bool


@cache
def sites() -> list[Site]:
    modules = [*Path("app").rglob("*.py"), *Path("model").rglob("*.py")]
    return [site for path in modules if "installed" not in path.parts for site in sites_of(path)]


def sites_of(path: Path) -> Iterator[Site]:
    tree = ast.parse(path.read_text("utf-8"))
    chosen = {
        assigned.targets[0].id: assigned.value
        for assigned in ast.walk(tree)
        if isinstance(assigned, ast.Assign) and isinstance(assigned.targets[0], ast.Name)
    }
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        by = ast.unparse(call.func)
        by = f"{path} {by}" if f"{path} {by}" in SAYS else by
        if by in SAYS and len(call.args) > (at := SAYS[by][1]):
            argument = call.args[at]
            texts = constants(chosen.get(getattr(argument, "id", ""), argument))
            names = [name for name in texts if not name.removeprefix("f'").startswith(NAMED)]
            values = {keyword.arg for keyword in call.keywords if keyword.arg}
            yield Site(path, call.lineno, by, names, values, len(values) < len(call.keywords))


def constants(node: ast.expr) -> list[str]:
    """The texts that an expression may be, or what it is written as where it composes one."""
    if isinstance(node, ast.IfExp):
        return constants(node.body) + constants(node.orelse)
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    return [ast.unparse(node)] if isinstance(node, ast.JoinedStr | ast.BinOp) else []


@cache
def patterns(file: str, language: str) -> dict[str, fluent.Pattern]:
    every = messages(file, language).items()
    return {name: pattern for name, (of, pattern) in every if of == file}


def nodes(file: str, language: str, name: str) -> Iterator[fluent.BaseNode]:
    """Every node of a message, and of those that it refers to."""
    waiting: list[Any] = [messages(file, language)[name][1]]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, fluent.MessageReference | fluent.TermReference):
            waiting.append(messages(file, language)[target(node)][1])
        for part in vars(node).values():
            waiting += filter(of_tree, part if isinstance(part, list) else [part])


def of_tree(node: object) -> bool:
    return isinstance(node, fluent.BaseNode) and not isinstance(node, fluent.Span)


@cache
def named(file: str, language: str, name: str) -> set[str]:
    """The values that a message names."""
    every = nodes(file, language, name)
    return {node.id.name for node in every if isinstance(node, fluent.VariableReference)}


def test_a_site_says_a_message_that_there_is_and_gives_the_values_that_it_names():
    assert len(sites()) > 400
    for site in sites():
        file, _, itself = SAYS[site.by]
        for name in site.messages:
            place, why = f"{site.module}:{site.line}: {name}", f"{name}.why"
            assert name in patterns(file, "en"), place
            reason = named(file, "en", why) if why in patterns(file, "en") else set()
            needs = (named(file, "en", name) | reason) - set(itself)
            gives = site.values - OUTSIDE.get(file, set())
            assert site.open or needs <= site.values, f"{place} lacks {needs - site.values}"
            assert gives <= needs, f"{place} names no {gives - needs}"


@pytest.mark.parametrize("file", dict.fromkeys(file for file, *_ in SAYS.values()))
def test_every_message_is_said_and_prints_in_every_language(file: str):
    used = {name for site in sites() if SAYS[site.by][0] == file for name in site.messages}
    for language in languages():
        whole = patterns(file, language)
        assert whole.keys() == patterns(file, "en").keys()
        inside = set()
        for name in whole:
            for node in nodes(file, language, name):
                if isinstance(node, fluent.FunctionReference):
                    assert node.id.name in FUNCTIONS, name
                if isinstance(node, fluent.MessageReference):
                    inside.add(target(node))
            assert named(file, language, name) == named(file, "en", name), name
        unsaid = {name.removesuffix(".why") for name in whole} - used - inside
        assert all(name.startswith(NAMED) for name in unsaid), sorted(unsaid)


def test_no_digits_are_typed_where_a_constant_of_the_module_has_them():
    for module in {site.module for site in sites()}:
        limits = {
            str(node.value.value)
            for node in ast.parse(module.read_text("utf-8")).body
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, int)
            and node.value.value > 1
        }
        for site in sites():
            for name in site.messages if site.module == module and limits else ():
                every = nodes(SAYS[site.by][0], "en", name)
                texts = [node.value for node in every if isinstance(node, fluent.TextElement)]
                assert not limits & set(NUMBER.findall(" ".join(texts))), f"{module}: {name}"


@pytest.fixture
def french(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """Errors in two languages."""
    both = {"en": "{ QUOTED($x) } or { $y }, { AND($z) }", "fr": "« { $x } »"}
    for language, text in both.items():
        (tmp_path / language).mkdir()
        (tmp_path / language / "parts.ftl").write_text("")
        for file in (INPUT, FILES, SERVER):
            (tmp_path / language / f"{file}.ftl").write_text(f"both = {text}\n")
    monkeypatch.setattr(words, "FOLDER", tmp_path)
    messages.cache_clear()
    yield SimpleNamespace(x="a\x1b", y=0.5, z=["b", "c"])
    messages.cache_clear()


def test_an_error_is_said_in_the_language_of_who_asks(french: SimpleNamespace):
    error = copy(InvalidInput("both", field="x", **vars(french)))  # as between processes
    assert (str(error), error.field) == (r"'a\x1b' or 0.5, b and c", "x")
    assert error.text("fr") == "« a\x1b »"
    problem = Problem("invalid", error.sentence, errors=[{"hint": error.sentence}])
    before = words.LANGUAGE.set("fr")
    assert problem.detail == str(problem) == problem.errors[0]["hint"] == "« a\x1b »"
    words.LANGUAGE.reset(before)
    quoting = NotRead("both", x="a\x1b" * 300, y=error, z=())
    assert quoting.text("fr") == f"« {'a�' * 194}…."


@pytest.fixture
def second_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """French, of which so far these words are known."""
    for language in ("en", "fr"):
        shutil.copytree(words.FOLDER / "en", tmp_path / language)
    for file in (COMMAND, SERVER):
        path = tmp_path / "fr" / f"{file}.ftl"
        path.write_text(path.read_text().replace("There is no f", "Pas de f"))
    monkeypatch.setattr(words, "FOLDER", tmp_path)
    for cached in (messages, languages):
        cached.cache_clear()
    yield
    for cached in (messages, languages):
        cached.cache_clear()


@pytest.mark.usefixtures("second_language")
async def test_a_problem_is_said_in_the_language_that_a_browser_asks_for():
    transport = httpx2.ASGITransport(application())
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answers = [
            await client.get("/api/v1/norms?zzz=1", headers={"accept-language": language})
            for language in ("fr-CH, en;q=0.5", "en", "de")
        ]
    hints = [answer.json()["errors"][0]["hint"].partition("ield")[0] for answer in answers]
    assert hints == ["Pas de f", "There is no f", "There is no f"]


@pytest.mark.usefixtures("second_language")
def test_the_command_line_speaks_the_language_of_its_surroundings(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    for spoken, sentence in {"fr_FR.UTF-8": "Pas de folder", "C": "There is no folder"}.items():
        monkeypatch.setenv("LANG", spoken)
        assert copy_context().run(cli.main, ["add", "nowhere"]) == 2
        assert capsys.readouterr().err == f"vitrine: {sentence} nowhere.\n"


@pytest.mark.usefixtures("french")
def test_where_no_words_are_an_error_says_its_name_and_values(tmp_path: Path):
    (tmp_path / "en" / f"{INPUT}.ftl").unlink()
    assert str(InvalidInput("both", given=3)) == "both 3"


def test_a_name_that_there_is_not_lists_the_nearest_or_all_or_none():
    for known, end in {
        ("translator", "speller"): " Did you mean translator?",
        ("b",): " There is only b.",
        ("b", "c"): " There are: b, c.",
        (): "",
        tuple("bcdefghijklmnopqrstuvwxyz"): "",
    }.items():
        error = UnknownName("unknown-model", "traslator", known)
        assert str(error) == f"There is no model named 'traslator'.{end}"
