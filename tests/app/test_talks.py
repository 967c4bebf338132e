"""Talks as TOML: the shipped ones are true, one's own are read, and what is wrong in one is told in
one sentence. Addresses that the manual or a talk links are kept.
"""

import argparse
import json
import re
import socket
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qsl

import httpx2
import pytest

from app.check_talk import check
from app.cli import main
from app.lecture.talks import SHIPPED, NotATalk, Scene, read_talk, talk_of, talks
from app.site.pages import find_pages
from app.startup import CannotStart
from tests.app.landing import check_landing
from tests.app.questions import CLINICS, WORDS, ask
from tests.app.serving import Running
from tests.manual import all_text, fenced, text
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
address = "/masks?pattern=causal&length=12&one=mask"
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
NONE = {"/vitrine", "/opt/vitrine", "/api/v1/room"}  # folders, and how addresses begin
STORED_ADDRESSES = Path(__file__).with_name("stored_addresses.txt")


def write_talk(folder: Path, content: str | bytes, name: str = "mine.toml") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def without_place(address: str) -> str:
    """An address without what no control of a page offers: which figure stands alone, how the input
    is read, which the row of edits shows, and a step, of which the answer says how many there are.
    """
    return re.sub(r"[?&](one|order|positions|step)=[\w,]+", "", address)


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
    (figure_id,) = re.findall(r"[?&]one=(\w+)", scene.address)
    assert f'<figure class="figure" id="{figure_id}"' in client.get(scene.address).text
    assert scene.number is not None, "a claim is supported by a number"


SMALL_NUMBERS = dict(
    zip(("one", "two", "three", "four", "five", "six", "eight"), (1, 2, 3, 4, 5, 6, 8), strict=True)
)
SIZE_OF = {
    "layers": "layers",
    "runs": "seeds",
    "steps": "steps",
    "beams": "beams",
    "sub-layers": "depth",
    "shortcuts": "depth",
    "tokens": "tokens",
}
"""What is counted in a scene, and the field of a question that says how many there are."""
COUNTED = re.compile(rf"(?i)\b(\d+|{'|'.join(SMALL_NUMBERS)}) (?:P\w+-LN )?({'|'.join(SIZE_OF)})\b")


@pytest.mark.parametrize("scene", SCENES)
def test_a_scene_counts_what_the_network_of_its_number_has(scene: Scene):
    """No students are asked about six layers where the number is that of four."""
    word, _, query = scene.number.of.partition("#")[0].partition("?")
    sizes = WORDS[word.replace("-", "_")].question(**dict(parse_qsl(query))).model_dump()
    for sentence in filter(None, (scene.claim, scene.speech, scene.question)):
        for many, what in COUNTED.findall(sentence):
            size = sizes.get(SIZE_OF[what])
            assert size in (None, SMALL_NUMBERS.get(many.lower()) or int(many)), sentence


def test_three_of_eight_networks_learn_nothing_and_the_others_lose_all():
    """What the scene on warm-up says besides its number."""
    (scene,) = (each for each in TALKS["residual-stream"].scene if "/warmup" in each.address)
    assert scene.speech.startswith("Three of eight runs learn nothing at all.")
    answer = ask("warmup", WORDS["warmup"].question().model_dump())
    left = {finding.name: finding for finding in answer.fields["findings"]}
    assert [value > 0.99 for value in left["left.post"].values].count(True) == 3
    assert all(left[f"left.{arm}"].number < 0.01 for arm in ("post_warmup", "pre", "admin"))


@pytest.mark.parametrize("scene", SCENES)
def test_a_scene_shows_the_experiment_that_its_number_is_of(scene: Scene):
    page, _, query_text = scene.address[1:].partition("?")
    word, _, measured = scene.number.of.partition("#")[0].partition("?")
    if page == word and page in CLINICS:
        kind = CLINICS[word].question
        both = [
            kind(**{name: value for name, value in parse_qsl(query) if name in kind.model_fields})
            for query in (query_text, measured)
        ]
        for name in kind.model_fields.keys() & {*dict(parse_qsl(query_text)), *SIZE_OF.values()}:
            assert getattr(both[0], name) == getattr(both[1], name), name


@pytest.mark.parametrize("id", mostly(TALKS, "decoding"))
def test_every_number_of_the_shipped_talks_is_what_pages_show(
    house: Running, capsys: pytest.CaptureFixture, id: str
):
    check(argparse.Namespace(talks=[id], server=house.address))
    many = len(TALKS[id].scene)
    assert (
        capsys.readouterr().out == f"{id}: {many} addresses answer, {many} numbers are as stated.\n"
    )


def checked(capsys: pytest.CaptureFixture, server: str, *talks: Path) -> list[str]:
    """What `vitrine check` prints about talks that have faults."""
    with pytest.raises(CannotStart) as problem:
        check(argparse.Namespace(talks=list(map(str, talks)), server=server))
    lines = capsys.readouterr().out.splitlines()
    assert str(problem.value).startswith(f"{len(lines)} fault"), lines
    return lines


def test_what_is_not_so_any_more_is_told_scene_by_scene(
    house: Running, tmp_path: Path, capsys: pytest.CaptureFixture
):
    wrong = WHOLE.replace("value = 78", "value = 79").replace("length=12", "length=1200", 1)
    second = wrong.partition("[[scene]]")[2].replace("/masks?", "/nowhere?").replace("#vis", "#in")
    whole = wrong.replace("minutes = 2", "minutes = 4", 1) + "[[scene]]" + second
    address, number, page, finding = checked(capsys, house.address, write_talk(tmp_path, whole))
    assert re.match(
        r"mine\.toml: scene 1: /api/v1/masks\?.*length=1200.* does not answer\. `length` must",
        address,
    )
    assert number == "mine.toml: scene 1: Open cells is 78, but the talk says 79 within 0."
    assert page.startswith("mine.toml: scene 2: /nowhere?")
    assert finding == (
        "mine.toml: scene 2: masks?pattern=causal&length=12 has no number at inible;"
        " did you mean visible?"
    )


@pytest.mark.parametrize(
    ("change", "to", "sentence"),
    [
        ("&one=mask", "&lenth=9&one=mask", "/masks has no lenth; did you mean length?"),
        ("&one=mask", "&show=efect&one=mask", "/masks has no show=efect: use "),
        ("one=mask", "one=musk", "/masks has no figure musk: use one= with"),
        ("&one=mask", "", "without one=, the frame shows the whole page of"),
        (
            "?pattern=causal&length=12&one=mask",
            "",
            "without one=, the frame shows the whole page of",
        ),
    ],
)
def test_what_a_page_does_not_know_of_its_address_is_told(
    house: Running,
    tmp_path: Path,
    capsys: pytest.CaptureFixture,
    change: str,
    to: str,
    sentence: str,
):
    assert change in WHOLE
    (line,) = checked(capsys, house.address, write_talk(tmp_path, WHOLE.replace(change, to, 1)))
    assert sentence in line


def test_what_goes_along_from_page_to_page_and_fits_no_mask_is_no_fault(
    house: Running, tmp_path: Path
):
    along = "model=translator&source=i+am+cold&stack=decoder&layer=0&one=mask"
    path = write_talk(tmp_path, WHOLE.replace("one=mask", along, 1))
    check(argparse.Namespace(talks=[str(path)], server=house.address))


def test_the_talk_of_the_manual_is_whole_and_true(house: Running, tmp_path: Path):
    (talk,) = fenced(text("lecture"), "toml")
    write_talk(tmp_path, talk)
    check(argparse.Namespace(talks=[str(tmp_path)], server=house.address))  # a folder


@pytest.mark.thorough  # a server and a worker of its own
def test_without_a_server_one_is_started_and_ended(tmp_path: Path, capsys: pytest.CaptureFixture):
    assert main(["check", str(write_talk(tmp_path, WHOLE))]) == 0
    assert capsys.readouterr().out == "mine: 1 address answers, 1 number is as stated.\n"


def test_every_fault_of_several_talks_is_told_without_a_server_where_none_can_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture
):
    wrong = WHOLE.replace("claim =", "claims =").replace("value = 78", "valeu = 78")
    paths = write_talk(tmp_path, wrong), write_talk(tmp_path, "title = 1", "none.toml")
    lines = checked(capsys, "http://127.0.0.1:1", *paths)
    assert set(lines) == {
        "mine.toml: scene 1, claims: is not one of its keys; did you mean claim?",
        "mine.toml: scene 1, number, valeu: is not one of its keys; did you mean value?",
        "none.toml: title: it should be a valid string.",
        "none.toml: minutes: is missing.",
        "none.toml: scene: is missing.",
    }


def test_a_talk_that_is_not_there_is_a_sentence(tmp_path: Path):
    for name, sentence in (("nobody", "no file or talk named"), (str(tmp_path), "ending in .toml")):
        with pytest.raises(CannotStart, match=sentence):
            check(argparse.Namespace(talks=[name], server="http://127.0.0.1:1"))


def silent(connection: socket.socket) -> None:
    connection.recv(65536)


def rude(connection: socket.socket) -> None:
    connection.sendall(b"SSH-2.0-none\r\n")


def another(connection: socket.socket) -> None:
    connection.recv(65536)
    connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\n{"info":{"title":"other"}}\n')


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (None, "No server answers at http://127.0.0.1:{port}: Connection refused."),
        (silent, "No server answers at http://127.0.0.1:{port}: nothing came within 0.2 seconds."),
        (rude, "No server answers at http://127.0.0.1:{port}: the server does not speak HTTP."),
        (another, "The server at http://127.0.0.1:{port} is not Vitrine: give the address of a"),
    ],
)
def test_a_server_that_is_none_of_ours_is_a_sentence_and_2(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture,
    answer: Callable[[socket.socket], None] | None,
    sentence: str,
):
    monkeypatch.setattr("app.check_talk.GREETING_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                answer(connection)
                connection.recv(65536)  # until the other side has read

        if answer is None:
            listener.close()
        else:
            Thread(target=serve, daemon=True).start()
        assert main(["check", "decoding", "--server", f"http://127.0.0.1:{port}/"]) == 2
    (message,) = capsys.readouterr().err.splitlines()
    assert message.startswith(f"vitrine: {sentence.format(port=port)}")


@pytest.mark.parametrize("server", ["127.0.0.1:8000", "file:///etc/hosts", "http://", "http://["])
def test_an_address_that_is_no_server_s_is_a_sentence_and_2(
    capsys: pytest.CaptureFixture, server: str
):
    assert main(["check", "decoding", "--server", server]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_page_that_is_no_start_page_is_a_sentence(house: Running):
    with pytest.raises(CannotStart, match="is not Vitrine"):
        check(argparse.Namespace(talks=["decoding"], server=f"{house.address}/attention"))


@pytest.mark.parametrize(
    ("change", "to", "sentence"),
    [
        (
            "title =",
            "colour = 1\ntitle =",
            "colour: is not one of its keys; its keys are title, minutes, scene",
        ),
        ("claim =", "claims =", "scene 1, claims: is not one of its keys; did you mean claim?"),
        ('title = "One"\n', "", "title: is missing"),
        ("minutes = 2\n[[", "minutes = 3\n[[", "the scenes take 2 minutes, but the talk says 3"),
        ('"/masks?', '"masks?', "scene 1, address: 'masks?"),
        (
            '"/masks?',
            '"http://127.0.0.1:8000/masks?',
            "is not a path without server name, blank or #, for",
        ),
        ('"/masks?', '"//evil.example/masks?', "scene 1, address: '//evil.example"),
        ('"/masks?', '"/\\\\evil.example/masks?', "scene 1, address:"),
        ('"/masks?', '"/../../api/v1/limits?', "scene 1, address:"),
        ('claim = "78 of 144."', "", "scene 1, claim: is missing"),
        ('"78 of 144."', '"two\\nlines"', "scene 1, claim: 'two"),
        ('["72", "78"]', '["78"]', "scene 1: a question has 2 to 4 choices"),
        ('["72", "78"]', '["78", "78"]', "scene 1: two of its choices are the same"),
        (
            'right = "78"',
            'right = "79"',
            "scene 1: the right answer '79' is not one of its choices",
        ),
        ('question = "How many?"\n', "", "scene 1: it has choices but no question"),
        (
            "masks?pattern=causal&length=12#visible",
            "masks",
            "scene 1, number, of: 'masks' is not an API endpoint",
        ),
        ("value = 78", "value = nan", "scene 1, number, value: it should be a finite number"),
        ("minutes = 2\nquestion", "minutes = -2\nquestion", "scene 1, minutes: it should be"),
        ("[[scene]]", "[scene]", "scene: is a list: of tables, each headed [[scene]]"),
        ("title =", "id = 'x'\ntitle =", "leave out `id`. A talk is named after its file."),
        ("title =", "title", "is not TOML:"),
        ("", "", ""),
    ],
)
def test_what_is_wrong_in_a_talk_is_one_sentence(
    tmp_path: Path, change: str, to: str, sentence: str
):
    assert change in WHOLE
    path = write_talk(tmp_path, WHOLE.replace(change, to, 1))
    if not change:
        assert read_talk(path).scene[0].right == "78"
        return
    with pytest.raises(NotATalk) as error:
        read_talk(path)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
    assert str(error.value).endswith((".", "?"))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xff\xfe", "is not UTF-8"),
        (b"#" * 300_000, "bytes; a talk may have"),
        (b"a=" + b"[" * 5_000, "is not TOML"),
        (None, "cannot be read"),
    ],
)
def test_a_file_that_is_no_talk_is_one_sentence(
    tmp_path: Path, content: bytes | None, sentence: str
):
    path = tmp_path / "mine.toml" if content is None else write_talk(tmp_path, content)
    with pytest.raises(NotATalk, match=sentence):
        read_talk(path)


def test_talks_of_ones_own_stand_before_the_shipped_ones_and_in_the_place_of_their_namesakes(
    tmp_path: Path,
):
    write_talk(tmp_path, WHOLE)
    write_talk(tmp_path, WHOLE, "attention.toml")
    write_talk(tmp_path, "title = 1", "broken.toml")
    found, wrong = talks(tmp_path)
    assert [talk.id for talk in found] == ["attention", "mine", "decoding", "residual-stream"]
    assert talk_of("attention", tmp_path).title == "One"
    assert [sentence.partition(":")[0] for sentence in wrong] == ["broken.toml"] * 3
    listed_talks, _ = talks(tmp_path / "mine.toml")
    assert [talk.id for talk in listed_talks] == ["mine", *TALKS]


def test_a_talk_is_exported_as_it_was_written_and_told_by_the_api(client: httpx2.Client):
    exported = client.get("/lecture/attention.toml")
    assert exported.content == (SHIPPED / "attention.toml").read_bytes()
    assert exported.headers["content-disposition"] == 'attachment; filename="attention.toml"'
    (talk,) = client.get("/api/v1/talks", params={"talk": "attention"}).json()["talks"]
    assert talk["scene"] == json.loads(TALKS["attention"].model_dump_json())["scene"]
    listed = client.get("/api/v1/talks").json()["talks"]
    assert [talk["id"] for talk in listed] == ["two", *TALKS], "that of the house stands first"
    for path in ("/lecture/nobody", "/lecture/nobody.toml", "/lecture/nobody/presenter"):
        assert client.get(path).status_code == 404
    assert client.get("/api/v1/talks", params={"talk": "nobody"}).status_code == 404


def linked() -> set[str]:
    """The addresses that the manual and the shipped talks name, without those that are pages."""
    paths = set(re.findall(r"`(/[a-z-]+(?:/[a-z0-9.-]+)*(?:\?[^`\s]+)?)`", all_text())) - NONE
    for address in re.findall(r"http://127\.0\.0\.1:8000(/[^\s\"')]*)", all_text()):
        path, _, query = address.partition("?")
        paths.add(f"{path}?{query}" if query else path)
    paths |= {scene.address for talk in TALKS.values() for scene in talk.scene}
    return paths - {page.path for page in find_pages()}


def test_what_was_linked_once_answers_for_ever(client: httpx2.Client):
    """Another lecture links what the manual and the talks name. A new address is written into the
    file of kept ones; none is ever taken out of it.
    """
    stored = STORED_ADDRESSES.read_text(encoding="utf-8").splitlines()
    assert stored == sorted(set(stored))
    assert sorted(linked() - set(stored)) == [], f"not in {STORED_ADDRESSES.name} yet"
    of_talks = {scene.address for talk in TALKS.values() for scene in talk.scene}  # tested above
    for path in stored:
        if path in of_talks:
            continue
        response = client.request("GET" if "/api/" not in path else "HEAD", path)
        if response.status_code == 404:  # a word of the API that has no page
            response = client.head(f"/api/v1{path}")
        assert response.status_code not in (404, 410, 500), path
