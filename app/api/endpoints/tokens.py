"""/tokens: the tokens of a text."""

from app.api.endpoint import Endpoint
from app.schema.answers import RunAnswer, StrictModel, optional
from app.schema.questions import AboutModel


class Token(StrictModel):
    """A token of the input; its position is in characters, in patches, or by column."""

    text: str
    id: int
    special: bool
    start: int = optional()
    end: int = optional()
    word: int | None = optional()
    row: int | None = optional()
    column: int | None = optional()
    value: str | float | None = optional()
    unit: str | None = optional()
    place: int | None = optional()
    category: int | None = optional()


class TokensAnswer(RunAnswer):
    tokens: dict[str, list[Token]]
    expected_from: int


ENDPOINT = Endpoint(
    "tokens",
    AboutModel,
    TokensAnswer,
    "model=translator&source=i+am+cold",
)
