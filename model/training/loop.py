"""`train`: one training loop for every recipe. A training resumes from its last checkpoint, and the
same seed gives the same weights.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, TextIO, TypeVar, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor
from tqdm import tqdm

from model.config import Config
from model.inputs.tokenizers import InputTokenizer
from model.trace import Trace
from model.training.checkpoint import State, load_checkpoint, save_checkpoint, save_weights
from model.training.model_card import Card
from model.training.schedule import Cycle, cycle_at
from model.transformer import Transformer
from model.zoo.files import write_atomically
from model.zoo.initialisation import initialise

LOG_EVERY = 50


Batch = TypeVar("Batch")


@runtime_checkable
class Task(Protocol[Batch]):
    """The data of a recipe, in batches of any type, and the loss of a batch.

    `digest` is that of the data, so that a checkpoint is never resumed with other data.
    """

    digest: str

    @property
    def tokenizer(self) -> InputTokenizer: ...

    @property
    def config(self) -> Config: ...
    def epoch(self, generator: torch.Generator) -> Iterator[Batch]: ...
    def loss(self, model: Transformer, batch: Batch, trace: Trace) -> Float[Tensor, ""]: ...


@dataclass(frozen=True)
class Recipe:
    """How an included model is trained. `prepare(data)` reads the data folder and returns the task;
    `describe(task, model, steps)` measures the trained model and returns its card.

    A `teacher` is trained first, and the model continues from its weights; `prepare` then also gets
    the teacher's model. The weights of the `saved_steps` are written to `folder`/kept, and
    `describe` gets that folder as `checkpoints`. Weights are rounded to `stored` before they are
    measured and written. A recipe without `describe` is a teacher.
    """

    id: str
    cycles: tuple[Cycle, ...]
    prepare: Callable[..., Task]
    describe: Callable[..., Card] | None = None
    teacher: "Recipe | None" = None
    checkpoint_every: int = 250
    saved_steps: tuple[int, ...] = ()
    stored: torch.dtype = torch.float32

    @property
    def steps(self) -> int:
        return sum(cycle.steps for cycle in self.cycles)


def batches_from(task: Task[Batch], seed: int, done: int) -> Iterator[Batch]:
    """The batches of `task` from number `done` on, endlessly. The order within an epoch depends
    only on the seed and the number of the epoch.
    """
    epoch = passed = 0
    while True:
        generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
        for batch in task.epoch(generator):
            if passed >= done:
                yield batch
            passed += 1
        epoch += 1


def train(
    recipe: Recipe,
    task: Task,
    folder: Path,
    seed: int = 0,
    stop_after: int | None = None,
    teacher: Transformer | None = None,
) -> tuple[Transformer, State]:
    """Trains to the end of the last cycle, or to step `stop_after`, and returns the model and the
    state reached. `folder` holds the checkpoint and losses.jsonl.
    """
    model = initialise(Transformer(task.config), torch.Generator().manual_seed(seed))
    if teacher is not None:
        model.load_state_dict(teacher.state_dict())
    optimizer = torch.optim.Adam(
        model.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9, fused=True
    )
    drops = torch.Generator().manual_seed(seed + 1)
    run = run_of(recipe, task, seed)
    state = load_checkpoint(folder, model, optimizer, drops, run)
    log = open_log(folder / "losses.jsonl", state.done)
    last = min(recipe.steps, stop_after or recipe.steps)
    started, before, recent = time.monotonic(), state.seconds, []
    bar = tqdm(total=recipe.steps, initial=state.done, unit="step", desc=recipe.id, smoothing=0.05)
    if state.done == 0 and 0 in recipe.saved_steps:
        keep(folder, model, 0)
    for batch in batches_from(task, seed, state.done) if state.done < last else ():
        cycle, step = cycle_at(recipe.cycles, state.done)
        rate = cycle.rate(step)
        optimizer.param_groups[0]["lr"] = rate
        optimizer.zero_grad()
        loss = task.loss(model, batch, Trace(cycle.dropout.hook(task.config, drops)))
        loss.backward()
        optimizer.step()
        state.done, state.seconds = state.done + 1, before + time.monotonic() - started
        recent.append(loss.item())
        bar.update()
        if state.done % LOG_EVERY == 0 or state.done == last:
            mean = sum(recent) / len(recent)
            write_line(log, state, mean, rate)
            bar.set_postfix(loss=f"{mean:.3f}", rate=f"{rate:.1e}")
            recent.clear()
        if state.done % recipe.checkpoint_every == 0 or state.done == last:
            save_checkpoint(folder, model, optimizer, drops, state, run)
        if state.done in recipe.saved_steps:
            keep(folder, model, state.done)
        if state.done == last:
            break
    bar.close()
    log.close()
    return model, state


def train_after_teacher(
    recipe: Recipe, data: Path, work: Path, seed: int, stop_after: int | None
) -> tuple[Task, Transformer, State] | None:
    """The task, the trained model, and the steps and time of the training, including its teacher's;
    None if `stop_after` ends a part before its last cycle.
    """
    teacher, before = None, State()
    if recipe.teacher:
        first = train_after_teacher(recipe.teacher, data, work, seed, stop_after)
        if first is None:
            return None
        _, teacher, before = first
    task = recipe.prepare(data, teacher) if teacher else recipe.prepare(data)
    model, state = train(recipe, task, work / recipe.id, seed, stop_after, teacher)
    return (task, model, before + state) if state.done >= recipe.steps else None


def run_of(recipe: Recipe, task: Task, seed: int) -> dict[str, Any]:
    """Identifies the run of a checkpoint: another recipe, seed, or data set cannot resume it."""
    return {
        "recipe": recipe.id,
        "seed": seed,
        "data": task.digest,
        "cycles": [asdict(cycle) for cycle in recipe.cycles],
    }


def keep(folder: Path, model: Transformer, step: int) -> None:
    """Writes the weights of a step that is stored permanently."""
    write_atomically(folder / "kept" / f"{step:06d}.safetensors", save_weights(model))


def open_log(path: Path, done: int) -> TextIO:
    """The loss curve file, open for appending. Lines after step `done`, the last checkpoint, are
    removed, because those steps are repeated.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (
        [line for line in path.read_text().splitlines() if json.loads(line)["step"] <= done]
        if path.is_file()
        else []
    )
    path.write_text("".join(f"{line}\n" for line in lines))
    return path.open("a")


def write_line(log: TextIO, state: State, loss: float, rate: float) -> None:
    """Appends a line to the loss curve. `loss` is the mean since the previous line, `rate` the
    learning rate of the last step.
    """
    line = {
        "step": state.done,
        "loss": loss,
        "rate": rate,
        "seconds": round(state.seconds, 1),
    }
    log.write(json.dumps(line) + "\n")
    log.flush()
