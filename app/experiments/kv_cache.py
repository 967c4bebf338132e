"""KV cache: what a decoder computes at each step with a cache of keys and values, and without."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from app.captions import Question
from app.captions.exercises import Exercise, by_findings
from app.experiment import Experiment, Figure
from app.figures.marks import Bars, Cells, Lines, Look, Scale
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Clinic

if TYPE_CHECKING:
    from model.answers.answer import Answer

WAYS = {
    "with": Look("with the cache", "attention"),
    "without": Look("without it", "feed-forward"),
}
COMPUTED = 2
STATES = {1: "read from the cache", COMPUTED: "computed"}


class KVCache(Clinic):
    tokens: Annotated[
        int, Field(ge=4), up_to("max_new_tokens"), COSTLY, Control((4, 8, 16, 32, 48), key="step")
    ] = Field(16, description="How many tokens are read, one at each step.")

    def estimated_seconds(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5.
        """
        return self.seeds * self.tokens * (0.038 + 4e-5 * self.tokens)


def keys(way: str) -> Figure:
    """A row for each step and a column for each token: yellow where its keys and values are
    computed, grey where they are read, empty where the token has not been written yet.
    """

    def sentence(answer: "Answer", question: Question) -> str:
        state = answer.cut(f"keys.{way}").data
        return (
            f"{WAYS[way].name}: keys and values of a token are computed"
            f" {int((state == COMPUTED).sum())} times in {len(state)} steps."
        )

    mark = Cells(
        f"keys.{way}",
        x="position",
        y="step",
        columns="token",
        rows="step",
        ends=(0, 2),
        says=STATES,
        hover="step %{y}: keys and values of %{x}<br><b>%{customdata}</b>",
    )
    return Figure(f"Keys and values, {WAYS[way].name}", mark, sentence)


def multiplications_sentence(answer: "Answer", question: Question) -> str:
    kept, anew = (float(n) / 1e6 for n in answer.cut("multiplications").data[:, -1])
    return (
        f"At the last step {kept:.3g} million multiplications with the cache, {anew:.3g} million"
        " without it."
    )


def bytes_sentence(answer: "Answer", question: Question) -> str:
    sizes = answer.cut("bytes").data / 1024
    return (
        f"The cache holds {sizes[0]:.3g} KiB after one token and {sizes[-1]:.3g} KiB after"
        f" {len(sizes)}."
    )


EXPERIMENT = Experiment(
    question=KVCache,
    sentence="Which keys and values a decoder computes at each step with a cache and without one,"
    " the multiplications and bytes that this takes, and how far the logits differ",
    example="tokens=8",
    figures={
        "with": keys("with"),
        "without": keys("without"),
        "multiplications": Figure(
            "The work of each step",
            Lines(
                "multiplications",
                x="step",
                by="way",
                looks=WAYS,
                hover="{name}, step %{x}<br><b>%{y:.3g}</b> million multiplications",
                x_scale=Scale("step (tokens read so far)", low=0),
                y=Scale("multiplications of the step", "millions", low=0, per=1e6),
            ),
            multiplications_sentence,
        ),
        "bytes": Figure(
            "What the cache costs in memory",
            Bars(
                "bytes",
                x="step",
                looks={"": Look("cache", "key")},
                hover="after step %{x}<br><b>%{y:.3g}</b> KiB of keys and values",
                x_scale=Scale("step (tokens read so far)", low=0, beyond=0.6),
                y=Scale("keys and values that are kept", "KiB", low=0, per=1024),
            ),
            bytes_sentence,
        ),
    },
    claim="The KV cache saves work and changes no answer",
    rests_on=("logits", "choices"),
    look_for={
        "multiplications": "Each point on the right is one step. Without the cache a step computes"
        " every token that was read so far, and with the cache only the newest one. Choose more"
        " tokens, and the distance of the lines grows.",
        "bytes": "Each step adds the same number of bytes: a key and a value of the new token in"
        " every layer. The cache saves work and costs memory.",
        "": "Each row is one step of writing, and each column is a token. C marks keys and values"
        " that the step computes, and R those that it reads from the cache. Without the cache every"
        " step computes all of them again.",
    },
    reading="Without the cache the text takes {saved:number} times as many multiplications. The"
    " logits of the two ways differ by {logits:number} at most.",
    exercise=Exercise(
        "A decoder writes a text of {tokens} tokens, one after another. If it kept nothing between"
        " two steps, how many multiplications would it need, compared with keeping its keys and"
        " values?",
        ("At most 4 times as many", "4 to 10 times as many", "More than 10 times as many"),
        by_findings({"saved": (4, 10)}),
        {"tokens=4": "4 tokens", "tokens=32": "32 tokens"},
    ),
)
