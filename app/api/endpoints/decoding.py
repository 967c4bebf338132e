"""/decoding: greedy, beam search and sampling where every text can be tried."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.questions import AtMostOne, Clinic


class Decoding(Clinic):
    chain: Literal["stated", "drawn"] = Field(
        "stated",
        description=(
            "The chain of letters that is searched: `stated` is always the same, and"
            " `drawn` is a random one from the seed. Greedy decoding misses the best text of"
            " both."
        ),
    )
    vocabulary: Annotated[int, Field(ge=2), up_to("chain_letters")] = Field(
        3, description="How many letters a drawn chain has."
    )
    length: Annotated[int, Field(ge=2), up_to("chain_length")] = Field(
        3, description="How many letters each text has."
    )
    beams: Annotated[int, Field(ge=1), up_to("beams")] = Field(
        1, description="How many texts beam search keeps."
    )
    temperature: Annotated[float, Field(ge=0), up_to("temperature")] = Field(
        1.0, description=("The number that the logits of the real distribution are divided by.")
    )
    top_k: Annotated[int, Field(ge=1), up_to("vocabulary")] | None = Field(
        None, description="Keeps only this many of the most probable tokens."
    )
    top_p: Annotated[float, Field(ge=1e-9), AtMostOne] | None = Field(
        None, description="Keeps the fewest tokens that together have this probability."
    )
    min_p: Annotated[float, Field(ge=0), AtMostOne] | None = Field(
        None,
        description=(
            "Keeps the tokens whose probability is at least this share of the largest one."
        ),
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.2.
        """
        length, letters = self.length, self.vocabulary
        letter = 0.0206 + 5.3e-4 * self.beams + 9.2e-4 * letters
        return 0.013 + self.seeds * (length * letter + 3.1e-5 * letters**length)


class DecodingAnswer(ClinicAnswer):
    best: str = Field(description="The most probable text of all.")
    tried: int = Field(
        description="How many chains were drawn before greedy missed the best text of one; 1 for"
        " the stated chain."
    )
    greedy: str
    beam: list[list[str]] = Field(description="The texts that beam search keeps, step by step.")


ENDPOINTS = (
    Endpoint(
        "decoding",
        Decoding,
        DecodingAnswer,
        "Greedy decoding and beam search beside the search of all texts, and what"
        " temperature and filters leave of a real distribution",
        "beams=2&top_p=0.9",
        figure="tree",
    ),
)
