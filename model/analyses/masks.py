"""Masks: which key each query may see, what reaches what through several layers, and what a model
does under the mask.
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from model.activations.catalogue import input_axis
from model.answers.answer import Answer, Axis, Labelled
from model.answers.facts import fact
from model.errors import InvalidInput
from model.inputs.given import Input
from model.interpretability.custom_mask import Painted, painted
from model.interpretability.mask_intervention import (
    beside_memory,
    leak,
    losses,
    multiplied_row_sums,
    outputs,
    retrace,
)
from model.layers.masks import Allowed, layers_needed, reach
from model.runs.run import Run, id_tensor, text_axis
from model.runs.run_model import run
from model.zoo.models import load_model

LENGTH, LAYERS, MAX_LAYERS = 12, 3, 64
EXACT = 1e-5  # of a row sum in float32


def masks(
    *,
    pattern: str | None = None,
    length: int | None = None,
    prefix: int | None = None,
    window: int | None = None,
    dilation: int | None = None,
    block: int | None = None,
    columns: int | None = None,
    above: int | None = None,
    beside: int | None = None,
    lengths: list[int] | None = None,
    flip: str | None = None,
    cells: list[list[int]] | None = None,
    layers: int | None = None,
    model: str | None = None,
    source: str | None = None,
    target: str | None = None,
    text: str | None = None,
    stack: str | None = None,
    layer: int | None = None,
) -> Answer:
    """`allowed` and `reach` after `layers` layers, [query, key] of 0 and 1, and how many cells are
    visible, counted and by the formula; `layers_needed` says how many layers it takes from key to
    query.

    `pattern` is one of MASKS, or two joined: "causal and block", "window or prefix". `flip` turns
    single cells over ("2.5,3.4-9": query 2 key 5, query 3 keys 4 to 9); `cells` is a whole mask
    instead of a pattern. Several `lengths` are a batch and put an axis `sequence` in front. With a
    `model` the self-attention of `stack` runs under the mask: `{stack}.{layer}.attention.pattern`,
    `leak`, `loss` beside that under the trained mask, `row_sum` added and multiplied.
    """
    grid = {"columns": columns, "above": above, "beside": beside}
    parameters = {
        "prefix": prefix,
        "window": window,
        "dilation": dilation,
        "block": block,
        **grid,
        "lengths": lengths,
    }
    if model is None:
        for name, given in {
            "source": source,
            "target": target,
            "text": text,
            "stack": stack,
            "layer": layer,
        }.items():
            if given is not None:
                raise InvalidInput(f"`{name}` needs a `model`.", field=name, given=str(given)[:80])
        size = length if length is not None else LENGTH if cells is None else len(cells)
        return Answer(
            "analytic",
            *of_a_mask(
                painted(pattern, size, parameters, flip, cells),
                LAYERS if layers is None else layers,
            ),
        )
    read = load_model(model)
    if read.config.inputs != "tokens":
        raise InvalidInput(
            f"{model} reads no text; a mask is tried on a text.", field="model", given=model
        )
    shown = run(read, Input(source, target, text))
    stack = check_stack(shown, stack)
    n, deep = len(shown.tokens[input_axis(shown.config, stack)]), shown.config.layers(stack)
    if length not in (None, n):
        raise InvalidInput(
            f"With a model the length is that of its text, {n} tokens.",
            field="length",
            limit=n,
            given=length,
        )
    chosen = painted(pattern, n, parameters, flip, cells)
    axes, tensors, fields = of_a_mask(chosen, deep if layers is None else layers)
    own_axes, own_tensors, own_fields = under(shown, stack, check_layer(stack, deep, layer), chosen)
    fields["facts"] += own_fields.pop("facts")
    return Answer(
        shown.kind,
        axes | own_axes,
        tensors | own_tensors,
        fields | own_fields,
        shown.model.id,
        shown.input,
    )


def of_a_mask(chosen: Painted, layers: int) -> tuple[dict, dict, dict]:
    """What can be said of a mask alone: axes, tensors and fields."""
    if not 0 <= layers <= MAX_LAYERS:
        raise InvalidInput(
            f"layers is {layers}; it goes from 0 to {MAX_LAYERS}.",
            field="layers",
            limit=MAX_LAYERS,
            given=layers,
        )
    allowed, n = chosen.allowed, chosen.allowed.shape[-1]
    reached, needed, blind = (
        reach(allowed, layers),
        layers_needed(allowed),
        (~allowed.any(-1)).nonzero(),
    )
    batch = ("sequence",) if allowed.ndim == 3 else ()
    axes = {name: Axis("position", n) for name in ("query", "key")}
    if batch:
        axes["sequence"] = Axis("position", len(allowed))
    tensors = {
        "allowed": Labelled(
            (*batch, "query", "key"), allowed.to(torch.uint8), "1 where a query may look"
        ),
        "reach": Labelled(
            (*batch, "query", "key"), reached.to(torch.uint8), f"(allowed or identity)^{layers} > 0"
        ),
        "layers_needed": Labelled(
            (*batch, "query", "key"),
            needed,
            "fewest L with (allowed or identity)^L > 0",
            masked=True,
        ),
    }
    fields = {
        "pattern": chosen.pattern,
        "length": n,
        **chosen.parameters,
        "layers": layers,
        "visible": int(allowed.sum()),
        "formula": chosen.formula,
        "opened": chosen.opened,
        "closed": chosen.closed,
        "blind_rows": blind.tolist() if batch else blind.squeeze(-1).tolist(),
        "reachable": int(reached.sum()),
        "facts": mask_facts(chosen, reached, layers),
    }
    return axes, tensors, fields


def mask_facts(chosen: Painted, reached: Allowed, layers: int) -> list[dict]:
    facts, visible, n = [], int(chosen.allowed.sum()), reached.shape[-1]
    if chosen.law is not None:
        assert chosen.formula is not None, "a law comes with its formula"
        law = (
            chosen.formula
            if chosen.whole
            else f"{chosen.formula}, + {chosen.opened} opened - {chosen.closed} closed"
        )
        facts.append(
            fact(
                "visible",
                visible,
                law,
                visible == chosen.law + chosen.opened - chosen.closed,
                "cells",
            )
        )
    if chosen.span is not None and chosen.whole:
        earliest = reached.int().argmax(
            -1
        )  # the first key that each query reaches; its own if no other
        widest = int((torch.arange(n) - earliest).max()) + 1
        law, span = chosen.span(layers)
        facts.append(fact("widest_reach", widest, law, widest == span, "positions"))
    return facts


@torch.inference_mode()
def under(shown: Run, stack: str, layer: int, chosen: Painted) -> tuple[dict, dict, dict]:
    """What the model does when the self-attention of `stack` runs under the mask instead of the one
    it was trained with.
    """
    allowed, text = chosen.allowed, input_axis(shown.config, stack)
    if allowed.ndim == 3:
        raise InvalidInput(
            "A model runs one sequence here: give one length.",
            field="lengths",
            limit=1,
            given=len(allowed),
        )
    scope, values = f"{stack}.{layer}.attention", retrace(shown, stack, allowed)
    unit = "logits" if stack == shown.config.stacks[-1] else "stream"
    columns = pad(beside_memory(shown, allowed), (0, shown.config.slots), value=True)
    leaked = leak(
        outputs(shown, stack, allowed), id_tensor(shown.tokens[text]), shown.config.vocabulary_size
    )
    sums = torch.stack(
        [
            values[f"{scope}.pattern"].sum(-1),
            multiplied_row_sums(values[f"{scope}.scores"], columns),
        ]
    )
    axes = {name: text_axis(shown.tokens[text]) for name in ("query", "key")}
    axes |= {
        "head": shown.axes["head"],
        "order": Axis("step", 2, ["added before the softmax", "multiplied after it"]),
    }
    pattern = shown.activation(f"{scope}.pattern")
    first = (
        columns.shape[-1] - shown.config.slots - len(allowed)
    )  # of the text's own columns, behind those remembered
    own = shown.masks[f"{stack}.attention"][:, first : first + len(allowed)]
    column = "key" if columns.shape == allowed.shape else "column"
    axes[column] = shown.axes[pattern.axes[-1]]
    tensors = {
        "trained": Labelled(
            ("query", "key"), own.to(torch.uint8), "1 where a query may look as trained"
        ),
        pattern.name: Labelled(("head", "query", column), values[pattern.name], pattern.formula),
        "leak": Labelled(
            ("query", "key"),
            leaked,
            f"max |change of the {unit} at query| when the token at key is another",
        ),
        "row_sum": Labelled(
            ("order", "head", "query"),
            sums,
            "sum over keys of softmax(scores + mask), and of softmax(scores) x allowed",
        ),
    }
    facts = run_facts(allowed, shown.config.layers(stack), leaked, sums, unit)
    fields: dict[str, Any] = {"stack": stack, "layer": layer, "unit": unit, "facts": facts}
    fields |= {"expected": shown.expected, "expected_from": shown.target_start}
    before, after = losses(shown, shown.trace["logits"]), losses(shown, values["logits"])
    if before is not None and after is not None:
        axes["mask"] = Axis("step", 2, ["as trained", "as chosen"])
        axes["predicted"] = Axis("position", len(before), shown.expected)
        tensors["loss"] = Labelled(
            ("mask", "predicted"),
            torch.stack([before, after]),
            "-ln p of the token that comes next",
        )
        fields["loss"] = {
            "trained": before.mean().item(),
            "chosen": after.mean().item(),
            "unit": "nats a token",
        }
    return axes, tensors, fields


def run_facts(
    allowed: Allowed, n_layers: int, leaked: Tensor, sums: Tensor, unit: str
) -> list[dict]:
    """`sums` are the rows' sums [order, head, query]; a query that may look nowhere has none to
    speak of.
    """
    outside = leaked.masked_fill(reach(allowed, n_layers), 0).max()
    error = (sums[0] - 1).abs().masked_fill(~allowed.any(-1), 0).max()
    said = (
        f"0: what the mask does not let through in {n_layers} layers changes nothing, bit for bit"
    )
    added = "0: a mask added before the softmax leaves rows that sum to 1"
    multiplied = "at most 1: a mask multiplied after the softmax takes weight out of the row"
    return [
        fact("leak_outside_reach", outside, said, outside == 0, unit),
        fact("row_sum_error", error, added, error <= EXACT),
        fact("smallest_multiplied_row_sum", sums[1].min(), multiplied, sums[1].max() <= 1 + EXACT),
    ]


def check_stack(shown: Run, stack: str | None) -> str:
    stacks = shown.config.stacks
    if stack is not None and stack not in stacks:
        raise InvalidInput(
            f"{shown.model.id} has no {stack}; it has {' and '.join(stacks)}.",
            field="stack",
            given=stack[:80],
        )
    return stacks[-1] if stack is None else stack


def check_layer(stack: str, deep: int, layer: int | None) -> int:
    if layer is not None and not 0 <= layer < deep:
        known = f"the {stack} has layers 0 to {deep - 1}"
        raise InvalidInput(
            f"Layer {layer} does not exist; {known}.", field="layer", limit=deep - 1, given=layer
        )
    return layer or 0
