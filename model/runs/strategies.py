"""Strategies: the prompt that a model of each family starts from, and the rule by which each new
token is chosen.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from model.errors import InvalidInput, UnknownName
from model.generation.beam_search import Tree, beam_search
from model.generation.decoding import Chooser, IncrementalDecoder, forced, greedy, sampling
from model.inputs.given import Input
from model.inputs.text import START, Token
from model.zoo.framing import check_pair, read, read_prefix
from model.zoo.models import Model

MAX_NEW_TOKENS = 32


@dataclass(frozen=True)
class Settings:
    """The settings of a generation. A setting that the strategy does not use has no effect; `used`
    holds the settings that have one.
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


def check_settings(prompt: "Prompt", **question: Any) -> Settings:
    """The settings of a question, each checked against its range. Raises InvalidInput for a value
    out of range and UnknownName for a strategy that does not exist.
    """
    question = {"max_new_tokens": min(MAX_NEW_TOKENS, prompt.max_new_tokens), **question}
    settings = Settings(**question)
    if settings.strategy not in STRATEGIES:
        raise UnknownName("strategy", settings.strategy, STRATEGIES)
    for name, (low, high) in {**RANGES, "max_new_tokens": (1, prompt.max_new_tokens)}.items():
        given = getattr(settings, name)
        if given is not None and not low <= given <= high:
            sentence = f"{name} must be from {low} to {high}; {str(given)[:40]} was given."
            raise InvalidInput(sentence, field=name, limit=[low, high], given=given)
    return settings


@dataclass(frozen=True)
class Prompt:
    """The tokens that a model has before it generates: `tokens`, which its attention looks at and
    which lie on the axis `axis`, and `ids`, which it continues. Every position may look at the
    first `prefix` ids.
    """

    model: Model
    axis: str
    tokens: list[Token]
    ids: list[int]
    prefix: int = 0

    @property
    def max_new_tokens(self) -> int:
        """The number of tokens that may follow the prompt."""
        return self.model.config.max_length - len(self.ids)

    def decoder(self) -> IncrementalDecoder:
        """A new decoder, which has read nothing yet."""
        return IncrementalDecoder(
            self.model.transformer,
            [[token.id for token in self.tokens]] if self.model.config.cross else None,
            self.prefix,
        )


def prompt_of(model: Model, input: Input) -> Prompt:
    return PROMPTS.get((model.config.inputs, model.config.family), refuse)(model, input)


def translation_prompt(model: Model, input: Input) -> Prompt:
    source = read(model, "source", check_pair(model, input))
    return Prompt(model, "source", source, [START])


def prefix_prompt(model: Model, input: Input) -> Prompt:
    source = read_prefix(model, check_pair(model, input))
    tokens = [*source, model.text_tokenizer.token(START)]
    return Prompt(model, "text", tokens, [token.id for token in tokens], len(source))


def continuation_prompt(model: Model, input: Input) -> Prompt:
    """The prompt of a decoder that continues a text. Raises InvalidInput if `input` has no text, or
    a text that leaves no room for another token.
    """
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
    return Prompt(model, "text", tokens, [token.id for token in tokens])


def refuse(model: Model, input: Input) -> Prompt:
    raise InvalidInput(
        f"{model.id} reads its whole input at once and writes nothing: choose a model that writes.",
        field="model",
    )


PROMPTS = {
    ("tokens", "encoder-decoder"): translation_prompt,
    ("tokens", "prefix"): prefix_prompt,
    ("tokens", "decoder-only"): continuation_prompt,
}


def greedy_strategy(prompt: Prompt, settings: Settings) -> tuple[Chooser, None]:
    return greedy, None


def sampling_strategy(prompt: Prompt, settings: Settings) -> tuple[Chooser, None]:
    filters = {"top_k": settings.top_k, "top_p": settings.top_p, "min_p": settings.min_p}
    return sampling(settings.seed, temperature=settings.temperature, **filters), None


def beam_strategy(prompt: Prompt, settings: Settings) -> tuple[Chooser, Tree]:
    tree = beam_search(prompt.decoder(), prompt.ids, settings.beams, settings.max_new_tokens)
    return forced(tree.text(tree.best)), tree


Strategy = Callable[[Prompt, Settings], tuple[Chooser, Tree | None]]
STRATEGIES: dict[str, Strategy] = {
    "greedy": greedy_strategy,
    "sample": sampling_strategy,
    "beam": beam_strategy,
}
