"""/attribution: which input tokens mattered for an answer, by several methods side by side."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from app.captions import Question, fields
from app.captions.fields import Condition, answered, entry, lengths, stated, whether
from app.captions.page import choices, chosen, given, link, numbered
from app.captions.text import listed, visible
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures import attribution
from app.schema.answers import PageWords, RunAnswer, StrictModel
from app.schema.bounds import below, up_to
from app.schema.model_sizes import ModelSizes, sizes_of
from app.schema.questions import AboutModel, Names

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

    def estimated_seconds(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5 above 0.1 s in the middle. The way of a translation has many kinks, more in a deep model
        and for a long text; with enough points it ends before their largest number. That of another
        model needs few. The flow through a text grows with the cube of its tokens. In a wide model
        the runs without each token take longest.
        """
        model, methods = sizes_of(self.model), self.methods
        if model.pictures:
            return seconds_of_picture(model, self.steps, methods)
        if not self.source:
            read = model.tokens(self.text) if self.text else 0.0
            token = 3e-4
            if methods is None or FLOW in methods:
                token += 5.6e-4 + 5.6e-8 * read**2
            wide = 1 - 1 / model.wide
            without = wide * (3e-4 * model.token_cost + 8e-6 * read**2 * model.layers_cost)
            return without + model.sublayers * (0.012 + token * read)
        read = model.tokens(self.source) + model.tokens(self.target or self.source)
        steps = min(USUAL, TOKENS_PASSED / max(read, 1)) if self.steps is None else self.steps
        integrates = methods is None or INTEGRATED in methods
        enough = (3.1 + 0.08 * read) * model.sublayers**2
        step = 9e-5 * model.sublayers + 5.5e-6 * model.token_cost * read
        rest = 0.05 + (4e-4 if methods is None else 1e-4) * model.sublayers * read
        return rest + (min(steps, enough) * step if integrates else 0.0)


def seconds_of_picture(model: ModelSizes, steps: int | None, methods: str | None) -> float:
    """The same of a picture, which has many patches: a run without each of them, another one where
    it is hidden, and about three for each point of the way.
    """
    read = model.max_length
    run = 5.2e-6 * read * model.layers_cost + model.sublayers * (5e-5 + 1.2e-8 * read**2)
    wanted = methods.split(",") if methods else [HIDING, INTEGRATED, FLOW]
    points = min(USUAL, TOKENS_PASSED / read) if steps is None else steps
    runs = read * (1 + (HIDING in wanted)) + 3 * points * (INTEGRATED in wanted)
    return runs * run + 1e-8 * read**3 * model.sublayers * (FLOW in wanted)


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
    """The middle 95 % of the rank correlations of random orders with removal."""

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
    """The mean rank correlation of a method with removal over held-out inputs, and its 95 %
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
    quoted = f"“{visible(tokens[at])}”"
    if axis.kind == "patch" and tokens[at] != "[CLS]":
        return f"patch {quoted}"
    if tokens.count(tokens[at]) == 1:
        return quoted
    parts = axis.parts or {"position": axis.size}
    places = [f"{name} {i}" for name, size in parts.items() for i in range(size)]
    return f"{quoted} ({places[at]})"


def first_by(answer: "Answer") -> dict[int, list[str]]:
    """The other methods by the token that they put first, beginning with that of removal."""
    found: dict[int, list[str]] = {largest(answer, "removal"): []}
    for method in answer.axes["method"].labels or []:
        if method != "removal":
            found.setdefault(largest(answer, method), []).append(method)
    return found


def elsewhere(answer: "Answer") -> Iterator[dict[str, str]]:
    """The methods that put another token first, token by token."""
    for at, methods in [*first_by(answer).items()][1:]:
        yield {
            "other_methods": names(methods),
            "other_token": called(answer, at),
            "others": how_many(methods),
        }


def names(methods: Sequence[str], begins: bool = True) -> str:
    """The names of methods in a row, with which a sentence may begin."""
    row = listed([attribution.TITLES[method] for method in methods])
    return row[0].upper() + row[1:] if begins else row


def how_many(methods: Sequence[str]) -> str:
    """How many names these are: integrated gradients are several by themselves."""
    several = len(methods) > 1 or [*methods] == [INTEGRATED]
    return "several" if several else "one" if methods else "none"


def on_average(answer: "Answer") -> list[dict[str, Any]]:
    """What was found of each method over held-out inputs."""
    found = answer.fields["held_out"] or {"agreement": []}
    return [one for one in found["agreement"] if one["method"] != "uniform"]


def judged(verdict: str, rows: Callable[["Answer"], list[dict[str, Any]]]) -> Methods:
    """The methods of a verdict."""
    return lambda answer: [one["method"] for one in rows(answer) if one["verdict"] == verdict]


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
    of, begins = ROWS[name], not name.startswith("mean")
    return fields.Field(
        lambda answer, _: names(of(answer), begins) if of(answer) else None, "text", measured=False
    )


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
        (one for one in rows if one["method"] != "uniform"), key=lambda one: one["mean"]
    )


def uniform(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return next(one for one in rows if one["method"] == "uniform")


def extreme_name(pick: Callable[..., Any]) -> fields.Field:
    def name(answer: "Answer", _: Question) -> str:
        return attribution.TITLES[
            extreme(pick)(entry(answer.fields, "held_out.agreement"))["method"]
        ]

    return fields.Field(name, "text", measured=False)


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
    return "".join(WORDS("elsewhere", answer, question, one) for one in elsewhere(answer))


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
            *(f"completeness.{name}" for name in ("difference", "sum", "error")),
            *(f"chance.{name}" for name in ("low", "high")),
            *(f"uniform_agreement.{name}" for name in ("rollout", "removal")),
            *(f"direct.{name}" for name in ("logit", "tokens", "rest", "error")),
        ),
        **stated("whole", "completeness.steps", "held_out.inputs"),
        **lengths("token"),
        **{f"{name}_methods": row(name) for name in ROWS},
        **ends("best", extreme(max)),
        **ends("worst", extreme(min)),
        **ends("uniform", uniform),
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
                "text",
                measured=False,
            )
            for part in ("methods", "token")
        },
    },
    conditions={
        **{
            name: Condition(lambda answer, _, of=of: how_many(of(answer)), HOW_MANY)
            for name, of in ROWS.items()
        },
        "others": Condition(
            lambda answer, _: next((one["others"] for one in elsewhere(answer)), "none"), HOW_MANY
        ),
        **whether("falls", lambda *of: score_of("removal", "number").of(*of) > 0),
        "complete": Condition(complete, ("unknown", "yes", "no")),
        **answered("chance"),
        **answered("held_out"),
        **whether("patches", lambda answer, _: answer.axes["token"].kind == "patch"),
        **whether(
            "all_better",
            lambda answer, _: all(
                one["verdict"] == "better than chance" for one in on_average(answer)
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
    told, run = answer.fields, given(question)
    usual = WORDS("usual.answer") if question.get("answer") else visible(told["answered"]["text"])
    writes = {**run, "view": "writes", "position": told["answered"]["position"]}
    return {
        "choices": {"answer": choices(usual, numbered(told["answers"]))},
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
