"""The patches of one question: two runs of one model, activations of the clean one copied into the
corrupted one, and what each copy restores.
"""

from dataclasses import dataclass
from itertools import combinations_with_replacement

import torch
from torch import Tensor

from model import progress
from model.activations.activation import input_axis, stack_output
from model.activations.catalogue import activations
from model.answers.answer import Axis, Labelled, numbered
from model.checks import check_exists, check_head, check_one_of
from model.edits.cells import positions_axis
from model.edits.edit import Edit, Edits
from model.errors import InvalidInput, UnknownName
from model.generation.decoding import IncrementalDecoder, greedy_decode
from model.inputs.input import Input
from model.interpretability.patching.activations import (
    METRICS,
    TOO_SMALL,
    Goal,
    Pair,
    aligned,
    everything,
    goal_of,
    head_sites,
    measured,
    patch,
    restored,
    sites,
)
from model.interpretability.patching.clean_input import main_field
from model.interpretability.patching.paths import paths
from model.runs.run import Run
from model.runs.run_model import run_model

FORMULA = "(metric of the patched run - corrupted) / (clean - corrupted)"
TOP = 3


@dataclass(frozen=True)
class PatchingQuestion:
    """What all patches of one question have in common."""

    clean: Run
    corrupted: Run
    source: Input
    goal: Goal
    metric: str
    stack: str
    pairs: tuple[Pair, ...]
    receiver: str | None
    receiver_head: int | None
    wanted: tuple[str, ...] | None = None

    @property
    def layers(self) -> range:
        return range(self.corrupted.config.layers(self.stack))

    def metric_of(self, run: Run) -> float:
        """The metric of a run."""
        rows = run.logits[self.goal.step][None].double()
        return METRICS[self.metric].measure(rows, self.goal).item()

    @property
    def ends(self) -> tuple[float, float]:
        """The metric of the corrupted and of the clean run."""
        return self.metric_of(self.corrupted), self.metric_of(self.clean)

    @property
    def differ(self) -> bool:
        low, high = self.ends
        return abs(high - low) >= TOO_SMALL

    @property
    def sites(self) -> list[str]:
        """The sites to patch: the requested ones, or all."""
        known = self.known_sites
        return [site for site in known if self.wanted is None or site in self.wanted]

    @property
    def known_sites(self) -> list[str]:
        same_length = size(self.clean, self.stack) == size(self.corrupted, self.stack)
        return sites(self.corrupted.config, self.stack, same_length)

    @property
    def head_sites(self) -> list[str]:
        return head_sites(self.corrupted.config, self.stack)

    @property
    def axes(self) -> dict[str, Axis]:
        """The axes of all tensors; positions are labeled with the tokens of the corrupted run."""
        config = self.corrupted.config
        tokens = labels(
            self.corrupted, input_axis(config, self.stack), size(self.corrupted, self.stack)
        )
        return {
            "site": Axis("part", len(self.sites), self.sites),
            "head_site": Axis("part", len(self.head_sites), self.head_sites),
            "layer": numbered("layer", list(self.layers), "layer"),
            "position": Axis("position", len(self.pairs), [tokens[here] for _, here in self.pairs]),
            "with": Axis("position", len(self.pairs), [tokens[here] for _, here in self.pairs]),
        }

    def check_receiver(self) -> None:
        """Raises UnknownName or InvalidInput for a receiver that does not exist."""
        if self.receiver is None:
            if self.receiver_head is not None:
                raise InvalidInput("receiver-missing", field="receiver_head")
            return
        known = activations(self.corrupted.config)
        if self.receiver not in known:
            raise UnknownName("unknown-receiver", self.receiver, known)
        if self.receiver_head is not None:
            if "head" not in known[self.receiver].index:
                raise InvalidInput(
                    "receiver-has-no-heads", field="receiver_head", receiver=self.receiver
                )
            check_head(self.corrupted.model.id, self.receiver_head, self.corrupted.config.n_heads)

    def measure(self, rows: list) -> tuple[Tensor, Tensor]:
        """The metric and prediction of the corrupted run with each of `rows`, the edits of one
        patch; only through the receiver, if there is one. Patches with equal values in both runs
        are skipped: two causal runs agree before their first different token.
        """
        if self.receiver is None:
            edits = [tuple(edit for edit in row if self.differs(edit)) for row in rows]
            return measured(self.corrupted, edits, self.goal, self.metric)
        edits = paths(self.corrupted, [row[0] for row in rows], self.receiver, self.receiver_head)
        with progress.part(0.5, 1):
            return measured(self.corrupted, edits, self.goal, self.metric)

    def differs(self, edit: Edit) -> bool:
        """Whether a patch copies different values."""
        name = edit.at
        at = positions_axis(self.corrupted.activation(name))
        clean, corrupted = self.clean.trace[name], self.corrupted.trace[name]
        return at is None or not all(
            torch.equal(clean.select(at, there), corrupted.select(at, here))
            for there, here in edit.positions
        )

    def grid(self, names: list[str]) -> tuple[Tensor, Tensor]:
        """The metric, and the predictions [site, layer, position]."""
        rows = [
            [patch(f"{self.stack}.{layer}.{name}", [pair], self.source)]
            for name in names
            for layer in self.layers
            for pair in self.pairs
        ]
        numbers, ids = self.measure(rows)
        shape = (len(names), len(self.layers), len(self.pairs))
        return numbers.view(shape), ids.view(shape)

    def head_metrics(self, names: list[str]) -> Tensor:
        """The metric with one head patched [head_site, head, layer, position]."""
        n_heads = self.corrupted.config.n_heads
        rows = [
            [patch(f"{self.stack}.{layer}.{name}", [pair], self.source, head)]
            for name in names
            for head in range(n_heads)
            for layer in self.layers
            for pair in self.pairs
        ]
        return self.measure(rows)[0].view(len(names), n_heads, len(self.layers), len(self.pairs))

    def pair_metrics(self, name: str) -> tuple[Tensor, list[list[str]]]:
        """The metric with two positions patched [position, with], and the predictions."""
        n = len(self.pairs)
        places = list(combinations_with_replacement(range(n), 2))
        rows = [
            [patch(name, [self.pairs[at] for at in sorted({a, b})], self.source)] for a, b in places
        ]
        numbers, ids = self.measure(rows)
        found, texts = torch.zeros(n, n, dtype=numbers.dtype), [[""] * n for _ in range(n)]
        for (a, b), number, id in zip(places, numbers, ids.tolist(), strict=True):
            found[a, b] = found[b, a] = number
            texts[a][b] = texts[b][a] = self.label(id)
        return found, texts

    def effects(self, numbers: Tensor) -> Tensor:
        """The fraction restored; if clean and corrupted metric are equal, the change of the
        metric.
        """
        low, high = self.ends
        return restored(numbers, low, high) if self.differ else numbers - low

    def tensors(self, name: str, axes: tuple[str, ...], numbers: Tensor) -> dict[str, Labelled]:
        formula = METRICS[self.metric].formula
        found = {
            f"measured{name}": Labelled(axes, numbers.float(), f"{formula}, of the patched run")
        }
        if self.differ:
            found[f"restored{name}"] = Labelled(axes, self.effects(numbers).float(), FORMULA)
        return found

    def label(self, id: int) -> str:
        return self.corrupted.model.answer_label(id)

    def answers(self, logits: Tensor) -> list[dict]:
        """The most probable predictions at the measured step."""
        best = logits[self.goal.step].softmax(-1).topk(min(TOP, logits.shape[-1]))
        return [
            {"text": self.label(id), "id": id, "probability": chance}
            for chance, id in zip(best.values.tolist(), best.indices.tolist(), strict=True)
        ]

    def fields(self, site: str, layer: int, at: int) -> dict:
        """The two runs, and the run with the selected patch."""
        low, high = self.ends
        there, here = self.pairs[at]
        name = f"{self.stack}.{layer}.{site}"
        chosen = (patch(name, [(there, here)], self.source),)
        edits = (
            chosen
            if self.receiver is None
            else paths(self.corrupted, chosen, self.receiver, self.receiver_head)[0]
        )
        input = Input(**self.corrupted.input)
        patched = run_model(self.corrupted.model, input, edits=edits)
        value = self.metric_of(patched)
        whole = self.whole()
        return {
            "stack": self.stack,
            "metric": self.metric,
            "metric_formula": METRICS[self.metric].formula,
            "unit": METRICS[self.metric].unit,
            "step": self.goal.step,
            "receiver": self.receiver,
            "receiver_head": self.receiver_head,
            "reads": main_field(self.corrupted.model),
            "answer_clean": self.label(self.goal.clean),
            "answer_corrupted": self.label(self.goal.corrupted),
            "clean": self.run_fields(self.clean, high),
            "corrupted": self.run_fields(self.corrupted, low),
            "patched": self.run_fields(patched, value),
            "difference": high - low,
            "nothing": 0.0 if self.differ else None,
            "everything": whole,
            "site": site,
            "layer": layer,
            "position": at,
            "chosen_restored": restored(torch.tensor(value), low, high).item()
            if self.differ
            else None,
            "edit": {
                "op": "patch",
                "at": name,
                "from": {key: text for key, text in vars(self.source).items() if text is not None},
                "positions": [[there, here]],
            },
        }

    def run_fields(self, run: Run, value: float) -> dict:
        """One of the runs: its input, tokens, metric, predictions, and generated text."""
        axis = input_axis(run.config, self.stack)
        return {
            "input": run.input,
            "tokens": labels(run, axis, size(run, self.stack)),
            "value": value,
            "answers": self.answers(run.logits),
            "writes": greedy_output(run),
        }

    def whole(self) -> float | None:
        """The fraction restored if everything that the stacks read is patched; None if the runs
        have different lengths, or nothing can be restored.
        """
        ends = [self.clean.trace[f"{s}.0.residual.in"].shape for s in self.clean.config.stacks]
        here = [self.corrupted.trace[f"{s}.0.residual.in"].shape for s in self.clean.config.stacks]
        if ends != here or not self.differ:
            return None
        edits: Edits = everything(self.clean.config, self.source)
        numbers, _ = measured(self.corrupted, [edits], self.goal, self.metric)
        return self.effects(numbers).item()


def patches_of(
    clean: Run,
    corrupted: Run,
    source: Input,
    metric: str | None,
    step: int | None,
    stack: str,
    positions: list[list[int]] | None,
    receiver: str | None,
    receiver_head: int | None,
    wanted: tuple[str, ...] | None,
) -> PatchingQuestion:
    """The common data of a question's patches; `source` is the input of the clean run. Raises
    InvalidInput or UnknownName for positions, a step, a receiver, or a site, one of `wanted`, that
    does not exist.
    """
    axis, both = input_axis(corrupted.config, stack), (clean, corrupted)
    copied = aligned(axis, *(size(run, stack) for run in both), positions)
    if step is not None:
        check_exists("step", step, corrupted.model.id, min(map(positions_of, both)))
    goal = goal_of(clean, corrupted, step)
    if metric is None:
        metric = "logit_difference" if goal.clean != goal.corrupted else "log_probability"
    question = PatchingQuestion(
        clean, corrupted, source, goal, metric, stack, copied, receiver, receiver_head, wanted
    )
    question.check_receiver()
    for site in wanted or ():
        check_one_of("sites", site, question.known_sites)
    return question


def positions_of(run: Run) -> int:
    return len(run.logits)


def size(run: Run, stack: str) -> int:
    return len(run.trace[f"{stack}.0.residual.in"])


def labels(run: Run, axis: str, length: int) -> list[str]:
    named = run.inputs[axis].labels if axis in run.inputs else None
    return named or [str(at) for at in range(length)]


def greedy_output(run: Run) -> str | None:
    """The greedy output of a text encoder-decoder, given this run's encoder output; None for other
    models.
    """
    config = run.config
    if config.family != "encoder-decoder" or config.inputs != "tokens":
        return None
    source = [[token.id for token in run.tokens["source"]]]
    decoder = IncrementalDecoder(run.model.transformer, source)
    decoder.begin()
    decoder.memory = run.trace[stack_output(config, "encoder")][None]
    tokenizer, limit = run.model.text_tokenizer, config.max_length - 1
    start = torch.tensor([[tokenizer.frame.start]])
    (ids,) = greedy_decode(decoder, start, limit, tokenizer.frame)
    return tokenizer.decode(ids)
