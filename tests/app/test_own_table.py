"""`vitrine train table`: what it refuses, each in one sentence and with 2, and what it writes."""

import argparse

import pytest

from app import own_table
from app.cli import main
from model.zoo.cards import User

ROWS = [f"{n % 7},{'ab'[n % 2]},{'yes' if n % 3 else 'no'}" for n in range(60)]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(User, "folder", None)  # the command sets it
    monkeypatch.setenv("VITRINE_MODELS", str(tmp_path / "models"))
    (tmp_path / "t.csv").write_text("\n".join(["size,kind,bought", *ROWS]))
    return tmp_path


REFUSED = {
    "t.csv": "Give a file and its class column: vitrine train table",
    "gone.csv --target bought": "gone.csv: no such file or directory.",
    "t.csv --target boght": "There is no column named 'boght'. Did you mean bought",
    "t.csv --target bought --drop colour": "There is no column named 'colour'",
    "t.csv --target bought --name translator": "is the name of a shipped model",
    "t.csv --target bought --encoding utf-99": "There is no encoding named 'utf-99'",
    "t.csv --target bought --architecture tab --drop kind": "TabTransformer needs both",
    "t.csv --target bought --architecture mlp": "There are: ft, tab, saint.",
    "one.csv --target y": "at least two are needed.",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_what_cannot_be_learned_is_refused_in_one_sentence(folder, capsys, arguments):
    (folder / "one.csv").write_text("x,y\n1,a\n")
    assert main(["train", "table", *arguments.split()]) == 2
    message = capsys.readouterr().err
    assert REFUSED[arguments] in message
    assert message.startswith("vitrine: ")
    assert message.count("\n") == 1


def test_a_missing_scikit_learn_is_named_before_anything_is_read(capsys, monkeypatch):
    monkeypatch.setattr(own_table, "find_spec", lambda name: None)
    assert main(["train", "table", "gone.csv", "--target", "y"]) == 2
    assert "Training on a table needs scikit-learn: pip install" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_rows_and_steps_are_counted_from_1(number):
    assert own_table.several("12") == 12
    with pytest.raises(argparse.ArgumentTypeError, match="is not a whole number of at least 1"):
        own_table.several(number)


def test_a_file_is_refused_where_no_table_is_trained(capsys):
    assert main(["train", "digits", "t.csv"]) == 2
    assert "digits takes no file; use vitrine train table FILE.csv." in capsys.readouterr().err


def test_it_says_what_was_found_and_measured_and_where_the_model_is(folder, capsys):
    assert main(["train", "table", "t.csv", "--target", "bought", "--steps", "3"]) == 0
    output = capsys.readouterr().out
    assert "numbers: size\ncategories: kind (2 options)\nclasses of bought: no, yes" in output
    assert "accuracy: " in output
    assert "calibration error: " in output
    assert f"The model is in {folder / 'models' / 't'}." in output
    files = {path.name for path in (folder / "models/t").iterdir()}
    assert files == {"card.json", "model.safetensors", "tokenizer.json"}
