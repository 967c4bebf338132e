"""/attribution: which input tokens mattered for an answer, by several methods side by side."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from app.captions import Question, fields
from app.captions.fields import Condition, answered, entry, lengths, stated, whether
from app.captions.page import choices, chosen, link, numbered, run_fields
from app.captions.text import visible
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures import attribution
from app.schema.answers import PageWords, RunAnswer, StrictModel
from app.schema.bounds import below, up_to
from app.schema.model_sizes import ModelSizes, sizes_of
from app.schema.questions import AboutModel, Names
from model.labels import label

if TYPE_CHECKING:
    from model.answers.answer import Answer

INTEGRATED = "integrated"
FLOW = "flow"
HIDING = "hiding"
USUAL, TOKENS_PASSED = 1024, 8192
"""Points of a short translation where their number is left out, and the tokens at all points of a
long one.
"""


class Attribution(AboutModel):
    quickest: ClassVar[dict[str, str]] = {"methods": "removal"}

    answer: Annotated[int, Field(ge=0), below("text_length")] | None = None
    methods: Names | None = None
    steps: Annotated[int, Field(ge=17), up_to("attribution_steps")] | None = None

    def sizes(self) -> dict[str, float]:
        model = sizes_of(self.model)
        if model.pictures:
            return self.sizes_of_picture(model)
        return self.sizes_of_translation(model) if self.source else self.sizes_of_text(model)

    def wants(self, method: str) -> bool:
        return self.methods is None or method in self.methods

    def sizes_of_picture(self, model: ModelSizes) -> dict[str, float]:
        """A picture has many patches: a run without each of them, another one where it is hidden,
        and about three for each point of the way.
        """
        read = model.max_length
        points = min(USUAL, TOKENS_PASSED / read) if self.steps is None else self.steps
        runs = read * (1 + self.wants(HIDING)) + 3 * points * self.wants(INTEGRATED)
        return {
            "picture_sublayers": runs * model.sublayers,
            "picture_channels": runs * read * model.layers_cost,
            "picture_scores": runs * read**2 * model.sublayers,
            "picture_flows": read**3 * model.sublayers * self.wants(FLOW),
        }

    def sizes_of_text(self, model: ModelSizes) -> dict[str, float]:
        """The flow through a text grows with the cube of its tokens. In a wide model the runs
        without each token take longest.
        """
        read = model.tokens(self.text) if self.text else 0.0
        flows, wide = model.sublayers * self.wants(FLOW), 1 - 1 / model.wide
        return {
            "text_sublayers": model.sublayers,
            "text_tokens": model.sublayers * read,
            "flow_tokens": flows * read,
            "flow_cubes": flows * read**3,
            "wide_tokens": wide * model.token_cost,
            "wide_scores": wide * read**2 * model.layers_cost,
        }

    def sizes_of_translation(self, model: ModelSizes) -> dict[str, float]:
        """The way of a translation has many kinks, more in a deep model and for a long text; with
        enough points it ends before their largest number.
        """
        read = model.tokens(self.source) + model.tokens(self.target or self.source)
        steps = min(USUAL, TOKENS_PASSED / max(read, 1)) if self.steps is None else self.steps
        enough = (3.1 + 0.08 * read) * model.sublayers**2
        points = min(steps, enough) * self.wants(INTEGRATED)
        tokens = model.sublayers * read
        return {
            "translation": 1,
            "translated_tokens": tokens,
            "tokens_of_all_methods": tokens * (self.methods is None),
            "point_sublayers": points * model.sublayers,
            "point_channels": points * read * model.token_cost,
        }


class AttributedAnswer(StrictModel):
    """The answer that is attributed."""

    text: str
    id: int
    position: int
    log_probability: float
    probability: float


class Method(StrictModel):
    name: str
    formula: str


class MethodAgreement(StrictModel):
    """How well a method orders the tokens as their removal does."""

    method: str
    rank_correlation: float | None
    chance_of_as_much: float | None
    verdict: str


class RandomOrders(StrictModel):
    """The middle 95% of the rank correlations of random orders with removal."""

    low: float
    high: float
    draws: int


class UniformAgreement(StrictModel):
    """The rank correlation of the rollout of uniform attention with removal and with rollout."""

    removal: float | None
    rollout: float | None


class Completeness(StrictModel):
    """How far integrated gradients are from the difference that they have to sum to, in nats."""

    error: float
    sum: float
    difference: float
    steps: int
    complete: bool


class Direct(StrictModel):
    """The logit as the sum of what the tokens bring directly, and of the rest."""

    logit: float
    tokens: float
    rest: float
    error: float


class MeanAgreement(StrictModel):
    """The mean rank correlation of a method with removal over held-out inputs, and its 95%
    interval.
    """

    method: str
    mean: float
    low: float
    high: float
    verdict: str


class HeldOutInputs(StrictModel):
    inputs: int
    agreement: list[MeanAgreement]


class AttributionAnswer(RunAnswer):
    answer: int
    answers: list[str]
    answered: AttributedAnswer
    tokens: list[str]
    methods: list[Method]
    agreement: list[MethodAgreement]
    chance: RandomOrders | None
    uniform_agreement: UniformAgreement
    completeness: Completeness | None
    direct: Direct | None
    held_out: HeldOutInputs | None


Methods = Callable[["Answer"], list[str]]


def scores(answer: "Answer") -> dict[str, Any]:
    """The scores of each method."""
    return dict(zip(answer.axes["method"].labels or [], answer.tensors["score"].data, strict=True))


def largest(answer: "Answer", method: str) -> int:
    """The token with the largest size of a score."""
    return int(scores(answer)[method].abs().argmax())


def called(answer: "Answer", at: int) -> str:
    """The token, with its position where another token has the same text; or the patch."""
    tokens, axis = answer.fields["tokens"], answer.axes["token"]
    quoted = fields.quoted(visible(tokens[at]))
    if axis.kind == "patch" and tokens[at] != "[CLS]":
        return label("patch {at}").format(at=quoted)
    if tokens.count(tokens[at]) == 1:
        return quoted
    parts = axis.parts or {"position": axis.size}
    places = [f"{name} {i}" for name, size in parts.items() for i in range(size)]
    return f"{quoted} ({label(places[at])})"


def first_by(answer: "Answer") -> dict[int, list[str]]:
    """The other methods by the token that they put first, beginning with that of removal."""
    found: dict[int, list[str]] = {largest(answer, "removal"): []}
    for method in answer.axes["method"].labels or []:
        if method != "removal":
            found.setdefault(largest(answer, method), []).append(method)
    return found


def elsewhere(answer: "Answer") -> Iterator[dict[str, Any]]:
    """The methods that put another token first, token by token."""
    for at, methods in [*first_by(answer).items()][1:]:
        yield {
            "other_methods": names(methods),
            "other_token": called(answer, at),
            "others": how_many(methods),
        }


def names(methods: Sequence[str]) -> list[str]:
    """What methods are called."""
    return [attribution.TITLES[method] for method in methods]


def how_many(methods: Sequence[str]) -> str:
    """How many names these are: integrated gradients are several by themselves."""
    several = len(methods) > 1 or [*methods] == [INTEGRATED]
    return "several" if several else "one" if methods else "none"


def on_average(answer: "Answer") -> list[dict[str, Any]]:
    """What was found of each method over held-out inputs."""
    found = answer.fields["held_out"] or {"agreement": []}
    return [row for row in found["agreement"] if row["method"] != "uniform"]


def judged(verdict: str, rows: Callable[["Answer"], list[dict[str, Any]]]) -> Methods:
    """The methods of a verdict."""
    return lambda answer: [row["method"] for row in rows(answer) if row["verdict"] == verdict]


def here(answer: "Answer") -> list[dict[str, Any]]:
    return answer.fields["agreement"]


ROWS: dict[str, Methods] = {
    "found": lambda answer: first_by(answer)[largest(answer, "removal")],
    "better": judged("better than chance", here),
    "no_better": judged("no better than chance", here),
    "worse": judged("worse than chance", here),
    "undefined": judged("not defined", here),
    "mean_no_better": judged("no better than chance", on_average),
    "mean_worse": judged("worse than chance", on_average),
}
"""The methods that a sentence names in a row; in those about means they stand inside of it."""


def row(name: str) -> fields.Field:
    of, kind = ROWS[name], "listed" if name.startswith("mean") else "Listed"
    return fields.Field(lambda answer, _: names(of(answer)) or None, kind, measured=False)


def ends(
    name: str, of: Callable[[list[dict[str, Any]]], dict[str, Any]]
) -> dict[str, fields.Field]:
    """The mean of a method over held-out inputs, with its interval."""

    def end(part: str) -> fields.Field:
        return fields.Field(
            lambda answer, _: of(entry(answer.fields, "held_out.agreement"))[part],
            "number",
            measured=False,
        )

    return {f"{name}_{part}": end(part) for part in ("mean", "low", "high")}


def extreme(pick: Callable[..., Any]) -> Callable[[list[dict[str, Any]]], dict[str, Any]]:
    """The method with the highest or the lowest mean."""
    return lambda rows: pick(
        (row for row in rows if row["method"] != "uniform"), key=lambda row: row["mean"]
    )


def extreme_name(pick: Callable[..., Any]) -> fields.Field:
    def name(answer: "Answer", _: Question) -> str:
        return attribution.TITLES[
            extreme(pick)(entry(answer.fields, "held_out.agreement"))["method"]
        ]

    return fields.Field(name, "name", measured=False)


def token_of(method: str) -> fields.Field:
    """The token with the largest size of the score of a method."""
    return fields.Field(
        lambda answer, _: called(answer, largest(answer, method)), "text", measured=False
    )


def score_of(method: str, kind: str, tensor: str = "score") -> fields.Field:
    """What a method gives that token, or what a tensor has there."""

    def of(answer: "Answer", _: Question) -> float:
        row = scores(answer)[method] if tensor == "score" else answer.tensors[tensor].data
        return row[largest(answer, method)].item()

    return fields.Field(of, kind)


def sentences(answer: "Answer", question: Question) -> str:
    """What the methods are said to do that put another token first."""
    return "".join(WORDS("elsewhere", answer, question, details) for details in elsewhere(answer))


def complete(answer: "Answer", _: Question) -> str:
    """Whether the integrated gradients sum to what they must."""
    found = answer.fields["completeness"]
    return "unknown" if found is None else "yes" if found["complete"] else "no"


HOW_MANY = ("none", "one", "several")
WORDS = Words(
    "attribution",
    fields={
        **stated("token", "answered.text"),
        **stated("fraction", "answered.probability"),
        **stated(
            "number",
            *(f"completeness.{name}" for name in ("difference", "error")),
            *(f"chance.{name}" for name in ("low", "high")),
            *(f"uniform_agreement.{name}" for name in ("rollout", "removal")),
            *(f"direct.{name}" for name in ("logit", "tokens", "rest")),
        ),
        **stated("count", "held_out.inputs"),
        **lengths("token"),
        **{f"{name}_methods": row(name) for name in ROWS},
        **ends("best", extreme(max)),
        **ends("worst", extreme(min)),
        "best_name": extreme_name(max),
        "worst_name": extreme_name(min),
        **{f"{name}_token": token_of(name) for name in ("removal", "rollout", "logit")},
        "removal_by": fields.Field(
            lambda *of: abs(score_of("removal", "number").of(*of)), "number"
        ),
        "rollout_share": score_of("rollout", "fraction"),
        "uniform_share": score_of("rollout", "fraction", "uniform"),
        "logit_part": score_of("logit", "number"),
        "elsewhere": fields.Field(sentences, "text", measured=False),
        **{
            f"other_{part}": fields.Field(
                lambda answer, _, part=part: next(elsewhere(answer))[f"other_{part}"],
                kind,
                measured=False,
            )
            for part, kind in (("methods", "Listed"), ("token", "text"))
        },
    },
    conditions={
        **{
            name: Condition(lambda answer, _, of=of: how_many(of(answer)), HOW_MANY)
            for name, of in ROWS.items()
        },
        "others": Condition(
            lambda answer, _: next((details["others"] for details in elsewhere(answer)), "none"),
            HOW_MANY,
        ),
        **whether("falls", lambda *of: score_of("removal", "number").of(*of) > 0),
        "complete": Condition(complete, ("unknown", "yes", "no")),
        **answered("chance"),
        **answered("held_out"),
        **whether("patches", lambda answer, _: answer.axes["token"].kind == "patch"),
        **whether(
            "all_better",
            lambda answer, _: all(
                row["verdict"] == "better than chance" for row in on_average(answer)
            ),
        ),
        **{
            f"{name}_ordered": Condition(
                lambda answer, _, name=name: (
                    "no" if answer.fields["uniform_agreement"][name] is None else "yes"
                ),
                ("yes", "no"),
            )
            for name in ("rollout", "removal")
        },
    },
)


def captions(answer: "Answer", question: Question) -> dict[str, Any]:
    """What the control offers, and where the page leads on in the same state."""
    content, run = answer.fields, run_fields(question)
    usual = (
        WORDS("usual.answer") if question.get("answer") else visible(content["answered"]["text"])
    )
    writes = {**run, "view": "writes", "position": content["answered"]["position"]}
    return {
        "choices": {"answer": choices(usual, numbered(content["answers"]))},
        "chosen": chosen(question, "answer"),
        "links": [
            link("/attention", run, WORDS("links.attention")),
            link("/residual", writes, WORDS("links.stream")),
        ],
    }


EXPERIMENT = Experiment(
    question=Attribution,
    answer=AttributionAnswer,
    example="model=translator&source=i+am+cold&steps=257",
    figures={
        "scores": in_words(attribution.SCORES, tensor="score"),
        "agreement": in_words(attribution.AGREEMENT, tensor="score"),
        "rollout": in_words(attribution.ROLLOUT, tensor="uniform", has=attribution.has("rollout")),
        "logit": in_words(attribution.LOGIT, tensor="score", has=attribution.has("logit")),
    },
    captions=captions,
    captions_type=PageWords,
    words=WORDS,
)
