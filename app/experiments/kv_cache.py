"""KV cache: what a decoder computes at each step with a cache of keys and values, and without."""

from typing import Annotated

from pydantic import Field

from app.captions import fields
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import displayed, found, lengths, means, setting
from app.captions.words import Words
from app.experiment import Experiment, Figure, in_words
from app.figures.marks import Bars, Cells, Lines, Look, Scale
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Clinic

WAYS = {
    "with": Look("with the cache", "attention"),
    "without": Look("without the cache", "feed-forward"),
}
COMPUTED = 2
STATES = {1: "read from the cache", COMPUTED: "computed"}


class KVCache(Clinic):
    tokens: Annotated[
        int, Field(ge=4), up_to("max_new_tokens"), COSTLY, Control((4, 8, 16, 32, 48), key="step")
    ] = 16

    def sizes(self) -> dict[str, float]:
        tokens = self.seeds * self.tokens
        return {"tokens": tokens, "pairs": tokens * self.tokens}


def keys(way: str) -> Figure:
    """A row for each step and a column for each token: yellow where its keys and values are
    computed, grey where they are read, empty where the token has not been written yet.
    """

    return in_words(
        Cells(
            f"keys.{way}",
            x="position",
            y="step",
            columns="token",
            rows="step",
            ends=(0, 2),
            says=STATES,
            hover="step %{y}: keys and values of %{x}<br><b>%{customdata}</b>",
        )
    )


def computed(way: str) -> fields.Field:
    """How often keys and values of a token are computed."""
    return fields.Field(
        lambda answer, _: int((answer.cut(f"keys.{way}").data == COMPUTED).sum()), "whole"
    )


WORDS = Words(
    "kv_cache",
    fields={
        **setting("whole", "tokens"),
        **found("number", "saved", "logits"),
        **lengths("step"),
        **{f"computed_{way}": computed(way) for way in WAYS},
        **means("short", "multiplications", {"step": "last"}, 1e6, way=WAYS),
        **means("short", "bytes", per=1024, step=("first", "last")),
    },
    conditions=displayed("multiplications", "bytes"),
)
EXPERIMENT = Experiment(
    question=KVCache,
    example="tokens=8",
    figures={
        "with": keys("with"),
        "without": keys("without"),
        "multiplications": in_words(
            Lines(
                "multiplications",
                x="step",
                by="way",
                looks=WAYS,
                hover="{name}, step %{x}<br><b>%{y:.3g}</b> million multiplications",
                x_scale=Scale("step (tokens read so far)", low=0),
                y=Scale("multiplications per step", "millions", low=0, per=1e6),
            )
        ),
        "bytes": in_words(
            Bars(
                "bytes",
                x="step",
                look=Look("cache", "key"),
                hover="after step %{x}<br><b>%{y:.3g}</b> KiB of cached keys and values",
                x_scale=Scale("step (tokens read so far)", low=0, beyond=0.6),
                y=Scale("cached keys and values", "KiB", low=0, per=1024),
            )
        ),
    },
    words=WORDS,
    opening={"shown": "other"},
    rests_on=("logits", "choices"),
    exercise=Exercise(
        ("few", "some", "many"),
        by_findings({"saved": (4, 10)}),
        {"tokens=4": "tokens", "tokens=32": "tokens"},
    ),
)
