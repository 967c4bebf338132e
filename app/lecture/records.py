"""What is kept of a room: the scene that is shown and how, and how far its question is."""

import time
from typing import Annotated, Any, Protocol, Self

from pydantic import BaseModel, Field, model_validator

from app.lecture.talks import ADDRESS, Scene, Talk

SIGNS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none looks like another
CODE_LENGTH = 5
BEFORE, AFTER, UNCOVERED = 0, 1, 2
"""What becomes of the question of a scene: a vote before the figure is seen, another one after it,
and then all see the votes and what is right.
"""

Counts = tuple[list[int], list[int]]
"""How many votes each choice has, before the figure was seen and after."""
Phase = Annotated[int, Field(ge=BEFORE, le=UNCOVERED)]


class Ballots(Protocol):
    """The votes of one room."""

    def uncover(self, scene: int) -> Counts:
        """The counts of a scene, whose votes are forgotten."""
        ...

    def find_all(self) -> None:
        """Nobody is lost any more."""
        ...


class RoomRecord(BaseModel):
    """A room. `scene` is -1 before the first one, and `counts` are those of uncovered questions."""

    code: Annotated[str, Field(pattern=rf"^[{SIGNS}]{{{CODE_LENGTH}}}$")]
    token: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    talk: Talk
    begun: float = 0
    scene: Annotated[int, Field(ge=-1)] = -1
    reached: dict[int, Phase] = {}
    address: Annotated[str, Field(pattern=f"{ADDRESS}|^$")] = ""
    pointer: dict[str, Any] | None = None
    zoom: dict[str, dict[str, list[float]]] = {}
    counts: dict[int, Counts] = {}

    @model_validator(mode="after")
    def fits_its_talk(self) -> Self:
        scenes = self.talk.scene
        if max((self.scene, *self.reached, *self.counts)) >= len(scenes):
            raise ValueError(f"the talk has {len(scenes)} scenes")
        for at, counts in self.counts.items():
            if at < 0 or {len(count) for count in counts} != {len(scenes[at].choices)}:
                raise ValueError(f"scene {at} has other choices")
        return self

    def __len__(self) -> int:
        return len(self.talk.scene)

    @property
    def current_scene(self) -> Scene | None:
        return self.talk.scene[self.scene] if self.scene >= 0 else None

    @property
    def phase(self) -> int:
        """How far the question of this scene is; a scene without one has nothing to uncover."""
        asks = self.current_scene is not None and self.current_scene.question is not None
        return self.reached.get(self.scene, BEFORE) if asks else UNCOVERED

    def copy_to_lead(self) -> Self:
        """A copy that may be led while others read this one."""
        fresh = {"reached": dict(self.reached), "counts": dict(self.counts)}
        return self.model_copy(update=fresh)

    def step(self, by: int, ballots: Ballots) -> None:
        """One key: on with the question of this scene, or to the next; back to the scene before."""
        for _ in range(abs(by)):
            if by > 0 and self.phase < UNCOVERED:
                self.lead(None, self.phase + 1, {}, ballots)
            elif -1 <= self.scene + (way := 1 if by > 0 else -1) < len(self):
                self.lead(self.scene + way, None, {}, ballots)

    def lead(
        self, scene: int | None, phase: int | None, display: dict[str, Any], ballots: Ballots
    ) -> None:
        """Goes to a scene, on with its question, or elsewhere in what is shown."""
        if scene is not None and scene != self.scene:
            self.scene = scene
            ballots.find_all()
            self.begun = self.begun or time.time()
            self.address = self.current_scene.address if self.current_scene else ""
            self.pointer, self.zoom = None, {}
        if phase is not None and phase > self.phase:
            self.reached[self.scene] = phase
            if phase == UNCOVERED:
                self.counts[self.scene] = ballots.uncover(self.scene)
        if (
            "address" in display
            and display["address"].partition("?")[0] != self.address.partition("?")[0]
        ):
            self.pointer, self.zoom = None, {}
        for name, value in display.items():
            setattr(self, name, value)
