"""/journey: one token from the text to the predicted word, step by step."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlencode

from pydantic import Field

from app.captions import Question, fields
from app.captions.fields import Condition, entry, stated, whether
from app.captions.page import anchor, choices, run_fields
from app.captions.terms import explained_texts
from app.captions.text import visible
from app.captions.words import Words
from app.experiment import Experiment, Figure
from app.figures import journey
from app.schema.answers import Choice, Point, RunAnswer, StrictModel
from app.schema.bounds import below, up_to
from app.schema.edits import AboutRun
from model.layers.choice_names import SCHEME_NAMES

if TYPE_CHECKING:
    from app.figures.plot import Plot
    from model.answers.answer import Answer


class Journey(AboutRun):
    token: Annotated[int, Field(ge=0), below("text_length")] | None = None
    temperature: Annotated[float, Field(ge=0.1), up_to("temperature")] = 1.0


class Taken(StrictModel):
    """One step: its name, the tensor that it is about, and the numbers that are said of it."""

    name: str
    tensor: str
    numbers: dict[str, float | str]
    column: str
    token: str


class TokenToFollow(StrictModel):
    """A token that can be followed."""

    position: int
    text: str


class Guess(Point):
    """A point of the stream, and the first guess if the stack ended there."""

    guess: str


class JourneyAnswer(RunAnswer):
    walk: Literal["translation", "continuation", "blank", "image"]
    followed: int
    read_at: int
    layer: int
    head: int
    candidates: list[TokenToFollow]
    steps: list[Taken]
    points: list[Guess]
    expected: list[str]
    expected_from: int


class Spoken(StrictModel):
    """What is said of one step, and the page that shows it whole in the same state."""

    name: str
    title: str
    sentences: list[str]
    explained: str
    link: str
    more: str
    whole: str


class JourneyWords(StrictModel):
    """What the page says of every step; the figure of step 1 has the name 1."""

    steps: list[Spoken]
    choices: dict[str, list[Choice]]


def numbers(answer: "Answer", step: str) -> dict[str, Any]:
    """The numbers of a step. Raises KeyError where the walk has no such step."""
    return entry(answer.fields, f"steps.{step}.numbers")


def number(kind: str, **steps: str) -> dict[str, fields.Field]:
    """Numbers of steps; `top` of `scores` is named `scores_top`."""
    paths = {
        f"{step}_{name}": f"steps.{step}.numbers.{name}"
        for step, names in steps.items()
        for name in names.split()
    }
    return stated(kind, **paths)


def shares(answer: "Answer") -> dict[str, Any]:
    """The numbers of the step in which scores become shares."""
    return numbers(answer, "looks" if answer.fields["walk"] == "image" else "weights")


def of_shares(kind: str, *names: str) -> dict[str, fields.Field]:
    return {
        f"weights_{name}": fields.Field(
            lambda answer, _, name=name: shares(answer)[name], kind, measured=False
        )
        for name in names
    }


def added(answer: "Answer", _: Question) -> str:
    """What happens to the sum of the stream and what attention writes."""
    lengths = numbers(answer, "add")
    return next((name for name in ("normed", "edited") if name in lengths), "plain")


def follows(answer: "Answer", _: Question) -> bool:
    """Whether the text goes on with another token than the model's."""
    tokens = numbers(answer, "fed_back")
    return tokens["follows"] not in ("", tokens["word"])


WORDS = Words(
    "journey",
    fields={
        **number(
            "whole",
            text="id",
            embedding="d_model",
            scores="head layer",
            values="d_head",
            feed_forward="neurons firing neuron",
            output="tokens",
            decoder_input="read tokens",
            masked="hidden cells head layer",
            cross="head layer",
            cls="head layer",
            stream="points",
            fed_back="first_guesses known",
        ),
        **number("count", text="vocabulary", logits="vocabulary"),
        **number("count", text="tokens", scores="keys", add="heads", output="layers"),
        **number(
            "number",
            embedding="token position sum",
            scores="top_score least_score",
            values="top_length length",
            add="before sum normed edited cosine",
            feed_forward="strongest wrote",
            output="cosine",
            logits="logit",
            fed_back="product",
        ),
        **number(
            "fraction",
            masked="top_weight",
            cross="weight mean_weight",
            cls="weight top_weight",
            stream="first last",
            logits="probability second_probability",
        ),
        **number("decimal", logits="temperature"),
        **number(
            "token",
            text="token",
            scores="top least",
            values="top heaviest",
            decoder_input="last",
            masked="query top",
            cross="query token",
            stream="first_guess word",
            logits="word second",
            fed_back="follows word",
        ),
        **number("text", patches="token", cls="top"),
        "embedding_relative": fields.Field(
            lambda answer, _: SCHEME_NAMES[numbers(answer, "embedding")["relative"]],
            "text",
            measured=False,
        ),
        **of_shares("fraction", "top_weight", "own_weight"),
        **of_shares("token", "top"),
        "weights_sum": fields.Field(
            lambda answer, _: round(shares(answer)["sum"], 5), "number", measured=False
        ),
        "patch_count": fields.Field(
            lambda answer, _: numbers(answer, "patches")["tokens"] - 1, "whole", measured=False
        ),
        "stream_from": fields.Field(
            lambda answer, _: numbers(answer, "stream")["leads_from"] + 1, "whole", measured=False
        ),
    },
    conditions={
        **whether("patches", lambda answer, _: answer.fields["walk"] == "image"),
        **whether("blank", lambda answer, _: answer.fields["walk"] == "blank"),
        **whether("continues", lambda answer, _: answer.fields["walk"] == "continuation"),
        **whether("placed", lambda answer, _: numbers(answer, "embedding")["position"]),
        **whether("relative", lambda answer, _: numbers(answer, "embedding")["relative"] != "none"),
        **whether(
            "itself", lambda answer, _: shares(answer)["top_weight"] == shares(answer)["own_weight"]
        ),
        **whether(
            "although",
            lambda answer, _: (
                numbers(answer, "values")["top_place"]
                != numbers(answer, "values")["heaviest_place"]
            ),
        ),
        "added": Condition(added, ("normed", "edited", "plain")),
        **whether(
            "most_read",
            lambda answer, _: (
                numbers(answer, "cls")["top_weight"] == numbers(answer, "cls")["weight"]
            ),
        ),
        **whether("leads", lambda answer, _: not numbers(answer, "stream")["leads_from"]),
        **whether("divided", lambda answer, _: numbers(answer, "logits")["temperature"] != 1),
        **whether("follows", follows),
    },
)
PAGES = {
    "/": WORDS.sentence("links.overview"),
    "/attention": WORDS.sentence("links.attention"),
    "/attention#values": WORDS.sentence("links.values"),
    "/residual": WORDS.sentence("links.residual"),
    "/feed-forward": WORDS.sentence("links.feed_forward"),
    "/masks": WORDS.sentence("links.masks"),
    "/generate": WORDS.sentence("links.generate"),
    "/images": WORDS.sentence("links.images"),
}
"""The pages that show a step whole."""
PARTS = ("description", "more")


def message(step: int, answer: "Answer") -> str:
    """The message of the step with this index: it is the same for the weights of a patch."""
    name = answer.fields["steps"][step]["name"]
    return "weights" if name == "looks" else name


def title(step: int, answer: "Answer") -> str:
    return WORDS(message(step, answer), answer)


def sentences(step: int, answer: "Answer", question: Question) -> list[str]:
    return [WORDS(f"{message(step, answer)}.{part}", answer, question) for part in PARTS]


def shown_whole(step: int, answer: "Answer") -> tuple[str, dict[str, Any]]:
    """The page that shows a step whole, and the state in which it shows this token. A page lets its
    readers choose among two stacks.
    """
    walk, at, read = (answer.fields[name] for name in ("walk", "followed", "read_at"))
    name, found = (answer.fields["steps"][step][part] for part in ("name", "numbers"))
    first, last = (
        {"stack": stack} if walk == "translation" else {} for stack in ("encoder", "decoder")
    )
    head = {part: found[part] for part in ("layer", "head") if part in found}
    lens = ("/residual", {"view": "lens", **last, "position": read})
    next_word = {"strategy": "greedy", "show": "step"}
    pages = {
        "text": ("/", {}),
        "patches": ("/images", {"query": at}),
        "embedding": (
            "/residual",
            {"view": "contributions", **first, "position": at, "step": 0},
        ),
        "scores": (
            "/attention",
            {"kind": "self", **first, **head, "stage": "masked_scores", "query": at},
        ),
        "weights": (
            "/attention",
            {"kind": "self", **first, **head, "stage": "pattern", "query": at},
        ),
        "looks": ("/images", {**head, "query": at}),
        "values": (
            "/attention#values",
            {"kind": "self", **first, **head, "stage": "pattern", "query": at},
        ),
        "add": ("/residual", {"view": "norm", **first, "position": at}),
        "feed_forward": (
            "/feed-forward",
            {**first, "layer": answer.fields["layer"], "position": at},
        ),
        "output": ("/residual", {"view": "contributions", **first, "position": at}),
        "decoder_input": ("/masks", {}),
        "masked": ("/attention", {"kind": "self", **last, **head, "query": read}),
        "cross": ("/attention", {"kind": "cross", **last, **head, "query": read, "key": at}),
        "cls": ("/images", {**head, "query": 0}),
        "stream": lens,
        "logits": {
            "translation": ("/generate", {**next_word, "step": read + 1}),
            "continuation": ("/generate", {**next_word, "step": 1}),
        }.get(walk, lens),
        "fed_back": ("/generate", {"strategy": "greedy", "show": "text"}),
    }
    return pages[name]


def leads_to(step: int, answer: "Answer", question: Question) -> dict[str, str]:
    """The link of a step."""
    page, state = shown_whole(step, answer)
    path, _, part = page.partition("#")
    href = f"{path}?{urlencode(run_fields(question) | state)}{part and f'#{part}'}"
    return {"link": href, "more": PAGES[page](answer, question)}


def captions(answer: "Answer", question: Question) -> dict[str, Any]:
    """What is said of each step, with its terms explained, and what the controls offer."""
    steps = range(len(answer.fields["steps"]))
    links = [leads_to(step, answer, question) for step in steps]
    titles = [title(step, answer) for step in steps]
    both = [sentences(step, answer, question) for step in steps]
    html = explained_texts(*map(" ".join, both))
    tokens = {
        token["position"]: f"{token['position']} {visible(token['text'])}"
        for token in answer.fields["candidates"]
    }
    proposed = tokens[answer.fields["followed"]]
    usual = proposed if question.get("token") is None else WORDS("usual.token")
    return {
        "steps": [
            {
                "name": answer.fields["steps"][step]["name"],
                "title": titles[step],
                "sentences": both[step],
                **links[step],
                "explained": html[step],
                "whole": anchor("whole", *links[step].values()),
            }
            for step in steps
        ],
        "choices": {
            "token": choices(usual, tokens.items()),
            "step": [
                {"value": str(i), "label": f"{i} {text}"} for i, text in enumerate(titles, start=1)
            ],
        },
    }


def draw(step: int, answer: "Answer", question: Question) -> "Plot":
    return journey.draw_step(step, title(step, answer), answer, question)


def description(step: int, answer: "Answer", question: Question) -> str:
    return " ".join(sentences(step, answer, question))


EXPERIMENT = Experiment(
    question=Journey,
    answer=JourneyAnswer,
    example="model=translator&source=i+am+cold",
    figures={
        str(step + 1): Figure(
            f"Step {step + 1}",
            partial(draw, step),
            partial(description, step),
            has=lambda answer, step=step: step < len(answer.fields["steps"]),
        )
        for step in range(journey.MAX_STEPS)
    },
    figure="11",
    captions=captions,
    captions_type=JourneyWords,
    words=WORDS,
)
