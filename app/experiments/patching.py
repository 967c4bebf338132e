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

    clean: Other | None = Field(
        None,
        description=(
            "The clean input, from whose run vectors are copied: a text, image or row that the"
            " model reads, or a JSON object with the fields of an input. If it is left out, it is"
            " a prepared one, or the example that is most like the corrupted input."
        ),
        examples=["he is cold"],
    )
    corrupted: Other | None = Field(
        None,
        description=(
            "The corrupted input, into whose run vectors are copied, in the form of `clean`. If it"
            " is left out, it is the input of the question: `source`, `text`, `image` or `row`."
        ),
    )
    metric: Literal["logit_difference", "log_probability", "kl"] | None = Field(
        None,
        description=(
            "What is measured of an answer: the logit of the clean run's answer minus that of the"
            " corrupted run's, the log-probability of the clean run's answer, or the divergence"
            " from the clean run's probabilities. If it is left out, it is the first, or the second"
            " where both runs answer the same."
        ),
    )
    step: Annotated[int, Ge(0), below("text_length")] | None = Field(
        None,
        description=(
            "The position of the logits that is measured. If it is left out, it is the first at"
            " which the two runs answer differently."
        ),
    )
    stack: Literal["encoder", "decoder"] | None = Field(
        None, description="The stack that is patched. If it is left out, it is the first."
    )
    positions: Annotated[Pairs, *Rows] | None = Field(
        None,
        description=(
            "Pairs of a position of the clean input and the position of the corrupted input that it"
            " is copied to. Inputs of as many tokens do not need it."
        ),
    )
    sites: Names | None = Field(
        None,
        description=(
            "The sites that are patched, with commas between them, for instance"
            " residual.in,attention.out. If it is left out, all are."
        ),
    )
    site: Name | None = Field(
        None,
        description=(
            "The site of the patch whose answers are told, for instance residual.in or"
            " attention.out. If it is left out, it is the first, residual.in where it is patched."
        ),
    )
    layer: Layer | None = Field(
        None,
        description=(
            "The layer of that patch, counted from 0. If it is left out, it is the first in which"
            " one patch at the site restores a tenth."
        ),
    )
    position: Annotated[int, Ge(0), below("text_length")] | None = Field(
        None,
        description=(
            "The position of that patch, counted from 0. If it is left out, it is the one that"
            " restores most."
        ),
    )
    receiver: Name | None = Field(
        None,
        description=(
            "The name of an activation, as `/activations` lists it. If it is given, a patch acts on"
            " this activation alone, through the residual stream, and everything else is frozen"
            " until then (path patching)."
        ),
        examples=["decoder.2.cross_attention.v"],
    )
    receiver_head: Head | None = Field(
        None, description="One head of the receiver. If it is left out, it is all of it."
    )
    heads: bool = Field(
        False, description="Whether the output of every head is patched by itself too."
    )
    pairs: bool = Field(
        False,
        description="Whether every two positions are patched at once too, at `site` in `layer`.",
    )

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
    tokens: list[str] = Field(description="The tokens of the stack that is patched.")
    value: float = Field(description="The metric of this run.")
    answers: list[Answered] = Field(description="Its most probable answers where it is measured.")
    writes: str | None = Field(
        description=(
            "What an encoder-decoder writes, greedily, from what its encoder hands it in this run;"
            " null for any other model."
        )
    )


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
    step: int = Field(description="The position of the logits that is measured.")
    receiver: str | None
    receiver_head: int | None
    reads: str = Field(description="The field in which an address gives the input.")
    answer_clean: str
    answer_corrupted: str
    clean: PatchingRun
    corrupted: PatchingRun
    patched: PatchingRun
    difference: float = Field(description="The metric of the clean run minus the corrupted one.")
    nothing: float | None = Field(
        description=(
            "What is restored where nothing is patched; null where the difference is below 0.001"
            " and so no share of it is told."
        )
    )
    everything: float | None = Field(
        description=(
            "What is restored where all that every stack reads is patched: 1, unless a part of the"
            " input bypasses the stacks; null where it cannot be patched."
        )
    )
    site: str
    layer: int
    position: int
    chosen_restored: float | None = Field(description="What the chosen patch restores.")
    edit: PatchingEdit
    pair_answers: list[list[str]] = optional(
        "What the model answers where two positions are patched, by their numbers."
    )


EXPERIMENT = Experiment(
    question=Patching,
    answer=PatchingAnswer,
    sentence="How much of the difference between two inputs one vector restores that is copied from"
    " the clean run into the corrupted one, by site, layer and position; and along one path",
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
