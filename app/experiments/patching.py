"""/patching: how much of the difference between two inputs each copied vector restores."""

import json
from typing import Annotated, ClassVar, Literal

from annotated_types import Ge
from pydantic import BeforeValidator, Field

from app.captions.patching import captions
from app.experiment import Experiment, Figure
from app.figures import patching
from app.schema.answers import PageWords, RunAnswer, StrictModel, optional
from app.schema.bounds import below
from app.schema.edits import OtherInput, Pairs
from app.schema.model_sizes import sizes_of
from app.schema.questions import AboutModel, Head, Layer, Name, Names, Rows, Text


def from_object(value: object) -> object:
    """An input as an object, as a body may have it, becomes one string of JSON, as it is in an
    address.
    """
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value


Other = Annotated[Text, BeforeValidator(from_object, json_schema_input_type=Text | OtherInput)]
SITES = 9
"""Of one layer, which are patched."""


class Patching(AboutModel):
    read_from: ClassVar = (*AboutModel.read_from, "corrupted")

    clean: Other | None = Field(None, examples=["he is cold"])
    corrupted: Other | None = None
    metric: Literal["logit_difference", "log_probability", "kl"] | None = None
    step: Annotated[int, Ge(0), below("text_length")] | None = None
    stack: Literal["encoder", "decoder"] | None = None
    positions: Annotated[Pairs, *Rows] | None = None
    sites: Names | None = None
    site: Name | None = None
    layer: Layer | None = None
    position: Annotated[int, Ge(0), below("text_length")] | None = None
    receiver: Name | None = Field(None, examples=["decoder.2.cross_attention.v"])
    receiver_head: Head | None = None
    heads: bool = False
    pairs: bool = False

    def estimated_seconds(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5 above 0.1 s. A run is patched at each site, layer and position at which both runs
        differ, and begins in its layer, half way through the layers on average.
        """
        model = sizes_of(self.model)
        text = self.source or self.text or self.corrupted or ""
        read = model.tokens(None if self.image or self.row else text)
        places = read * model.changed(text, self.clean)
        names = len(self.sites.split(",")) if self.sites else SITES
        heads = model.heads / max(model.first_layers, 1) / (3 if model.pairs else 1)
        runs = model.first_layers * places * (names + heads * self.heads)
        runs *= 3 if self.receiver else 1
        runs += places**2 / 2 * self.pairs
        sublayer = (1.7e-5 + 6.3e-9 * model.scores(read)) * model.slower
        run = sublayer * model.sublayers + 1.2e-6 * read * model.layers_cost * model.wide**0.25
        run += 4e-6 * model.vocabulary_cost + 0.0127 * model.between_rows
        plain = 5e-4 * model.token_cost
        return 0.02 + plain + runs * run + 0.0015 * read * model.writing_cost


class Answered(StrictModel):
    """An answer with its probability: a token, or a class."""

    text: str
    id: int
    probability: float


class PatchingRun(StrictModel):
    """One of the runs: the clean one, the corrupted one, or the one with the chosen patch."""

    input: dict[str, str]
    tokens: list[str]
    value: float
    answers: list[Answered]
    writes: str | None


class PatchingEdit(StrictModel):
    """The chosen patch as an edit, as `edits` takes it."""

    op: Literal["patch"]
    at: str
    from_: dict[str, str] = Field(alias="from")
    positions: list[list[int]]


class PatchingAnswer(RunAnswer):
    stack: str
    metric: str
    metric_formula: str
    unit: str
    step: int
    receiver: str | None
    receiver_head: int | None
    reads: str
    answer_clean: str
    answer_corrupted: str
    clean: PatchingRun
    corrupted: PatchingRun
    patched: PatchingRun
    difference: float
    nothing: float | None
    everything: float | None
    site: str
    layer: int
    position: int
    chosen_restored: float | None
    edit: PatchingEdit
    pair_answers: list[list[str]] = optional()


EXPERIMENT = Experiment(
    question=Patching,
    answer=PatchingAnswer,
    example="model=translator&source=i+am+cold&clean=he+is+cold",
    figures={
        "grid": Figure("What each patch restores", patching.GRID, tensor="measured"),
        "heads": Figure(
            "What each head’s patch restores", patching.HEADS, tensor="measured_by_head"
        ),
        "pairs": Figure("What two patches restore", patching.PAIRS),
        "answers": Figure("The answers before and after", patching.ANSWERS),
    },
    captions=captions,
    captions_type=PageWords,
)
