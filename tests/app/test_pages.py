"""Pages: found by their templates, there before torch is, and kept by the browser."""

import json
import re
from pathlib import Path

import httpx2
import pytest
from pydantic import ValidationError
from starlette.testclient import TestClient

from app.experiments import experiment
from app.http.application import create_app
from app.settings import Settings
from app.site.pages import cards, controls_of, find_pages
from model.zoo.models import ids, read_card
from tests import thumbnails
from tests.app.problems import assert_problem
from tests.app.serving import running
from tests.thorough import mostly


def test_every_page_of_the_navigation_answers(fake: httpx2.Client):
    pages = find_pages()
    assert pages
    for page in pages:
        response = fake.get(page.path)
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        assert all(f'href="{other.path}"' in response.text for other in pages)


def test_a_page_is_about_the_model_in_the_address_and_about_the_first_without_one(
    fake: httpx2.Client,
):
    def parts_of(html: str) -> tuple[str, list[str], list[str]]:
        card = json.loads(re.search(r'id="card">(.*?)</script>', html, re.DOTALL)[1])
        _, _, rest = html.partition('id="input"')
        bar = rest[: rest.index("</form>")]
        return (
            card["id"],
            re.findall(r'value="([^"]+)"[^>]* selected', bar),
            [name for name in re.findall(r'input name="(\w+)"', bar) if name != "another"],
        )

    of_all = [page for page in find_pages() if page.reads is None]
    assert len(of_all) > 20
    for page in of_all:
        assert parts_of(fake.get(page.path).text) == (
            "translator",
            ["translator"],
            ["source", "target"],
        )
        assert parts_of(fake.get(page.path, params={"model": "lost"}).text) == (
            "translator",
            ["translator"],
            ["source", "target"],
        )
        assert parts_of(fake.get(page.path, params={"model": "induction-2"}).text) == (
            "induction-2",
            ["induction-2"],
            ["text"],
        )


def test_a_page_of_one_kind_of_input_is_about_a_model_that_reads_it_and_offers_no_other(
    fake: httpx2.Client,
):
    encodings = {card["id"]: card["encoding"] for card in cards()}
    pages = {page.word: page for page in find_pages() if page.reads}
    images = "patches|picture"
    assert {word: page.reads for word, page in pages.items()} == {
        "images": images,
        "circuit": "pieces|pronunciation|word|verbatim|letters|blanks|hub",
        "detection": "scene",
        "patching": f"pieces|pronunciation|word|verbatim|blanks|letters|{images}|scene|columns|hub",
        "steering": "verbatim|pieces|hub",
        "tables": "columns",
        "attribution": f"pieces|pronunciation|word|letters|verbatim|blanks|{images}|columns|hub",
        "feed-forward": f"pieces|pronunciation|word|verbatim|blanks|{images}|scene|columns|hub",
        "journey": "pieces|pronunciation|word|verbatim|letters|blanks|patches|picture|hub",
    }
    for page in pages.values():
        read = (page.reads or "").split("|")
        fitting = [name for name, encoding in encodings.items() if encoding in read]
        for about in (None, "lost", *fitting):
            html = fake.get(page.path, params={"model": about} if about else {}).text
            _, _, rest = html.partition('name="model"')
            bar = rest[: rest.index("</select>")]
            assert re.findall(r'value="([^"]+)"', bar) == fitting
            assert re.findall(r'value="([^"]+)"[^>]* selected', bar) == [
                about if about in fitting else fitting[0]
            ]
        for other in encodings.keys() - set(fitting):
            for hall in ("", "present=1"):
                address = f"{page.path}?model={other}&source=i+am+cold&{hall}"
                sent = fake.get(address, follow_redirects=False)
                went = (sent.status_code, sent.headers["location"])
                assert went == (307, "?".join(filter(None, (page.path, hall))))


def test_the_pages_and_the_zoo_have_the_same_models_in_the_same_order():
    assert [(card["id"], card["bytes"]) for card in cards()] == [
        (name, read_card(name)["bytes"]) for name in ids()
    ]


def test_a_page_that_has_not_changed_is_not_sent_again(fake: httpx2.Client):
    first = fake.get("/")
    again = fake.get("/", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_page_shows_the_address_it_was_asked_with_as_text(fake: httpx2.Client):
    hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
    for page in find_pages():
        html = fake.get(page.path, params={"source": hostile, "model": hostile}).text
        assert hostile not in html
        assert "<img src=x" not in html
    missing = fake.get("/nothing", params={"x": hostile}, headers={"accept": "text/html"})
    assert "<img src=x" not in missing.text


def test_pages_are_up_before_the_worker_is(tmp_path: Path):
    with running(tmp_path, "tests.app.slow_analyses") as server, server.client() as client:
        ready = client.get("/readyz")
        assert ready.status_code == 503
        detail = ready.json()["detail"]
        assert ready.json() == {"ready": False, "worker": "warming", "detail": detail}
        assert re.fullmatch(r"The model needs about \d+ s more to load\.", detail)
        assert int(ready.headers["retry-after"]) >= 1
        assert client.get("/").status_code == 200
        assert client.get("/healthz").json() == {"alive": True}
        (tmp_path / "go").touch()
        server.until_ready()
        assert client.get("/readyz").json() == {"ready": True, "worker": "ready"}


def test_the_documentation_holds_every_word_once_with_its_fields_and_every_problem(
    client: httpx2.Client,
):
    api, html = client.get("/openapi.json").json(), client.get("/docs").text
    sections = dict(re.findall(r'<section id="([\w-]+)">(.*?)</section>', html, re.DOTALL))
    for path, methods in api["paths"].items():
        assert methods.keys() == {"get", "post"}
        [word] = methods["get"]["tags"]
        assert f"<code>{path}</code></h" in sections[word]
        assert all(
            f"<code>{field['name']}</code>" in sections[word]
            for field in methods["get"]["parameters"]
        )
    index = re.findall(r'<li><a href="#([\w-]+)">', html)
    assert index == list(sections)
    kinds = set(re.findall(r'id="problem-(\w+)"', html))
    assert (
        assert_problem(client.get("/api/v1/explain"), 422)["type"].removeprefix("/docs#problem-")
        in kinds
    )


@pytest.mark.parametrize("word", [clinic.word for clinic in find_pages() if clinic.has_claim])
def test_a_clinic_offers_every_value_of_its_address_that_may_be_asked(
    fake: httpx2.Client, word: str
):
    """Else the page would show, and write into its address, what is near it."""
    between = {}
    for name, control in controls_of(word).items():
        numbers = [float(value) for value in control.options if re.fullmatch(r"[\d.]+", value)]
        if len(numbers) > 1:
            between[name] = f"{(numbers[0] + numbers[1]) / 2:g}"
    fields = {name: value for name, value in between.items() if may_be(word, name, value)}
    html = fake.get(f"/{word}", params={**fields, "seeds": "7", "seed": "0"}).text
    for name, value in {**fields, "seeds": "7"}.items():
        if name in controls_of(word):
            (select,) = re.findall(rf'(?s)<select name="{name}".*?</select>', html)
            assert f">{value}</option>" in select
    never = fake.get(f"/{word}", params={"seeds": "-3"}).text
    assert "-3</option>" not in never


def may_be(word: str, name: str, value: str) -> bool:
    spec = experiment(word)
    try:
        (spec.figure_query or spec.question)(**{name: value})
    except ValidationError:
        return False
    return True


def test_there_is_an_icon(fake: httpx2.Client):
    assert fake.get("/favicon.ico").headers["content-type"] == "image/svg+xml"


ADDRESSES = re.compile(r"""(?:href|src|action|data-plotly)="([^"#]+)""")


@pytest.fixture(scope="module")
def proxied() -> TestClient:
    app = create_app(Settings(root_path="/vitrine/"))
    return TestClient(app, "http://localhost", headers={"accept": "text/html"})


@pytest.mark.parametrize("word", ["", "attention", "norms", "models", "docs", "nowhere"])
def test_under_the_path_of_a_proxy_every_address_of_a_page_begins_with_it(
    proxied: TestClient, word: str
):
    for path in (f"/{word}", f"/vitrine/{word}"):  # the proxy takes the path off, or leaves it
        page = proxied.get(path).text
        addresses = ADDRESSES.findall(page)
        assert len(addresses) > 10
        # What begins with ? is the page itself.
        assert [
            address for address in addresses if not address.startswith(("/vitrine/", "?"))
        ] == []
        assert 'data-root="/vitrine/"' in page
    script = next(address for address in addresses if address.endswith("theme.js"))
    assert proxied.get(script).status_code == 200


@pytest.mark.parametrize(
    ("path", "leads_to"),
    [
        ("/attention/?source=i+am%20cold", "/attention?source=i+am%20cold"),
        ("/docs//", "/docs"),
        ("/vitrine/lecture/attention/", "/lecture/attention"),
        ("/api/v1/models/", "/api/v1/models"),
        ("/api/v1/models/translator/", "/api/v1/models/translator"),
        ("/api/v1/attention/figures/map/?layer=1", "/api/v1/attention/figures/map?layer=1"),
        ("/room/AB%0d%0aCD/", "/room/AB%0D%0ACD"),
        ("/nowhere/", None),
        ("/static/x/y/", None),
        ("/api/v1/models/%2e%2e/", None),
        ("/overview/", None),
        ("/api/v1/nowhere/", None),
        ("//evil.example/", None),
        ("//evil.example/attention/", None),
        ("/%2fevil.example/", None),
        ("/%5Cevil.example/", None),
    ],
)
def test_a_slash_at_the_end_leads_to_the_address_without_it(
    proxied: TestClient, path: str, leads_to: str | None
):
    for method in ("GET", "HEAD"):
        # A text, so that the client does not read //evil.example as a host.
        response = proxied.request(method, f"http://localhost{path}", follow_redirects=False)
        assert response.status_code == (307 if leads_to else 404)
        assert response.headers.get("location") == (leads_to and f"/vitrine{leads_to}")
    assert proxied.post("/attention/").status_code == 404


OF_EACH_KIND = {
    (
        card["config"]["inputs"],
        card["encoding"],
        tuple(page.word for page in find_pages() if page.fits(card)),
    ): card["id"]
    for card in cards()
}
"""One model for each kind of input and of tokens, and for each selection of pages."""


@pytest.mark.parametrize(
    "model",
    mostly(OF_EACH_KIND.values(), "prefix-translator", "induction-1", "shapes", "flights-ft"),
)
def test_every_page_about_a_run_takes_a_second_input_and_no_other_page_does(
    fake: httpx2.Client, model: str
):
    card = next(card for card in cards() if card["id"] == model)
    reads_words = card["config"]["inputs"] == "tokens"
    runs = {page.word for page in find_pages() if page.shows_a_run}
    runs |= {"masks"} if reads_words else set()
    for page in find_pages():
        if page.fits(card) and page.word != "modes":
            html = fake.get(page.path, params={"model": model}).text
            assert ('name="another"' in html) == (page.word in runs), page.word
            assert html.count('class="twin"') == 2 * (page.word in runs)


def test_in_a_frame_no_page_takes_a_second_input(fake: httpx2.Client):
    for page in find_pages():
        html = fake.get(page.path, params={"embed": "true"}).text
        assert 'name="another"' not in html, page.word
        assert ("<kbd>R</kbd>" in html) == page.has_claim, page.word
    assert 'name="another"' in fake.get("/attention", params={"embed": "no"}).text


def test_words_are_typed_as_a_second_input_and_examples_of_all_else_are_chosen(
    fake: httpx2.Client,
):
    assert '<input name="another"' in fake.get("/attention").text
    for model, example in (("digits", "one"), ("shapes", "three"), ("penguins-ft", "adelie")):
        html = fake.get("/attention", params={"model": model}).text
        choices = re.search(r'<select name="another">(.*?)</select>', html, re.DOTALL)
        assert choices, model
        assert f"<option>{example}</option>" in choices[1]


def test_four_families_read_a_second_sentence_where_the_bar_has_the_first(fake: httpx2.Client):
    for model, has_menu in (("translator", True), ("digits", False)):
        html = fake.get("/modes", params={"model": model}).text
        assert ('name="another"' in html) is has_menu


def test_each_page_leads_to_the_one_before_and_the_next(fake: httpx2.Client):
    pages = find_pages()
    assert len({page.word for page in pages}) == len(pages)
    for before, page, after in zip([None, *pages], pages, [*pages[1:], None], strict=False):
        html = fake.get(page.path).text
        for name, other in (("prev", before), ("next", after)):
            led = re.findall(rf'<a href="([^"]+)" data-travels rel="{name}"', html)
            assert led == ([other.path] if other else []), page.word


def test_the_start_page_lists_every_page_with_a_sentence_and_a_small_picture(fake: httpx2.Client):
    listed = fake.get("/").text.partition('class="subjects"')[2]
    for page in find_pages():
        assert page.sentence, page.word
        assert f'href="{page.path}"' in listed
    for word in thumbnails.pages():
        assert f'/thumbnails/{word}.webp" alt="" loading="lazy"' in listed


@pytest.mark.parametrize("word", ["norms", "attention"])
def test_the_help_explains_each_key_once(client: TestClient, word: str):
    keys = re.findall(r"<dt>(.*?)</dt>", client.get(f"/{word}").text.partition('id="help"')[2])
    assert len(keys) == len(set(keys)) > 10


def test_every_page_is_read_in_the_language_that_was_chosen_or_that_the_browser_prefers(
    fake: httpx2.Client,
):
    for page in find_pages():
        text = fake.get(page.path, headers={"accept-language": "fr-CA, en;q=0.5"}).text
        assert '<html lang="fr"' in text
        assert ">Affichage</summary>" in text
    chosen = {"accept-language": "fr", "cookie": "vitrine_language=en"}
    response = fake.get("/", headers=chosen)
    assert '<html lang="en"' in response.text
    assert {"Accept-Language", "Cookie"} <= {*response.headers["vary"].split(", ")}
    unknown = {"accept-language": "fr", "cookie": "vitrine_language=xx"}
    assert '<html lang="fr"' in fake.get("/", headers=unknown).text
