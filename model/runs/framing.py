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
        raise InvalidInput(
            f"{model.id} reads one text: put it into `text`, and leave out `source` and `target`.",
            field="text",
        )
    if input.text is None:
        raise InvalidInput(is_empty("text"), field="text", limit=1, given=0)
    return input.text


def check_pair(model: Model, input: Input) -> str:
    """The source of `input`, for a model that turns a source into a target. Raises InvalidInput if
    `input` has no source, or a text.
    """
    if input.text is not None:
        raise InvalidInput(
            f"{model.id} turns a source into a target: put what it reads into `source`, and leave"
            " out `text`.",
            field="source",
        )
    if input.source is None:
        raise InvalidInput(is_empty("source"), field="source", limit=1, given=0)
    return input.source


def is_empty(name: str) -> str:
    """What to do about an input without a word."""
    if name == "target":
        return "The target is empty. Leave it out to get the model's own."
    return f"The {name} is empty. Type at least one word."


def read(
    model: Model, name: str, text: str, *, end: bool = True, most: int | None = None
) -> list[Token]:
    """The tokens of the text `text` of the input `name`, framed as in the model's training. Raises
    InvalidInput for a text that is empty, or longer than `most` or than the model reads.
    """
    if not text.strip():
        raise InvalidInput(is_empty(name), field=name, limit=1, given=0)
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
        reason = "" if most else reason_of_limit(model)
        sentence = f"The {name} has {len(tokens)} tokens; {model.id} reads at most {limit}{reason}."
        raise InvalidInput(sentence, field=name, limit=limit, given=len(tokens))
    return tokens


BOUNDED = {
    "learned": ": its positions are learned, and position {limit}, counted from 0, has no row"
}
"""The reason why a text cannot be longer, by the kind of positions."""
CHOSEN = (
    ": its positions have no end, and {limit} is the choice of this product, because it learned"
    " from texts of at most {trained} tokens and a map of n tokens has n x n weights"
)
"""The reason for the limit of a model whose positions have no end."""


def reason_of_limit(model: Model) -> str:
    """Why a model reads no more than `max_length` tokens; "" where nobody has said it."""
    config, trained = model.config, model.card["limits"].get("trained_tokens")
    reason = BOUNDED.get(config.positions.absolute, CHOSEN if trained else "")
    return reason.format(limit=config.max_length, trained=trained)


def read_prefix(model: Model, given: str) -> list[Token]:
    """The tokens of the source of a prefix model. Raises InvalidInput if they leave no place for
    the start and one token more.
    """
    source, limit = read(model, "source", given), model.config.max_length - 2
    if len(source) > limit:
        sentence = (
            f"The source has {len(source)} tokens, which leaves {model.id} no room to write; at"
            f" most {limit} do."
        )
        raise InvalidInput(sentence, field="source", limit=limit, given=len(source))
    return source
