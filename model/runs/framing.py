"""Framing: the tokens of an input with its frame, as in the model's training. An input that does
not fit the model is refused.
"""

from model.errors import InvalidInput
from model.inputs.input import Input
from model.inputs.text import Token
from model.zoo.models import Model


def check_text(model: Model, input: Input) -> str:
    """The text of `input`, for a model that reads one text. Raises InvalidInput if `input` has no
    text, or a source or a target.
    """
    if input.source is not None or input.target is not None:
        raise InvalidInput("reads-one-text", field="text", model=model.id)
    if input.text is None:
        raise InvalidInput("input-is-empty", field="text", limit=1, given=0)
    return input.text


def check_pair(model: Model, input: Input) -> str:
    """The source of `input`, for a model that turns a source into a target. Raises InvalidInput if
    `input` has no source, or a text.
    """
    if input.text is not None:
        raise InvalidInput("reads-a-source", field="source", model=model.id)
    if input.source is None:
        raise InvalidInput("input-is-empty", field="source", limit=1, given=0)
    return input.source


def read(
    model: Model, name: str, text: str, *, end: bool = True, most: int | None = None
) -> list[Token]:
    """The tokens of the text `text` of the input `name`, framed as in the model's training. Raises
    InvalidInput for a text that is empty, or longer than `most` or than the model reads.
    """
    if not text.strip():
        raise InvalidInput("input-is-empty", field=name, limit=1, given=0)
    tokenizer = model.text_tokenizer
    frame = tokenizer.frame
    front = frame.opening if name == "target" else frame.before
    try:
        tokens = tokenizer.tokenizer_for(name).encode(text, end=end)
    except InvalidInput as error:
        error.field = name
        raise
    tokens = [*map(tokenizer.token, front), *tokens]
    limit = most or model.config.max_length
    if len(tokens) > limit:
        trained = model.card["limits"].get("trained_tokens")
        learned, chosen = (
            model.config.positions.absolute == "learned",
            "chosen" if trained else "unknown",
        )
        raise InvalidInput(
            "too-many-tokens-read",
            field=name,
            limit=limit,
            given=len(tokens),
            model=model.id,
            reason="asked" if most else "learned" if learned else chosen,
            trained=trained,
        )
    return tokens


def read_prefix(model: Model, text: str) -> list[Token]:
    """The tokens of the source of a prefix model. Raises InvalidInput if they leave no place for
    the start and one token more.
    """
    source, limit = read(model, "source", text), model.config.max_length - 2
    if len(source) > limit:
        raise InvalidInput(
            "no-room-to-write", field="source", limit=limit, given=len(source), model=model.id
        )
    return source
