"""The rooms of a version that kept them in one file."""

import logging
from contextlib import suppress
from pathlib import Path

import orjson
from pydantic import NonNegativeInt, ValidationError

from app.lecture.records import RoomRecord

log = logging.getLogger("vitrine.rooms")

FILE = "rooms.json"


class OlderRoom(RoomRecord):
    """A room as it was kept with its votes."""

    used: float
    votes: dict[int, tuple[dict[str, NonNegativeInt], dict[str, NonNegativeInt]]]
    lost: set[str]


class OlderRooms:
    """What the file of a folder has: `whole` is whether all of it could be read."""

    def __init__(self, folder: Path):
        self.file, self.whole = folder / FILE, True
        self.secret, self.rooms = "", list[OlderRoom]()
        try:
            content = orjson.loads(self.file.read_bytes())
            self.secret, records = str(content["secret"]), list(content["rooms"])
        except (FileNotFoundError, NotADirectoryError):
            return
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("%s cannot be read and is put aside: %s", self.file, error)
            self.whole = False
            return
        for record in records:
            try:
                self.rooms.append(OlderRoom.model_validate(record))
            except ValidationError as error:
                self.whole = False
                log.warning("a room of %s is put aside: %s", self.file, first_error(error))

    def put_away(self) -> None:
        """The file is taken over. One that could not be read whole stays, beside."""
        with suppress(OSError):
            if self.whole:
                self.file.unlink()
            else:
                self.file.replace(self.file.with_name(f"{FILE}.bad"))


def first_error(error: ValidationError) -> str:
    """What is wrong, in one line without what was given."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
