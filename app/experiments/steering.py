"""/steering: what a model writes while a direction is added to its stream."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from app.captions import Question, fields
from app.captions.axes import values
from app.captions.fields import Condition, always, answered, counts, stated, whether
from app.captions.page import choices, chosen, indices, link, run_fields
from app.captions.text import percent
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures.marks import Cells, Lines, Look, Marks, Scale
from app.schema.answers import PageWords, RunAnswer, StrictModel, optional
from app.schema.bounds import up_to
from app.schema.model_sizes import sizes_of
from app.schema.questions import AboutModel, Layer, Model, Seed, Text

if TYPE_CHECKING:
    from model.answers.answer import Answer


class Steering(AboutModel):
    model: Model = "shakespeare"
    direction: Literal["difference", "probe", "token"] = "difference"
    toward: Text | None = None
    away: Text | None = None
    token: Text | None = None
    layer: Layer | None = None
    strength: Annotated[float, Field(ge=-4), up_to("strength")] = 0.5
    seed: Seed = 0
    draws: Annotated[int, Field(ge=1), up_to("seeds")] = 8
    max_new_tokens: Annotated[int, Field(ge=1), up_to("max_new_tokens")] | None = None

    def sizes(self) -> dict[str, float]:
        """The texts of all directions at all strengths are written at once, after a text that each
        has read. What is written of a source ends by itself.
        """
        model, most = sizes_of(self.model), self.max_new_tokens or 20
        directions = 1 + self.draws
        if self.source:
            n_tokens = min(most, 2.3 * model.tokens(self.source))
            cost = model.writing_cost
            return {"answer": 1, "sources": cost, "translated": cost * directions * n_tokens}
        read = model.tokens(self.text or "")
        wide = 0.27 * model.token_cost / max(model.writing_sublayers, 1)
        sublayers = max(model.writing_sublayers, 1) * max(1.0, wide)
        return {
            "answer": 1,
            "read": sublayers * read * directions,
            "steps": sublayers * most,
            "written": sublayers * most * directions,
            "scores": sublayers * most * directions * read,
        }


class WrittenToken(StrictModel):
    """A token that was written, and the probability that it was taken with."""

    text: str
    probability: float


class SteeredText(StrictModel):
    """What is written at one strength."""

    text: str
    ended: bool
    tokens: list[WrittenToken]


class SteeringAnswer(RunAnswer):
    direction: Literal["difference", "probe", "token"]
    toward: str = optional()
    away: str = optional()
    token: str = optional()
    right: float = optional()
    chance: float = optional()
    layer: int
    layers: int
    strength: float
    at: int
    without: int
    stream_length: float
    direction_length: float
    wanted: list[str]
    texts: list[SteeredText]
    random_texts: list[SteeredText]


LONGEST = 12  # letters of a token in a cell
EDGE = 0.1  # of a strength, beside the first and the last dot


def tokens(answer: "Answer", field: str, part: str, missing: Any) -> list[list[Any]]:
    """What is known of each token at each strength, as long as the longest text."""
    known = [[token[part] for token in row["tokens"]] for row in answer.fields[field]]
    return [[*row, *[missing] * (max(map(len, known)) - len(row))] for row in known]


TEXTS, RANDOM = (
    Cells(
        tensor,
        numbers=lambda answer, _, field=field: np.array(
            tokens(answer, field, "probability", np.nan), np.float32
        ),
        x="",
        first=1,
        y="strength",
        columns="generated token",
        rows="strength (residual-stream norms)",
        ends=(0, 1),
        unit="probability",
        words=lambda answer, _, field=field: tokens(answer, field, "text", ""),
        longest=LONGEST,
        pick_row={"strength": "strength"},
        chosen_row="at",
        hover="strength %{y}, token %{x}: %{customdata}<br>probability <b>%{z:.3g}</b>",
    )
    for tensor, field in (("share", "texts"), ("random.share", "random_texts"))
)
"""The tokens at each strength, each coloured by the probability that it was taken with."""


def measured(tensor: str, title: str, unit: str, names: Any, **more: Any) -> Lines:
    """What a direction does at each strength, and a thin line for each random direction."""
    return Lines(
        f"random.{tensor}",
        x="strength",
        parts={"random": {}, "own": {"tensor": tensor}},
        looks={
            "random": Look("random directions", "ink-soft"),
            "own": Look("this direction", "attention"),
        },
        names=names,
        x_scale=Scale("strength (residual-stream norms)", before=EDGE, beyond=EDGE),
        y=Scale(title, **more),
        upright=lambda answer, _: values(answer, "strength")[answer.fields["at"]],
        hover=f"{{name}}, strength %{{x:.3g}}<br><b>%{{y:.3g}}</b> {unit}",
    )


EFFECT = Marks(
    [
        measured("share", "probability of these tokens", "probability", "legend", high=1),
        measured("surprise", "loss without steering (nats/token)", "nats per token", "none"),
    ],
    across=True,
)
"""What the direction does to the probability of its tokens, and what its texts cost the model
without it.
"""


NAMED = 6  # of the tokens whose probability is counted
REPEATS = 0.3  # a text with fewer different tokens than this share says the same again and again


def at_strength(kind: str, *tensors: str) -> dict[str, fields.Field]:
    """What tensors have at the strength that is asked for, and without the direction; of `share`
    named `share_at` and `share_without`.
    """

    def read(tensor: str, place: str) -> fields.Of:
        return lambda answer, _: answer.tensors[tensor].data[answer.fields[place]].item()

    return {
        f"{tensor}_{place}": fields.Field(read(tensor, place), kind)
        for tensor in tensors
        for place in ("at", "without")
    }


def random_shares(answer: "Answer") -> list[float]:
    """What each random direction gives the same tokens at this strength."""
    return answer.tensors["random.share"].data[:, answer.fields["at"]].tolist()


def repeating(answer: "Answer") -> list[float]:
    """The strengths above 0 at which the text repeats itself."""
    distinct = answer.tensors["distinct"].data.tolist()
    every = zip(values(answer, "strength"), distinct, strict=True)
    return [strength for strength, share in every if strength > 0 and share < REPEATS]


def compared(answer: "Answer", _: Question) -> str:
    """What the direction does for its tokens, beside what random ones do."""
    share = answer.tensors["share"].data[answer.fields["at"]].item()
    others = random_shares(answer)
    return "more" if share > max(others) else "less" if share < min(others) else "between"


def differs(answer: "Answer", texts: str) -> bool:
    """Whether the text at this strength is another than the one without the direction."""
    at, without = answer.fields["at"], answer.fields["without"]
    return answer.fields[texts][at]["text"] != answer.fields["texts"][without]["text"]


WORDS = Words(
    "steering",
    fields={
        **stated("tick", "strength"),
        **stated("whole", "layer"),
        **stated("fraction", "right", "chance"),
        **stated("token", first="wanted.0"),
        **stated(
            "excerpt",
            "toward",
            "away",
            now="texts.{at}.text",
            plain="texts.{without}.text",
            random_now="random_texts.{at}.text",
        ),
        **counts("draws"),
        **always("percent", repeats=REPEATS),
        **at_strength("fraction", "share"),
        **at_strength("number", "surprise"),
        "broken": fields.Field(
            lambda answer, _: next(iter(repeating(answer))), "tick", measured=False
        ),
        "wanted": fields.Field(
            lambda answer, _: answer.fields["wanted"][:NAMED], "tokens", measured=False
        ),
        "others": fields.Field(
            lambda answer, _: len(answer.fields["wanted"][NAMED:]), "count", measured=False
        ),
        "lowest": fields.Field(lambda answer, _: min(random_shares(answer)), "fraction"),
        "highest": fields.Field(
            lambda answer, _: max(random_shares(answer)), "fraction", measured=False
        ),
    },
    conditions={
        **answered("direction", "difference", "probe", "token"),
        "compared": Condition(compared, ("more", "less", "between")),
        **whether("alike", lambda answer, _: len(set(map(percent, random_shares(answer)))) == 1),
        **whether("several", lambda answer, _: len(answer.fields["wanted"]) > NAMED),
        **whether("better", lambda answer, _: answer.fields["right"] > answer.fields["chance"]),
        **whether("breaks", lambda answer, _: bool(repeating(answer))),
        **whether("yours", lambda answer, _: answer.kind == "yours"),
        **whether("changed", lambda answer, _: differs(answer, "texts")),
        **whether("random_changed", lambda answer, _: differs(answer, "random_texts")),
    },
)


def captions(answer: "Answer", question: Question) -> dict[str, Any]:
    """What the controls offer, and where the page leads on with the same input."""
    run = run_fields(question, ("model", "source", "text"))
    return {
        "choices": {"layer": choices(WORDS("usual.layer"), indices(answer.fields["layers"]))},
        "chosen": chosen(question, "layer"),
        "links": [
            link("/generate", run, WORDS("links.generate")),
            link("/residual", run, WORDS("links.residual")),
            link("/probes", {}, WORDS("links.probes")),
        ],
    }


EXPERIMENT = Experiment(
    question=Steering,
    answer=SteeringAnswer,
    example="model=shakespeare&text=the+king&toward=What%3F+Why%3F+Who%3F+Where%3F"
    "&away=Yes.+No.+Indeed.+It+is.",
    figures={
        "texts": in_words(TEXTS),
        "random": in_words(RANDOM),
        "effect": in_words(EFFECT, tensor="share"),
    },
    words=WORDS,
    captions=captions,
    captions_type=PageWords,
)
