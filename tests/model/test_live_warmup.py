"""A live training says a step when it is on the disk, and never otherwise."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from model.processes.live_warmup import main
from tests.thorough import mostly

QUESTION = {"warmup_steps": 2, "peak": 0.02, "layers": 1, "seed": 0, "seeds": 1, "steps": 30}


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> bytes:
    """The steps of a training that nothing interrupts."""
    folder = tmp_path_factory.mktemp("whole")
    main(folder, QUESTION)
    return (folder / "steps.jsonl").read_bytes()


def steps_of(out: bytes) -> list[int]:
    return [json.loads(line)["step"] for line in out.splitlines()]


def test_the_same_arguments_say_the_same_steps_and_leave_no_checkpoint_behind_the_end(
    tmp_path, capsysbinary, whole
):
    main(tmp_path, QUESTION)
    first = capsysbinary.readouterr().out
    assert first == whole == (tmp_path / "steps.jsonl").read_bytes()
    main(tmp_path, QUESTION)
    assert capsysbinary.readouterr().out == first
    assert steps_of(first) == list(range(1, 31))
    assert [path.name for path in tmp_path.iterdir()] == ["steps.jsonl"]


@pytest.mark.parametrize("full_at", mostly([1, 7, 26], 7))
def test_on_a_full_disk_it_stops_and_goes_on_when_there_is_room(
    tmp_path, monkeypatch, capsysbinary, full_at, whole
):
    sync, calls = os.fsync, []

    def full(file: int) -> None:
        calls.append(file)
        if len(calls) == full_at:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(file)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        main(tmp_path / "full", QUESTION)
    assert whole.startswith(capsysbinary.readouterr().out)
    monkeypatch.setattr(os, "fsync", sync)
    main(tmp_path / "full", QUESTION)
    assert capsysbinary.readouterr().out == whole


def test_the_exit_code_names_the_trouble_even_when_its_own_log_is_full(tmp_path):
    (tmp_path / "file").touch()
    command = [
        sys.executable,
        "-m",
        "model.processes.live_warmup",
        str(tmp_path / "file" / "folder"),
        "{}",
    ]
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(command, cwd=Path(__file__).parents[3], stderr=full)
    assert ended.returncode == errno.ENOTDIR
