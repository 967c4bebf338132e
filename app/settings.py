"""Settings: every limit has a name, a default, a unit and a sentence; `VITRINE_<NAME>` in the environment changes it."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

OWN_NAMES = ("localhost", "127.0.0.1", "[::1]")
EVERYWHERE = ("0.0.0.0", "::", "")


def limit(default: float, unit: str, sentence: str, **bounds: float) -> Any:
    """A field that /limits shows."""
    return Field(default, gt=0, description=sentence, json_schema_extra={"unit": unit}, **bounds)


def split(value: object) -> object:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


class Settings(BaseSettings):
    """Read once, when the server starts."""

    model_config = SettingsConfigDict(env_prefix="VITRINE_", env_ignore_empty=True, frozen=True)

    host: str = Field("127.0.0.1", description="The address to listen on; any other than this machine's own needs VITRINE_HOSTS.")
    port: int = Field(8000, ge=0, le=65535, description="The port to listen on; 0 takes a free one.")
    hosts: Annotated[tuple[str, ...], NoDecode, BeforeValidator(split)] = Field(
        (), description="Further names the server may be called by."
    )
    reload: bool = Field(False, description="Read templates and static files again at each page view, for work on them.")

    deadline_seconds: float = limit(10, "seconds", "A question that has no answer after this long gets a 503.")
    patience_seconds: float = limit(3, "seconds", "A question whose estimated wait is longer is refused at once with a 503.")
    warm_up_seconds: float = limit(120, "seconds", "A worker that has not loaded its models after this long is replaced.")
    header_seconds: float = limit(5, "seconds", "The head of a request must have arrived after this long.")
    body_seconds: float = limit(10, "seconds", "The body of a request must have arrived after this long.")
    keep_alive_seconds: int = limit(15, "seconds", "An idle connection is closed after this long.")
    drain_seconds: int = limit(4, "seconds", "What is under way when the server is told to stop may take this long to finish.")
    head_bytes: int = limit(65_536, "bytes", "The address and headers of a request together.")
    body_bytes: int = limit(262_144, "bytes", "The body of a request.")
    cache_bytes: int = limit(67_108_864, "bytes", "Answers kept for whoever asks the same again.")
    compress_bytes: int = limit(1_000, "bytes", "Shorter answers are sent without compression.")
    connections: int = limit(1_000, "connections", "Open at once; a fuse, far above what a class needs.")
    runs_kept: int = limit(16, "runs", "Runs the worker keeps, so that the next question about one is answered from it.")
    streams: int = limit(64, "streams", "Event streams that are being computed at once.")
    streams_per_client: int = limit(8, "streams", "Event streams one address may have open at once.")

    text_length: int = limit(2_000, "characters", "An input text.")
    names_length: int = limit(1_000, "characters", "A list of activation names.")
    layers: int = limit(24, "layers", "The layers of a model, and those a mask is followed through.")
    heads: int = limit(64, "heads", "The heads of a layer.")
    positions_length: int = limit(512, "positions", "The rows of a positional encoding.")
    d_model: int = limit(512, "channels", "The width of a positional encoding.")
    masks_length: int = limit(64, "positions", "The rows and columns of a mask.")
    top: int = limit(50, "candidates", "Candidates listed for one position.")
    beams: int = limit(8, "beams", "Hypotheses kept in beam search.")
    max_new_tokens: int = limit(64, "tokens", "Tokens one generation may write.")

    @model_validator(mode="after")
    def wide_needs_names(self) -> "Settings":
        if self.host in EVERYWHERE and not self.hosts:
            raise ValueError(
                f"Listening on {self.host or 'every address'} needs VITRINE_HOSTS: the names, with commas between, that the server is called by."
            )
        return self

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """The names a Host header may carry, without the port."""
        own = () if self.host in EVERYWHERE else (f"[{self.host}]" if ":" in self.host else self.host,)
        return frozenset(name.lower() for name in (*OWN_NAMES, *own, *self.hosts))

    def limits(self) -> list[dict]:
        """What /limits says."""
        fields = {name: field for name, field in type(self).model_fields.items() if field.json_schema_extra}
        return [
            {"name": name, "value": getattr(self, name), "unit": field.json_schema_extra["unit"], "sentence": field.description}
            for name, field in fields.items()
        ]
