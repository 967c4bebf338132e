"""Logits: the next-token distribution at the end of the stream and, with the logit lens, at every
point.
"""

from dataclasses import replace
from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Tensor

from model import progress
from model.activations.activation import answer_axis
from model.answers.answer import Answer, Axis, Labelled, Section, named
from model.checks import check_between
from model.errors import InvalidInput
from model.interpretability.stream.residual import Step, Summand, edited, growth, read_out, steps
from model.interpretability.stream.windows import ends, in_layers, layers_shown
from model.runs.run import Run

AT_THE_FIRST = (
    "The model's answer is the class at {}, the first position. The head was not trained at the"
    " other positions."
)
"""The message for a text classifier."""

Scores = Float[Tensor, "*point position vocabulary"]


def logits(
    run: Run,
    *,
    top: int | None = None,
    lens: bool = False,
    full: bool = False,
    attribution: bool = False,
    token: int | None = None,
    names: str | None = None,
    first_layer: int | None = None,
    layers: int | None = None,
) -> Answer:
    """The distribution at each position: the `top` most probable tokens (by default 10, or the
    whole vocabulary if it is smaller), the total probability of the others, and the actual next
    token.

    `answered_at` has the positions at which a classifier predicts; its head applies to no other.

    `lens` adds the same at every point of the stream, as if the stack ended there (logit lens,
    nostalgebraist 2020). Under Pre-LN, the final norm is applied with the mean and scale of that
    point. Under Post-LN, nothing is applied: each point except the embedding is the output of a
    norm. The last point is the model's output, bit for bit, except for rounding differences between
    rows computed together.

    `full` adds logits and probabilities of the whole vocabulary. `attribution` adds the parts of
    the stream whose sum is the logit of the token with the id `token`, by default the expected
    token; what edits added to the stream and the logits counts as parts too. `names` selects
    tensors, separated by commas. `first_layer` and `layers` restrict the lens to a window of
    layers, 8 by default; `whole` then has the top prediction at the end of every window. Raises
    InvalidInput (top, token, attribution, first_layer, layers) or UnknownName (names).
    """
    text, size = answer_axis(run.config), run.config.n_logits
    top = min(10, size) if top is None else top
    check_between("top", top, 1, size)
    expected = [token.id for token in run.next_tokens]
    fields = {
        "top": top,
        "expected": run.expected,
        "expected_ids": expected,
        "expected_from": run.target_start,
    }
    axes = {
        "rank": Axis("rank", top),
        "expected": Axis("position", len(expected), run.expected, expected),
    }
    tensors, fields["top_tokens"] = distribution(run, run.logits, top, expected, (text,), full)
    if run.config.says_class:
        fields["answered_at"] = run.answer_positions
    if run.config.classifies_text:
        run = replace(run, notes=[*run.notes, AT_THE_FIRST.format(run.tokens[text][0].text)])
    whole = Section(axes, tensors, fields)
    if lens:
        window = layers_shown(run.config.layers(run.config.stacks[-1]), first_layer, layers)
        whole |= at_every_point(run, top, expected, full, window)
        if first_layer is not None or layers is not None:
            whole |= at_ends(run, expected, layers)
    if attribution:
        whole |= by_part(run, token, expected)
    return run.answer(named(whole.tensors, names), whole.fields, whole.axes)


def at_every_point(run: Run, top: int, expected: list[int], full: bool, window: range) -> Section:
    """The distribution at every point of the stream in a window of layers, as if the stack ended
    there.
    """
    points = in_layers(read_points(run), window, run.config.layers(run.config.stacks[-1]))
    lens, tokens = at_points(run, points, "point", top, expected, full)
    return Section(
        {"point": Axis("step", len(points), [point.name for point in points])},
        {f"lens.{name}": tensor for name, tensor in lens.items()},
        {
            "points": [{"name": point.name, "wrote": point.wrote} for point in points],
            "lens_tokens": tokens,
        },
    )


def at_ends(run: Run, expected: list[int], count: int | None) -> Section:
    """The top prediction at the end of every window of `count` layers, by default 8, from layer 0
    on.
    """
    n_layers = run.config.layers(run.config.stacks[-1])
    last = ends(read_points(run), count, n_layers)
    lens, tokens = at_points(run, [*last.values()], "window", 1, expected, full=False)
    names = [f"{first}–{end - 1}" for first, end in pairwise([*last, n_layers])]
    chosen = ("top_probability", "expected_rank")
    return Section(
        {"window": Axis("layer", len(last), names)},
        {f"whole.{name}": lens[name] for name in chosen},
        {
            "windows": [
                {"name": point.name, "wrote": point.wrote, "first_layer": first}
                for first, point in last.items()
            ],
            "whole_tokens": tokens,
        },
    )


def read_points(run: Run) -> list[Step]:
    """The points of the stream that the lens reads; it applies a final norm itself."""
    path = steps(run.config, run.config.stacks[-1])
    return [step for step in path if step.wrote is not None]


def at_points(
    run: Run, points: list[Step], axis: str, top: int, expected: list[int], full: bool
) -> tuple[dict[str, Labelled], list]:
    """The distribution at points of the stream, with their `axis` first in every tensor, and the
    labels of the top tokens.
    """
    stack, text = run.config.stacks[-1], answer_axis(run.config)
    by_point, tokens = list[dict[str, Labelled]](), []
    for point in points:  # with a large vocabulary, the logits of all points at once take gigabytes
        progress.checkpoint()
        tensors, labelled = distribution(
            run, read_out(run, stack, point), top, expected, (text,), full
        )
        by_point.append(tensors)
        tokens.append(labelled)
    stacked = {
        name: Labelled(
            (axis, *first.axes), torch.stack([row[name].data for row in by_point]), first.formula
        )
        for name, first in by_point[0].items()
    }
    return stacked, tokens


def by_part(run: Run, token: int | None, expected: list[int]) -> Section:
    """The parts that sum to the logit of `token`, by default the expected token, at every position
    that has one.
    """
    if run.config.bypass or run.config.head.transform != "none":
        raise InvalidInput("logit-no-sum", field="attribution", model=run.model.id)
    if token is not None:
        check_between("token", token, 0, run.config.n_logits - 1)
    stack, text = run.config.stacks[-1], answer_axis(run.config)
    chosen = expected if token is None else [token] * len(run.tokens[text])
    here = run.predicted if token is None else slice(None)
    transformer, whole = run.model.transformer, list[Summand]()
    for _, new, now in growth(run, stack):
        whole, last = [*whole, *new], now
    parts = last[:, here]
    names = [part.name for part, _ in whole]
    summands = torch.einsum("pqc,cq->pq", parts, transformer.unembedding[:, chosen])
    bias = transformer.unembedding_bias
    if isinstance(bias, Tensor):
        names = [*names, "unembedding_bias"]
        summands = torch.cat([summands, bias[None, chosen]])
    for part, added in edited(run, "logits"):
        places = torch.arange(len(chosen)) + (run.target_start if token is None else 0)
        names = [*names, part.name]
        summands = torch.cat([summands, added[None, places, torch.tensor(chosen)]])
    formula = "part . W_U[token]; over the parts they sum to the token's logit"
    where = ("part", "expected" if token is None else text)
    about = None if token is None else {"id": token, "text": run.model.answer_label(token)}
    return Section(
        {"part": Axis("part", len(names), names)},
        {"attribution": Labelled(where, summands, formula)},
        {"token": about},
    )


def distribution(
    run: Run, scores: Scores, top: int, expected: list[int], where: tuple[str, ...], full: bool
) -> tuple[dict[str, Labelled], list]:
    """The tensors that describe softmax(scores) along the axes `where`, and the labels of the top
    tokens, nested in the same way.
    """
    chances = scores.softmax(dim=-1)
    best = scores.topk(top)
    here, ids = (
        torch.arange(len(expected)) + run.target_start,
        torch.tensor(expected, dtype=torch.long),
    )
    logits = scores[..., here, ids]
    larger = scores[..., here, :] > logits[..., None]
    ranked, due = (*where, "rank"), (*where[:-1], "expected")
    formula = run.activation("logits").formula
    tensors = {
        "top_probability": Labelled(
            ranked, chances.gather(-1, best.indices), "softmax(logits), the largest first"
        ),
        "top_logit": Labelled(ranked, best.values, f"{formula}, the largest first"),
        "top_id": Labelled(ranked, best.indices.int(), f"argsort of -({formula})"),
        "rest": Labelled(
            where,
            chances.scatter(-1, best.indices, 0).sum(dim=-1),
            "sum of the probabilities below the top",
        ),
        "entropy": Labelled(
            where,
            torch.special.entr(chances).sum(dim=-1),
            "-sum p ln p over the vocabulary, in nats",
        ),
        "expected_probability": Labelled(due, chances[..., here, ids], "softmax(logits)[expected]"),
        "expected_logit": Labelled(due, logits, f"({formula})[expected]"),
        "expected_rank": Labelled(due, 1 + larger.sum(dim=-1).int(), "1 + number of larger logits"),
    }
    if full:
        tensors["logits"] = Labelled((*where, "vocabulary"), scores, formula)
        tensors["probabilities"] = Labelled((*where, "vocabulary"), chances, "softmax(logits)")
    return tensors, labels(run, best.indices.tolist())


def labels(run: Run, ids: list) -> list:
    """The labels of ids in nested lists, nested in the same way."""
    return [labels(run, id) if isinstance(id, list) else run.model.answer_label(id) for id in ids]
