"""The process of a training that is followed live. `python -m model.processes.live_warmup FOLDER
QUESTION` takes the steps of a warm-up comparison and writes a line for each step to standard
output.

Each line is saved in FOLDER/steps.jsonl before it is written to standard output, so the process can
be killed at any time. If it is started again with the same arguments, it repeats the same lines and
continues the same curve as without the interruption.
"""

import contextlib
import fcntl
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from model.errors import InvalidInput
from model.measure.stored_trainings import DIVERGED

if TYPE_CHECKING:
    from model.clinics.warmup import Comparison

CHECKPOINT_EVERY = 25


def main(folder: Path, question: dict) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "steps.jsonl").open("a+b") as log:
        fcntl.flock(log, fcntl.LOCK_EX)  # another process may still be taking its last step
        steps, question = (
            question["steps"],
            {name: value for name, value in question.items() if name != "steps"},
        )
        lines = whole_lines(log)
        if len(lines) < steps:
            go_on(folder, log, lines, steps, question)
        else:
            say(lines[:steps])


def whole_lines(log: BinaryIO) -> list[bytes]:
    """The saved lines. An incomplete last line was never written to standard output, and is removed
    from the file.
    """
    log.seek(0)
    lines = log.read().splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        log.truncate(sum(map(len, lines[:-1])))
        lines.pop()
    return lines


def go_on(folder: Path, log: BinaryIO, lines: list[bytes], steps: int, question: dict) -> None:
    import torch

    from model.clinics.warmup import Comparison

    torch.set_num_threads(1)
    comparison = Comparison(**question)
    restore(folder, comparison, question, len(lines))
    while comparison.done < len(lines):
        if (
            line_of(comparison) != lines[comparison.done - 1]
        ):  # with another processor or torch version, start over
            log.truncate(0)
            lines, comparison = [], Comparison(**question)
    say(lines)
    while comparison.done < steps:
        line = line_of(comparison)
        log.write(line)
        log.flush()
        os.fsync(log.fileno())
        say([line])
        if comparison.done % CHECKPOINT_EVERY == 0:
            save(folder, comparison, question)
    (folder / "checkpoint.safetensors").unlink(missing_ok=True)


def line_of(comparison: "Comparison") -> bytes:
    """Takes one step of the comparison and returns its line: each arm's learning rate, the loss of
    each arm and seed before the step, and its mean over the seeds.
    """
    loss = comparison.step()
    line = {
        "step": comparison.done,
        "rate": comparison.rates(),
        "loss": loss.tolist(),
        "mean": loss.mean(-1).tolist(),
    }
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"


def say(lines: list[bytes]) -> None:
    sys.stdout.buffer.writelines(lines)
    sys.stdout.buffer.flush()


def save(folder: Path, comparison: "Comparison", question: dict) -> None:
    from safetensors.torch import save as as_bytes

    from model.zoo.files import write_atomically

    metadata = {"done": str(comparison.done), "question": json.dumps(question, sort_keys=True)}
    write_atomically(folder / "checkpoint.safetensors", as_bytes(comparison.state(), metadata))


def restore(folder: Path, comparison: "Comparison", question: dict, most: int) -> None:
    """Restores `comparison` from the checkpoint in `folder`, if it belongs to the same question and
    has taken at most `most` steps. Otherwise the comparison starts at its first step.
    """
    from safetensors import SafetensorError, safe_open

    for half in folder.glob("*.part"):
        half.unlink()
    try:
        with safe_open(folder / "checkpoint.safetensors", "pt") as file:
            about = file.metadata()
            if (
                about["question"] == json.dumps(question, sort_keys=True)
                and int(about["done"]) <= most
            ):
                names = file.keys()  # safe_open is not a dict
                comparison.restore(
                    {name: file.get_tensor(name) for name in names}, int(about["done"])
                )
    except (FileNotFoundError, SafetensorError):
        pass


if __name__ == "__main__":
    os.nice(10)  # gets about a tenth of a busy core; any lower might get no time at all
    try:
        main(Path(sys.argv[1]), json.loads(sys.argv[2]))
    except BrokenPipeError:
        os._exit(0)  # the reader has closed standard output
    except InvalidInput:
        os._exit(DIVERGED)
    except OSError as error:
        with contextlib.suppress(OSError):  # the log may be on the same full disk
            print(f"{error.filename or sys.argv[1]}: {error.strerror}", file=sys.stderr)
        os._exit(error.errno or 1)  # tells the service that the disk is full
