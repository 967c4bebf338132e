"""Runs of a prefix model: one stack reads source and target as one text. Every position sees the
whole source and, of the target, itself and the positions before it.
"""

from model.errors import InvalidInput
from model.generation.decoding import IncrementalDecoder, greedy_decode
from model.inputs.input import Input
from model.inputs.text import END, START, Token
from model.layers import masks
from model.runs.framing import check_pair, read, read_prefix
from model.runs.run import Run, id_tensor
from model.runs.text import NO_PADS, Pads, Texts, Tokens, recorded, visible
from model.trace import Record, TraceFactory, unchanged
from model.zoo.models import Model


def run_prefix(model: Model, input: Input, through: TraceFactory = unchanged) -> Run:
    """A run of the text <s> x1 … xn </s> <s> y1 … ym under the mask `prefix`; the model predicts
    y1 … ym </s> (Raffel et al. 2020, section 3.2).

    Where no target is given, the target is the model's own greedy translation.
    """
    given = check_pair(model, input)
    source = read_prefix(model, given)
    target = (
        own_target(model, source)
        if input.target is None
        else read(model, "target", input.target, end=False)
    )
    text, limit = source + target, model.config.max_length
    if len(text) > limit:
        sentence = (
            f"Source and target together have {len(text)} tokens; {model.id} reads at most {limit}."
        )
        raise InvalidInput(sentence, field="target", limit=limit, given=len(text))
    texts = {
        "source": given,
        "target": input.target or model.text_tokenizer.decode([token.id for token in target]),
    }
    return run_prefix_tokens(model, texts, {"text": text}, through)


def run_prefix_tokens(
    model: Model,
    texts: Texts,
    tokens: Tokens,
    through: TraceFactory = unchanged,
    pads: Pads = NO_PADS,
) -> Run:
    """The run of a prefix model over the one text of `tokens`, which may have `pads`. Its
    target begins with the second <s>.
    """
    text, end = tokens["text"], model.text_tokenizer.token(END)
    start = [at for at, token in enumerate(text) if token.id == START][1]
    allowed = masks.prefix(len(text), start) & visible(len(text), pads)
    record, masks_of = Record(), {"decoder.attention": allowed}
    model.transformer(None, id_tensor(text), masks_of, through(record))
    written = text[start + 1 : len(text) - pads.right]
    parts = {"source": start, "target": len(text) - start}
    return recorded(model, texts, tokens, record, masks_of, [*written, end], start, parts)


def own_target(model: Model, source: list[Token]) -> list[Token]:
    """<s> and the model's greedy translation of `source`."""
    start = model.text_tokenizer.token(START)
    prompt = id_tensor([*source, start])
    (written,) = greedy_decode(
        IncrementalDecoder(model.transformer, prefix=len(source)),
        prompt[None],
        model.config.max_length - len(prompt),
    )
    return [start, *(model.text_tokenizer.token(id) for id in written)]
