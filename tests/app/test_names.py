"""What is read aloud: the field's word, once, so that identifiers that gave way to it do not come
back; and no function of the model that is longer than a page.
"""

import ast
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

BANNED = {
    ("app/http", "app/compute", "app/api", "app/schema", "app/responses.py"): {
        "Outbox": "BytesInFlight",
        "outbox": "in_flight",
        "heap": "allocator",
        "concrete": "with_limits",
        "in_address": "query_model",
        "in_body": "body_model",
        "InAddress": "QuerySchema",
        "check_work": "check_cost",
    },
    ("app", "model"): {
        "LedPatches": "PatchEmbeddingWithCLS",
        "Patches": "PatchEmbedding",
        "CategoriesAlone": "CategoricalEmbedding",
        "Columns": "FeatureTokenizer",
        "Through": "TraceFactory",
        "Kept": "BatchCapture",
        "Painted": "CustomMask",
        "Familiarity": "Calibration",
        "WALKS": "TOURS",
        "over_one_stack": "run_one_stack_tokens",
        "look_at_nothing": "pointwise",
        "attend_to_itself": "self_attention",
        "lay_out": "arrange",
        "kept_losses": "recorded_losses",
        "kept_trainings": "stored_trainings",
        "astray": "largest_deviation",
        "familiarity": "calibration",
    },
    ("model",): {
        "Given": "ModelInput",
        "Place": "AttentionContext",
        "Taken": "StepResult",
        "Way": "TokenPath",
        "MOST": "MAX_…",
        "FEWEST": "MIN_…",
        "LEAST": "MIN_…",
        "made": "edited_run",
        "painted": "custom_mask",
        "strokes": "flipped_cells",
        "place_of": "context_of",
        "kept_seeds": "recorded_seeds",
        "judged": "with_confidence",
    },
    ("app",): {
        "Asked": "EchoedAnswer",
        "Drawn": "DrawingFields, DrawingResult or RenderedControl",
        "Form": "Representation",
        "ROOMS": "SECTIONS",
        "Room": "Viewport",
        "View": "DisplayFields",
        "drawn_as": "drawing_fields",
        "maybe": "optional",
        "room_beside": "height_beside",
        "viewed": "displayed",
        "words_type": "captions_type",
    },
    ("app/schema", "app/experiments", "app/api"): {"Part": "StrictModel"},
    ("app/figures",): {"bare": "frameless"},
    ("app/site",): {
        "arranged": "arrangement",
        "before_after": "edit_effect",
        "compared": "model_comparison",
        "gallery": "model_cards",
        "noted": "notes_service",
    },
    ("static/js",): {
        "still": "placeholder",
        "living": "interactive",
        "Living": "Staged",
        "Alive": "Interactive",
        "arrive": "hydrate",
        "release": "dispose",
        "tell": "setHtml",
        "mend": "coerce",
        "reflect": "sync",
        "turnTo": "switchModel",
        "roomOf": "sizeOf",
    },
}
"""By places, each identifier or name of a file that is banned there, with the standard one."""
BANNED_DEFINITIONS = {
    ("app",): {
        "across": "level_marks",
        "asked": "query, or source_question",
        "drawing.py": "render.py",
        "forms.py": "messages.py",
        "hollow": "open_markers",
        "said": "hover_text, label or sentence",
        "saying": "with_meta",
        "tell": "notify",
        "telling": "with_explanation, or by what is added",
        "told": "to_rows, format_…, or by what it returns",
        "work": "estimated_seconds",
        "written": "render, encode or format_…",
    },
}
"""The same of what is defined: functions and methods, by the words of their names, and files."""
BANNED_BEGINNINGS = {
    ("app", "model", "tests"): {"MOST_": "MAX_"},
    ("model",): {"FEWEST_": "MIN_", "LEAST_": "MIN_"},
}
"""The same of the beginnings of identifiers."""
BANNED_FUNCTIONS = {
    "beside": "compared_with",
    "found": "findings",
    "of": "metric_of",
    "said": "prediction",
    "told": "describe",
    "written": "format_number",
}
"""Words that do not say what a function returns, each with a name of a function that does."""
BANNED_NOUNS = {
    "alone": "separate, or by what it is",
    "asked": "questions, query, target, wanted or include",
    "drawn": "sample, draw or random_…",
    "given": "value, text, inputs or payload",
    "kept": "stored, cached, or by what is stored",
    "look": "attention",
    "looks": "attention_maps or patterns",
    "made": "edited_run, or by what it is",
    "one": "by the noun of its list",
    "own": "by what it is, or by whose it is",
    "said": "text, labels, logits or prediction",
    "seen": "visible, allowed or what it is",
    "shown": "by what it is: run, example, listed",
    "told": "fields, row or payload",
    "written": "outputs, target, texts or samples",
}
"""What happened to a thing, which is no name of it, each with names that say what the thing is."""
PROMISED_NOUNS = {
    "app/api/endpoints/architecture.py: told",
    "app/api/endpoints/explain.py: own",
    "app/api/endpoints/explain.py: written",
    "app/api/endpoints/notes.py: asked",
    "app/api/endpoints/notes.py: said",
    "app/compute/messages.py: given",
    "app/errors.py: given",
    "app/experiments/attention.py: Look",
    "app/experiments/attention.py: looks",
    "app/experiments/circuit.py: Given",
    "app/experiments/circuit.py: own",
    "app/experiments/generate.py: Written",
    "app/experiments/generate.py: drawn",
    "app/experiments/generate.py: kept",
    "app/experiments/generate.py: written",
    "app/experiments/heads.py: alone",
    "app/experiments/heads.py: shown",
    "app/experiments/pixels.py: given",
    "app/experiments/pixels.py: written",
    "app/experiments/positions.py: own",
    "app/figures/marks.py: Look",
    "app/figures/marks.py: Looks",
    "app/figures/marks.py: look",
    "app/figures/marks.py: looks",
    "app/figures/meta.py: look",
    "app/figures/meta.py: said",
    "app/figures/meta.py: told",
    "app/schema/answers.py: Seen",
    "app/schema/answers.py: given",
    "app/schema/answers.py: kept",
    "app/schema/strict_json.py: given",
    "app/site/edit_effect.py: given",
    "app/site/notes_service.py: said",
    "model/analyses/architecture.py: told",
    "model/clinics/pixels.py: given",
    "model/errors.py: given",
    "model/interpretability/heads/groups.py: alone",
    "model/interpretability/heads/survey.py: shown",
    "model/inputs/table_rows.py: said",
    "model/training/model_card.py: kept",
    "model/zoo/head_record.py: shown",
}
"""Where such a name is one that others read: a field or a type of an answer, of a question, of a
refusal, of a figure, of the file of a tokenizer, of a record of heads, of a card, and of a template
whose text is translated by its English; and the looks of the marks of figures.
"""
NO_CODE = re.compile(r'/\*[\s\S]*?\*/|//.*|"(?:[^"\\\n]|\\.)*"')


def files(place: Path) -> list[Path]:
    return sorted(path for kind in ("py", "js") for path in place.rglob(f"*.{kind}")) or [place]


@cache
def text_of(path: Path) -> str:
    return path.read_text("utf-8")


@cache
def identifiers(path: Path) -> frozenset[str]:
    """The identifiers of a file, and the words of its own name."""
    return frozenset(identifiers_within(path))


def identifiers_within(path: Path) -> Iterator[str]:
    yield from re.split(r"[-_.]", path.name)
    yield path.stem
    if path.suffix == ".js":
        yield from re.findall(r"\w+", NO_CODE.sub(" ", text_of(path)))
        return
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.NAME:
                yield token.string


@cache
def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    every = ast.walk(ast.parse(text_of(path)))
    return [node for node in every if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def definitions(path: Path) -> Iterator[str]:
    """The name of a file and its words, and the words of the names of its functions."""
    yield path.name
    yield from path.stem.split("_")
    for function in functions(path):
        yield from function.name.split("_")


def bindings(path: Path) -> Iterator[str]:
    """The names that a file gives to values, functions and classes."""
    for node in ast.walk(ast.parse(text_of(path))):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


Table = dict[tuple[str, ...], dict[str, str]]


def in_each_place(table: Table) -> pytest.MarkDecorator:
    """The places of a table, each with what is banned there, as arguments of a test."""
    rows = [(place, banned) for places, banned in table.items() for place in places]
    return pytest.mark.parametrize(("place", "banned"), rows)


def names(
    place: str, of: Callable[[Path], Iterable[str]], kinds: str, sought: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Each name in the files of a place that end so, after the file that it stands in. A file in
    which nothing that is sought stands at all is not taken apart.
    """
    for path in files(ROOT / place):
        content = f"{path} {text_of(path)}" if path.suffix in kinds.split() else ""
        if any(name in content for name in sought):
            for name in of(path):
                yield str(path.relative_to(ROOT)), name


@in_each_place(BANNED)
def test_no_identifier_is_one_that_the_field_has_another_word_for(
    place: str, banned: dict[str, str]
):
    found = {
        f"{file}: {name}, which is called {banned[name]}"
        for file, name in names(place, identifiers, ".py .js", banned)
        if name in banned
    }
    assert not found


@in_each_place(BANNED_DEFINITIONS)
def test_no_definition_has_a_name_that_the_field_has_another_word_for(
    place: str, banned: dict[str, str]
):
    found = {
        f"{file}: {name}, which is called {banned[name]}"
        for file, name in names(place, definitions, ".py", banned)
        if name in banned
    }
    assert not found


@in_each_place(BANNED_BEGINNINGS)
def test_no_identifier_begins_as_one_that_the_field_has_another_word_for(
    place: str, banned: dict[str, str]
):
    found = {
        f"{file}: {name}, which begins with {banned[beginning]}"
        for file, name in names(place, identifiers, ".py", banned)
        for beginning in banned
        if name.startswith(beginning)
    }
    assert not found


def test_every_function_of_the_model_has_a_name_that_says_what_it_returns():
    found = {
        f"{path.relative_to(ROOT)}: {function.name}, as {BANNED_FUNCTIONS[function.name]} does"
        for path in files(ROOT / "model")
        for function in functions(path)
        if isinstance(function, ast.FunctionDef) and function.name in BANNED_FUNCTIONS
    }
    assert not found


def test_no_name_says_what_happened_to_a_thing_instead_of_what_it_is():
    found = {
        f"{file}: {name}"
        for place in ("app", "model", "tests")
        for file, name in names(place, bindings, ".py", BANNED_NOUNS)
        if name.lower() in BANNED_NOUNS
    }
    assert found == PROMISED_NOUNS, BANNED_NOUNS


PAGE = 60  # lines


def test_every_function_of_the_model_fits_on_a_page():
    long = {
        f"{path.relative_to(ROOT)}: {function.name} has {lines} lines"
        for path in files(ROOT / "model")
        for function in functions(path)
        if isinstance(function, ast.FunctionDef)
        and (lines := (function.end_lineno or function.lineno) - function.lineno + 1) > PAGE
    }
    assert not long
