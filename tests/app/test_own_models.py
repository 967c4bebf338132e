"""Models of one's own in the pages and in the worker: there without a restart, and nothing is said
of them that nobody knows.
"""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import fields, replace
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient

from app import own_models
from app.compute.backend import Query
from app.compute.messages import Failed, Numbers, Refused, Sizes, WorkerQuery
from app.http.application import create_app
from app.schema.answers import Card
from app.schema.model_sizes import sizes_of
from app.settings import Limits, Settings
from app.site.pages import find_pages
from app.worker import process as worker
from app.worker.process import State
from model import analyses
from model.errors import NotRead
from model.zoo.cards import read_card
from model.zoo.models import bytes_of, load_model
from model.zoo.own_models import add_model, remove_model
from tests.model.support.own_models import Shelf

MOST = 2**31


@pytest.fixture
def pages(shelf: Shelf) -> TestClient:
    return TestClient(create_app(Settings(models=shelf.cards)), "http://localhost")


def added(shelf: Shelf, name: str, family: str = "decoder-only") -> None:
    add_model(shelf.folder(name, family), name, name, MOST)


def menu(html: str) -> list[str]:
    """The models that the bar of a page offers."""
    return re.findall(r'<option value="([^"]+)" data-reads', html)


def test_a_server_that_runs_shows_what_is_added_and_no_longer_what_is_removed(
    shelf: Shelf, pages: TestClient
):
    before = menu(pages.get("/").text)
    added(shelf, "mine")
    found = pages.get("/?model=mine").text
    assert menu(found) == [*before, "mine"]
    assert '<optgroup label="yours">' in found
    assert "mine" in pages.get("/search?words=mine").text
    shutil.rmtree(shelf.place / "mine")
    assert "is gone: " in pages.get("/models?model=mine").text
    remove_model("mine")
    assert menu(pages.get("/").text) == before


@pytest.mark.parametrize("family", ["decoder-only", "encoder-only", "encoder-decoder"])
def test_a_page_says_of_an_added_model_what_its_folder_states_and_nothing_of_a_training(
    shelf: Shelf, pages: TestClient, family: str
):
    added(shelf, "mine", family)
    card = Card(**read_card("mine")).model_dump()
    fitting = [page for page in find_pages() if page.model is None and page.fits(card)]
    assert {"attention", "residual", "attribution"} <= {page.word for page in fitting}
    for page in fitting if family == "decoder-only" else fitting[:2]:
        html = pages.get(f"{page.path}?model=mine").text
        assert "selected>mine</option>" in html
        assert 'data-kind="trained"' not in html
    html = pages.get("/models?model=mine").text
    for text in ("apache-2.0", "Small", "f16, as single precision", "at most 32 tokens"):
        assert text in html
    assert "minutes" not in re.search(r'<dl class="card.*?</dl>', html, re.DOTALL)[0]
    assert pages.get("/models?show=compare&first=mine&second=translator").status_code == 200


def test_what_a_question_costs_is_estimated_from_the_card_as_it_is(shelf: Shelf):
    assert sizes_of("mine").heads == 0
    added(shelf, "mine")
    assert (sizes_of("mine").heads, sizes_of("mine").writes) == (8, False)


def test_an_answer_is_kept_under_the_version_of_its_model(shelf: Shelf):
    def key(**question: str) -> bytes:
        return Query("attention", question).key

    before, shipped = key(model="mine"), key(model="translator")
    added(shelf, "mine")
    assert key(model="mine") != before
    assert key(model="translator") == shipped


@pytest.fixture
def worker_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the process of a worker keeps, in this process."""
    usual = {size.name: Limits.model_fields[size.name].default for size in fields(Sizes)}
    monkeypatch.setattr(State, "analyses", analyses, raising=False)
    monkeypatch.setattr(State, "sizes", replace(Sizes(**usual), turn_seconds=1e6), raising=False)
    pulse = SimpleNamespace(beat=SimpleNamespace(value=0), at=SimpleNamespace(value=0))
    monkeypatch.setattr(State, "pulse", pulse, raising=False)
    monkeypatch.setattr(State, "memo", {})
    State.keep_runs(State.sizes.runs_kept, State.sizes.runs_bytes)


def query_of(model: str) -> WorkerQuery:
    return WorkerQuery(model, "attention", {"model": model, "text": "the cat"}, Numbers())


def test_a_model_that_goes_from_memory_takes_its_runs_along(shelf: Shelf, worker_state: None):
    for name, family in (("a", "decoder-only"), ("b", "encoder-only")):
        added(shelf, name, family)
    most = bytes_of(load_model("b").transformer)
    analyses.keep_models(str(shelf.cards), most, State.forget)
    cached_runs = State.memo["runs"].cache
    for name in ("a", "b"):
        assert isinstance(worker.answers([query_of(name)])[0], bytes)
        assert [key[0] for key in cached_runs] == [load_model(name).transformer]


def test_a_question_about_a_folder_that_is_gone_is_refused_and_the_others_are_answered(
    shelf: Shelf, worker_state: None
):
    for name in ("mine", "other"):
        added(shelf, name)
    shutil.rmtree(shelf.place / "mine")
    refused, answered = worker.answers([query_of("mine"), query_of("other")])
    assert isinstance(refused, Refused)
    assert (refused.field, refused.code) == ("model", "not_read")
    assert "is gone: " in str(refused.detail)
    assert isinstance(answered, bytes)


def changed(**fields: object) -> Callable[[dict], dict]:
    return lambda card: card | fields


def sized(**fields: object) -> Callable[[dict], dict]:
    return lambda card: card | {"config": card["config"] | fields}


DAMAGED = [
    *("", "[]", "null", "5", "{}", "[" * 200_000, '{"a":' * 100_000, "\x00", "{" + " " * 4_000_001),
    *(changed(folder=value) for value in (5, None, ["a"], {})),
    *(changed(files=value) for value in (5, {"config.json": "new"}, {"config.json": [1]}, None)),
    *(changed(parameters=value) for value in (-1, "many", 10**400)),
    *(changed(classes=value) for value in (5, [5])),
    *(changed(head=value) for value in ("round", [])),
    *(changed(**{name: 5}) for name in ("source", "licence", "kind", "left_aside", "training")),
    changed(config=None),
    *(sized(n_heads=value) for value in (10**7, 1e300, "x")),
    *(sized(placement=value) for value in ("x", {})),
]


def test_a_damaged_card_costs_only_its_own_model_and_is_told_in_a_sentence(
    shelf: Shelf, pages: TestClient, monkeypatch: pytest.MonkeyPatch, capsys
):
    added(shelf, "mine")
    whole = json.loads((shelf.cards / "mine" / "card.json").read_text())
    file = shelf.cards / "bad" / "card.json"
    file.parent.mkdir()
    monkeypatch.setattr(own_models, "use_shelf", lambda: None)
    for damage in DAMAGED:
        file.write_text(damage if isinstance(damage, str) else json.dumps(damage(whole)))
        listed = analyses.answer("models", {}).fields["models"]
        assert [card["id"] for card in listed][-1] == "mine"
        assert menu(pages.get("/models").text)[-1] == "mine"
        own_models.list_all(None)
        mine, bad = capsys.readouterr().out.splitlines()
        assert mine.startswith("mine ")
        assert re.fullmatch(r"bad +The card of bad is invalid \(.+\): run vitrine add .*", bad)
        with pytest.raises(NotRead, match="The card of bad is invalid"):
            load_model("bad")
    remove_model("bad")
    assert not file.exists()


@pytest.mark.parametrize("family", ["decoder-only", "encoder-only", "encoder-decoder"])
def test_of_a_model_whose_numbers_overflow_every_word_is_answered_or_refused(
    shelf: Shelf, worker_state: None, monkeypatch: pytest.MonkeyPatch, family: str
):
    added(shelf, "huge", family)
    network = load_model("huge").transformer
    for value in network.parameters():
        monkeypatch.setattr(value, "data", value.sign() * 3e38)  # others use the network too
    text = {"source" if family == "encoder-decoder" else "text": "the cat"}
    fields = {"model": "huge", **text}
    refused = 0
    for word in OF_ONE_RUN:
        (outcome,) = worker.answers([WorkerQuery(word, word, fields, Numbers())])
        assert not isinstance(outcome, Failed), (word, outcome)
        refused += isinstance(outcome, Refused) and "huge overflow" in str(outcome.detail)
    assert refused >= 5
    for step in range(3):
        assert not isinstance(worker.event("id", "generate", fields | NEW, step), Failed)


OF_ONE_RUN = (
    *("activations", "attention", "attribution", "circuit", "effects", "feed-forward", "generate"),
    *("heads", "journey", "logits", "masks", "positions", "residual", "tokens"),
)
NEW = {"max_new_tokens": 3}
