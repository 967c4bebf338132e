"""/feed-forward: what the feed-forward network of one layer does at one token."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from app.captions import Question, fields
from app.captions.fields import Condition, answered, lengths, stated, whether
from app.captions.page import choices, chosen, indices, link, numbered, run_fields
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures import feed_forward
from app.schema.answers import Difference, PageWords, RunAnswer, StrictModel
from app.schema.bounds import below, up_to
from app.schema.edits import AboutRun
from app.schema.questions import Layer

if TYPE_CHECKING:
    from model.answers.answer import Answer

READER = re.compile(r"\w+\.(\d+)\.residual\.after_(\w+)")
"""The layer and the kind of the attention that reads the stream next."""
CLINIC = "translator"
"""The model that /memory is about."""


class FeedForward(AboutRun):
    stack: Literal["encoder", "decoder"] | None = None
    layer: Layer | None = None
    position: Annotated[int, Field(ge=0), below("text_length")] | None = None
    top: Annotated[int, Field(ge=1), up_to("top")] = 10


class Neuron(StrictModel):
    """One of the neurons that write the longest vectors."""

    neuron: int
    argument: float
    activated: float
    post: float
    length: float


class FeedForwardAnswer(RunAnswer):
    stack: str
    layer: int
    layers: int
    position: int
    tokens: list[str]
    top: int
    reads: str
    activation: str
    function: str
    gated: bool
    neurons: int
    firing: int
    equation: str
    terms: list[str]
    next_step: str | None
    raised_words: list[list[str]] | None
    top_neurons: list[Neuron]
    share_of_top: float
    largest_difference: Difference


def length(tensor: str, term: str = "") -> fields.Field:
    """The length of a vector, or of the stream at one of its terms."""

    def of(answer: "Answer", _: Question) -> float:
        data = answer.tensors[tensor].data
        rows = dict(zip(answer.fields["terms"], data, strict=True)) if term else {"": data}
        return rows[term].norm().item()

    return fields.Field(of, "number", measured=False)


def rest(answer: "Answer", _: Question) -> int:
    """How many neurons are not told one by one."""
    return answer.fields["neurons"] - len(answer.fields["top_neurons"])


def summand(name: str) -> Condition:
    """Where what else is summed to the output stands in its list, which begins with neurons."""

    def place(answer: "Answer", question: Question) -> str:
        there = {
            "others": rest(answer, question) > 0,
            "bias": bool(answer.tensors["bias"].data.any()),
            "edit": "edit" in answer.tensors,
        }
        summands = [part for part in there if there[part]]
        return "nowhere" if not there[name] else "last" if name == summands[-1] else "inside"

    return Condition(place, ("nowhere", "inside", "last"))


def reader(answer: "Answer") -> tuple[str, str]:
    """The layer and the kind of the attention that reads the stream next; "" where none does."""
    match = READER.fullmatch(answer.fields["next_step"] or "")
    return (match[1], match[2]) if match else ("", "")


def reads_next(answer: "Answer", _: Question) -> str:
    """What reads the stream next, or what it is at its end."""
    if answer.fields["next_step"] is None:
        return "encoder" if read_by_decoder(answer) else "answer"
    return reader(answer)[1] or "norm"


def read_by_decoder(answer: "Answer") -> bool:
    """Whether the stack is the encoder of a decoder."""
    return answer.fields["stack"] == "encoder" and "target" in answer.axes


def other(answer: "Answer", pick: Callable[..., int]) -> int:
    """The other token at which the largest or the smallest share of the neurons that fire here fire
    too; the token itself where it stands alone.
    """
    here, shares = answer.fields["position"], answer.tensors["also_fires"].data.tolist()
    elsewhere = [i for i in range(len(shares)) if i != here]
    return pick(elsewhere or [here], key=shares.__getitem__)


def at_other(name: str, pick: Callable[..., int]) -> dict[str, fields.Field]:
    """The position of that token, its text, and its share."""
    kinds: dict[str, tuple[str, Callable[[Any, int], Any]]] = {
        "position": ("whole", lambda _, at: at),
        "token": ("token", lambda answer, at: answer.fields["tokens"][at]),
        "share": ("fraction", lambda answer, at: answer.tensors["also_fires"].data[at].item()),
    }
    return {
        f"{name}_{part}": fields.Field(
            lambda answer, _, of=of: of(answer, other(answer, pick)), kind, measured=part == "share"
        )
        for part, (kind, of) in kinds.items()
    }


def elsewhere(answer: "Answer", _: Question) -> str:
    """Whether the neurons that fire here fire at other tokens, and at all of them equally often."""
    if len(answer.fields["tokens"]) == 1 or not answer.fields["firing"]:
        return "nowhere"
    shares = answer.tensors["also_fires"].data
    return "apart" if shares[other(answer, max)] > shares[other(answer, min)] else "alike"


def words_of(answer: "Answer", _: Question) -> str:
    """Whether words are read from what the neurons write, and if not, why."""
    if answer.fields["raised_words"] is not None:
        return "some"
    return "encoder" if read_by_decoder(answer) else "none"


def after_sum(answer: "Answer", _: Question) -> str:
    terms = answer.fields["terms"]
    return next((term for term in ("normed", "edited") if term in terms), "nothing")


WORDS = Words(
    "feed_forward",
    fields={
        **stated("whole", "top_neurons.0.neuron"),
        **stated("number", "top_neurons.0.length", "largest_difference.value"),
        **stated("count", "neurons", "firing"),
        **stated("percent", "share_of_top"),
        **stated("token", "raised_words.0.0"),
        **lengths("channel", "rank"),
        **at_other("nearest", max),
        **at_other("farthest", min),
        **{
            f"{term}_length": length("stream", term)
            for term in ("before", "output", "added", "sum", "normed", "edited")
        },
        "out_length": length("out"),
        "firing_share": fields.Field(
            lambda answer, _: answer.fields["firing"] / answer.fields["neurons"], "fraction"
        ),
        "token": fields.Field(
            lambda answer, _: answer.fields["tokens"][answer.fields["position"]], "token"
        ),
        "top": fields.Field(
            lambda answer, _: len(answer.fields["top_neurons"]), "count", measured=False
        ),
        "rest": fields.Field(rest, "count", measured=False),
        "raised_by": fields.Field(
            lambda answer, _: answer.tensors["raised"].data[0, 0].item(), "number"
        ),
        "reader_layer": fields.Field(lambda answer, _: reader(answer)[0], "text", measured=False),
    },
    conditions={
        **answered("gated"),
        **answered("activation", "relu", "gelu", "gelu_tanh", "silu"),
        **whether("of_norm", lambda answer, _: ".norm" in answer.fields["reads"]),
        **whether("output_normed", lambda answer, _: "output" in answer.fields["terms"]),
        **whether("edited", lambda answer, _: "edit" in answer.tensors),
        "others": summand("others"),
        "bias": summand("bias"),
        "words_of": Condition(words_of, ("some", "encoder", "none")),
        "after_sum": Condition(after_sum, ("nothing", "normed", "edited")),
        "reads_next": Condition(
            reads_next,
            ("encoder", "answer", "norm", "attention", "cross_attention", "row_attention"),
        ),
        "elsewhere": Condition(elsewhere, ("nowhere", "alike", "apart")),
    },
)


def captions(answer: "Answer", question: Question) -> dict[str, Any]:
    """What the controls offer, and where the page leads on in the same state."""
    content, run = answer.fields, run_fields(question)
    stack, layer, position = content["stack"], content["layer"], content["position"]
    at = {**run, "kind": "self", "stack": stack}
    number = f"{stack}.{layer}.feed_forward.post-{position}-{content['top_neurons'][0]['neuron']}"
    next_layer, kind = reader(answer)
    of_layer = {"stack": stack, "layer": layer} if question.get("model") == CLINIC else {}
    links = [
        link(
            "/residual",
            {**run, "view": "writes", "stack": stack, "position": position},
            WORDS("links.stream"),
        ),
        link(
            "/attention",
            {**at, "layer": layer, "head": 0, "explain": number},
            WORDS("links.neuron", answer),
        ),
    ]
    if kind == "attention":
        there = {**at, "layer": next_layer}
        links.append(link("/attention", there, WORDS("links.reader", answer)))
    return {
        "choices": {
            "layer": choices(WORDS("usual.layer"), indices(content["layers"])),
            "position": choices(WORDS("usual.position"), numbered(content["tokens"])),
        },
        "chosen": chosen(question, "layer", "position"),
        "links": [*links, link("/memory", of_layer, WORDS("links.memory"))],
    }


EXPERIMENT = Experiment(
    question=FeedForward,
    answer=FeedForwardAnswer,
    example="model=translator&source=i+am+cold&layer=1&position=2&top=5",
    figures={
        "fires": in_words(feed_forward.fires, tensor="activated", placed_by=("argument", "curve")),
        "writes": in_words(feed_forward.WRITES),
        "words": in_words(
            feed_forward.WORDS,
            meta=lambda answer, _: {} if "raised" in answer.tensors else {"title": WORDS("writes")},
        ),
        "stream": in_words(feed_forward.STREAM),
        "tokens": in_words(feed_forward.TOKENS),
    },
    captions=captions,
    captions_type=PageWords,
    words=WORDS,
)
