"""/tokens: the pieces a text is cut into."""

from pydantic import Field

from app.api.answers import Part, RunAnswer, maybe
from app.api.endpoint import Endpoint
from app.api.questions import AboutModel


class Token(Part):
    """A piece of the input; its place is in characters, in patches or by column."""

    text: str
    id: int
    special: bool
    start: int = maybe("The first character.")
    end: int = maybe("After the last character.")
    word: int | None = maybe("The word it is a piece of.")
    row: int | None = maybe("Of a patch.")
    column: int | None = maybe("Of a patch.")
    value: str | float | None = maybe("Of a column.")
    unit: str | None = maybe("Of a column.")
    place: int | None = maybe("The number of a column.")
    category: int | None = maybe("Of a column of categories.")


class TokensAnswer(RunAnswer):
    tokens: dict[str, list[Token]] = Field(description="By axis: source, target, text …")
    expected_from: int


ENDPOINTS = (
    Endpoint(
        "tokens",
        AboutModel,
        TokensAnswer,
        "The tokens of the input: text, id, where in the input they stand, special or not",
        "model=translator&source=i+am+cold",
    ),
)
