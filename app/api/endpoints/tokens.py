"""/tokens: the pieces a text is cut into."""

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import RunAnswer, StrictModel, optional
from app.schema.questions import AboutModel


class Token(StrictModel):
    """A piece of the input; its place is in characters, in patches or by column."""

    text: str
    id: int
    special: bool
    start: int = optional("The index of the token's first character in the input.")
    end: int = optional("The index after the token's last character.")
    word: int | None = optional("The number of the word of which the token is a piece.")
    row: int | None = optional("Where the token is a patch: its row in the grid.")
    column: int | None = optional("Where the token is a patch: its column in the grid.")
    value: str | float | None = optional("Where the token is a column of a table: its value.")
    unit: str | None = optional("Where the token is a column of a table: the unit of its value.")
    place: int | None = optional(
        "Where the token is a column of a table: the number of that column."
    )
    category: int | None = optional(
        "Where the token is a column of categories: the number of its category."
    )


class TokensAnswer(RunAnswer):
    tokens: dict[str, list[Token]] = Field(
        description=(
            "The tokens of each input, by name of its axis: source, target, text and so on."
        )
    )
    expected_from: int


ENDPOINT = Endpoint(
    "tokens",
    AboutModel,
    TokensAnswer,
    "The tokens of the input: text, id, place in the input, and whether they are special",
    "model=translator&source=i+am+cold",
)
