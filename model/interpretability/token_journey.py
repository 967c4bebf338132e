"""The path of one token from the input to the predicted word, as steps.

Each step is a function of a run and a `TokenPath`, which says which token is followed. It returns
tensors to plot and numbers for the text. `TOURS` lists the steps for each kind of model, in order.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from model.activations.activation import block_output, stack_output
from model.answers.answer import Axis, Labelled
from model.interpretability.stream.residual import Step, read_out, set_after_sum, steps, sums
from model.runs.run import Run, id_tensor

Numbers = dict[str, int | float | str]


@dataclass(frozen=True)
class TokenPath:
    """The token at `position` of the axis `axis` is followed through the stack `stack`. `layer` and
    `head` select the head that is shown. The word is predicted at the position `at` of the last
    stack: at the same place, or where another sequence continues with the token. Heads are chosen
    in `chosen_in`, the run without edits, so that a run with edits shows the same ones. The logits
    are divided by `temperature` before the softmax.
    """

    walk: str
    stack: str
    axis: str
    position: int
    layer: int
    head: int
    at: int
    chosen_in: Run
    temperature: float = 1.0


@dataclass(frozen=True)
class StepResult:
    """The result of a step: its numbers for the text, and its tensors to plot. The first tensor is
    the step's own; its formula and shape are shown under the figure.
    """

    numbers: Numbers
    tensors: dict[str, Labelled]
    axes: dict[str, Axis]


TourStep = Callable[[Run, TokenPath], StepResult]
Column = tuple[str, int]
"""An activation of the stream, and the position of a token in it."""


def text(run: Run, path: TokenPath) -> StepResult:
    """The input as tokens, which of them is followed (1), and the vector of each."""
    tokens = run.tokens[path.axis]
    return StepResult(
        {
            "tokens": len(tokens),
            "token": tokens[path.position].text,
            "id": tokens[path.position].id,
            "vocabulary": run.config.n_logits,
        },
        {
            "text.followed": marked(path.axis, len(tokens), [path.position], "1: followed"),
            "text.ids": Labelled((path.axis,), id_tensor(tokens).int(), "the number of the token"),
            "text.vectors": run.tensor(f"{path.stack}.embedding.token"),
        },
        {},
    )


def embedding(run: Run, path: TokenPath) -> StepResult:
    """The token's vector, that of its position, and their sum. A model without position vectors
    shows the first and last.
    """
    named = {
        name: run.trace[f"{path.stack}.embedding.{name}"][path.position]
        for name in ("token", "position", "sum")
    }
    summands = [name for name, vector in named.items() if name != "position" or vector.any()]
    return StepResult(
        {
            "d_model": run.config.d_model,
            "relative": run.config.positions.relative,
            **lengths(named),
        },
        {
            "embedding": Labelled(
                ("summand", "channel"),
                torch.stack([named[name] for name in summands]),
                run.activation(f"{path.stack}.embedding.sum").formula,
            )
        },
        {"summand": Axis("part", len(summands), summands)},
    )


def scores(run: Run, path: TokenPath) -> StepResult:
    """q . k / sqrt(d_head) of the token's query with every visible key."""
    row = run.tensor(f"{path.stack}.{path.layer}.attention.masked_scores")
    values = row.data[path.head, path.position]
    keys, visible = names(run, row.axes[-1]), values.isfinite()
    high, low = int(values.argmax()), int(values.masked_fill(~visible, torch.inf).argmin())
    return StepResult(
        {
            "layer": path.layer,
            "head": path.head,
            "keys": int(visible.sum()),
            "top": keys[high],
            "top_score": values[high].item(),
            "least": keys[low],
            "least_score": values[low].item(),
        },
        {"scores": Labelled(row.axes[-1:], values, row.formula, masked=True)},
        {},
    )


def weights(run: Run, path: TokenPath) -> StepResult:
    """The softmax of the scores: a weight for every key."""
    row = run.tensor(f"{path.stack}.{path.layer}.attention.pattern")
    values = row.data[path.head, path.position]
    high = int(values.argmax())
    return StepResult(
        {
            "layer": path.layer,
            "head": path.head,
            "top": names(run, row.axes[-1])[high],
            "top_weight": values[high].item(),
            "own_weight": values[place_among_keys(run, path.stack, path.position)].item(),
            "sum": values.sum().item(),
        },
        {"weights": Labelled(row.axes[-1:], values, row.formula)},
        {},
    )


def values(run: Run, path: TokenPath) -> StepResult:
    """The contribution of each key, its value times its weight, and their sum."""
    name = f"{path.stack}.{path.layer}.attention"
    row = run.tensor(f"{name}.pattern")
    v = run.trace[f"{name}.v"]
    vectors = row.data[path.head, path.position][:, None] * v[path.head]
    z = run.tensor(f"{name}.z")
    keys, high = names(run, row.axes[-1]), int(vectors.norm(dim=-1).argmax())
    heaviest = int(row.data[path.head, path.position].argmax())
    return StepResult(
        {
            "layer": path.layer,
            "head": path.head,
            "d_head": run.config.d_head,
            "top": keys[high],
            "top_place": high,
            "heaviest": keys[heaviest],
            "heaviest_place": heaviest,
            "top_length": vectors[high].norm().item(),
            "length": z.data[path.head, path.position].norm().item(),
        },
        {
            "values": Labelled((row.axes[-1], "head_channel"), vectors, "weight x value"),
            "values.sum": Labelled(("head_channel",), z.data[path.head, path.position], z.formula),
        },
        {},
    )


def add(run: Run, path: TokenPath) -> StepResult:
    """The stream before, the attention output, their sum, and the result after a norm."""
    point = after_attention(run, path.stack, path.layer)
    summed = sums(run, path.stack)[point.name]
    rows = {"before": summed.x, "written": summed.f, "sum": summed.total}
    if point.norm or set_after_sum(run, point):
        rows["edited" if set_after_sum(run, point) else "normed"] = run.trace[point.name]
    here = {name: row[path.position] for name, row in rows.items()}
    return StepResult(
        {
            "heads": run.config.n_heads,
            **lengths(here),
            "cosine": cosine(here["before"], run.trace[point.name][path.position]),
        },
        {
            "add": Labelled(
                ("term", "channel"),
                torch.stack(list(here.values())),
                run.activation(point.name).formula,
            )
        },
        {"term": Axis("part", len(here), list(here))},
    )


def feed_forward(run: Run, path: TokenPath) -> StepResult:
    """The activation of every neuron of the layer's feed-forward network at the token, and the
    stream after the layer.
    """
    name = f"{path.stack}.{path.layer}.feed_forward"
    post, after = run.tensor(f"{name}.post"), run.tensor(block_output(path.stack, path.layer))
    fires = post.data[path.position]
    neuron = int(fires.argmax())
    return StepResult(
        {
            "neurons": len(fires),
            "firing": int((fires > 0).sum()),
            "neuron": neuron,
            "strongest": fires[neuron].item(),
            "wrote": run.trace[f"{name}.out"][path.position].norm().item(),
        },
        {
            "feed_forward": Labelled(("hidden",), fires, post.formula),
            "feed_forward.after": Labelled(("channel",), after.data[path.position], after.formula),
        },
        {},
    )


def output(run: Run, path: TokenPath) -> StepResult:
    """The output of the first stack: a vector for each of its tokens."""
    end = run.tensor(steps(run.config, path.stack)[-1].name)
    start = run.trace[f"{path.stack}.embedding.sum"][path.position]
    return StepResult(
        {
            "layers": run.config.layers(path.stack),
            "tokens": end.data.shape[0],
            "d_model": run.config.d_model,
            "cosine": cosine(start, end.data[path.position]),
        },
        {"output": end},
        {},
    )


def decoder_input(run: Run, path: TokenPath) -> StepResult:
    """The tokens that the decoder has read (1) when it predicts the word, those that come later
    (0), and the vector of each, with its position.
    """
    tokens = run.tokens["target"]
    read = marked("target", len(tokens), list(range(path.at + 1)), "1: read, 0: still to come")
    return StepResult(
        {"tokens": len(tokens), "read": path.at + 1, "last": tokens[path.at].text},
        {
            "decoder_input.read": read,
            "decoder_input.vectors": run.tensor("decoder.embedding.sum"),
        },
        {},
    )


def masked(run: Run, path: TokenPath) -> StepResult:
    """The decoder's self-attention, in the head in which the token attends to others."""
    layer, head = reading_head(path.chosen_in, "decoder", path.at)
    pattern, mask = one_head(run, "decoder", layer, head), run.masks["decoder.attention"]
    row = pattern.data[0, path.at]
    high = int(row.argmax())
    return StepResult(
        {
            "layer": layer,
            "head": head,
            "query": run.tokens[pattern.axes[1]][path.at].text,
            "top": names(run, pattern.axes[2])[high],
            "top_weight": row[high].item(),
            "hidden": int((~mask).sum()),
            "cells": mask.numel(),
        },
        {
            f"decoder.{layer}.attention.pattern": pattern,
            "decoder.attention.mask": Labelled(
                pattern.axes[1:], mask.to(torch.uint8), "1 where a query may look"
            ),
        },
        {"head": Axis("head", 1, [str(head)], [head])},
    )


def cross(run: Run, path: TokenPath) -> StepResult:
    """The attention of every head of the last cross-attention layer to the source, where the word
    is predicted.
    """
    layer = run.config.n_decoder_layers - 1
    pattern = run.tensor(f"decoder.{layer}.cross_attention.pattern")
    rows = pattern.data[:, path.at]
    head = int(rows[:, path.position].argmax())
    return StepResult(
        {
            "layer": layer,
            "head": head,
            "query": run.tokens["target"][path.at].text,
            "token": run.tokens["source"][path.position].text,
            "weight": rows[head, path.position].item(),
            "mean_weight": rows[:, path.position].mean().item(),
        },
        {"cross": Labelled(("heads", pattern.axes[-1]), rows, pattern.formula)},
        {"heads": Axis("head", len(rows))},
    )


def cls(run: Run, path: TokenPath) -> StepResult:
    """The head of the last layer in which [CLS] attends most to the followed patch."""
    layer = run.config.n_encoder_layers - 1
    chosen_in = path.chosen_in.trace[f"encoder.{layer}.attention.pattern"]
    head = int(chosen_in[:, 0, path.position].argmax())
    pattern = one_head(run, "encoder", layer, head)
    high = int(pattern.data[0, 0].argmax())
    return StepResult(
        {
            "layer": layer,
            "head": head,
            "weight": pattern.data[0, 0, path.position].item(),
            "top": names(run, path.axis)[high],
            "top_weight": pattern.data[0, 0, high].item(),
        },
        {
            f"encoder.{layer}.attention.pattern": pattern,
            "encoder.attention.mask": every_patch(run, pattern),
        },
        {"head": Axis("head", 1, [str(head)], [head])},
    )


def image_weights(run: Run, path: TokenPath) -> StepResult:
    """A patch's weights on all patches, as in `weights`, shown on the image."""
    taken, pattern = weights(run, path), one_head(run, path.stack, path.layer, path.head)
    return StepResult(
        taken.numbers,
        {
            f"encoder.{path.layer}.attention.pattern": pattern,
            "encoder.attention.mask": every_patch(run, pattern),
        },
        {"head": Axis("head", 1, [str(path.head)], [path.head])},
    )


def stream(run: Run, path: TokenPath) -> StepResult:
    """The probability of the word if the stack ended at each point of the stream: a logit lens
    (nostalgebraist 2020). `leads_from` is the point from which the word remains the top prediction.
    """
    stack = run.config.stacks[-1]
    points = [step for step in steps(run.config, stack) if step.wrote is not None]
    chances = torch.stack([read_out(run, stack, step)[path.at].softmax(-1) for step in points])
    guesses = chances.argmax(-1).tolist()
    word = int(run.logits[path.at].argmax())
    misses = [i for i, guess in enumerate(guesses) if guess != word]
    leads = min(misses[-1] + 1 if misses else 0, len(points) - 1)
    return StepResult(
        {
            "points": len(points),
            "word": run.model.answer_label(word),
            "first_guess": run.model.answer_label(guesses[0]),
            "first": chances[0, word].item(),
            "last": chances[-1, word].item(),
            "leads_from": leads,
        },
        {"stream": Labelled(("point",), chances[:, word], "softmax(x W_U)[word]")},
        {"point": Axis("step", len(points), [step.name for step in points], ids=guesses)},
    )


def logits(run: Run, path: TokenPath) -> StepResult:
    """The largest logits, and the softmax over the whole vocabulary, divided by the temperature."""
    row = run.tensor("logits")
    best = row.data[path.at].topk(min(10, row.data.shape[-1]))
    chances = (row.data[path.at] / path.temperature).softmax(-1)[best.indices]
    label = run.model.answer_label
    return StepResult(
        {
            "vocabulary": row.data.shape[-1],
            "word": label(int(best.indices[0])),
            "logit": best.values[0].item(),
            "probability": chances[0].item(),
            "second": label(int(best.indices[1])),
            "second_probability": chances[1].item(),
            "temperature": path.temperature,
        },
        {
            "logits": Labelled(("candidate",), best.values, row.formula),
            "logits.probability": Labelled(("candidate",), chances, "softmax(logits / T)"),
        },
        {
            "candidate": Axis(
                "vocabulary",
                len(chances),
                [label(int(id)) for id in best.indices],
                best.indices.tolist(),
            )
        },
    )


def fed_back(run: Run, path: TokenPath) -> StepResult:
    """The probability of each token of the text as the next token. `follows` is the token after the
    word's position in this run; a text that ends there has none.
    """
    due = torch.tensor([token.id for token in run.next_tokens], dtype=torch.long)
    rows = run.logits[run.predicted]
    chances = rows.softmax(-1)[torch.arange(len(due)), due]
    here = path.at - run.target_start
    return StepResult(
        {
            "word": run.model.answer_label(int(run.logits[path.at].argmax())),
            "follows": run.expected[here] if here < len(due) else "",
            "known": len(due),
            "first_guesses": int((rows.argmax(-1) == due).sum()),
            "product": chances.prod().item(),
        },
        {"fed_back": Labelled(("expected",), chances, "softmax(logits)[next]")},
        {"expected": Axis("position", len(due), run.expected, due.tolist())},
    )


STEPS: dict[str, TourStep] = {
    "text": text,
    "patches": text,
    "embedding": embedding,
    "masked": masked,
    "scores": scores,
    "weights": weights,
    "looks": image_weights,
    "values": values,
    "add": add,
    "feed_forward": feed_forward,
    "output": output,
    "decoder_input": decoder_input,
    "cross": cross,
    "cls": cls,
    "stream": stream,
    "logits": logits,
    "fed_back": fed_back,
}


def entering(stack: str, layer: int, position: int) -> Column:
    """The stream of a token before a layer."""
    return f"{stack}.{layer}.residual.in", position


def token_inside(run: Run, path: TokenPath) -> Column:
    return entering(path.stack, path.layer, path.position)


def token_alone(run: Run, path: TokenPath) -> Column:
    return f"{path.stack}.embedding.token", path.position


def before_cross(run: Run, path: TokenPath) -> Column:
    layer = run.config.n_decoder_layers - 1
    return after_attention(run, "decoder", layer).name, path.at


def read_vector(run: Run, path: TokenPath) -> Column:
    """The vector from which the word is predicted."""
    return stack_output(run.config, run.config.stacks[-1]), path.at


COLUMNS: dict[str, Callable[[Run, TokenPath], Column]] = {
    "text": token_alone,
    "patches": token_alone,
    "embedding": token_alone,
    "masked": lambda run, path: entering(
        "decoder", reading_head(path.chosen_in, "decoder", path.at)[0], path.at
    ),
    **dict.fromkeys(("scores", "weights", "looks", "values", "add"), token_inside),
    "feed_forward": lambda run, path: (
        after_attention(run, path.stack, path.layer).name,
        path.position,
    ),
    "output": lambda run, path: (stack_output(run.config, path.stack), path.position),
    "decoder_input": lambda run, path: ("decoder.embedding.sum", path.at),
    "cross": before_cross,
    "cls": lambda run, path: entering("encoder", run.config.n_encoder_layers - 1, 0),
    **dict.fromkeys(("stream", "logits", "fed_back"), read_vector),
}
"""The column of each step: the vector before it of the token that the step is about."""

INSIDE = ("scores", "weights", "values", "add", "feed_forward")
TOURS: dict[str, tuple[str, ...]] = {
    "translation": (
        *("text", "embedding", *INSIDE, "output"),
        *("decoder_input", "masked", "cross", "stream", "logits", "fed_back"),
    ),
    "continuation": ("text", "embedding", "masked", *INSIDE, "stream", "logits", "fed_back"),
    "blank": ("text", "embedding", *INSIDE, "stream", "logits"),
    "image": (
        *("patches", "embedding", "scores", "looks", "values", "add", "feed_forward"),
        *("cls", "stream", "logits"),
    ),
}
"""The steps of each walk, in order."""


def after_attention(run: Run, stack: str, layer: int) -> Step:
    """The point of the stream after a layer's attention is added."""
    wrote = f"{stack}.{layer}.attention.out"
    return next(step for step in steps(run.config, stack) if step.wrote == wrote)


def names(run: Run, axis: str) -> list[str]:
    """The labels of an axis."""
    labels = run.axes[axis].labels
    assert labels is not None, f"{axis} has labels"
    return labels


def place_among_keys(run: Run, stack: str, position: int) -> int:
    """A token's index among the keys: remembered positions come before it, slots after."""
    queries, keys = run.trace[f"{stack}.0.attention.pattern"].shape[-2:]
    return position + keys - run.config.attention.slots - queries


def marked(axis: str, size: int, places: list[int], formula: str) -> Labelled:
    """1 at some places of an axis, 0 at the others."""
    values = torch.zeros(size, dtype=torch.uint8)
    values[places] = 1
    return Labelled((axis,), values, formula)


def one_head(run: Run, stack: str, layer: int, head: int) -> Labelled:
    """The pattern of one head, on an axis of one head."""
    whole = run.tensor(f"{stack}.{layer}.attention.pattern")
    return Labelled(whole.axes, whole.data[head : head + 1], whole.formula)


def every_patch(run: Run, pattern: Labelled) -> Labelled:
    """An encoder's mask: every query may attend to every key."""
    allowed = run.masks["encoder.attention"].to(torch.uint8)
    return Labelled(pattern.axes[1:], allowed, "1 where a query may look")


def reading_head(run: Run, stack: str, position: int) -> tuple[int, int]:
    """The layer and head in which a token attends to other tokens: the first layer in which a head
    gives them more than half of its weight, or else the layer with the largest weight. Special
    tokens around a text, which heads attend to when idle, do not count.
    """
    patterns = torch.stack(
        [
            run.trace[f"{stack}.{layer}.attention.pattern"][:, position]
            for layer in range(run.config.layers(stack))
        ]
    )
    keys = names(run, run.tensor(f"{stack}.0.attention.pattern").axes[-1])
    itself = place_among_keys(run, stack, position)
    others = [i for i, key in enumerate(keys) if i != itself and key not in run.signs]
    read = patterns[..., others].sum(-1)
    much = (read.amax(-1) > 0.5).nonzero()
    layer = int(much[0]) if len(much) else int(read.amax(-1).argmax())
    return layer, int(read[layer].argmax())


def lengths(vectors: dict[str, Tensor]) -> dict[str, float]:
    """The length of each vector."""
    return {name: vector.norm().item() for name, vector in vectors.items()}


def cosine(a: Tensor, b: Tensor) -> float:
    """The cosine of the angle between two vectors."""
    return torch.nn.functional.cosine_similarity(a, b, dim=0).item()
