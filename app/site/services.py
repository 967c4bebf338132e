"""What the routes of one application share, and how a route asks for it."""

import os
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from cachetools import LRUCache, TTLCache
from fastapi import Depends, FastAPI, Request

from app.compute.backend import Backend
from app.compute.engine import Engine
from app.compute.local import LocalBackend
from app.compute.queueing import ServiceTimes
from app.compute.streams import EventStreams, ProgressReports, Steps
from app.compute.trainings import Trainings
from app.compute.workers import Workers
from app.lecture.rooms import Rooms
from app.site.assets import Assets
from app.site.pages import Pages
from model.zoo.cards import User

if TYPE_CHECKING:
    from app.settings import Settings

QUESTIONS_KEPT = 1_000
VOTES_KEPT = 1_000  # lists of votes
VOTE_SECONDS = 3_600  # from the last vote of a list on


class DeviceVote(NamedTuple):
    """What a device has voted, and the address that it had."""

    choice: int
    address: str


@dataclass
class Services:
    """Everything that lives as long as the application. `votes` are the choices of devices on each
    question of a page, and `questions_read` what addresses were read as.
    """

    settings: "Settings"
    assets: Assets
    pages: Pages
    engine: Engine
    steps: Steps
    progress: ProgressReports
    trainings: Trainings
    rooms: Rooms
    votes: TTLCache[tuple[str, str], dict[str, DeviceVote]] = field(
        default_factory=lambda: TTLCache(VOTES_KEPT, VOTE_SECONDS)
    )
    questions_read: LRUCache[tuple[str, bytes], Any] = field(
        default_factory=lambda: LRUCache(QUESTIONS_KEPT)
    )

    @property
    def streams(self) -> tuple[EventStreams, ...]:
        return self.steps, self.progress, self.trainings


def make_services(settings: "Settings", analyses: str) -> Services:
    """Makes what an application is made of; its engine starts with the server."""
    User.folder = settings.models
    assets, engine = Assets(), Engine(settings, make_backend(settings, analyses))
    return Services(
        settings,
        assets,
        Pages(settings, assets),
        engine,
        Steps(engine),
        ProgressReports(engine),
        Trainings(engine),
        Rooms(settings, settings.runs),
    )


def make_backend(settings: "Settings", analyses: str) -> Backend:
    """One worker, or as many as the settings say, on this machine or on those of a cluster."""
    if settings.engine == "ray":
        show_token()
        from app.compute.cluster import RayBackend  # Ray is an extra that most do without

        return RayBackend(settings, analyses)
    if settings.workers == 1:
        return LocalBackend(settings, analyses)
    return Workers(partial(LocalBackend, settings, analyses, ServiceTimes()), settings.workers)


def show_token() -> None:
    """`ray start` asks for the token of this user where there is one, and a program that names an
    address shows it only when told so before it imports Ray.
    """
    if os.path.exists(os.path.expanduser("~/.ray/auth_token")):
        os.environ.setdefault("RAY_AUTH_MODE", "token")


def services_of(app: FastAPI) -> Services:
    return app.state.services


async def services(request: Request) -> Services:
    return services_of(request.app)


async def engine(request: Request) -> Engine:
    return services_of(request.app).engine


ServicesDep = Annotated[Services, Depends(services)]
EngineDep = Annotated[Engine, Depends(engine)]
