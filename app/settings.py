"""The settings. Every limit has a name, a default, a unit and a sentence, and the environment
variable `VITRINE_<NAME>` changes it.
"""

import re
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from platformdirs import user_state_path
from pydantic import BeforeValidator, Field, SecretStr, create_model, model_validator
from pydantic_settings import NoDecode

from app.experiments import experiments
from app.host_names import bracketed, ip_of, is_loopback
from app.limits import SharedLimits, limit
from app.schema.bounds import own_limits
from app.startup import wording

OWN_NAMES = ("localhost", "127.0.0.1", "[::1]")
EVERYWHERE = ("0.0.0.0", "::", "")
LETTERS = r"[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?"
ORIGIN = re.compile(
    rf"(?P<scheme>https?)://(?P<name>{LETTERS}(?:\.{LETTERS})*|\[[0-9a-f:.]+\])"
    r"(?::(?P<port>\d{1,5}|\*))?/?"
)


def split(value: object) -> object:
    return (
        tuple(part.strip() for part in value.split(",") if part.strip())
        if isinstance(value, str)
        else value
    )


def origin(text: str) -> str:
    """An origin as browsers send it: in lower case, with a port only if it is not the usual one.
    `*` is every port. Raises ValueError.
    """
    match = ORIGIN.fullmatch(text.lower())
    port = match and match["port"]
    if match is None or (port != "*" and int(port or 1) not in range(1, 65536)):
        raise ValueError(wording("no-origin", given=repr(text)[:80]))
    scheme, name = match["scheme"], match["name"]
    number = port if port in (None, "*") else str(int(port))
    usual = number in (None, {"http": "80", "https": "443"}[scheme])
    return f"{scheme}://{name}" + ("" if usual else f":{number}")


def origins(value: object) -> object:
    """Origins with commas or spaces between them, each once."""
    if not isinstance(value, str):
        return value
    return tuple(dict.fromkeys(origin(part) for part in re.split(r"[\s,]+", value) if part))


def rooted(value: object) -> object:
    """Writes a path with a slash before it and none behind it."""
    return value if not isinstance(value, str) or not value.strip("/") else f"/{value.strip('/')}"


def of_experiments() -> dict[str, Any]:
    """The limits that experiments declare beside their fields, as fields of the settings."""
    found = dict.fromkeys(
        limit
        for spec in experiments().values()
        for limit in own_limits(spec.figure_query or spec.question)
    )
    return {
        entry.name: (entry.kind, limit(entry.default, entry.unit, entry.sentence))
        for entry in found
    }


if TYPE_CHECKING:
    Limits = SharedLimits
else:
    Limits = create_model("Limits", __base__=SharedLimits, **of_experiments())


class Settings(Limits):
    """All settings. They are read once, when the server starts."""

    host: str = Field(
        "127.0.0.1",
        description=(
            "The address to listen on; any other than this machine's own needs VITRINE_HOSTS."
        ),
    )
    port: int = Field(
        8000, ge=0, le=65535, description="The port to listen on; 0 takes a free one."
    )
    hosts: Annotated[tuple[str, ...], NoDecode, BeforeValidator(split)] = Field(
        (), description="Further names the server may be called by."
    )
    runs: Path = Field(
        user_state_path("vitrine") / "runs",
        description=(
            "The folder that keeps the steps of trainings and the rooms of lectures, so that they"
            " survive a restart."
        ),
    )
    models: Path = Field(
        user_state_path("vitrine") / "models",
        description=(
            "The folder that keeps the cards of models that were added, not their weights, and the"
            " models of tables that were trained here."
        ),
    )
    talks: Path | None = Field(
        None,
        description="A talk, or a folder of talks, that /lecture lists before the shipped ones.",
    )
    proxies: Annotated[tuple[str, ...], NoDecode, BeforeValidator(split)] = Field(
        (),
        description="The addresses of proxies whose X-Forwarded-For and -Proto are believed.",
    )
    embed: Annotated[tuple[str, ...], NoDecode, BeforeValidator(origins)] = Field(
        (),
        description=(
            "The origins whose pages may show Vitrine's pages and figures in a frame and read its"
            " API, with commas or spaces between; none unless they are named. With the port `*`"
            " those of every port may show them, and read nothing."
        ),
    )
    root_path: Annotated[str, BeforeValidator(rooted)] = Field(
        "", description="The path under which a proxy serves Vitrine, for instance /vitrine."
    )
    root_path_only: bool = Field(
        False,
        description="Whether an address that is not below root_path is unknown: a password then.",
    )
    workers: int = Field(
        1,
        ge=1,
        le=64,
        description=(
            "How many processes compute, on a machine with more cores; each takes about 600 MB."
        ),
    )
    engine: Literal["embedded", "ray"] = Field(
        "embedded",
        description=(
            "Where answers are computed: by workers of this process, or by replicas of a worker on"
            " the machines of a Ray cluster."
        ),
    )
    address: str = Field(
        "",
        description=(
            "The address of the Ray cluster's head, for instance 10.0.0.1:6379; without one a"
            " cluster of this machine alone begins and ends with this process."
        ),
    )
    replicas: str = Field(
        "1",
        pattern=r"^[1-9]\d{0,2}(-[1-9]\d{0,2})?$",
        description="How many replicas the cluster has: 2, or 1-4 for as many as are busy.",
    )
    secret: SecretStr = Field(
        SecretStr(""),
        description=(
            "What the cookies are signed with that tell browsers apart; without it, the one that"
            " the folder of `runs` keeps for all web processes."
        ),
    )
    openings: bool = Field(
        True,
        description=(
            "Whether what pages ask when they open is answered before anybody opens them, while"
            " nothing else is asked."
        ),
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The least severe messages that the log shows."
    )
    reload: bool = Field(
        False,
        description="Read templates and static files again at each page view, for work on them.",
    )

    @model_validator(mode="after")
    def wide_needs_names(self) -> "Settings":
        if self.host in EVERYWHERE and not self.hosts:
            everywhere = wording("every-address")
            raise ValueError(wording("names-needed", address=self.host or everywhere))
        return self

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """Returns the names that a Host header may carry, without the port."""
        listening = () if self.host in EVERYWHERE else (self.host,)
        return frozenset(bracketed(name).lower() for name in (*OWN_NAMES, *listening, *self.hosts))

    @property
    def names_for_others(self) -> tuple[str, ...]:
        """Returns the names by which other machines of the network may reach the server, addresses
        first: a phone knows them where it does not know a machine's name. Behind a proxy there are
        none, because the proxy has its own.
        """
        if is_loopback(self.host) or self.proxies or self.root_path:
            return ()
        if self.host not in EVERYWHERE:
            return tuple(bracketed(name) for name in dict.fromkeys((self.host, *self.hosts)))
        # Every address is every one of its own version.
        other_version = 4 if ":" in self.host else 6
        names = [
            (address is None, bracketed(name))
            for name in dict.fromkeys(self.hosts)
            if not is_loopback(name)
            and ((address := ip_of(name)) is None or address.version != other_version)
        ]
        return tuple(name for _, name in sorted(names, key=itemgetter(0)))
