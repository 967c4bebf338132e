"""Patching: two inputs of one model, and how much of the difference between their answers each
number restores that is copied from the clean run into the corrupted one.
"""

from dataclasses import dataclass
from itertools import combinations_with_replacement

import torch
from torch import Tensor

from model.activations.activation import input_axis, stack_output
from model.activations.catalogue import activations
from model.answers import progress
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.checks import check_exists, check_head, check_layer, check_one_of, check_stack
from model.edits.edit import Edits
from model.errors import InvalidInput, UnknownName
from model.generation.decoding import IncrementalDecoder, greedy_decode
from model.inputs.given import Input
from model.inputs.text import START
from model.interpretability.activation_patching import (
    METRICS,
    TOO_SMALL,
    Goal,
    Pair,
    everything,
    goal_of,
    head_sites,
    measured,
    patch,
    restored,
    sites,
)
from model.interpretability.clean_input import counterpart, held, main_field, read_input
from model.interpretability.path_patching import paths
from model.runs.run import Run
from model.runs.run_model import Runs, run_model
from model.zoo.models import Model

FORMULA = "(metric of the patched run - corrupted) / (clean - corrupted)"
TOP = 3
SEEN = 0.1
"""What a patch restores at least in the layer that is chosen where none is named."""


@torch.inference_mode()
def patching(
    model: Model,
    input: Input,
    runs: Runs,
    *,
    clean: str | None = None,
    corrupted: str | None = None,
    metric: str | None = None,
    step: int | None = None,
    stack: str | None = None,
    positions: list[list[int]] | None = None,
    site: str | None = None,
    layer: int | None = None,
    position: int | None = None,
    receiver: str | None = None,
    receiver_head: int | None = None,
    heads: bool = False,
    pairs: bool = False,
) -> Answer:
    """Answers with `restored` [site, layer, position]: one number of the clean run is copied into
    the corrupted one, at one site, layer and position of `stack`; 0 is the corrupted run, 1 the
    clean one. `metric` measures the answer at the position `step` of the logits (METRICS,
    `goal_of`); `measured` has its values. `restored` is missing where clean and corrupted run
    differ by less than TOO_SMALL.

    The corrupted input is `corrupted` or the input of the question. A target is held: both runs
    read that of the corrupted run, unless `clean` has its own. Inputs of different lengths need
    `positions`, pairs of a position of the clean run and the one of the corrupted run that it is
    copied to.

    With `receiver`, the name of an activation, or one head of it, a patch acts on nothing but the
    receiver (path patching). `heads` adds the same for what each head has gathered, and `pairs`
    patches two positions at once, at `site` in `layer`. `site`, `layer` and `position` choose the
    patch whose answers are told: without them the stream that the first layer reads in which a
    patch restores something, at the position that restores most. Without `metric` it is the
    difference of two logits, or the log-probability where both runs answer the same. Raises
    InvalidInput or UnknownName.
    """
    config = model.config
    if config.segments:
        raise InvalidInput(
            f"{model.id} remembers earlier segments, which no patch reaches: choose another model.",
            field="model",
            given=model.id,
        )
    if metric is not None:
        check_one_of("metric", metric, METRICS)
    stack = config.stacks[0] if stack is None else stack
    check_stack(model.id, stack, config.stacks)
    before = runs(model, corrupted_input(model, input, corrupted))
    given = counterpart(model, before, runs) if clean is None else read_input(model, "clean", clean)
    given = held(given, before)
    wanted = runs(model, given)
    axis = input_axis(config, stack)
    both = size(wanted, stack), size(before, stack)
    copied = aligned(axis, *both, positions)
    if step is not None:
        check_exists("step", step, model.id, min(map(positions_of, (before, wanted))))
    goal = goal_of(wanted, before, step)
    if metric is None:
        metric = "logit_difference" if goal.clean != goal.corrupted else "log_probability"
    question = Patches(wanted, before, given, goal, metric, stack, copied, receiver, receiver_head)
    question.check_receiver()
    names = sites(config, stack, both[0] == both[1])
    chosen = names[0] if site is None else site
    check_one_of("site", chosen, names)
    if layer is not None:
        check_layer(stack, layer, config.layers(stack))
    n_pairs = len(question.pairs)
    if position is not None:
        check_exists("position", position, f"the {axis}", n_pairs)

    parts = 1 + heads + pairs
    with progress.part(0, 1 / parts):
        grid, _ = question.grid(names)
    tensors = question.tensors("", ("site", "layer", "position"), grid)
    if heads:
        with progress.part(1 / parts, 2 / parts):
            by_head = question.of_heads(head_sites(config, stack))
        tensors |= question.tensors("_by_head", ("head_site", "head", "layer", "position"), by_head)
    fields: dict = {}
    of_site = question.share(grid[names.index(chosen)])
    if layer is None:
        layer = next((at for at, row in enumerate(of_site) if row.max() >= SEEN), 0)
    if pairs:
        with progress.part(1 - 1 / parts, 1):
            by_pair, said = question.of_pairs(f"{stack}.{layer}.{chosen}")
        tensors |= question.tensors("_by_pair", ("position", "with"), by_pair)
        fields["pair_answers"] = said
    most = int(of_site[layer].argmax()) if position is None else position
    tokens = labels(before, axis, size(before, stack))
    axes = {
        "site": Axis("part", len(names), names),
        "head_site": Axis("part", len(head_sites(config, stack)), head_sites(config, stack)),
        "layer": numbered("layer", list(range(config.layers(stack))), "layer"),
        "position": Axis("position", n_pairs, [tokens[here] for _, here in question.pairs]),
        "with": Axis("position", n_pairs, [tokens[here] for _, here in question.pairs]),
    }
    return before.answer(tensors, fields | question.fields(chosen, layer, most), axes)


def corrupted_input(model: Model, input: Input, corrupted: str | None) -> Input:
    if corrupted is None:
        return input
    if input != Input():
        field = next(name for name, value in vars(input).items() if value is not None)
        raise InvalidInput(
            f"The corrupted input is given twice: leave out `corrupted` or `{field}`.",
            field="corrupted",
        )
    return read_input(model, "corrupted", corrupted)


def positions_of(run: Run) -> int:
    return len(run.trace["logits"])


def size(run: Run, stack: str) -> int:
    return len(run.trace[f"{stack}.0.residual.in"])


def labels(run: Run, axis: str, length: int) -> list[str]:
    named = run.inputs[axis].labels if axis in run.inputs else None
    return named or [str(at) for at in range(length)]


def aligned(
    axis: str, clean: int, corrupted: int, positions: list[list[int]] | None
) -> tuple[Pair, ...]:
    """Which position of the clean run goes to which of the corrupted one. Raises InvalidInput for
    runs of different lengths without `positions`, and for positions that do not exist.
    """
    if positions is None:
        if clean != corrupted:
            raise InvalidInput(
                f"The {axis} has {clean} tokens in the clean input and {corrupted} in the corrupted"
                " one: give inputs of as many tokens, or say in `positions` which position of the"
                " clean one goes to which of the corrupted one.",
                field="clean",
                limit=corrupted,
                given=clean,
            )
        return tuple((at, at) for at in range(corrupted))
    for which, name, length in ((0, "clean", clean), (1, "corrupted", corrupted)):
        for pair in positions:
            if not 0 <= pair[which] < length:
                raise InvalidInput(
                    f"Position {pair[which]} does not exist; the {name} {axis} has positions 0 to"
                    f" {length - 1}.",
                    field="positions",
                    limit=length - 1,
                    given=pair[which],
                )
    pairs = tuple(sorted({(there, here) for there, here in positions}, key=lambda pair: pair[1]))
    if not pairs or len({here for _, here in pairs}) < len(pairs):
        raise InvalidInput(
            "Give at least one pair in `positions`, and each position of the corrupted input once.",
            field="positions",
        )
    return pairs


@dataclass(frozen=True)
class Patches:
    """All that the patches of one question have in common."""

    clean: Run
    corrupted: Run
    given: Input
    goal: Goal
    metric: str
    stack: str
    pairs: tuple[Pair, ...]
    receiver: str | None
    receiver_head: int | None

    @property
    def layers(self) -> range:
        return range(self.corrupted.config.layers(self.stack))

    def of(self, run: Run) -> float:
        """The metric of a run."""
        rows = run.trace["logits"][self.goal.step][None].double()
        return METRICS[self.metric].measure(rows, self.goal).item()

    @property
    def ends(self) -> tuple[float, float]:
        """The metric of the corrupted run and of the clean one."""
        return self.of(self.corrupted), self.of(self.clean)

    @property
    def differ(self) -> bool:
        low, high = self.ends
        return abs(high - low) >= TOO_SMALL

    def check_receiver(self) -> None:
        """Raises UnknownName or InvalidInput for a receiver that does not exist."""
        if self.receiver is None:
            if self.receiver_head is not None:
                raise InvalidInput(
                    "A head of the receiver needs a receiver: give `receiver`, the name of an"
                    " activation.",
                    field="receiver_head",
                )
            return
        known = activations(self.corrupted.config)
        if self.receiver not in known:
            raise UnknownName("receiver", self.receiver, known)
        if self.receiver_head is not None:
            if "head" not in known[self.receiver].index:
                raise InvalidInput(
                    f"{self.receiver} has no heads: leave out `receiver_head`.",
                    field="receiver_head",
                )
            check_head(self.corrupted.model.id, self.receiver_head, self.corrupted.config.n_heads)

    def measure(self, rows: list) -> tuple[Tensor, Tensor]:
        """The metric and the answer of the corrupted run with each of `rows`, edits of one patch
        each; through the receiver alone, where there is one.
        """
        if self.receiver is None:
            return measured(self.corrupted, [tuple(row) for row in rows], self.goal, self.metric)
        told = paths(self.corrupted, [row[0] for row in rows], self.receiver, self.receiver_head)
        with progress.part(0.5, 1):
            return measured(self.corrupted, told, self.goal, self.metric)

    def grid(self, names: list[str]) -> tuple[Tensor, Tensor]:
        """The metric, and what is answered [site, layer, position]."""
        rows = [
            [patch(f"{self.stack}.{layer}.{name}", [pair], self.given)]
            for name in names
            for layer in self.layers
            for pair in self.pairs
        ]
        numbers, ids = self.measure(rows)
        shape = (len(names), len(self.layers), len(self.pairs))
        return numbers.view(shape), ids.view(shape)

    def of_heads(self, names: list[str]) -> Tensor:
        """The metric where one head is patched [head_site, head, layer, position]."""
        n_heads = self.corrupted.config.n_heads
        rows = [
            [patch(f"{self.stack}.{layer}.{name}", [pair], self.given, head)]
            for name in names
            for head in range(n_heads)
            for layer in self.layers
            for pair in self.pairs
        ]
        return self.measure(rows)[0].view(len(names), n_heads, len(self.layers), len(self.pairs))

    def of_pairs(self, name: str) -> tuple[Tensor, list[list[str]]]:
        """The metric where two positions are patched [position, with], and what is then said."""
        n = len(self.pairs)
        places = list(combinations_with_replacement(range(n), 2))
        rows = [
            [patch(name, [self.pairs[at] for at in sorted({a, b})], self.given)] for a, b in places
        ]
        numbers, ids = self.measure(rows)
        found, said = torch.zeros(n, n, dtype=numbers.dtype), [[""] * n for _ in range(n)]
        for (a, b), number, id in zip(places, numbers, ids.tolist(), strict=True):
            found[a, b] = found[b, a] = number
            said[a][b] = said[b][a] = self.label(id)
        return found, said

    def share(self, numbers: Tensor) -> Tensor:
        """What is restored; where there is no difference, how far the metric moves."""
        low, high = self.ends
        return restored(numbers, low, high) if self.differ else numbers - low

    def tensors(self, name: str, axes: tuple[str, ...], numbers: Tensor) -> dict[str, Labelled]:
        formula = METRICS[self.metric].formula
        found = {
            f"measured{name}": Labelled(axes, numbers.float(), f"{formula}, of the patched run")
        }
        if self.differ:
            found[f"restored{name}"] = Labelled(axes, self.share(numbers).float(), FORMULA)
        return found

    def label(self, id: int) -> str:
        return self.corrupted.model.tokenizer.label(id)

    def answers(self, logits: Tensor) -> list[dict]:
        """The most probable answers at the step that is measured."""
        best = logits[self.goal.step].softmax(-1).topk(min(TOP, logits.shape[-1]))
        return [
            {"text": self.label(id), "id": id, "probability": chance}
            for chance, id in zip(best.values.tolist(), best.indices.tolist(), strict=True)
        ]

    def fields(self, site: str, layer: int, at: int) -> dict:
        """The two runs, and the run of the patch that was chosen."""
        low, high = self.ends
        there, here = self.pairs[at]
        name = f"{self.stack}.{layer}.{site}"
        one = (patch(name, [(there, here)], self.given),)
        edits = (
            one
            if self.receiver is None
            else paths(self.corrupted, one, self.receiver, self.receiver_head)[0]
        )
        given = Input(**self.corrupted.input)
        patched = run_model(self.corrupted.model, given, edits=edits)
        value = self.of(patched)
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
            "clean": self.told(self.clean, high),
            "corrupted": self.told(self.corrupted, low),
            "patched": self.told(patched, value),
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
                "from": {key: text for key, text in vars(self.given).items() if text is not None},
                "positions": [[there, here]],
            },
        }

    def told(self, run: Run, value: float) -> dict:
        """One of the runs: its input, its tokens, its metric, and what it answers and writes."""
        axis = input_axis(run.config, self.stack)
        return {
            "input": run.input,
            "tokens": labels(run, axis, size(run, self.stack)),
            "value": value,
            "answers": self.answers(run.trace["logits"]),
            "writes": written(run),
        }

    def whole(self) -> float | None:
        """What is restored where all that the stacks read is patched; None where the two runs have
        other lengths, or nothing to restore.
        """
        ends = [self.clean.trace[f"{one}.0.residual.in"].shape for one in self.clean.config.stacks]
        here = [
            self.corrupted.trace[f"{one}.0.residual.in"].shape for one in self.clean.config.stacks
        ]
        if ends != here or not self.differ:
            return None
        edits: Edits = everything(self.clean.config, self.given)
        numbers, _ = measured(self.corrupted, [edits], self.goal, self.metric)
        return self.share(numbers).item()


def written(run: Run) -> str | None:
    """What an encoder-decoder of texts writes, greedily, from what the encoder of this run hands
    it; None for any other model.
    """
    config = run.config
    if config.family != "encoder-decoder" or config.inputs != "tokens":
        return None
    source = [[token.id for token in run.tokens["source"]]]
    decoder = IncrementalDecoder(run.model.transformer, source)
    decoder.memory = run.trace[stack_output(config, "encoder")][None]
    (ids,) = greedy_decode(decoder, torch.tensor([[START]]), config.max_length - 1)
    return run.model.text_tokenizer.decode(ids)
