"""/room-votes: a student's own vote in a lecture room, and whether it was lost. Each device has one
vote per round; only the lecturer sees the count before the answer is revealed.
"""

from app.api.endpoint import Endpoint
from app.schema.answers import EchoedAnswer
from app.schema.questions import Choice, Name, Question
from app.site.services import Services


class RoomVotes(Question):
    code: Name = ""


class RoomVote(RoomVotes):
    choice: Choice | None = None
    lost: bool | None = None


class RoomVotesAnswer(EchoedAnswer):
    choice: int | None
    lost: bool


async def room_votes(services: Services, question: Question, client: str) -> dict:
    """Records a vote, if there is one, and returns this device's vote once it is saved to disk."""
    assert isinstance(question, RoomVotes)
    if not question.code:
        return {"choice": None, "lost": False}
    room = await services.rooms.room(question.code)
    if isinstance(question, RoomVote) and (question.choice, question.lost) != (None, None):
        return await services.rooms.vote(room, client, question.choice, question.lost)
    return await services.rooms.device_votes(room, client)


ENDPOINT = Endpoint(
    "room-votes",
    RoomVotes,
    RoomVotesAnswer,
    local=room_votes,
    posted=RoomVote,
)
