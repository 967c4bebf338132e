"""Runs of a prefix model: source and target are one text, read by one stack; all see the source,
and of the target what came before.
"""

from model.errors import InvalidInput
from model.generation.decoding import Reader, greedily
from model.inputs.given import Input
from model.inputs.text import END, START, Token
from model.layers import masks
from model.runs.run import Run, id_tensor
from model.runs.text import recorded
from model.trace import Recorder
from model.zoo.framing import check_pair, read, read_prefix
from model.zoo.models import Model


def run_prefix(model: Model, input: Input) -> Run:
    """The text is <s> x1 … xn </s> <s> y1 … ym, the stack's mask `prefix`; asked is what follows
    <s> y1 … ym (Raffel et al. 2020, 3.2).

    Without a target the model's own greedy output is the target.
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
    allowed = masks.prefix(len(text), len(source))
    trace = Recorder()
    model.transformer(None, id_tensor(text), {"decoder.attention": allowed}, trace)
    texts = {
        "source": given,
        "target": input.target or model.text_codec.decode([token.id for token in target]),
    }
    following = [*target[1:], model.text_codec.token(END)]
    return recorded(
        model,
        texts,
        {"text": text},
        trace,
        {"decoder.attention": allowed},
        following,
        expected_from=len(source),
    )


def own_target(model: Model, source: list[Token]) -> list[Token]:
    """<s> and what the model writes by itself."""
    start = model.text_codec.token(START)
    prompt = id_tensor([*source, start])
    (written,) = greedily(
        Reader(model.transformer, prefix=len(source)),
        prompt[None],
        model.config.max_length - len(prompt),
    )
    return [start, *(model.text_codec.token(id) for id in written)]
