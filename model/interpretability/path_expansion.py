"""The contribution of each path on texts with repetitions, the effect of removing it, and both over
training.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from model import progress
from model.activations.activation import input_axis
from model.answers.answer import Axis, Labelled, Section, numbered
from model.answers.measurements import Measurement, fact
from model.errors import UnknownName
from model.inputs.letters import LetterTokenizer
from model.interpretability.circuits.paths import (
    DIRECT,
    AttentionStack,
    Removal,
    Repetition,
    matching,
    path_names,
    pattern_of,
    repetition,
)
from model.interpretability.heads.roles import TEXT, AttentionContext, score
from model.layers import masks
from model.runs.run import Run
from model.transformer import Transformer
from model.zoo.models import Model

KINDS = ("direct", "layer 0", "layer 1", "both")
"""The paths of the logits, by the layers of the heads they go through."""
MAIN_SHARE, ENOUGH = 0.9, 0.95
ZERO = 1e-10


@dataclass(frozen=True)
class Texts:
    """Texts with repetitions: the ids, the next ids, and where those are repeated. `chance` is the
    accuracy of guessing.
    """

    ids: Int[Tensor, "text position"]
    following: Int[Tensor, "text position"]
    repeated: Bool[Tensor, "text position"]
    chance: float

    def measured(self, removal: Removal, removed: Sequence[str]) -> Repetition:
        return repetition(removal.logits(removed), self.following, self.repeated)

    def carried(self, transformer: Transformer, removal: Removal) -> Tensor:
        """The mean contribution of each path to the logit of the correct letter, minus the mean
        logit of all letters.
        """
        columns = transformer.unembedding
        mean = columns[:, len(LetterTokenizer.frame.special) :].mean(1)
        towards = columns.mT[self.following] - mean
        return removal.contributions(towards)[:, self.repeated].mean(-1)


@dataclass(frozen=True)
class Course:
    """The paths over training: the contribution of each path, the measures of each case, and the
    head of layer 0 that attends most to the previous letter at the end.
    """

    previous: str
    cases: dict[str, list[str]]
    carried: Float[Tensor, "step path"]
    measured: dict[int, list[Repetition]]


def follow(history: Mapping[int, Model], texts: Texts) -> Course:
    """Measures the paths on `texts` in the models of `history`, by step."""
    last = AttentionStack(history[max(history)].transformer)
    previous = previous_head(last, texts)
    cases = cases_of(last.names, previous) if len(last.layers) == 2 else {"whole": []}
    carried, measured = [], {}
    for step in progress.steps(list(history)):
        network = history[step].transformer
        removal = Removal(AttentionStack(network), texts.ids)
        carried.append(texts.carried(network, removal))
        measured[step] = [texts.measured(removal, paths) for paths in cases.values()]
    return Course(previous, cases, torch.stack(carried), measured)


def paths_section(
    run: Run, model: Model, course: Course, texts: Texts, greedy: list[dict], without: str
) -> Section:
    """The contribution of every path on `texts`, and the effect of removing it. `greedy` is the
    result of `enough`.
    """
    names = path_names(model.config.n_decoder_layers, model.config.n_heads)
    removed = removed_paths(without, names)
    stack, error = AttentionStack(model.transformer), sum_error(run, model)
    two = len(stack.layers) == 2
    previous, cases = course.previous, course.cases
    removal = Removal(stack, texts.ids)
    whole, remaining = texts.measured(removal, []), texts.measured(removal, removed)
    groups = {name: [name] for name in names} | (group_of(names) if two else {})
    killed = [
        texts.measured(removal, [*removed, *groups[name]]) for name in progress.steps(list(groups))
    ]
    now = {case: texts.measured(removal, paths) for case, paths in cases.items()}
    tensors = {
        **contributions(texts.carried(model.transformer, removal), course, names),
        **measures_of("killed", ("kill",), killed),
        "killed.change": Labelled(
            ("kill",),
            torch.tensor([result.loss - remaining.loss for result in killed]),
            "loss without these paths - loss with them, in nats",
        ),
        **measures_of("case", ("step", "case"), list(course.measured.values())),
    }
    fields = {
        "paths": names,
        "groups": {name: paths for name, paths in groups.items() if name not in names},
        "removed": removed,
        "previous": previous if two else None,
        "cases": {
            case: {"without": paths, "accuracy": now[case].accuracy, "loss": now[case].loss}
            for case, paths in cases.items()
        },
        "whole": loss_and_accuracy(whole),
        "remaining": loss_and_accuracy(remaining),
        "greedy": greedy,
        "chance": texts.chance,
        "texts": len(texts.ids),
        "letters": int(texts.repeated.sum()),
        "largest_difference": {
            "value": error,
            "formula": "max |sum of paths - logits| over the input, in float64",
        },
    }
    held = facts(error, now if two else {}, previous, texts.chance)
    return Section(axes_of(course, names, list(groups)), tensors, fields, held)


def axes_of(course: Course, names: list[str], groups: list[str]) -> dict[str, Axis]:
    """The paths of the logits, the paths and groups that are removed, and the kinds, cases, and
    steps over training.
    """
    of_logits, steps = names[: course.carried.shape[1]], list(course.measured)
    return {
        "path": Axis("step", len(of_logits), of_logits),
        "kill": Axis("step", len(groups), groups),
        "kind": Axis("step", len(KINDS), list(KINDS)),
        "case": Axis("step", len(course.cases), list(course.cases)),
        "step": numbered("step", steps, "step", ids=steps),
    }


def contributions(
    carried: Float[Tensor, " path"], course: Course, names: list[str]
) -> dict[str, Labelled]:
    """The contribution of each path at the end, and of each path and each kind over training."""
    formula = "logit of the right letter less the mean of all letters; patterns held fixed"
    of_logits = names[: course.carried.shape[1]]
    return {
        "contribution": Labelled(("path",), carried, f"{formula}; mean"),
        "contribution_by_step": Labelled(("step", "path"), course.carried, formula),
        "contribution_by_kind": Labelled(
            ("step", "kind"),
            torch.stack([by_kind(row, of_logits) for row in course.carried]),
            f"{formula}; sum over the paths of a kind",
        ),
    }


def by_kind(carried: Float[Tensor, " path"], names: Sequence[str]) -> Float[Tensor, " kind"]:
    """The sum over the paths of each kind."""
    kinds = [KINDS.index(kind_of(name)) for name in names]
    return torch.zeros(len(KINDS)).index_add(0, torch.tensor(kinds), carried)


def kind_of(name: str) -> str:
    if name == DIRECT:
        return DIRECT
    return "both" if "-" in name else f"layer {name[0]}"


def removed_paths(without: str, names: Sequence[str]) -> list[str]:
    """The paths named in `without`. Raises UnknownName for a name without a match."""
    patterns = [part.strip() for part in without.split(",") if part.strip()]
    for pattern in patterns:
        if not matching([pattern], names):
            raise UnknownName("unknown-path", pattern, names)
    return matching(patterns, names)


def sum_error(run: Run, model: Model) -> float:
    """The difference between the sum of the paths and the logits of the run's own text, in
    float64.
    """
    network = deepcopy(model.transformer).double()
    ids = torch.tensor([token.id for token in run.tokens[input_axis(run.config, "decoder")]])
    logits = network.unembed(network.decode(ids, masks.causal(len(ids))))
    return (AttentionStack(network).expansion(ids).sum(0) - logits).abs().max().item()


def previous_head(stack: AttentionStack, texts: Texts) -> str:
    """The head of layer 0 that attends most to the previous letter."""
    x, allowed = stack.transformer.embedding(texts.ids), masks.causal(texts.ids.shape[1])
    keys = TEXT["previous"].keys(AttentionContext(allowed, texts.ids, texts.ids))
    pattern = pattern_of(stack.layers[0], x, x, allowed)
    return f"0.{int(score(pattern, keys, allowed).argmax())}"


def group_of(names: Sequence[str]) -> dict[str, list[str]]:
    """Paths that are removed together: one head of layer 0 to all heads of layer 1 through their
    keys, queries, or values, and the values that all of these read past layer 0.
    """
    first = [name for name in names if name.startswith("0.") and "-" not in name]
    patterns = ["1.?", *(f"{head}-1.?{end}" for end in (".k", ".q", "") for head in first)]
    return {pattern: matching([pattern], names) for pattern in patterns}


def cases_of(names: Sequence[str], previous: str) -> dict[str, list[str]]:
    """The paths removed in each case that is measured over training."""
    path = matching([f"{previous}-1.?.k"], names)
    ends = matching([DIRECT, "1.?"], names)
    scores = matching(["*.k", "*.q"], names)
    return {
        "whole": [],
        "path_alone": [name for name in names if name not in (*ends, *path)],
        "without_path": path,
        "without_head": matching([previous, f"{previous}-*"], names),
        "scores_alone": [name for name in names if name not in (*ends, *scores)],
        "no_layer_0": [name for name in names if name not in ends],
    }


def enough(transformer: Transformer, texts: Texts) -> list[dict]:
    """The groups of paths from layer 0 into the keys and queries of layer 1 that are restored
    greedily, by accuracy, to a model with only its direct path and the values that layer 1 reads
    past layer 0; until it has 95% of the full accuracy. A one-layer model has none.
    """
    removal = Removal(AttentionStack(transformer), texts.ids)
    names = removal.stack.names
    if len(removal.stack.layers) == 1:
        return []
    whole = texts.measured(removal, []).accuracy
    groups = {name: [name] for name in names} | group_of(names)
    lost = [name for name in names if name not in matching([DIRECT, "1.?"], names)]
    left = {name: paths for name, paths in groups.items() if name.endswith((".k", ".q"))}
    found: list[dict] = []
    while left and (not found or found[-1]["accuracy"] < ENOUGH * whole):
        measured = {
            name: texts.measured(removal, [path for path in lost if path not in paths])
            for name, paths in left.items()
        }
        best = max(measured, key=lambda name: measured[name].accuracy)
        restored = left.pop(best)
        lost = [path for path in lost if path not in restored]
        found.append({"paths": best, **loss_and_accuracy(measured[best])})
    return found


def facts(
    error: float, now: dict[str, Repetition], previous: str, chance: float
) -> list[Measurement]:
    """The facts that compare measurements with predictions."""
    held = [
        fact("sum_error", error, "the paths add up to the logits", error < ZERO, "logit"),
    ]
    if now:
        share = now["path_alone"].accuracy / now["whole"].accuracy
        without = now["without_path"].accuracy
        head = now["without_head"].accuracy
        held += [
            fact(
                "path_alone",
                share,
                f"the path {previous} → keys of layer 1 alone keeps more than {MAIN_SHARE} of the"
                " accuracy",
                share > MAIN_SHARE,
                "of the accuracy of the whole",
            ),
            fact(
                "without_path",
                without,
                f"without this path the accuracy is at most {2 * chance:.3f}, twice chance",
                without <= 2 * chance,
                "accuracy",
            ),
            fact(
                "without_head",
                head,
                f"without head {previous} the accuracy is at most {2 * chance:.3f}, twice chance",
                head <= 2 * chance,
                "accuracy",
            ),
        ]
    return held


def loss_and_accuracy(repetition: Repetition) -> dict[str, float]:
    return {"loss": repetition.loss, "accuracy": repetition.accuracy}


def measures_of(name: str, axes: tuple[str, ...], found: list) -> dict[str, Labelled]:
    """The loss and accuracy of measurements in a list or a list of lists."""

    def tensor_of(measure: str) -> Tensor:
        return torch.tensor(
            [
                [getattr(item, measure) for item in row]
                if isinstance(row, list)
                else getattr(row, measure)
                for row in found
            ]
        )

    return {
        f"{name}.loss": Labelled(
            axes, tensor_of("loss"), "mean of -ln p of repeated letters, in nats"
        ),
        f"{name}.accuracy": Labelled(
            axes, tensor_of("accuracy"), "share of repeated letters that are predicted"
        ),
    }
