"""/modes: one sentence, read in four ways."""

from typing import Annotated

from pydantic import Field

from app.experiment import Experiment, Figure
from app.figures import modes
from app.schema.answers import Answer, Fact, StrictModel
from app.schema.bounds import up_to
from app.schema.questions import Head, Layer, Name, NamesSent, Question, Text


class Modes(Question):
    text: Text = Field(
        "i am cold",
        description=(
            "The sentence. A model of one stack reads it, and a model with a target takes"
            " it as its source."
        ),
    )
    target: Text | None = Field(
        None,
        description=(
            "The text that follows. If it is left out, every model that needs one writes its own."
        ),
    )
    encoder_only: Name | None = Field(
        None,
        description=(
            "The id of an encoder-only model. If it is left out, the first one that reads"
            " the text is taken."
        ),
    )
    decoder_only: Name | None = Field(
        None,
        description=(
            "The id of a decoder-only model. If it is left out, the first one that reads"
            " the text is taken."
        ),
    )
    encoder_decoder: Name | None = Field(
        None,
        description=(
            "The id of an encoder-decoder. If it is left out, the first one that reads the"
            " text is taken."
        ),
    )
    prefix: Name | None = Field(
        None,
        description=(
            "The id of a prefix model. If it is left out, the first one that reads the text"
            " is taken."
        ),
    )
    layer: Layer | None = Field(
        None,
        description=(
            "The layer, counted from 0. A model with fewer layers shows its last one. If it"
            " is left out, every model shows its last."
        ),
    )
    head: Head = Field(
        0, description=("The head, counted from 0. A model with fewer heads shows its last one.")
    )
    top: Annotated[int, Field(ge=1), up_to("modes_top")] = Field(
        5, description="How many candidates are listed for each position."
    )
    names: NamesSent = None


class Mode(StrictModel):
    """One way of reading the sentence, and the model that reads it so, where there is one."""

    mode: str
    sees: str
    model: str | None
    kind: str
    why: str | None = Field(
        description=("Why no shipped model reads the sentence in this way; null where one does.")
    )
    layer: int | None
    head: int | None
    layers: int | None
    heads: int | None
    target_from: int | None
    visible: Fact
    top_tokens: list[list[str]]
    expected: list[str]
    says: str | None


class ModesAnswer(Answer):
    modes: list[Mode]


EXPERIMENT = Experiment(
    question=Modes,
    answer=ModesAnswer,
    sentence="One sentence, read by an encoder alone, a decoder alone, an encoder-decoder and a"
    " stack under a prefix mask, with masks, attention and predictions",
    example="text=i+am+cold&head=1",
    figures={
        f"{show}.{mode}": Figure(
            title,
            modes.square(mode, show),
            tensor=f"{mode}.mask",
            told=lambda answer, _, of=(mode, show): modes.meta(answer, *of),
        )
        for show in ("map", "mask")
        for mode, title in modes.TITLES.items()
    },
    source_fields={"names": None},
)
