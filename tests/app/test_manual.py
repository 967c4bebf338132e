"""The manual as it is served: every subject is there, its links lead on, the search finds it."""

import re
from html import unescape

import httpx2
import pytest
from starlette.testclient import TestClient

from app.http.application import create_app
from app.settings import Settings
from app.site.manual import FOLDER, Manual, place
from tests.app.landing import check_landing

SUBJECTS = Manual(str, ()).subjects
OF_CODE = re.compile(r"<(pre|code)[ >].*?</\1>", re.DOTALL)


def article(client: httpx2.Client | TestClient, path: str) -> str:
    html = client.get(path).text
    return html[html.index("<article") : html.index("</article>")]


@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=lambda subject: subject.title)
def test_a_subject_is_served_whole_with_no_mark_of_its_file_left(fake: httpx2.Client, subject):
    html = article(fake, subject.path)
    for section in subject.sections:
        heading = rf'<h{section.level} id="{re.escape(section.place)}">(.*?)</h{section.level}>'
        (found,) = re.findall(heading, html)
        assert unescape(re.sub("<.*?>", "", found)) == section.title
    words = re.sub("<.*?>", "", OF_CODE.sub("", html))
    assert not re.search(r"\]\(|\*\*|```|^#|^\||&lt;", words, re.MULTILINE)
    blocks = (FOLDER / f"{subject.name or 'README'}.md").read_text("utf-8").count("\n```") // 2
    assert html.count("<pre ") == blocks


@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=lambda subject: subject.title)
def test_every_link_of_a_subject_leads_to_what_it_names(fake: httpx2.Client, subject):
    links = [unescape(link) for link in re.findall(r'href="(.*?)"', article(fake, subject.path))]
    for link in links:
        path, _, there = link.partition("#")
        if path.startswith("http"):
            continue
        if path.startswith("/manual") or not path:
            html = article(fake, path or subject.path)
            assert not there or f'id="{there}"' in html, link
        else:
            check_landing(fake, path)
    assert subject.name or {f"/manual/{name}" for name in SUBJECTS if name} <= set(links)


def test_an_address_of_a_page_is_a_link_and_a_file_that_is_not_served_is_none(fake: httpx2.Client):
    assert '<a href="/residual"><code>/residual</code></a>' in article(fake, "/manual/start")
    html = article(fake, "/manual/notebook")
    assert "Attention in five lines" in html
    assert "ipynb" not in html


def test_below_the_path_of_a_proxy_links_begin_with_it():
    app = create_app(Settings(root_path="/vitrine"))
    html = article(TestClient(app, "http://localhost"), "/manual/own-model")
    links = [link for link in re.findall(r'href="(.*?)"', html) if not link.startswith("#")]
    assert '"/vitrine/manual/settings#vitrine_models"' in html
    assert all(link.startswith(("/vitrine/", "http")) for link in links)


@pytest.mark.parametrize("path", ["/manual/README", "/manual/nothing", "/manual/start.md"])
def test_there_is_nothing_else_below_the_manual(fake: httpx2.Client, path: str):
    assert fake.get(path).status_code == 404


@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=lambda subject: subject.title)
def test_the_search_finds_a_subject_by_its_title(fake: httpx2.Client, subject):
    html = fake.get("/search", params={"find": subject.title}).text
    assert f'href="{subject.path}#' in html.partition("<h2>Manual</h2>")[2]


@pytest.mark.parametrize(
    ("typed", "path"),
    [
        ("nginx", "/manual/class#behind-nginx"),
        ("VITRINE_EMBED", "/manual/settings#vitrine_embed"),
        ("write a talk", "/manual/lecture#write-your-own-talk"),
        ("safetensors", "/manual/own-model#what-it-reads"),
    ],
)
def test_the_search_finds_a_section(fake: httpx2.Client, typed: str, path: str):
    assert f'href="{path}"' in fake.get("/search", params={"find": typed}).text


def test_a_heading_has_the_place_that_code_hosts_give_it():
    assert place("Where it's kept") == "where-its-kept"
    assert place("VITRINE_HOST") == "vitrine_host"
    assert place("After you change …") == "after-you-change-"


def test_the_help_of_every_page_and_the_menu_lead_to_the_manual(fake: httpx2.Client):
    html = fake.get("/attention").text
    assert html.count('href="/manual"') >= 2
