"""What cannot start says why in one sentence and ends with 2."""

import shutil
import socket
from pathlib import Path

import pytest

from app import cli
from app.paths import weights

FILES = [
    "translator/model.safetensors",
    "translator/tokenizer.json",
    "induction-2/kept.safetensors",
]


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]):
    """The sentence with which the command line refuses `arguments`."""

    def sentence(*arguments: str) -> str:
        assert cli.main(list(arguments)) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.startswith("vitrine: ")
        assert printed.err.endswith((".\n", "?\n"))
        assert printed.err.count("\n") == 1
        return printed.err

    return sentence


@pytest.fixture
def other_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the shipped weights to damage, which the command line then finds."""
    copy = tmp_path / "weights"
    shutil.copytree(weights(), copy)
    monkeypatch.setattr(cli, "weights", lambda: copy)
    return copy


def test_windows(refused, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.platform", "win32")
    assert "Windows Subsystem for Linux" in refused()


def test_a_port_in_use(refused):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert f"Port {port} on 127.0.0.1 is in use" in refused("--port", str(port))
        assert f"Port {port} on 127.0.0.1 is in use" in refused("serve", "--port", str(port))


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--port", "http"], "--port is 'http'"),
        (["--port", "65536"], "65535"),
        (["--port", "-1"], "--port is '-1'"),
        (["--host", "no-such-host.invalid"], "no-such-host.invalid"),
        (["--host", "192.0.2.1"], "not an address of this machine"),
        (["--host", "0.0.0.0"], "VITRINE_HOSTS"),
    ],
)
def test_a_flag_that_will_not_do(refused, arguments: list[str], part: str):
    assert part in refused(*arguments)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("VITRINE_PORT", "eighty"),
        ("VITRINE_DEADLINE_SECONDS", "-1"),
        ("VITRINE_RELOAD", "perhaps"),
        ("VITRINE_EMBED", "*"),
    ],
)
def test_a_variable_that_will_not_do_is_named(
    refused, monkeypatch: pytest.MonkeyPatch, name: str, value: str
):
    monkeypatch.setenv(name, value)
    assert f"{name} is {value!r}" in refused()


def test_a_flag_goes_before_a_variable(refused, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("VITRINE_PORT", "1")
    assert "--port is '65537'" in refused("--port", "65537")


def test_no_weights_at_all(refused, other_weights: Path):
    shutil.rmtree(other_weights)
    assert f"{other_weights} is missing" in refused()
    other_weights.mkdir()
    assert "no weights" in refused()


@pytest.mark.parametrize("file", FILES)
def test_a_missing_file_of_a_model(refused, other_weights: Path, file: str):
    (other_weights / file).unlink()
    assert file in refused()


@pytest.mark.parametrize("file", FILES)
def test_one_flipped_bit(refused, other_weights: Path, file: str):
    file = other_weights / file
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    assert "damaged" in refused()


@pytest.mark.parametrize("card", ["", "[]", '{"id": "translator"}'])
def test_a_card_that_is_not_one(refused, other_weights: Path, card: str):
    (other_weights / "translator" / "card.json").write_text(card)
    assert "card.json is damaged" in refused()


def test_a_file_that_cannot_be_read(refused, other_weights: Path):
    file = other_weights / "translator" / "tokenizer.json"
    file.unlink()
    file.symlink_to(other_weights / "nowhere")
    assert f"{file} can’t be read" in refused()


def test_training_of_a_model_without_a_recipe_or_without_its_text(refused, tmp_path: Path):
    assert "'translater'" in refused("train", "translater", "--data", str(tmp_path))
    assert "english-french.tsv" in refused(
        "train", "translator", "--data", str(tmp_path), "--out", str(tmp_path)
    )


def test_training_asks_for_one_model_or_all(capsys: pytest.CaptureFixture[str]):
    for which in ([], ["translator", "--all"]):
        with pytest.raises(SystemExit) as end:
            cli.main(["train", *which])
        assert end.value.code == 2
        assert "--all" in capsys.readouterr().err


def test_what_is_not_a_flag_ends_with_2_too(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as end:
        cli.main(["--no-such-flag"])
    assert end.value.code == 2
    assert "--no-such-flag" in capsys.readouterr().err
