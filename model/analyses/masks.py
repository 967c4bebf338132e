"""Masks: the keys that each query may attend to, the inputs that each output depends on after
several layers, and the output of a model under the mask.
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import pad

from model.activations.activation import input_axis
from model.analytic.custom_mask import CustomMask, custom_mask
from model.analytic.mask_reach import layers_needed, reach
from model.answers.answer import Answer, Axis, Labelled, Section
from model.answers.measurements import Measurement, fact
from model.checks import check_between, check_layer, check_stack
from model.errors import InvalidInput
from model.inputs.input import Input
from model.interpretability.masks.intervention import (
    beside_memory,
    leak,
    losses,
    multiplied_row_sums,
    outputs,
    retrace,
)
from model.layers.masks import Allowed
from model.runs.run import Run, id_tensor, text_axis
from model.runs.run_model import Runs, run_model
from model.zoo.models import load_model

LENGTH, LAYERS, MAX_LAYERS = 12, 3, 64
EXACT = 1e-5  # tolerance of a row sum in float32


def masks(
    runs: Runs = run_model,
    *,
    pattern: str | None = None,
    length: int | None = None,
    flip: str | None = None,
    cells: list[list[int]] | None = None,
    layers: int | None = None,
    model: str | None = None,
    source: str | None = None,
    target: str | None = None,
    text: str | None = None,
    stack: str | None = None,
    layer: int | None = None,
    **parameters: int | list[int] | None,
) -> Answer:
    """`allowed` and, after `layers` layers, `reach`, both [query, key] of 0 and 1, with the number
    of visible cells, counted and by the formula. `layers_needed` is the smallest number of layers
    after which the output at a query depends on the input at a key.

    `pattern` is one of MASKS or a combination of two: "causal and block", "window or prefix".
    `parameters` are those of the pattern; layers/mask_parameters.py lists them with defaults.
    `flip` inverts single cells ("2.5,3.4-9": query 2 key 5, query 3 keys 4 to 9); `cells` is a
    whole mask instead of a pattern. Several `lengths` form a batch and add a leading axis
    `sequence`.

    With a `model`, the self-attention of `stack` is computed under the mask: the answer has
    `{stack}.{layer}.attention.pattern`, `leak`, the `loss` under this mask and under the training
    mask, and `row_sum` with the mask added to the scores or multiplied with the weights. Raises
    InvalidInput or UnknownName.
    """
    if model is None:
        refuse_without_model(source=source, target=target, text=text, stack=stack, layer=layer)
        size = length if length is not None else LENGTH if cells is None else len(cells)
        chosen = custom_mask(pattern, size, parameters, flip, cells)
        part = mask_section(chosen, LAYERS if layers is None else layers)
        return Answer("analytic", part.axes, part.tensors, part.fields | {"facts": part.facts})
    run = run_of_text(runs, model, Input(source, target, text))
    stack = run.config.stacks[-1] if stack is None else stack
    n, deep = length_of(run, stack, length), run.config.layers(stack)
    chosen = custom_mask(pattern, n, parameters, flip, cells)
    layer = 0 if layer is None else layer
    check_layer(stack, layer, deep)
    part = mask_section(chosen, deep if layers is None else layers)
    ran = under(run, stack, layer, chosen)
    both = part | ran
    fields = part.fields | {"facts": both.facts} | ran.fields
    return Answer(run.kind, both.axes, both.tensors, fields, run.model.id, run.input)


def refuse_without_model(**parameters: str | int | None) -> None:
    """Raises InvalidInput for the first of `parameters` that is not None."""
    for name, value in parameters.items():
        if value is not None:
            raise InvalidInput("needs-a-model", field=name, given=str(value)[:80])


def run_of_text(runs: Runs, model: str, input: Input) -> Run:
    """The run on which a mask is tried. Raises InvalidInput for a model that does not read text."""
    read = load_model(model)
    if read.config.inputs != "tokens":
        raise InvalidInput("mask-needs-a-text", field="model", given=model)
    return runs(read, input)


def length_of(run: Run, stack: str, length: int | None) -> int:
    """The number of tokens that the stack reads. Raises InvalidInput for a stack that does not
    exist, or if another `length` is requested.
    """
    check_stack(run.model.id, stack, run.config.stacks)
    n = len(run.tokens[input_axis(run.config, stack)])
    if length not in (None, n):
        raise InvalidInput("length-of-the-text", field="length", limit=n, given=length)
    return n


def mask_section(chosen: CustomMask, layers: int) -> Section:
    """The section about a mask without a model; `reach` covers `layers` layers."""
    check_between("layers", layers, 0, MAX_LAYERS)
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
    }
    return Section(axes, tensors, fields, mask_facts(chosen, reached, layers))


def mask_facts(chosen: CustomMask, reached: Allowed, layers: int) -> list[Measurement]:
    """The facts about a mask without a model; `reached` is its reach after `layers` layers."""
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
        )  # the first key that each query reaches, its own if there is no other
        widest = int((torch.arange(n) - earliest).max()) + 1
        law, span = chosen.span(layers)
        facts.append(fact("widest_reach", widest, law, widest == span, "positions"))
    return facts


@torch.inference_mode()
def under(run: Run, stack: str, layer: int, chosen: CustomMask) -> Section:
    """The section about a model whose self-attention in `stack` uses the mask `chosen` instead of
    the training mask.
    """
    allowed, text = chosen.allowed, input_axis(run.config, stack)
    if allowed.ndim == 3:
        raise InvalidInput("one-length-for-a-model", field="lengths", limit=1, given=len(allowed))
    scope, values = f"{stack}.{layer}.attention", retrace(run, stack, allowed)
    has_logits = stack == run.config.stacks[-1] and not run.config.head.absent
    unit = "logits" if has_logits else "stream"
    columns = pad(beside_memory(run, allowed), (0, run.config.attention.slots), value=True)
    leaked = leak(
        outputs(run, stack, allowed),
        id_tensor(run.tokens[text]),
        run.config.vocabulary_size,
        run.model.text_tokenizer.frame,
    )
    sums = torch.stack(
        [
            values[f"{scope}.pattern"].sum(-1),
            multiplied_row_sums(values[f"{scope}.scores"], columns),
        ]
    )
    axes = {name: text_axis(run.tokens[text]) for name in ("query", "key")}
    axes |= {
        "head": run.axes["head"],
        "order": Axis("step", 2, ["added before the softmax", "multiplied after the softmax"]),
    }
    pattern = run.activation(f"{scope}.pattern")
    first = columns.shape[-1] - run.config.attention.slots - len(allowed)  # after memory
    trained = run.masks[f"{stack}.attention"][:, first : first + len(allowed)]
    column = "key" if columns.shape == allowed.shape else "column"
    axes[column] = run.axes[pattern.axes[-1]]
    tensors = {
        "trained": Labelled(
            ("query", "key"), trained.to(torch.uint8), "1 where a query may look as trained"
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
    of_leak = "logits" if has_logits else ""  # channels have no unit
    facts = run_facts(allowed, run.config.layers(stack), leaked, sums, of_leak)
    fields: dict[str, Any] = {"stack": stack, "layer": layer, "unit": unit}
    fields |= {"expected": run.expected, "expected_from": run.target_start}
    return Section(axes, tensors, fields, facts) | both_losses(run, values.get("logits"))


def both_losses(run: Run, logits: Float[Tensor, "position vocabulary"] | None) -> Section:
    """The loss of each predicted token under the training mask and under the chosen one, which
    produced the logits; nothing for a model that does not predict the next token.
    """
    if logits is None:
        return Section({}, {})
    before, after = losses(run, run.logits), losses(run, logits)
    if before is None or after is None:
        return Section({}, {})
    axes = {
        "mask": Axis("step", 2, ["as trained", "as chosen"]),
        "predicted": Axis("position", len(before), run.expected),
    }
    tensors = {
        "loss": Labelled(
            ("mask", "predicted"),
            torch.stack([before, after]),
            "-ln p of the token that comes next",
        )
    }
    means = {"trained": before.mean().item(), "chosen": after.mean().item(), "unit": "nats a token"}
    return Section(axes, tensors, {"loss": means})


def run_facts(
    allowed: Allowed, n_layers: int, leaked: Tensor, sums: Tensor, unit: str
) -> list[Measurement]:
    """The facts about a run under the mask. `sums` are the row sums [order, head, query]; queries
    without visible keys are omitted.
    """
    outside = leaked.masked_fill(reach(allowed, n_layers), 0).max()
    error = (sums[0] - 1).abs().masked_fill(~allowed.any(-1), 0).max()
    unchanged = "0: a token that does not reach a prediction does not change it"
    added = "0: a mask added before the softmax leaves rows that sum to 1"
    multiplied = "at most 1: a mask multiplied after the softmax takes weight out of the row"
    return [
        fact("leak_outside_reach", outside, unchanged, outside == 0, unit),
        fact("row_sum_error", error, added, error <= EXACT),
        fact("smallest_multiplied_row_sum", sums[1].min(), multiplied, sums[1].max() <= 1 + EXACT),
    ]
