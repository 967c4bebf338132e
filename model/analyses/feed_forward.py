"""Feed-forward: the network of one layer at one token of a run, from the stream it reads to the
stream it adds to.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from model.activations.activation import input_axis
from model.answers.answer import Answer, Axis, Labelled, Section, numbered
from model.checks import check_between, check_layer, check_position, check_stack
from model.errors import InvalidInput
from model.interpretability.stream.feed_forward import Writes, writes
from model.interpretability.stream.residual import set_after_sum, steps, sums
from model.layers.feed_forward import ACTIVATIONS
from model.runs.run import Run

TOP, WORDS, POINTS = 10, 5, 121
MARGIN = 0.05  # of the curve's range, beyond the smallest and largest argument


@torch.no_grad()
def feed_forward(
    run: Run,
    *,
    stack: str | None = None,
    layer: int | None = None,
    position: int | None = None,
    top: int = TOP,
) -> Answer:
    """The token at `position` in the feed-forward network of `layer` of `stack`. `x` is the
    network's input; `argument`, `activated`, and `post` are the values of its neurons; `length` is
    the norm of each neuron's contribution. `out` is the sum of `written`, the contributions of the
    `top` neurons by norm; `rest`, all other neurons; and `bias`. In a run with edits of the output,
    `edit` is what they added. `stream` is the addition of `out` to the stream, with the norm if the
    model has one.

    A neuron fires if the argument of its activation function is positive. `post_by_token` has the
    activations of the `top` neurons at every position, and `also_fires` the fraction of the neurons
    firing here that also fire at each position, with the same weights. `raised` lists the words
    whose logits each neuron would raise most if no norm or layer followed, if this stack predicts
    words.

    By default, it is the last layer of the last stack and the first token other than <s>. In a
    model with attention between rows, the second feed-forward network of a layer is not shown.
    Raises InvalidInput for a layer, position, or number of neurons that does not exist, and for a
    model without feed-forward networks.
    """
    site = chosen_site(run, stack, layer, position)
    check_between("top", top, 1, run.config.d_ff)
    here = writes(run, site.scope, site.position)
    best = here.strongest(top)
    whole = (
        numbers(run, site, here)
        | summands(here, best)
        | added(run, site)
        | elsewhere(run, site, here, best)
        | curve_of(run, here.argument)
        | raised_words(run, site.stack, here, best)
    )
    fields = {
        "stack": site.stack,
        "layer": site.layer,
        "layers": run.config.layers(site.stack),
        "position": site.position,
        "tokens": [token.text for token in run.tokens[site.text]],
        "top": top,
        **whole.fields,
        **strongest(here, best),
    }
    return run.answer(whole.tensors, fields, whole.axes)


@dataclass(frozen=True)
class FeedForwardSite:
    """The token at `position` of the axis `text`, in the feed-forward network of one layer."""

    stack: str
    layer: int
    text: str
    position: int

    @property
    def scope(self) -> str:
        """The prefix of the names of the network's activations."""
        return f"{self.stack}.{self.layer}.feed_forward"


def chosen_site(
    run: Run, stack: str | None, layer: int | None, position: int | None
) -> FeedForwardSite:
    """The requested site, by default the last layer of the last stack and the first token other
    than <s>. Raises InvalidInput for one that does not exist.
    """
    config = run.config
    if not config.d_ff:
        raise InvalidInput("no-feed-forward", field="model", given=run.model.id)
    stack = config.stacks[-1] if stack is None else stack
    check_stack(run.model.id, stack, config.stacks)
    layer = config.layers(stack) - 1 if layer is None else layer
    check_layer(stack, layer, config.layers(stack))
    text = input_axis(config, stack)
    tokens = [token.text for token in run.tokens[text]]
    position = first_word(tokens, run.signs) if position is None else position
    check_position(text, position, len(tokens))
    return FeedForwardSite(stack, layer, text, position)


def first_word(tokens: list[str], signs: set[str]) -> int:
    """The first token that is not special, such as <s> and [CLS]; if all are, the first."""
    return next((i for i, token in enumerate(tokens) if token not in signs), 0)


def numbers(run: Run, site: FeedForwardSite, here: Writes) -> Section:
    """The network's input, the values of its neurons up to their activations, and how many of them
    fire.
    """
    config, function = run.config, ACTIVATIONS[run.config.activation].formula
    first = run.activation(f"{site.scope}.{'gate' if config.gated else 'pre'}")
    reads = first.operands[0].split("[")[0]
    of_any_layer = f"{config.stacks[0]}.0.feed_forward"
    argument = run.activation(f"{of_any_layer}.{'gate' if config.gated else 'pre'}").formula
    other = run.activation(f"{of_any_layer}.pre").formula
    post = f"activated ({other})" if config.gated else "activated"
    read = Labelled(("channel",), run.trace[reads][site.position], run.activation(reads).formula)
    tensors = {
        "length": Labelled(("hidden",), here.lengths, "|post_i| |w_i|, w_i = row i of W_2"),
        "x": read,
        "argument": Labelled(("hidden",), here.argument, argument),
        "activated": Labelled(("hidden",), here.activated, function.format("argument")),
        "post": Labelled(("hidden",), here.post, post),
    }
    fields = {
        "reads": reads,
        "activation": config.activation,
        "function": function.format("x"),
        "gated": config.gated,
        "neurons": config.d_ff,
        "firing": int(here.fires.sum()),
    }
    return Section({}, tensors, fields)


def summands(here: Writes, best: Tensor) -> Section:
    """The contributions of the strongest neurons, of all others, of the bias, and of edits, and
    their sum.
    """
    outputs = here.outputs(best)
    tensors = {
        "written": Labelled(("neuron", "channel"), outputs, "post_i w_i, w_i = row i of W_2"),
        "rest": Labelled(
            ("channel",), here.total - outputs.sum(0), "sum of post_i w_i over the other neurons"
        ),
        "bias": Labelled(("channel",), here.bias, "b_2"),
        "out": Labelled(("channel",), here.out, "written + rest + bias"),
    } | (
        {}
        if here.edit is None
        else {
            "edit": Labelled(("channel",), here.edit, "what the edits added"),
            "out": Labelled(("channel",), here.out, "written + rest + bias + edit"),
        }
    )
    return Section(
        {"neuron": numbered("channel", best.tolist(), "neuron", ids=best.tolist())}, tensors
    )


def strongest(here: Writes, best: Tensor) -> dict[str, Any]:
    """The neurons with the largest contributions by norm, their fraction of the output, and the
    error of the sum of all contributions.
    """
    return {
        "top_neurons": [
            {
                "neuron": i,
                "argument": here.argument[i].item(),
                "activated": here.activated[i].item(),
                "post": here.post[i].item(),
                "length": here.lengths[i].item(),
            }
            for i in best.tolist()
        ],
        "share_of_top": shares(here, best),
        "largest_difference": {
            "value": (sum_of(here) - here.out).abs().max().item(),
            "formula": "max |sum of post_i w_i + b_2 - out| over the channels"
            if here.edit is None
            else "max |sum of post_i w_i + b_2 + edit - out| over the channels",
        },
    }


def sum_of(here: Writes) -> Tensor:
    """All summands of the output."""
    whole = here.total + here.bias
    return whole if here.edit is None else whole + here.edit


def shares(here: Writes, best: Tensor) -> float:
    """The fraction of the neurons' total contribution that comes from the strongest: the component
    of their sum along the total, divided by the norm of the total; 0 if that is 0.
    """
    whole = here.total
    square = whole.square().sum().item()
    return (here.outputs(best).sum(0) @ whole).item() / square if square else 0.0


def added(run: Run, site: FeedForwardSite) -> Section:
    """The stream before the network, its output, their sum, and the sum after the norm or after an
    edit; with the names of these terms and their equation.
    """
    path = steps(run.config, site.stack)
    at = next(i for i, step in enumerate(path) if step.wrote == f"{site.scope}.out")
    step, summed = path[at], sums(run, site.stack)[path[at].name]
    rows = {"before": summed.x}
    if step.branch:
        rows["output"] = run.trace[f"{site.scope}.out"]
    rows["added"] = summed.f
    if step.earlier:
        rows["bottom"] = run.trace[step.earlier]
    rows["sum"] = summed.total
    if step.norm or set_after_sum(run, step):
        rows["edited" if set_after_sum(run, step) else "normed"] = run.trace[step.name]
    terms = torch.stack([row[site.position] for row in rows.values()])
    names = list(rows)
    return Section(
        {"term": Axis("part", len(names), names)},
        {"stream": Labelled(("term", "channel"), terms, step.formula)},
        {
            "equation": step.formula,
            "terms": names,
            "next_step": path[at + 1].name if at + 1 < len(path) else None,
        },
    )


def elsewhere(run: Run, site: FeedForwardSite, here: Writes, best: Tensor) -> Section:
    """The same neurons at every position of the run."""
    text, argument = site.text, run.trace[f"{site.scope}.{'gate' if run.config.gated else 'pre'}"]
    both = (argument > 0) & here.fires
    tensors = {
        "post_by_token": Labelled(
            ("neuron", text), run.trace[f"{site.scope}.post"].T[best], "post_i at each position"
        ),
        "also_fires": Labelled(
            (text,),
            both.sum(-1) / here.fires.sum().clamp(min=1),
            "neurons that fire here and there / neurons that fire here",
        ),
        "firing_by_token": Labelled(
            (text,), (argument > 0).sum(-1).int(), "number of neurons whose argument is above 0"
        ),
    }
    return Section({}, tensors)


def curve_of(run: Run, argument: Tensor) -> Section:
    """The activation function between the smallest and the largest argument of the token."""
    low, high = argument.min().item(), argument.max().item()
    beyond = MARGIN * ((high - low) or 1)
    # Rounded to three decimals so that the labels match the numbers.
    ends = min(low, 0) - beyond, max(high, 0) + beyond
    points = torch.linspace(*ends, POINTS, dtype=torch.float64).round(decimals=3)
    function = ACTIVATIONS[run.config.activation]
    return Section(
        {"point": numbered("step", points.tolist(), "argument of the activation function")},
        {"curve": Labelled(("point",), function(points).float(), function.formula.format("x"))},
    )


def raised_words(run: Run, stack: str, here: Writes, best: Tensor) -> Section:
    """The words that each of the strongest neurons promotes most through the unembedding. None for
    models of images or tables, for an encoder read only by a decoder, and if the head doesn't
    predict words or has a layer before them.
    """
    config, size = run.config, run.config.vocabulary_size
    says_words = (
        not config.head.absent and not config.head.classes and config.head.transform == "none"
    )
    if config.inputs != "tokens" or stack != config.stacks[-1] or not says_words:
        return Section({}, {}, {"raised_words": None})
    each = here.outputs(best) @ run.model.transformer.unembedding.double()
    most = each.topk(min(WORDS, size))
    label = run.model.tokenizer.label
    return Section(
        {"rank": Axis("rank", most.values.shape[1])},
        {"raised": Labelled(("neuron", "rank"), most.values, "post_i w_i W_U, the largest first")},
        {"raised_words": [[label(id) for id in ids] for ids in most.indices.tolist()]},
    )
