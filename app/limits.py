"""Limits: each has a name, a default, a unit and a sentence. Those that bound one experiment alone
stand beside its field, and `app.settings` puts all of them together.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


@dataclass(frozen=True)
class Limit:
    """A limit of one experiment, as its field declares it."""

    name: str
    default: float
    unit: str
    sentence: str
    kind: type[int] | type[float] = int


def limit(default: float, unit: str, sentence: str, **bounds: Any) -> Any:
    """Declares a setting that /limits shows."""
    return Field(default, gt=0, description=sentence, json_schema_extra={"unit": unit}, **bounds)


class SharedLimits(BaseSettings):
    """The limits of questions, answers and connections that no single experiment has."""

    model_config = SettingsConfigDict(env_prefix="VITRINE_", env_ignore_empty=True, frozen=True)

    deadline_seconds: float = limit(
        15,
        "seconds",
        "A question that has no answer after this long gets a 504, or a 503 if it waited for most"
        " of it; the computation goes on.",
    )
    hard_seconds: float = limit(
        60, "seconds", "A computation that takes the worker longer than this is ended."
    )
    work_seconds: float = limit(
        10,
        "seconds",
        "A question may cost this server's core so long, by an estimate from its sizes and edits.",
    )
    reading_seconds: float = limit(
        20,
        "seconds",
        "A question about a long text may cost so many seconds more: what was read is kept.",
    )
    turn_seconds: float = limit(
        0.25, "seconds", "A long computation lets others go first after this long."
    )
    computations: int = limit(
        6, "computations", "This many long computations may be under way at once."
    )
    computations_per_client: int = limit(
        3,
        "computations",
        "One client may have this many of them under way while others wait.",
    )
    questions_per_client: int = limit(
        12, "questions", "One client may have this many questions waiting while others wait."
    )
    patience_seconds: float = limit(
        3, "seconds", "A question whose estimated wait is longer is refused at once with a 503."
    )
    warm_up_seconds: float = limit(
        120, "seconds", "A worker that has not loaded its models after this long is replaced."
    )
    silence_seconds: float = limit(
        5, "seconds", "A worker that gives no sign of life for this long is replaced."
    )
    header_seconds: float = limit(
        5, "seconds", "The head of a request must have arrived after this long."
    )
    body_seconds: float = limit(
        10, "seconds", "The body of a request must have arrived after this long."
    )
    keep_alive_seconds: int = limit(15, "seconds", "An idle connection is closed after this long.")
    write_seconds: float = limit(
        20, "seconds", "A client that takes no byte of its answer for this long is cut off."
    )
    sending_rate: int = limit(
        16_000,
        "bytes a second",
        "A client that takes a large answer more slowly than this, over `write_seconds`, is cut"
        " off.",
    )
    drain_seconds: int = limit(
        4,
        "seconds",
        "What is under way when the server is told to stop may take this long to finish.",
    )
    head_bytes: int = limit(
        65_536, "bytes", "The address and headers of a request may have this many bytes together."
    )
    body_bytes: int = limit(262_144, "bytes", "The body of a request may have this many bytes.")
    chunks: int = limit(
        4_096, "chunks", "The body of a request may come in this many chunks, however small."
    )
    answer_bytes: int = limit(
        33_554_432, "bytes", "The numbers of one answer may take this many bytes."
    )
    sending_bytes: int = limit(
        268_435_456, "bytes", "Large answers on their way to clients may have this many together."
    )
    sending_bytes_per_client: int = limit(
        67_108_864, "bytes", "Large answers on their way to one address may have this many of them."
    )
    cache_bytes: int = limit(
        67_108_864,
        "bytes",
        "This much of what was answered is kept for whoever asks the same again.",
    )
    connections: int = limit(
        2_000,
        "connections",
        "This many connections may be open at once: a fuse, above what a class needs.",
    )
    connections_per_client: int = limit(
        1_600,
        "connections",
        "One address may have this many of them; each of 200 browsers behind one may open six.",
    )
    few_connections: int = limit(
        20,
        "connections",
        "A fifth of all connections is kept for addresses that have at most this many.",
    )
    runs_kept: int = limit(
        256,
        "runs",
        "The worker keeps this many runs, so that the next question about one needs no new run.",
    )
    runs_bytes: int = limit(
        536_870_912,
        "bytes",
        "The runs that are kept may have this many bytes, and so may what an answer's edits need"
        " of other inputs.",
    )
    model_bytes: int = limit(
        2_147_483_648,
        "bytes",
        "The weights of the models in memory may have this many bytes, in single precision; the"
        " model that was used longest ago goes first.",
    )
    browsers: int = limit(
        250,
        "browsers",
        "One address may have this many new browsers within two minutes; further ones share one"
        " turn until then.",
    )
    streams: int = limit(64, "streams", "This many event streams may be computed at once.")
    trainings_waiting: int = limit(4, "trainings", "This many trainings may wait while one runs.")
    trainings_kept: int = limit(
        100, "trainings", "The steps of this many finished trainings are kept, the latest ones."
    )
    trainings_unfinished: int = limit(
        20, "trainings", "The steps of this many unfinished trainings are kept, the latest ones."
    )
    trainings_per_client: int = limit(
        2, "trainings", "One client may have this many trainings that run or wait."
    )
    streams_per_client: int = limit(
        8, "streams", "One client may have this many event streams open at once."
    )

    rooms: int = limit(
        100,
        "rooms",
        "This many rooms of lectures may be open; one that no window has shown makes place for"
        " another.",
    )
    rooms_per_address: int = limit(
        20, "rooms", "One address may have opened this many of the rooms that are open."
    )
    rooms_per_client: int = limit(
        5, "rooms", "One browser may have opened this many of them; its oldest makes place."
    )
    room_seconds: float = limit(
        14_400, "seconds", "A room ends this long after its lecturer has led it last."
    )
    room_followers: int = limit(
        800,
        "windows",
        "This many windows may follow the rooms of this server at once, and one address's may be"
        " four fifths of them.",
    )

    text_length: int = limit(2_000, "characters", "An input text may be this long.")
    image_length: int = limit(
        200_704,
        "characters",
        "An image may be written with this many characters; a picture's file is the longest.",
    )
    long_text_length: int = limit(
        32_768, "characters", "A text of which attention is shown by tiles may be this long."
    )
    long_tokens: int = limit(
        4_096, "tokens", "The positions of a long text are counted up to here."
    )
    name_length: int = limit(
        100, "characters", "The id of a model or the name of an activation may be this long."
    )
    names_length: int = limit(1_000, "characters", "A list of activation names may be this long.")
    index_length: int = limit(
        60, "characters", "The index of the number that is explained may be this long."
    )
    layers: int = limit(
        64, "layers", "Layers are counted up to here, and a mask is followed through as many."
    )
    heads: int = limit(64, "heads", "Heads are counted up to here.")
    head_examples: int = limit(
        64, "inputs", "`/heads` may measure the heads of a model on this many inputs at once."
    )
    vocabulary: int = limit(1_000_000, "tokens", "Ids of tokens are counted up to here.")
    edits: int = limit(16, "edits", "A question about a run may change it by this many edits.")
    edit_axes: int = limit(8, "axes", "An edit may name indices of this many axes.")
    edit_indices: int = limit(
        512, "indices", "An edit may name this many indices of one axis, or pairs of positions."
    )
    edit_values: int = limit(16_384, "numbers", "The value of an edit may have this many numbers.")
    edit_inputs: int = limit(
        16, "inputs", "An edit may take its mean over the runs of this many other inputs."
    )
    neuron_groups: int = limit(
        32, "groups", "`/effects` may cut the neurons of a layer into this many groups."
    )
    resamples: int = limit(
        16, "examples", "`/effects` may take a unit from this many other examples."
    )
    attribution_steps: int = limit(
        4_096, "points", "`/attribution` may compute the gradient at this many points of the way."
    )
    strength: int = limit(
        4, "lengths", "A direction that is added may be this many times as long as the stream."
    )
    top: int = limit(50, "candidates", "This many candidates may be listed for one position.")
    modes_top: int = limit(
        20, "candidates", "`/modes` may list this many candidates for one position."
    )
    drawing: float = limit(400, "em", "A drawing may be this wide and this high.")
    decimals: int = limit(6, "digits", "Attention maps may be rounded to this many digits.")
    beams: int = limit(8, "beams", "Beam search may keep this many texts.")
    temperature: float = limit(10, "ratio", "Logits may be divided by this much.")
    max_new_tokens: int = limit(64, "tokens", "One generation may write this many tokens.")
    patch_grid: int = limit(32, "patches", "An image may have this many patches to a side.")
    patches: int = limit(1_024, "patches", "The patches of an image are counted up to here.")
    object_queries: int = limit(100, "queries", "Object queries are counted up to here.")
    kept_step: int = limit(
        1_000_000, "steps", "The kept steps of a shipped training are counted up to here."
    )

    positions_length: int = limit(
        512, "positions", "A positional encoding may have this many rows."
    )
    d_model: int = limit(512, "channels", "A positional encoding may have this many columns.")
    wavelength: float = limit(
        1e9, "positions", "The longest wave of a positional encoding, or its base, may be this."
    )
    buckets: int = limit(512, "buckets", "The t5 scheme may have this many numbers for a head.")
    max_offset: int = limit(
        4_096, "positions", "Offsets may be told apart up to here; those beyond count as one."
    )
    masks_length: int = limit(128, "positions", "A mask may have this many rows and columns.")

    seeds: int = limit(16, "seeds", "A clinic may be repeated with this many seeds.")
    clinic_d_model: int = limit(128, "channels", "The stream of a clinic may be this wide.")
    depth: int = limit(64, "sub-layers", "The stack of a clinic may be this deep.")
    training_steps: int = limit(400, "steps", "A live training may take this many steps.")

    def limits(self) -> list[dict]:
        """Returns the rows of /limits."""
        return [
            {
                "name": name,
                "value": getattr(self, name),
                "unit": extra["unit"],
                "sentence": field.description,
            }
            for name, field in type(self).model_fields.items()
            if isinstance(extra := field.json_schema_extra, dict)
        ]
