"""Feed-forward: what the feed-forward network of one layer does at one token of a run, from the
stream that it reads to the stream that it writes to.
"""

import torch
from torch import Tensor

from model.activations.activation import input_axis
from model.activations.feed_forward import ACTIVATIONS
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.checks import check_between, check_layer, check_position, check_stack
from model.errors import InvalidInput
from model.interpretability.feed_forward_writes import Writes, writes
from model.interpretability.residual_stream import set_after_sum, steps, sums
from model.interpretability.token_journey import AROUND
from model.layers.feed_forward import ACTIVATIONS as FUNCTIONS
from model.runs.run import Run

TOP, WORDS, POINTS = 10, 5, 121
MARGIN = 0.05  # of the curve, beyond the smallest and the largest argument


@torch.no_grad()
def feed_forward(
    run: Run,
    *,
    stack: str | None = None,
    layer: int | None = None,
    position: int | None = None,
    top: int = TOP,
) -> Answer:
    """Answers about the token at `position` in the feed-forward network of `layer` of `stack`: `x`
    is what the network reads, `argument`, `activated` and `post` are the numbers of its neurons,
    and `length` is the length of what each neuron writes. The sum of `written`, of the `top`
    neurons that write the longest vectors, of `rest`, of all the others, and of `bias` is `out`; in
    an edited run whose edits changed the output, what they added to it is one more summand, `edit`.
    `stream` is the addition of `out` to the stream, with the norm where the model has it.

    A neuron fires if the argument of its activation function is above 0. `post_by_token` has the
    activations of the `top` neurons at every position, and `also_fires` the share of the neurons
    which fire here that fire at each position too: the weights are the same everywhere. `raised`
    are the words whose logits each neuron would raise most if no norm and no layer followed, where
    the stack is the one that predicts words.

    Without `stack` and `layer` it is the last layer of the last stack, and without `position` the
    first token that is not <s>. In a model whose rows attend to each other, the second
    feed-forward network of a layer is not shown. Raises InvalidInput for a layer, a position or a
    number of neurons that does not exist, and for a model without feed-forward networks.
    """
    config = run.config
    if not config.d_ff:
        raise InvalidInput(
            f"{run.model.id} has attention only and no feed-forward network: choose another model.",
            field="model",
            given=run.model.id,
        )
    stack = config.stacks[-1] if stack is None else stack
    check_stack(run.model.id, stack, config.stacks)
    layer = config.layers(stack) - 1 if layer is None else layer
    check_layer(stack, layer, config.layers(stack))
    text = input_axis(config, stack)
    tokens = [token.text for token in run.tokens[text]]
    position = first_word(tokens) if position is None else position
    check_position(text, position, len(tokens))
    check_between("top", top, 1, config.d_ff)
    scope = f"{stack}.{layer}.feed_forward"
    reads = run.activation(f"{scope}.{'gate' if config.gated else 'pre'}").operands[0].split("[")[0]
    here = writes(run, scope, position)
    best = here.strongest(top)
    stream_axes, stream, names = added(run, stack, scope, position)
    tensors = {
        "length": Labelled(("hidden",), here.lengths, "|post_i| |w_i|, w_i = row i of W_2"),
        **numbers(run, here, reads, position),
        **summands(here, best),
        **stream,
        **elsewhere(run, scope, text, here, best),
    }
    curve_axes, curve = curve_of(run, here.argument)
    word_axes, words, raised = raised_words(run, stack, here, best)
    axes = {
        "neuron": numbered("channel", best.tolist(), "neuron", ids=best.tolist()),
        **stream_axes,
        **curve_axes,
        **word_axes,
    }
    path = steps(config, stack)
    place = next(i for i, step in enumerate(path) if step.wrote == f"{scope}.out")
    fields = {
        "stack": stack,
        "layer": layer,
        "layers": config.layers(stack),
        "position": position,
        "tokens": tokens,
        "top": top,
        "reads": reads,
        "activation": config.activation,
        "function": ACTIVATIONS[config.activation].formula.format("x"),
        "gated": config.gated,
        "neurons": config.d_ff,
        "firing": int(here.fires.sum()),
        "equation": path[place].formula,
        "terms": names,
        "next_step": path[place + 1].name if place + 1 < len(path) else None,
        "raised_words": raised,
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
    return run.answer(tensors | curve | words, fields, axes)


def first_word(tokens: list[str]) -> int:
    """The first token that is neither <s> nor [CLS]; in a text of such tokens alone, the first."""
    return next((i for i, token in enumerate(tokens) if token not in AROUND), 0)


def numbers(run: Run, here: Writes, reads: str, position: int) -> dict[str, Labelled]:
    """What the network reads, and the numbers of its neurons on the way to their activations."""
    function = ACTIVATIONS[run.config.activation].formula
    gated, scope = run.config.gated, f"{run.config.stacks[0]}.0.feed_forward"
    argument = run.activation(f"{scope}.{'gate' if gated else 'pre'}").formula
    other = run.activation(f"{scope}.pre").formula
    return {
        "x": Labelled(("channel",), run.trace[reads][position], run.activation(reads).formula),
        "argument": Labelled(("hidden",), here.argument, argument),
        "activated": Labelled(("hidden",), here.activated, function.format("argument")),
        "post": Labelled(("hidden",), here.post, f"activated ({other})" if gated else "activated"),
    }


def summands(here: Writes, best: Tensor) -> dict[str, Labelled]:
    """What the strongest neurons write, what all others write, the bias, what edits added, and the
    sum of these.
    """
    written = here.written(best)
    return {
        "written": Labelled(("neuron", "channel"), written, "post_i w_i, w_i = row i of W_2"),
        "rest": Labelled(
            ("channel",), here.total - written.sum(0), "sum of post_i w_i over the other neurons"
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


def sum_of(here: Writes) -> Tensor:
    """All that is summed to the output."""
    whole = here.total + here.bias
    return whole if here.edit is None else whole + here.edit


def shares(here: Writes, best: Tensor) -> float:
    """How much of what all neurons write lies in what the strongest write: the component of their
    sum along the whole sum, as a share of its length; 0 where nothing is written.
    """
    whole = here.total
    square = whole.square().sum().item()
    return (here.written(best).sum(0) @ whole).item() / square if square else 0.0


def added(
    run: Run, stack: str, scope: str, position: int
) -> tuple[dict[str, Axis], dict[str, Labelled], list[str]]:
    """The stream before the network, what is added to it, their sum, and what a norm makes of the
    sum, or what an edit has left of the point; with the names of these terms.
    """
    step = next(step for step in steps(run.config, stack) if step.wrote == f"{scope}.out")
    summed = sums(run, stack)[step.name]
    rows = {"before": summed.x}
    if step.branch:
        rows["output"] = run.trace[f"{scope}.out"]
    rows["added"] = summed.f
    if step.bottom:
        rows["bottom"] = run.trace[step.bottom]
    rows["sum"] = summed.total
    if step.norm or set_after_sum(run, step):
        rows["edited" if set_after_sum(run, step) else "normed"] = run.trace[step.name]
    terms = torch.stack([row[position] for row in rows.values()])
    names = list(rows)
    return (
        {"term": Axis("part", len(names), names)},
        {"stream": Labelled(("term", "channel"), terms, step.formula)},
        names,
    )


def elsewhere(run: Run, scope: str, text: str, here: Writes, best: Tensor) -> dict[str, Labelled]:
    """What the same neurons do at every position of the run."""
    argument = run.trace[f"{scope}.{'gate' if run.config.gated else 'pre'}"]
    both = (argument > 0) & here.fires
    return {
        "post_by_token": Labelled(
            ("neuron", text), run.trace[f"{scope}.post"].T[best], "post_i at each position"
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


def curve_of(run: Run, argument: Tensor) -> tuple[dict[str, Axis], dict[str, Labelled]]:
    """The activation function between the smallest and the largest argument of the token."""
    low, high = argument.min().item(), argument.max().item()
    beyond = MARGIN * ((high - low) or 1)
    # Three decimals, so that the labels are the numbers themselves.
    ends = min(low, 0) - beyond, max(high, 0) + beyond
    points = torch.linspace(*ends, POINTS, dtype=torch.float64).round(decimals=3)
    function = ACTIVATIONS[run.config.activation].formula.format("x")
    return (
        {"point": numbered("step", points.tolist(), "argument of the activation function")},
        {"curve": Labelled(("point",), FUNCTIONS[run.config.activation](points).float(), function)},
    )


def raised_words(
    run: Run, stack: str, here: Writes, best: Tensor
) -> tuple[dict[str, Axis], dict[str, Labelled], list[list[str]] | None]:
    """The words that each of the strongest neurons raises most through the unembedding. There are
    none in a model of images or tables, and none in an encoder whose output only a decoder reads.
    """
    size = run.config.vocabulary_size
    if run.config.inputs != "tokens" or stack != run.config.stacks[-1]:
        return {}, {}, None
    each = here.written(best) @ run.model.transformer.unembedding.double()
    most = each.topk(min(WORDS, size))
    label = run.model.tokenizer.label
    return (
        {"rank": Axis("rank", most.values.shape[1])},
        {"raised": Labelled(("neuron", "rank"), most.values, "post_i w_i W_U, the largest first")},
        [[label(id) for id in ids] for ids in most.indices.tolist()],
    )
