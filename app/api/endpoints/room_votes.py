"""/room-votes: a student's own vote in the room of a lecture, and whether it is lost. A device has
one vote in each round; only the lecturer sees how many there are before the question is uncovered.
"""

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import EchoedAnswer
from app.schema.questions import Choice, Name, Question
from app.site.services import Services


class RoomVotes(Question):
    code: Name = Field("", description="The code of the room; without one there is no vote.")


class RoomVote(RoomVotes):
    choice: Choice | None = Field(
        None,
        description=(
            "The choice, counted from 0; the vote that this device gave before in the same round is"
            " taken back."
        ),
    )
    lost: bool | None = Field(
        None, description="Whether this student is lost in the present scene; false takes it back."
    )


class RoomVotesAnswer(EchoedAnswer):
    choice: int | None = Field(
        description="The choice of this device in the round that is open; null where it has none."
    )
    lost: bool = Field(description="Whether this device has said that its student is lost.")


async def room_votes(services: Services, question: Question, client: str) -> dict:
    """Takes a vote, if there is one, and tells this device's own once it is on the disk."""
    assert isinstance(question, RoomVotes)
    if not question.code:
        return {"choice": None, "lost": False}
    room = await services.rooms.room(question.code)
    if isinstance(question, RoomVote) and (question.choice, question.lost) != (None, None):
        return await services.rooms.vote(room, client, question.choice, question.lost)
    return await services.rooms.own(room, client)


ENDPOINT = Endpoint(
    "room-votes",
    RoomVotes,
    RoomVotesAnswer,
    "A device's own vote in the room of a lecture; POST gives one, or says that a student is lost",
    local=room_votes,
    posted=RoomVote,
)
