"""Modes: the masks and attention patterns of one sentence in an encoder-only model, a decoder-only
model, an encoder-decoder, and a single stack with a prefix mask.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from model.answers.answer import Answer, Axis, Labelled, Section, named
from model.answers.measurements import Measurement, fact
from model.checks import check_at_least, check_between
from model.config import Family
from model.errors import InvalidInput
from model.inputs.input import Input
from model.layers.masks import causal, full, prefix
from model.runs.run import Run, text_axis
from model.runs.run_model import Runs, run_model
from model.zoo.models import WEIGHTS, Model, ids, load_model, read_card

MAX_WORDS = 64  # maximum words of a mask without a model
MAX_TOP = 20


@dataclass(frozen=True)
class Mode:
    """One arrangement of stacks. `first` is the default model; `allowed` is the mask for n source
    tokens and m target tokens.
    """

    family: Family
    first: str
    sees: str
    allowed: Callable[[int, int], Tensor]
    law: str
    count: Callable[[int, int], int]
    pair: bool = False

    def has(self, config: dict) -> bool:
        """Whether a model with this configuration belongs to the mode and reads a text in one
        piece, without any other input.
        """
        return (config["family"], config["inputs"], config["segment"], config["slots"]) == (
            self.family,
            "tokens",
            0,
            0,
        )


def joined_mask(n: int, m: int) -> Tensor:
    """The mask of n source and m target tokens in one square: source tokens attend to the source,
    and each target token attends to the source, itself, and earlier target tokens.
    """
    return torch.cat(
        [torch.cat([full(n), torch.zeros(n, m, dtype=torch.bool)], dim=1), prefix(n + m, n)[n:]]
    )


MODES = (
    Mode(
        "encoder-only",
        "fill-in",
        "every token sees all of the text",
        lambda n, m: full(n),
        "n^2",
        lambda n, m: n * n,
    ),
    Mode(
        "decoder-only",
        "shakespeare",
        "a token sees itself and what came before",
        lambda n, m: causal(n),
        "n (n + 1) / 2",
        lambda n, m: n * (n + 1) // 2,
    ),
    Mode(
        "encoder-decoder",
        "translator",
        "the source sees all of itself; another stack sees it, and of the target what came before",
        joined_mask,
        "n^2 + m n + m (m + 1) / 2",
        lambda n, m: n * n + m * n + m * (m + 1) // 2,
        pair=True,
    ),
    Mode(
        "prefix",
        "prefix-translator",
        "one stack for both: the source sees all of itself, the target the source and what came"
        " before",
        lambda n, m: prefix(n + m, n),
        "n^2 + m n + m (m + 1) / 2",
        lambda n, m: n * n + m * n + m * (m + 1) // 2,
        pair=True,
    ),
)


def modes(
    runs: Runs = run_model,
    *,
    text: str,
    target: str | None = None,
    encoder_only: str | None = None,
    decoder_only: str | None = None,
    encoder_decoder: str | None = None,
    prefix: str | None = None,
    layer: int | None = None,
    head: int = 0,
    top: int = 5,
    names: str | None = None,
) -> Answer:
    """`modes` has for each mode its model, the tokens that it `sees`, the text that it `says`, and
    the `top_tokens` at every predicting position.

    `{mode}.mask` and `{mode}.pattern` use one axis of all tokens, source before target, for any
    number of stacks. Masked cells are null. With two stacks, a target token's row holds two
    patterns, each summing to 1. By default the last layer is shown; a model with fewer layers or
    heads shows its last one, and the answer names it. Without a `target`, every model that reads
    one generates its own.

    If no included model of a family can read the text, `model` is null, `why` has the reason, and
    the mask is over words. Raises InvalidInput (text, a mode's own name, layer, head, top) or
    UnknownName (a model, names).
    """
    check(text, layer, head, top)
    models = {
        "encoder-only": encoder_only,
        "decoder-only": decoder_only,
        "encoder-decoder": encoder_decoder,
        "prefix": prefix,
    }
    read = {mode: reading(mode, models[mode.family], text, target, runs) for mode in MODES}
    ran = [run for run in read.values() if isinstance(run, Run)]
    if not ran:
        raise next(run for run in read.values() if isinstance(run, InvalidInput))
    target_text = next((run.input["target"] for run in ran if "target" in run.input), target or "")
    axes, tensors, answers = {"rank": Axis("rank", top)}, {}, []
    for mode, run in read.items():
        section = (
            run_section(mode, run, layer, head, top)
            if isinstance(run, Run)
            else words_section(mode, run, text, target_text)
        )
        axes |= section.axes
        tensors |= section.tensors
        answers.append({"mode": mode.family, "sees": mode.sees, **section.fields})
    notes = list(dict.fromkeys(note for run in ran for note in run.notes))
    fields = {"modes": answers} | ({"notes": notes} if notes else {})
    inputs = {"text": text} | ({"target": target} if target is not None else {})
    return Answer(
        ran[0].kind,
        axes,
        named(tensors, names),
        fields,
        input=inputs,
    )


def check(text: str, layer: int | None, head: int, top: int) -> None:
    if not text.strip():
        raise InvalidInput("input-is-empty", field="text", limit=1, given=0)
    check_at_least("layer", 0 if layer is None else layer, 0)
    check_at_least("head", head, 0)
    check_between("top", top, 1, MAX_TOP)


def reading(
    mode: Mode, id: str | None, text: str, target: str | None, runs: Runs
) -> Run | InvalidInput | None:
    """The run of the sentence in the requested model, or in the mode's first included model that
    can read it. If none can, returns the error of the first; None if there is no such model.
    """
    input = Input(source=text, target=target) if mode.pair else Input(text=text)
    if id is not None:
        if not mode.has(read_card(id)["config"]):
            field = mode.family.replace("-", "_")
            raise InvalidInput("model-of-another-mode", field=field, given=id, mode=mode.family)
        model = load_model(id)
        if model.config.head.absent:
            raise InvalidInput("no-head", model=id)
        return runs(model, input)
    refused = None
    for model in shipped(mode):
        try:
            return runs(model, input)
        except InvalidInput as error:
            refused = refused or error
    return refused


def shipped(mode: Mode) -> Iterator[Model]:
    """Yields the included models of the mode, the default first."""
    for id in sorted(ids(WEIGHTS), key=lambda id: id != mode.first):
        if mode.has(read_card(id)["config"]):
            yield load_model(id)


def run_section(mode: Mode, run: Run, layer: int | None, head: int, top: int) -> Section:
    """The section of a mode whose model can read the sentence."""
    config, stack, tokenizer = run.config, run.config.stacks[-1], run.model.tokenizer
    deep = config.layers(stack)
    layer, head = min(deep - 1 if layer is None else layer, deep - 1), min(head, config.n_heads - 1)
    tokens = [token for row in run.tokens.values() for token in row]
    begins = len(run.tokens["source"]) if config.cross else run.target_start if mode.pair else None
    allowed = joined(run, {name: mask.to(torch.uint8) for name, mask in run.masks.items()})
    pattern = joined(
        run,
        {name: run.trace[f"{name.replace('.', f'.{layer}.')}.pattern"][head] for name in run.masks},
    )
    logits = run.logits[run.predicted if mode.pair else slice(None)]
    best = logits.topk(top)
    top_tokens = [[tokenizer.label(id) for id in row] for row in best.indices.tolist()]
    every, last = f"{mode.family}.read", f"{mode.family}.asked"
    formula = (
        f"{run.tensor(f'{stack}.{layer}.attention.pattern').formula}, layer {layer}, head {head}"
    )
    axes = {every: text_axis(tokens), last: text_axis(tokens[len(tokens) - len(logits) :])}
    tensors = {
        f"{mode.family}.mask": Labelled((every, every), allowed, "1 where a token may look"),
        f"{mode.family}.pattern": Labelled(
            (every, every), pattern.masked_fill(allowed == 0, -torch.inf), formula, masked=True
        ),
        f"{mode.family}.top_probability": Labelled(
            (last, "rank"), logits.softmax(-1).gather(-1, best.indices), "softmax(logits)"
        ),
    }
    fields = {
        "model": run.model.id,
        "kind": run.kind,
        "why": None,
        "layer": layer,
        "head": head,
        "layers": deep,
        "heads": config.n_heads,
        "target_from": begins,
        "visible": visible(mode, allowed, begins),
        "top_tokens": top_tokens,
        "expected": run.expected,
        "says": (
            run.input["target"] if mode.pair else top_tokens[-1][0] if stack == "decoder" else None
        ),
    }
    return Section(axes, tensors, fields)


def joined(run: Run, by_attention: dict[str, Tensor]) -> Tensor:
    """The square [query, key] over all tokens of a run. With two stacks, encoder rows come before
    decoder rows, and the encoder does not attend to target tokens.
    """
    if not run.config.cross:
        return by_attention[f"{run.config.stacks[0]}.attention"]
    within, across, above = (
        by_attention[f"{name}attention"] for name in ("decoder.", "decoder.cross_", "encoder.")
    )
    return torch.cat(
        [
            torch.cat([above, above.new_zeros(len(above), len(within))], dim=1),
            torch.cat([across, within], dim=1),
        ]
    )


def visible(mode: Mode, allowed: Tensor, begins: int | None) -> Measurement:
    """The number of visible cells, compared with the mode's formula."""
    n = len(allowed) if begins is None else begins
    law, cells = mode.count(n, len(allowed) - n), int(allowed.sum())
    return fact("visible", cells, f"{mode.law} = {law}", cells == law, "cells")


def words_section(mode: Mode, refused: InvalidInput | None, text: str, target: str) -> Section:
    """The section of a mode without a model: only a mask with one token per word."""
    words, target_words = text.split(), ["<s>", *target.split()] if mode.pair else []
    if len(words) + len(target_words) > MAX_WORDS:
        words, target_words = [], []
    every = f"{mode.family}.read"
    allowed = mode.allowed(len(words), len(target_words)).to(torch.uint8)
    begins = len(words) if mode.pair else None
    fields = {
        "model": None,
        "kind": "analytic",
        "why": refused.text("en") if refused else f"No model that is {mode.family} is shipped yet.",
        "layer": None,
        "head": None,
        "layers": None,
        "heads": None,
        "target_from": begins,
        "visible": visible(mode, allowed, begins),
        "top_tokens": [],
        "expected": [],
        "says": None,
    }
    labels = words + target_words
    axis = Axis("position", len(labels), labels)
    mask = Labelled((every, every), allowed, "1 where a word may look")
    return Section({every: axis}, {f"{mode.family}.mask": mask}, fields)
