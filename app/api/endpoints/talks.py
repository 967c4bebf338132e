"""/talks: the talks of /lecture, scene by scene."""

from app.api.endpoint import Endpoint
from app.errors import Problem
from app.lecture.talks import NotATalk, talk_of
from app.lecture.talks import talks as all_talks
from app.schema.answers import EchoedAnswer, StrictModel
from app.schema.questions import Name, Question
from app.site.services import Services


class Talks(Question):
    talk: Name = ""


class Reading(StrictModel):
    """A number to read off: where the API has it, and its tolerance around the stated value."""

    name: str
    of: str
    value: float
    within: float
    unit: str


class SceneAnswer(StrictModel):
    """A scene: a page address, a claim, the spoken text, and possibly a question."""

    address: str
    claim: str
    speech: str
    minutes: float
    question: str | None
    choices: list[str]
    right: str | None
    number: Reading | None


class TalkAnswer(StrictModel):
    """A talk. `scene` is empty in a list of several."""

    id: str
    title: str
    minutes: float
    scenes: int
    scene: list[SceneAnswer]


class TalksAnswer(EchoedAnswer):
    talks: list[TalkAnswer]
    unreadable: list[str]


def talks(services: Services, question: Question, client: str) -> dict:
    """One talk with its scenes, or all talks without them."""
    assert isinstance(question, Talks)
    folder = services.settings.talks
    if not question.talk:
        found, wrong = all_talks(folder)
        listed = [{**talk.model_dump(), "scenes": len(talk.scene), "scene": []} for talk in found]
        return {"talks": listed, "unreadable": wrong}
    try:
        talk = talk_of(question.talk, folder)
    except NotATalk as error:
        raise Problem("invalid", error.sentence) from error
    if talk is None:
        raise Problem("unknown", "no-such-talk", talk=question.talk)
    return {"talks": [{**talk.model_dump(), "scenes": len(talk.scene)}], "unreadable": []}


ENDPOINT = Endpoint(
    "talks",
    Talks,
    TalksAnswer,
    "talk=attention",
    local=talks,
)
