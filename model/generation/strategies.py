"""Strategies: how a text is begun in a model of each family, and how each of its tokens is
chosen.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from model.errors import InvalidInput, UnknownName
from model.generation.beam_search import Tree, beam_search
from model.generation.decoding import Chooser, Reader, following, greedy, sampling
from model.inputs.given import Input
from model.inputs.text import START, Token
from model.zoo.framing import check_pair, read, read_prefix
from model.zoo.models import Model

MAX_NEW_TOKENS = 32


@dataclass(frozen=True)
class Settings:
    """How to choose. A setting that the strategy does not use has no effect; `used` are those that
    had one.
    """

    strategy: str = "greedy"
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    beams: int = 4
    seed: int = 0
    max_new_tokens: int = MAX_NEW_TOKENS

    @property
    def used(self) -> dict:
        return {
            name: getattr(self, name)
            for name in (*USES[self.strategy], "max_new_tokens")
            if getattr(self, name) is not None
        }


USES = {
    "greedy": (),
    "sample": ("temperature", "top_k", "top_p", "min_p", "seed"),
    "beam": ("beams",),
}
RANGES = {
    "temperature": (0, 10),
    "top_k": (1, 10**6),
    "top_p": (1e-9, 1),
    "min_p": (0, 1),
    "beams": (1, 64),
    "seed": (0, 2**32 - 1),
}


def checked(opening: "Opening", **question: Any) -> Settings:
    """The settings, each within its range; raises InvalidInput or UnknownName."""
    question = {"max_new_tokens": min(MAX_NEW_TOKENS, opening.room), **question}
    settings = Settings(**question)
    if settings.strategy not in STRATEGIES:
        raise UnknownName("strategy", settings.strategy, STRATEGIES)
    for name, (low, high) in {**RANGES, "max_new_tokens": (1, opening.room)}.items():
        given = getattr(settings, name)
        if given is not None and not low <= given <= high:
            sentence = f"{name} must be from {low} to {high}; {str(given)[:40]} was given."
            raise InvalidInput(sentence, field=name, limit=[low, high], given=given)
    return settings


@dataclass(frozen=True)
class Opening:
    """What the model has before it writes: the tokens it looks at, and the prompt it continues.
    `memory` is their axis.

    The first `prefix` tokens of the prompt are open to all.
    """

    model: Model
    memory: str
    tokens: list[Token]
    prompt: list[int]
    prefix: int = 0

    @property
    def room(self) -> int:
        """How many tokens may follow the prompt."""
        return self.model.config.max_length - len(self.prompt)

    def reader(self) -> Reader:
        """A reader that has read nothing yet."""
        return Reader(
            self.model.transformer,
            [[token.id for token in self.tokens]] if self.model.config.cross else None,
            self.prefix,
        )


def open_text(model: Model, input: Input) -> Opening:
    return OPENINGS.get((model.config.inputs, model.config.family), refuse)(model, input)


def open_translation(model: Model, input: Input) -> Opening:
    if input.source is None or input.text is not None:
        raise InvalidInput(
            f"{model.id} turns a source into a target: it needs `source`, not `text`.",
            field="source",
        )
    return Opening(model, "source", read(model, "source", input.source), [START])


def open_prefix(model: Model, input: Input) -> Opening:
    source = read_prefix(model, check_pair(model, input))
    tokens = [*source, model.text_codec.token(START)]
    return Opening(model, "text", tokens, [token.id for token in tokens], len(source))


def open_continuation(model: Model, input: Input) -> Opening:
    if input.text is None or input.source is not None or input.target is not None:
        raise InvalidInput(
            f"{model.id} continues one text: it needs `text`, not `source` or `target`.",
            field="text",
        )
    tokens = read(model, "text", input.text, end=False)
    limit = model.config.max_length - 1
    if len(tokens) > limit:
        sentence = (
            f"The text has {len(tokens)} tokens, which leaves {model.id} no room to write; at most"
            f" {limit} do."
        )
        raise InvalidInput(sentence, field="text", limit=limit, given=len(tokens))
    return Opening(model, "text", tokens, [token.id for token in tokens])


def refuse(model: Model, input: Input) -> Opening:
    kind = f"{model.config.family} of {model.config.inputs}"
    raise InvalidInput(
        f"{model.id} is {kind}: it reads the whole input at once and writes nothing.", field="model"
    )


OPENINGS = {
    ("tokens", "encoder-decoder"): open_translation,
    ("tokens", "prefix"): open_prefix,
    ("tokens", "decoder-only"): open_continuation,
}


def choose_greedily(opening: Opening, settings: Settings) -> tuple[Chooser, None]:
    return greedy, None


def choose_by_chance(opening: Opening, settings: Settings) -> tuple[Chooser, None]:
    filters = {"top_k": settings.top_k, "top_p": settings.top_p, "min_p": settings.min_p}
    return sampling(settings.seed, temperature=settings.temperature, **filters), None


def choose_by_search(opening: Opening, settings: Settings) -> tuple[Chooser, Tree]:
    tree = beam_search(opening.reader(), opening.prompt, settings.beams, settings.max_new_tokens)
    return following(tree.text(tree.best)), tree


Strategy = Callable[[Opening, Settings], tuple[Chooser, Tree | None]]
STRATEGIES: dict[str, Strategy] = {
    "greedy": choose_greedily,
    "sample": choose_by_chance,
    "beam": choose_by_search,
}
