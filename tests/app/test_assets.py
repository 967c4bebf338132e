"""Static files: whole, compressed once, immutable under the hash of their content, and never at an
address with a host.
"""

import gzip
import re
from pathlib import Path

import brotli
import httpx2
import plotly
import pytest

from app.responses import accepted
from app.site import assets
from app.site.assets import ENCODINGS, Assets
from tests.app import loop

DECODE = {
    "br": brotli.decompress,
    "gzip": gzip.decompress,
}


def raw(client: httpx2.Client, address: str, accept: str) -> tuple[httpx2.Response, bytes]:
    with client.stream("GET", address, headers={"accept-encoding": accept}) as response:
        return response, b"".join(response.iter_raw())


def address(client: httpx2.Client, name: str) -> str:
    """Where the pages of this server find the file."""
    html = client.get("/scaling").text
    plotly, others = (
        re.search(rf"/static/(\w+)/{known}", html)[1]
        for known in ("plotly.min.js", "css/shared.css")
    )
    return f"/static/{plotly if name == 'plotly.min.js' else others}/{name}"


@pytest.mark.parametrize("encoding", ["br", "gzip"])
@pytest.mark.parametrize("name", ["css/shared.css", "js/api.js", "favicon.svg", "plotly.min.js"])
def test_every_encoding_is_the_whole_file(fake: httpx2.Client, name: str, encoding: str):
    response, body = raw(fake, address(fake, name), encoding)
    assert response.headers["content-encoding"] == encoding
    assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert DECODE[encoding](body) == raw(fake, address(fake, name), "identity")[1]


def test_plotlys_script_is_the_installed_packages_and_fits_a_first_visit(fake: httpx2.Client):
    assert (
        raw(fake, address(fake, "plotly.min.js"), "identity")[1]
        == (Path(plotly.__file__).parent / "package_data/plotly.min.js").read_bytes()
    )
    for encoding in DECODE:
        assert len(raw(fake, address(fake, "plotly.min.js"), encoding)[1]) < 1_540_000, encoding


def test_files_say_what_they_are(fake: httpx2.Client):
    for name, kind in {
        "js/api.js": "text/javascript",
        "css/tokens.css": "text/css",
        "favicon.svg": "image/svg+xml",
    }.items():
        assert fake.get(address(fake, name)).headers["content-type"].startswith(kind)


def test_the_sheets_of_every_page_come_as_one_without_comments():
    files, css = Assets(), assets.STATIC / "css"
    sheets = {name: (css / f"{name}.css").read_text(encoding="utf-8") for name in assets.SHARED}
    shared = files.table["css/shared.css"].content.decode()
    assert "/*" not in shared
    for name in sheets:
        assert files.table[f"css/{name}.css"].content.decode() in shared
    assert shared.count("{") == sum(sheet.count("{") for sheet in sheets.values()) > 0


def test_scripts_travel_without_what_only_readers_need_and_lines_keep_their_numbers():
    comment, files = re.compile(r"/\*.*?\*/", re.DOTALL), Assets()
    for path in assets.STATIC.rglob("*.js"):
        source = path.read_text(encoding="utf-8")
        sent = files.table[path.relative_to(assets.STATIC).as_posix()].content.decode()
        code, sent_code = (comment.sub("", text).split() for text in (source, sent))
        assert sent_code == code, path
        assert sent.count("\n") == source.count("\n"), path
        assert not re.search(r"^\s*/\*\*", sent, re.MULTILINE), path


def test_an_address_of_another_version_is_not_kept(fake: httpx2.Client):
    response = fake.get("/static/0123456789abcdef/js/api.js")
    assert response.status_code == 200
    assert response.headers["cache-control"] == "no-cache"


def test_addresses_change_with_the_content_and_only_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(assets, "STATIC", tmp_path)
    (tmp_path / "a.js").write_text("1")
    first = Assets()
    assert Assets().address("a.js") == first.address("a.js")
    plotly = first.address("plotly.min.js")
    (tmp_path / "b.js").write_text("2")
    first.refresh()
    assert first.address("a.js").startswith("/static/")
    assert first.address("a.js") != Assets().address("missing.js")
    assert first.address("a.js").split("/")[2] == first.address("b.js").split("/")[2], (
        "modules import each other by relative addresses"
    )
    assert first.address("plotly.min.js") == plotly


def test_a_script_brings_all_that_it_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(assets, "STATIC", tmp_path)
    scripts = {
        "views/a.js": (
            'import "./b.js";\nimport {\n  one,\n  two,\n} from "../c.js";\nexport const box ='
            ' find(".box.js");\n'
        ),
        "views/b.js": (
            '/** @type {import("./d.js").D} */\nexport * from "../c.js";\nconst late = () =>'
            ' import("./d.js");\n'
        ),
        "c.js": 'import { a } from "./views/a.js";\n',
    }
    (tmp_path / "views").mkdir()
    for name, script in scripts.items():
        (tmp_path / name).write_text(script)
    assert Assets().modules("views/a.js") == ["views/b.js", "c.js"]
    assert Assets().modules("views/none.js") == []


def test_everything_is_compressed_before_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(assets, "STATIC", tmp_path)
    (tmp_path / "a.js").write_text("1" * 1000)
    (tmp_path / "b.png").write_bytes(b"0")
    files = Assets()
    loop.run(files.prepare())
    assert brotli.decompress(files.table["a.js"].variants["br"]) == b"1" * 1000
    assert files.table["b.png"].variants == {}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip, deflate", "gzip"),
        ("br;q=0, gzip", "gzip"),
        ("", None),
        ("identity", None),
        ("zstd;q=0.5", None),
        ("gzip;q=0.5", "gzip"),
    ],
)
def test_the_best_encoding_that_the_client_takes(header: str, expected: str | None):
    assert accepted(header, ENCODINGS) == expected


def test_a_cache_folder_that_cannot_be_written_to_is_no_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "folder"):
        monkeypatch.setattr(assets, "user_cache_path", lambda name, place=place: place)
        monkeypatch.setattr(assets, "LARGE", 10)
        content = b"x" * 1000
        assert gzip.decompress(assets.compressed(content, "gzip")) == content
        assert gzip.decompress(assets.compressed(content, "gzip")) == content
    assert len(list((tmp_path / "folder").iterdir())) == 1


def test_no_page_holds_an_address_with_a_host_whatever_the_host_header_says(client: httpx2.Client):
    pages = ["/", "/docs", *re.findall(r'href="(/[a-z]+)" data-travels', client.get("/").text)]
    assets = set()
    for page in pages:
        html = client.get(page, headers={"host": "localhost:4321"}).text
        assert "4321" not in html
        assert not re.findall(r'(?:src|href|action)="(?:https?:)?//[^"]*"', html), page
        assets |= set(re.findall(r'(?:src|href)="(/static/[^"]+)"', html))
    for address in assets:
        assert client.get(address).headers["cache-control"].endswith("immutable"), address


def test_all_scripts_together_stay_small():
    """What a figure is, Python says; JavaScript shows it. Plotly's own script does not count, nor
    does what no page loads: the scripts of notebooks.

    Of these, 9 kB are edits under the hand: chips that are moved and taken back, a menu, a number
    typed into a cell. Their words, and what becomes of the answer, come from Python. Another 9 kB
    are the windows of a lecture, which follow a hand in another room, and 0.7 kB copy the code
    of the manual.
    """
    scripts = set((Path(__file__).parents[2] / "static" / "js").rglob("*.js"))
    of_notebooks = {"notebook.js", "notebook-frame.js"}
    of_pages = [script for script in scripts if script.name not in of_notebooks]
    assert len(of_pages) == len(scripts) - len(of_notebooks)
    assert sum(script.stat().st_size for script in of_pages) <= 301_000
