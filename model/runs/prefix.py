"""Runs of prefix models: a single stack reads source and target as one sequence. Every position
attends to the whole source and, in the target, to itself and earlier positions. The sequence is <s>
x1 … xn </s> <s> y1 … ym, and the model predicts y1 … ym </s> (Raffel et al. 2020, section 3.2).
"""

from collections.abc import Sequence

import torch

from model.errors import InvalidInput
from model.generation.decoding import IncrementalDecoder, greedy_decode
from model.inputs.input import Input
from model.inputs.text import Token
from model.layers import masks
from model.runs.run import Prepared, id_tensor
from model.runs.text import (
    NO_PADS,
    Pads,
    Texts,
    Tokens,
    check_pair,
    read,
    read_prefix,
    run_of,
    visible,
    with_start,
)
from model.zoo.models import Model


def read_joined(model: Model, input: Input) -> tuple[Texts, Tokens]:
    """The texts and tokens of a source and, if given, a target."""
    source = check_pair(model, input)
    texts, tokens = {"source": source}, {"source": read_prefix(model, source)}
    if input.target is not None:
        texts["target"] = input.target
        tokens["target"] = read(model, "target", input.target, end=False)
        check_length(model, sum(map(len, tokens.values())))
    return texts, tokens


def check_length(model: Model, n: int) -> None:
    """Raises InvalidInput if source and target together have more tokens than the model reads."""
    if n > (limit := model.config.max_length):
        raise InvalidInput(
            "both-have-too-many-tokens", field="target", limit=limit, given=n, model=model.id
        )


def written_joined(model: Model, sources: Sequence[list[Token]]) -> list[list[Token]]:
    """<s> and the model's own greedy translation of each of the `sources`. Those of equal length
    are translated in one batch.
    """
    found: dict[int, list[Token]] = {}
    frame = model.text_tokenizer.frame
    for n in {len(source) for source in sources}:
        places = [place for place, source in enumerate(sources) if len(source) == n]
        prompts = [[token.id for token in sources[place]] + [frame.start] for place in places]
        targets = greedy_decode(
            IncrementalDecoder(model.transformer, prefix=n),
            torch.tensor(prompts),
            model.config.max_length - n - 1,
            frame,
        )
        found |= zip(places, with_start(model, targets), strict=True)
    return [found[place] for place in range(len(sources))]


def prepare_joined(model: Model, texts: Texts, tokens: Tokens, pads: Pads = NO_PADS) -> Prepared:
    """A prefix model reads one sequence: the source and target of `tokens`, or the sequence they
    form, possibly padded by `pads`. Its target begins with the second <s>.
    """
    text = tokens.get("text") or [*tokens["source"], *tokens["target"]]
    tokenizer, frame = model.text_tokenizer, model.text_tokenizer.frame
    start = [at for at, token in enumerate(text) if token.id == frame.start][1]
    allowed = {"decoder.attention": masks.prefix(len(text), start) & visible(len(text), pads)}
    target = text[start + 1 : len(text) - pads.right]
    next_tokens = [*target, tokenizer.token(frame.end)]
    parts = {"source": start, "target": len(text) - start}
    run = run_of(model, texts, {"text": text}, allowed, next_tokens, start, parts)
    return Prepared(run, None, id_tensor(text), allowed)
