"""One word, one idea, on every floor: a word of the API, its analysis, its page and its view are
files of one name.
"""

import re
import subprocess
import sys

import pytest

from app.api.endpoint import endpoints
from app.experiments import experiments
from app.site.pages import FRONT_PAGE, find_pages
from tests import thumbnails
from tests.packaging.conftest import ROOT

OF_THE_SERVICE = {
    *("limits", "glossary", "notes", "questions", "votes"),
    *("talks", "rooms", "room-votes"),
}  # answered without a model
BY_ID = {"model"}  # one of the models
TEXT = "js/views/notes.js"  # the view of pages that have no figures


def files(folder: str, ending: str) -> set[str]:
    """The words that files of a folder are named after; what is "-" in a word is "_" in the name of
    a module.
    """
    return {
        path.stem.replace("_", "-")
        for path in (ROOT / folder).glob(f"*{ending}")
        if not path.stem.startswith("_")
    }


SHELVES = ("model/analyses", "model/clinics")


def test_every_word_of_the_api_is_an_analysis_or_a_clinic_and_every_one_of_them_a_word():
    analyses, clinics = (files(shelf, ".py") for shelf in SHELVES)
    assert not analyses & clinics
    declared = files("app/api/endpoints", ".py") | files("app/experiments", ".py")
    assert declared - OF_THE_SERVICE - BY_ID == analyses | clinics
    assert {word.id.replace("_", "-") for word in endpoints()} == declared


@pytest.mark.parametrize("word", sorted(files("app/experiments", ".py")))
def test_all_that_an_experiment_declares_stands_in_its_one_file(word: str):
    assert word not in files("app/api/endpoints", ".py"), f"/{word} is declared twice"


def test_an_experiment_is_read_without_torch_and_without_plotly():
    source = (
        "import sys; from app.experiments import experiments; assert experiments();"
        " assert not {'torch', 'plotly', 'app.http'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", source], cwd=ROOT, check=True)


@pytest.mark.parametrize("shelf", SHELVES)
def test_every_analysis_and_clinic_has_a_function_of_its_name(shelf: str):
    for name in (word.replace("-", "_") for word in files(shelf, ".py")):
        assert f"\ndef {name}(" in (ROOT / shelf / f"{name}.py").read_text(encoding="utf-8")


def test_every_clinic_has_a_page():
    assert files("model/clinics", ".py") <= {
        page.word for page in find_pages() if page.has_claim or page.subject == "Reference"
    }


@pytest.mark.parametrize("word", [page.word for page in find_pages()])
def test_every_page_has_its_four_files(word: str):
    template = (ROOT / "templates" / "pages" / f"{word}.html").read_text(encoding="utf-8")
    layout = re.search(r'{% extends "(notes|rows).html" %}', template)
    shared = re.search(r"{% set view_script = (.+) %}", template)
    named = re.findall(r'"(.+?)"', shared[1]) if shared else [f"js/views/{word}.js"]
    scripts = [TEXT] if layout else named
    assert scripts
    assert all((ROOT / "static" / script).is_file() for script in scripts)
    if any("/drawn" in script for script in scripts):
        assert word in files("app/experiments", ".py")
    if word != FRONT_PAGE:
        assert (
            word in files("model/analyses", ".py") | files("model/clinics", ".py") | OF_THE_SERVICE
        )
        assert word in files("app/api/endpoints", ".py") | files("app/experiments", ".py")


def test_every_page_of_a_clinic_is_an_experiment_with_a_claim():
    assert {word for word, experiment in experiments().items() if experiment.exercise} == {
        page.word for page in find_pages() if page.has_claim
    }


def test_every_page_has_a_small_picture():
    pictures = {path.stem: path.stat().st_size for path in thumbnails.FOLDER.iterdir()}
    assert set(pictures) == set(thumbnails.pages()), "python -m tests.thumbnails makes them"
    assert sum(pictures.values()) <= 120_000


def test_the_main_pages_are_there():
    assert {page.path for page in find_pages()} >= {
        "/",
        "/attention",
        "/positions",
        "/masks",
        "/residual",
        "/generate",
    }
