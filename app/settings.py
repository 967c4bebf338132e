"""Settings: every limit has a name, a default, a unit and a sentence; `VITRINE_<NAME>` in the environment changes it."""

from pathlib import Path
from typing import Annotated, Any

from platformdirs import user_state_path
from pydantic import BeforeValidator, Field, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

OWN_NAMES = ("localhost", "127.0.0.1", "[::1]")
EVERYWHERE = ("0.0.0.0", "::", "")


def limit(default: float, unit: str, sentence: str, **bounds: float) -> Any:
    """A field that /limits shows."""
    return Field(default, gt=0, description=sentence, json_schema_extra={"unit": unit}, **bounds)


def split(value: object) -> object:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


class Limits(BaseSettings):
    """What a question and its answer may cost."""

    model_config = SettingsConfigDict(env_prefix="VITRINE_", env_ignore_empty=True, frozen=True)

    deadline_seconds: float = limit(10, "seconds", "A question that has no answer after this long gets a 503.")
    patience_seconds: float = limit(3, "seconds", "A question whose estimated wait is longer is refused at once with a 503.")
    warm_up_seconds: float = limit(120, "seconds", "A worker that has not loaded its models after this long is replaced.")
    header_seconds: float = limit(5, "seconds", "The head of a request must have arrived after this long.")
    body_seconds: float = limit(10, "seconds", "The body of a request must have arrived after this long.")
    keep_alive_seconds: int = limit(15, "seconds", "An idle connection is closed after this long.")
    drain_seconds: int = limit(4, "seconds", "What is under way when the server is told to stop may take this long to finish.")
    head_bytes: int = limit(65_536, "bytes", "The address and headers of a request may have this many bytes together.")
    body_bytes: int = limit(262_144, "bytes", "The body of a request may have this many bytes.")
    cache_bytes: int = limit(67_108_864, "bytes", "This much of what was answered is kept for whoever asks the same again.")
    compress_bytes: int = limit(1_000, "bytes", "Shorter answers are sent without compression.")
    connections: int = limit(1_000, "connections", "This many connections may be open at once: a fuse, far above what a class needs.")
    runs_kept: int = limit(16, "runs", "The worker keeps this many runs, so that the next question about one needs no new run.")
    streams: int = limit(64, "streams", "This many event streams may be computed at once.")
    trainings_waiting: int = limit(4, "trainings", "This many trainings may wait while one runs.")
    trainings_kept: int = limit(100, "trainings", "The steps of this many trainings are kept; those of the oldest give way.")
    streams_per_client: int = limit(8, "streams", "One address may have this many event streams open at once.")

    text_length: int = limit(2_000, "characters", "An input text may be this long.")
    names_length: int = limit(1_000, "characters", "A list of activation names may be this long.")
    layers: int = limit(24, "layers", "Layers are counted up to here, and a mask is followed through as many.")
    heads: int = limit(64, "heads", "Heads are counted up to here.")
    positions_length: int = limit(512, "positions", "A positional encoding may have this many rows.")
    d_model: int = limit(512, "channels", "A positional encoding may have this many columns.")
    masks_length: int = limit(128, "positions", "A mask may have this many rows and columns.")
    seeds: int = limit(16, "seeds", "A clinic repeats its trial at most so often.")
    depth: int = limit(64, "sub-layers", "A clinic's stack may be this deep.")
    clinic_d_model: int = limit(128, "channels", "A clinic's stream may be this wide.")
    clinic_d_head: int = limit(1_024, "components", "A clinic's queries and keys may have this many components.")
    clinic_keys: int = limit(64, "keys", "A clinic's query may choose among this many keys.")
    pairs: int = limit(20_000, "pairs", "A clinic draws at most this many pairs of a query and a key.")
    top: int = limit(50, "candidates", "This many candidates may be listed for one position.")
    beams: int = limit(8, "beams", "Beam search may keep this many texts.")
    max_new_tokens: int = limit(64, "tokens", "One generation may write this many tokens.")

    def limits(self) -> list[dict]:
        """What /limits says."""
        fields = {name: field for name, field in type(self).model_fields.items() if field.json_schema_extra}
        return [
            {"name": name, "value": getattr(self, name), "unit": field.json_schema_extra["unit"], "sentence": field.description}
            for name, field in fields.items()
        ]


class Settings(Limits):
    """Read once, when the server starts."""

    host: str = Field("127.0.0.1", description="The address to listen on; any other than this machine's own needs VITRINE_HOSTS.")
    port: int = Field(8000, ge=0, le=65535, description="The port to listen on; 0 takes a free one.")
    hosts: Annotated[tuple[str, ...], NoDecode, BeforeValidator(split)] = Field(
        (), description="Further names the server may be called by."
    )
    runs: Path = Field(
        user_state_path("vitrine") / "runs", description="The folder that keeps the steps of trainings, so that they survive a restart."
    )
    reload: bool = Field(False, description="Read templates and static files again at each page view, for work on them.")

    @model_validator(mode="after")
    def wide_needs_names(self) -> "Settings":
        if self.host in EVERYWHERE and not self.hosts:
            raise ValueError(
                f"Listening on {self.host or 'every address'} needs VITRINE_HOSTS: the names the server is called by, with commas between."
            )
        return self

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """The names a Host header may carry, without the port."""
        own = () if self.host in EVERYWHERE else (f"[{self.host}]" if ":" in self.host else self.host,)
        return frozenset(name.lower() for name in (*OWN_NAMES, *own, *self.hosts))
