"""Measures what a text model saw in training, and its accuracy at each confidence.

The held-out texts are run as in the service, so that the confidence on a page and in the record are
the same number.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from model.calibration.confidence import SHARE, confidence, predictions, read_tokens, unigram_nll
from model.calibration.record import FILE, Calibration
from model.inputs.input import Input
from model.runs.run import Run
from model.runs.run_model import run_model
from model.zoo.files import write_atomically
from model.zoo.models import Model

GROUPS = 10
UNKNOWN = Calibration("", [], GROUPS, 0, 0.0, [], [0.0] * GROUPS, "", "")


@dataclass(frozen=True)
class Trial:
    """A held-out input, and the correct predictions: the ids of any of these."""

    input: Input
    right: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Texts:
    """The ids of every training text, the held-out `trials`, their name, and in words what counts
    as correct.
    """

    read: Iterable[Iterable[int]]
    trials: list[Trial]
    name: str
    done: str


def measure(model: Model, texts: Texts) -> Calibration:
    """Runs the trials and counts the tokens."""
    counts = Counter(id for text in texts.read for id in text)
    table = [counts[id] for id in range(model.text_tokenizer.size)]
    lengths, surprises, found = [], [], []
    for trial in texts.trials:
        run = run_model(model, trial.input)
        ids = [token.id for token in read_tokens(run)]
        lengths.append(len(ids))
        surprises.append(unigram_nll(table, ids))
        found.append((sure_of(run), answered(run) in trial.right))
    found.sort()
    groups = np.array_split(np.arange(len(found)), GROUPS)
    return Calibration(
        weights_sha256=model.card["weights_sha256"],
        counts=table,
        texts=len(found),
        shortest=int(np.quantile(lengths, 1 - SHARE, method="lower")),
        surprise=round(float(np.quantile(surprises, SHARE, method="higher")), 4),
        edges=[round(found[group[0]][0], 4) for group in groups[1:]],
        right=[round(float(np.mean([found[i][1] for i in group])), 4) for group in groups],
        of=texts.name,
        done=texts.done,
    )


def sure_of(run: Run) -> float:
    """Only the confidence, which needs no record."""
    sure = confidence(run, UNKNOWN)
    assert sure is not None, "a trial is one that the model answers"
    return sure.value


def answered(run: Run) -> tuple[int, ...]:
    """The predicted ids, without the end token."""
    ids, _ = predictions(run)
    return tuple(id for id in ids if id not in run.model.text_tokenizer.frame.special)


def write(folder: Path, known: Calibration) -> None:
    """Writes the record next to the weights."""
    content = json.dumps(asdict(known), separators=(",", ":"), ensure_ascii=False)
    write_atomically(folder / FILE, content.encode())
