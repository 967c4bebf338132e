"""Talks. Each is a TOML file: a title, and scenes in their order.

A scene is an address of the product, one claim, what the lecturer says about it, maybe a question
with choices, and a number to read off that supports the claim. `vitrine check` asks for all of it.

The shipped ones are said in other languages by `templates/words/<language>/labels/talks.toml`.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_core import ErrorDetails

from app.errors import nearest, sentence
from app.schema.questions import MAX_CHOICES
from model.errors import Sentence
from model.labels import table
from model.words import LANGUAGE

SHIPPED = Path(__file__).parent / "talks"
MAX_BYTES = 262_144
POINTER = "/"

LINE = r"^[^\n]*$"
ADDRESS = r"^/([\w-]+(/[\w-]+)*)?(\?[^\s#\\]*)?$"
"""The path of a page with its question: none that a browser would read as another host's, or that
leads out of the pages by dots.
"""
PLACE = r"^[a-z-]+(\?[^#\s]*)?#\S+$"
FORMS = {LINE: "line", ADDRESS: "address", PLACE: "place"}
"""What a text must be that does not match its pattern."""
MAX_FAULTS = 10
SIGNS = {"en": (": ", ","), "fr": ("\u00a0: ", "\u202f")}
"""What stands before a value, and between the groups of its digits, by language."""

Line = Annotated[str, Field(min_length=1, max_length=300, pattern=LINE)]
Address = Annotated[str, Field(max_length=4_000, pattern=ADDRESS)]


class NotATalk(Exception):
    """A file is no talk. Each argument is a sentence about what is wrong in it, without the file's
    folder, which is nothing for a page.
    """

    @property
    def sentence(self) -> Sentence:
        return sentence("one-after-another", steps=self.args)

    def __str__(self) -> str:
        return str(self.sentence)


class Part(BaseModel):
    """A table of a talk: it has these keys and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Number(Part):
    """A number that the figure of a scene shows. `of` says where the API has it: a word and its
    question, then after # the name of a finding, or a JSON pointer into the answer.
    """

    name: Line
    of: Annotated[str, Field(max_length=4_000, pattern=PLACE)]
    value: float
    within: Annotated[float, Field(ge=0)] = 0.0
    unit: Annotated[str, Field(max_length=40)] = ""

    @property
    def sentence(self) -> str:
        """The number in words, as a scene shows it."""
        colon, between = SIGNS[LANGUAGE.get()]
        value = f"{self.value:,.6g}".replace("-", "−").replace(",", between)
        return f"{self.name}{colon}{value} {self.unit}".rstrip()

    @property
    def api_path(self) -> str:
        """The path of the API, with its question."""
        return f"/api/v1/{self.of.partition('#')[0]}"

    def among(self, answer: Any) -> float:
        """The number in an answer; raises LookupError with a sentence."""
        word, _, place = self.of.partition("#")
        found = (
            at_pointer(answer, place) if place.startswith(POINTER) else finding_value(answer, place)
        )
        if isinstance(found, bool) or not isinstance(found, int | float):
            near = nearest(place, (entry["name"] for entry in named_numbers(answer)))
            if near:
                known = {"word": word, "place": place, "near": near[0]}
                raise LookupError(str(sentence("number-misspelt", **known)))
            raise LookupError(str(sentence("no-number-at", word=word, place=place)))
        return found


def at_pointer(answer: Any, pointer: str) -> Any:
    """What a JSON pointer (RFC 6901) leads to, or None."""
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        try:
            answer = answer[int(step)] if isinstance(answer, list) else answer[step]
        except (LookupError, TypeError, ValueError):
            return None
    return answer


def named_numbers(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The findings and facts of an answer."""
    return [*answer.get("findings", ()), *answer.get("facts", ())]


def finding_value(answer: dict[str, Any], name: str) -> float | None:
    """The value of a finding or of a fact of that name, or None."""
    for entry in named_numbers(answer):
        if entry["name"] == name:
            return entry["mean"] if entry.get("value") is None else entry["value"]
    return None


class Scene(Part):
    """One address, full screen, and what is said about it."""

    address: Address
    claim: Line
    speech: Line
    minutes: Annotated[float, Field(gt=0, le=60)]
    question: Line | None = None
    choices: tuple[Annotated[str, Field(min_length=1, max_length=80)], ...] = ()
    right: str | None = None
    number: Number | None = None

    @model_validator(mode="after")
    def is_whole(self) -> Self:
        if self.question is None and (self.choices or self.right is not None):
            raise ValueError(sentence("choices-without-question"))
        if self.question is not None:
            if not 2 <= len(self.choices) <= MAX_CHOICES:
                raise ValueError(sentence("number-of-choices", most=MAX_CHOICES))
            if len(set(self.choices)) < len(self.choices):
                raise ValueError(sentence("choices-the-same"))
            if self.right is not None and self.right not in self.choices:
                raise ValueError(sentence("right-is-no-choice", right=self.right))
        return self


class Talk(Part):
    """A talk; `id` is the name of its file."""

    id: str
    title: Line
    minutes: Annotated[float, Field(gt=0, le=600)]
    scene: Annotated[tuple[Scene, ...], Field(min_length=1, max_length=100)]

    @field_validator("id")
    @classmethod
    def can_stand_in_an_address(cls, id: str) -> str:
        if not id.isascii() or not id.replace("-", "").replace("_", "").isalnum():
            raise ValueError(sentence("signs-of-a-file-name"))
        return id

    @model_validator(mode="after")
    def adds_up(self) -> Self:
        scenes = sum(scene.minutes for scene in self.scene)
        if abs(scenes - self.minutes) > 1e-6:
            minutes = {"scenes": float(scenes), "talk": self.minutes}
            raise ValueError(sentence("minutes-do-not-add-up", **minutes))
        return self


def read_talk(path: Path) -> Talk:
    """Reads the talk of a file; raises NotATalk."""
    try:
        content = path.read_bytes()
    except OSError as error:
        why = error.strerror or str(error)
        raise NotATalk(sentence("talk-not-read", file=path.name, why=why)) from error
    return parsed(content, path)


@lru_cache(maxsize=64)
def parsed(content: bytes, path: Path) -> Talk:
    """The talk that these bytes of a file are; raises NotATalk."""
    if len(content) > MAX_BYTES:
        n = len(content)
        raise NotATalk(sentence("talk-too-large", file=path.name, n=n, most=MAX_BYTES))
    try:
        fields = tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        raise NotATalk(sentence("talk-not-utf-8", file=path.name)) from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise NotATalk(sentence("talk-not-toml", file=path.name, why=str(error))) from error
    if "id" in fields:
        raise NotATalk(sentence("talk-with-id", file=path.name))
    try:
        return Talk(id=path.stem, **fields)
    except ValidationError as error:
        raise NotATalk(*all_wrong(path.name, error)) from error


def all_wrong(file: str, error: ValidationError) -> list[Sentence]:
    """What is wrong, each with its place: scene 3, choices: … A key that is missing because it is
    misspelt is told once.
    """
    errors = error.errors()
    # A scene that is wrong is told as one that is missing, too.
    errors = [each for each in errors if each["type"] != "too_short" or len(errors) == 1]
    missing = [each["loc"] for each in errors if each["type"] == "missing"]
    messages = []
    for each in errors:
        if each["type"] == "extra_forbidden":
            *table, key = each["loc"]
            known = keys_of(table)
            near = nearest(str(key), known)
            meant = (*table, near[0]) if near else ()
            if meant in missing:
                missing.remove(meant)
            why = sentence("did-you-mean" if near else "keys-there-are", known=near[:1] or known)
            messages.append((each["loc"], sentence("no-key", why=why)))
        elif each["type"] != "missing":
            messages.append((each["loc"], wrong_value(each)))
    messages += [(place, sentence("key-is-missing")) for place in missing]
    return [
        sentence("wrong-in-talk", file=file, **place_of(at), why=why)
        if at
        else sentence("wrong-as-a-whole", file=file, why=why)
        for at, why in messages[:MAX_FAULTS]
    ]


def keys_of(table: list[int | str]) -> list[str]:
    """The keys of the table at a place of a talk."""
    part = Number if table[-1:] == ["number"] else Scene if table else Talk
    return [name for name in part.model_fields if name != "id"]


def place_of(at: tuple[int | str, ...]) -> dict[str, int | str]:
    """The scene, 0 for none, and the place in it."""
    scene = int(at[1]) + 1 if at[0] == "scene" and len(at) > 1 else 0
    keys = [part if isinstance(part, str) else str(part + 1) for part in at[2 if scene else 0 :]]
    return {"scene": scene, "place": ", ".join(["", *keys] if scene else keys)}


def wrong_value(error: ErrorDetails) -> Sentence:
    """What is wrong with a value, as the end of a sentence."""
    if error["type"] == "tuple_type":
        return sentence("is-a-list")
    if error["type"] == "string_pattern_mismatch":
        form = FORMS[error["ctx"]["pattern"]]
        return sentence("of-another-form", value=repr(error["input"])[:80], form=form)
    why = error["msg"].removeprefix("Value error, ").removesuffix(".")
    return sentence("of-the-library", detail=why.replace("Input should", "it should", 1))


def files(folder: Path | None) -> Iterator[Path]:
    """The files of one's own talks, from a file or a folder, then of the shipped ones. A talk of
    one's own takes the place of a shipped one of its name.
    """
    mine = (
        sorted(folder.glob("*.toml")) if folder and folder.is_dir() else [folder] if folder else []
    )
    yield from mine
    names = {path.stem for path in mine}
    yield from (path for path in sorted(SHIPPED.glob("*.toml")) if path.stem not in names)


def talks(folder: Path | None = None) -> tuple[list[Talk], list[str]]:
    """All talks, and a sentence for each file that is none."""
    found, wrong = [], []
    for path in files(folder):
        try:
            found.append(read_talk(path))
        except NotATalk as error:
            wrong += map(str, error.args)
    return found, wrong


def file_of(id: str, folder: Path | None = None) -> Path | None:
    """The file of a talk."""
    return next((path for path in files(folder) if path.stem == id), None)


def talk_of(id: str, folder: Path | None = None) -> Talk | None:
    """The talk of that name; raises NotATalk where its file is none."""
    path = file_of(id, folder)
    return read_talk(path) if path else None


def translated(talk: Talk) -> Talk:
    """A talk in the language of who asks: a shipped one, while one's own stays as it is written."""
    words, file = table(LANGUAGE.get(), "talks"), SHIPPED / f"{talk.id}.toml"
    if not (words and file.exists() and read_talk(file) == talk):
        return talk
    return Talk.model_validate(in_words(talk.model_dump(), words))


def in_words(value: Any, words: Mapping[str, str]) -> Any:
    """The same with those texts that have other words."""
    if isinstance(value, dict):
        return {name: in_words(item, words) for name, item in value.items()}
    if isinstance(value, tuple):
        return tuple(in_words(item, words) for item in value)
    return words.get(value, value) if isinstance(value, str) else value
