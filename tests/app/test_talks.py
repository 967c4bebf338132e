"""Talks as TOML: the shipped ones are true, one's own are read, and what is wrong in one is told in
one sentence. Addresses that the README or a talk links are kept.
"""

import argparse
import json
import re
from pathlib import Path

import httpx2
import pytest

from app.check_talk import check
from app.lecture.talks import SHIPPED, NotATalk, Scene, read_talk, talk_of, talks
from app.site.pages import find_pages
from app.startup import CannotStart
from tests.app.landing import check_landing
from tests.app.serving import ROOT, Running
from tests.thorough import mostly

TALKS = {path.stem: read_talk(path) for path in sorted(SHIPPED.glob("*.toml"))}
SCENES = [
    pytest.param(scene, id=f"{id}-{at}")
    for id, talk in TALKS.items()
    for at, scene in enumerate(talk.scene, start=1)
]
WHOLE = """
title = "One"
minutes = 2
[[scene]]
address = "/masks?pattern=causal&alone=1&length=12"
claim = "78 of 144."
speech = "Half and the diagonal."
minutes = 2
question = "How many?"
choices = ["72", "78"]
right = "78"
[scene.number]
name = "Open cells"
of = "masks?pattern=causal&length=12#visible"
value = 78
"""
README = (ROOT / "README.md").read_text(encoding="utf-8")
NONE = {"/vitrine", "/opt/vitrine", "/api/v1/room"}  # folders, and how addresses begin
KEPT = Path(__file__).with_name("kept_addresses.txt")


def written(folder: Path, content: str | bytes, name: str = "mine.toml") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def without_place(address: str) -> str:
    """An address without what no control of a page offers: which figure stands alone, and how the
    input is read, which the row of edits shows.
    """
    return re.sub(r"[?&](one|order|positions)=[\w,]+", "", address)


def test_three_talks_are_shipped_and_take_their_time():
    assert {id: talk.minutes for id, talk in TALKS.items()} == {
        "attention": 50,
        "residual-stream": 50,
        "decoding": 20,
    }
    assert len(TALKS["attention"].scene) == 11


@pytest.mark.parametrize("scene", SCENES)
def test_the_address_of_a_scene_lands_on_a_page_with_its_figure(
    client: httpx2.Client, scene: Scene
):
    check_landing(client, without_place(scene.address))
    (alone,) = re.findall(r"[?&]one=(\w+)", scene.address)
    assert f'<figure class="figure" id="{alone}"' in client.get(scene.address).text
    assert scene.number is not None, "a claim is supported by a number"


@pytest.mark.parametrize("id", mostly(TALKS, "decoding"))
def test_every_number_of_the_shipped_talks_is_what_pages_show(
    house: Running, capsys: pytest.CaptureFixture, id: str
):
    check(argparse.Namespace(talk=id, server=house.address))
    many = len(TALKS[id].scene)
    assert (
        capsys.readouterr().out == f"{id}: {many} addresses answer, {many} numbers are as stated.\n"
    )


def test_what_is_not_so_any_more_is_told_scene_by_scene(
    house: Running, tmp_path: Path, capsys: pytest.CaptureFixture
):
    wrong = WHOLE.replace("value = 78", "value = 79").replace("length=12", "length=1200", 1)
    second = wrong.partition("[[scene]]")[2].replace("/masks?", "/nowhere?").replace("#vis", "#in")
    path = written(tmp_path, wrong.replace("minutes = 2", "minutes = 4", 1) + "[[scene]]" + second)
    with pytest.raises(CannotStart, match="the talk mine has 4 of these faults"):
        check(argparse.Namespace(talk=str(path), server=house.address))
    address, number, page, finding = capsys.readouterr().out.splitlines()
    assert re.match(
        r"Scene 1: /api/v1/masks\?.*length=1200.* does not answer\. `length` must", address
    )
    assert number == "Scene 1: Open cells is 78, and the talk says 79 within 0."
    assert page.startswith("Scene 2: /nowhere?")
    assert finding == "Scene 2: masks?pattern=causal&length=12 has no number at inible."


def test_a_talk_that_is_not_there_is_a_sentence():
    with pytest.raises(CannotStart, match="There is no file nobody, and no talk of this name"):
        check(argparse.Namespace(talk="nobody", server="http://127.0.0.1:1"))


@pytest.mark.parametrize(
    ("change", "to", "sentence"),
    [
        ("title =", "colour = 1\ntitle =", "colour: is no key of it"),
        ('title = "One"\n', "", "title: is missing"),
        ("minutes = 2\n[[", "minutes = 3\n[[", "the scenes take 2 minutes and the talk 3"),
        ('"/masks?', '"masks?', "scene 1, address: 'masks?"),
        ('"/masks?', '"//evil.example/masks?', "scene 1, address: '//evil.example"),
        ('"/masks?', '"/\\\\evil.example/masks?', "scene 1, address:"),
        ('claim = "78 of 144."', "", "scene 1, claim: is missing"),
        ('"78 of 144."', '"two\\nlines"', "scene 1, claim: 'two"),
        ('["72", "78"]', '["78"]', "scene 1: a question has 2 to 4 choices"),
        ('["72", "78"]', '["78", "78"]', "scene 1: two of its choices are the same"),
        ('right = "78"', 'right = "79"', "scene 1: what is right, '79', is none of its choices"),
        ('question = "How many?"\n', "", "scene 1: it has choices and no question"),
        ("masks?pattern=causal&length=12#visible", "masks", "scene 1, number, of: 'masks'"),
        ("value = 78", "value = nan", "scene 1, number, value: Input should be a finite number"),
        ("minutes = 2\nquestion", "minutes = -2\nquestion", "scene 1, minutes: Input should be"),
        ("[[scene]]", "[scene]", "scene: is a list: of tables, each headed [[scene]]"),
        ("title =", "id = 'x'\ntitle =", "a talk is called after its file"),
        ("title =", "title", "is not TOML:"),
        ("", "", ""),
    ],
)
def test_what_is_wrong_in_a_talk_is_one_sentence(
    tmp_path: Path, change: str, to: str, sentence: str
):
    assert change in WHOLE
    path = written(tmp_path, WHOLE.replace(change, to, 1))
    if not change:
        assert read_talk(path).scene[0].right == "78"
        return
    with pytest.raises(NotATalk) as error:
        read_talk(path)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
    assert str(error.value).endswith(".")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xff\xfe", "is not UTF-8"),
        (b"#" * 300_000, "a talk has at most"),
        (b"a=" + b"[" * 5_000, "is not TOML"),
        (None, "cannot be read"),
    ],
)
def test_a_file_that_is_no_talk_is_one_sentence(
    tmp_path: Path, content: bytes | None, sentence: str
):
    path = tmp_path / "mine.toml" if content is None else written(tmp_path, content)
    with pytest.raises(NotATalk, match=sentence):
        read_talk(path)


def test_talks_of_ones_own_stand_before_the_shipped_ones_and_in_the_place_of_their_namesakes(
    tmp_path: Path,
):
    written(tmp_path, WHOLE)
    written(tmp_path, WHOLE, "attention.toml")
    written(tmp_path, "title = 1", "broken.toml")
    found, wrong = talks(tmp_path)
    assert [talk.id for talk in found] == ["attention", "mine", "decoding", "residual-stream"]
    assert talk_of("attention", tmp_path).title == "One"
    assert [sentence.partition(":")[0] for sentence in wrong] == [str(tmp_path / "broken.toml")]
    alone, _ = talks(tmp_path / "mine.toml")
    assert [talk.id for talk in alone] == ["mine", *TALKS]


def test_a_talk_is_exported_as_it_was_written_and_told_by_the_api(client: httpx2.Client):
    exported = client.get("/lecture/attention.toml")
    assert exported.content == (SHIPPED / "attention.toml").read_bytes()
    assert exported.headers["content-disposition"] == 'attachment; filename="attention.toml"'
    (talk,) = client.get("/api/v1/talks", params={"talk": "attention"}).json()["talks"]
    assert talk["scene"] == json.loads(TALKS["attention"].model_dump_json())["scene"]
    listed = client.get("/api/v1/talks").json()["talks"]
    assert [one["id"] for one in listed] == list(TALKS)
    for path in ("/lecture/nobody", "/lecture/nobody.toml", "/lecture/nobody/presenter"):
        assert client.get(path).status_code == 404
    assert client.get("/api/v1/talks", params={"talk": "nobody"}).status_code == 404


def linked() -> set[str]:
    """The addresses of the pages, and those that the README and the shipped talks name."""
    paths = {page.path for page in find_pages()}
    paths |= set(re.findall(r"`(/[a-z-]+(?:/[a-z0-9.-]+)*(?:\?[^`\s]+)?)`", README)) - NONE
    for address in re.findall(r"http://127\.0\.0\.1:8000(/[^\s\"')]*)", README):
        path, _, query = address.partition("?")
        paths.add(f"{path}?{query}" if query else path)
    return paths | {scene.address for talk in TALKS.values() for scene in talk.scene}


def test_what_was_linked_once_answers_for_ever(client: httpx2.Client):
    """Another lecture links what the README and the talks name. A new address is written into the
    file of kept ones; none is ever taken out of it.
    """
    kept = KEPT.read_text(encoding="utf-8").splitlines()
    assert kept == sorted(set(kept))
    assert sorted(linked() - set(kept)) == [], f"not in {KEPT.name} yet"
    of_talks = {scene.address for talk in TALKS.values() for scene in talk.scene}  # tested above
    for path in kept:
        if path in of_talks:
            continue
        response = client.request("GET" if "/api/" not in path else "HEAD", path)
        if response.status_code == 404:  # a word of the API that has no page
            response = client.head(f"/api/v1{path}")
        assert response.status_code not in (404, 410, 500), path
