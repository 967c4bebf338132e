"""`Experiment`: members that are each trained with several seeds and measured. An interrupted run
resumes after the last finished training.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from model.errors import CorruptWeights
from model.training.schedule import Cycle
from model.zoo.files import write_atomically, write_json
from model.zoo.results import result_path


class Prepared(Protocol):
    """The data of an experiment. `digest` is that of the data and of everything measured before."""

    digest: str

    @property
    def facts(self) -> dict[str, Any]:
        """What a reader needs to know in addition to the numbers: sizes, steps, and the data's
        notice.
        """
        ...

    def measure(self, member: str, seed: int) -> list[float]:
        """Trains `member` with `seed` and returns its measures."""
        ...


@dataclass(frozen=True)
class Experiment:
    """The comparison. Each of `members` is trained with the seeds 0 to `seeds` - 1; its measures
    are in the order of `axis`, whose values or names are `points`.
    """

    id: str
    members: tuple[str, ...]
    seeds: int
    axis: str
    points: tuple[int | str, ...]
    prepare: Callable[[Path], Prepared]

    def trainings(self) -> Iterator[tuple[int, str]]:
        """Seed by seed, so that all members have equally many seeds."""
        yield from ((seed, member) for seed in range(self.seeds) for member in self.members)


def run(experiment: Experiment, data: Path, work: Path, results: Path) -> Path:
    """Runs `experiment` on the folder `data` and returns the file with its results in `results`.

    `work` holds what has been measured so far. Raises CorruptWeights if that was measured on other
    data.
    """
    prepared = experiment.prepare(data)
    progress = work / experiment.id / "measured.json"
    state: dict[str, Any] = {"digest": prepared.digest, "measured": {}}
    if progress.is_file():
        state = json.loads(progress.read_text())
        if state["digest"] != prepared.digest:
            raise CorruptWeights("measured-on-other-data", progress=progress)
    measured = state["measured"]
    for seed, member in experiment.trainings():
        done = measured.setdefault(member, [])
        if len(done) <= seed:
            done.append(prepared.measure(member, seed))
            write_atomically(progress, json.dumps(state).encode())
    content = {
        "id": experiment.id,
        experiment.axis: list(experiment.points),
        "seeds": experiment.seeds,
        "measured": {member: measured[member][: experiment.seeds] for member in experiment.members},
        "facts": prepared.facts,
        "data_sha256": prepared.digest,
    }
    path = result_path(experiment.id, results)
    write_json(path, content)
    return path


def losses_along(
    model: nn.Module,
    cycle: Cycle,
    steps: Sequence[int],
    learn_from: Callable[[], Tensor],
    held_out: Callable[[], Tensor],
) -> list[float]:
    """Trains `model` to the last of `steps` with the loss `learn_from`, and returns the loss
    `held_out` after each of `steps`.
    """
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    found = []
    for step in range(steps[-1] + 1):
        if step in steps:
            with torch.no_grad():
                found.append(held_out().item())
        if step < steps[-1]:
            optimizer.param_groups[0]["lr"] = cycle.rate(step)
            optimizer.zero_grad()
            learn_from().backward()
            optimizer.step()
    return found
