"""Strategies: the prompt for a model of each family, and the rule for choosing each new token."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from model.arrangement.arrange import arrange
from model.arrangement.arrangement import UNARRANGED, Arrangement
from model.checks import check_interval, interval
from model.display_limits import LONGEST, POSITIONS
from model.edits.edit import Edits
from model.errors import InvalidInput, UnknownName
from model.generation.beam_search import Tree, beam_search
from model.generation.decoding import (
    Chooser,
    Decoder,
    IncrementalDecoder,
    Step,
    forced,
    generate_tokens,
    greedy,
    sampling,
)
from model.inputs.input import Input
from model.inputs.text import Token
from model.runs.edited_decoder import ITSELF, EditedDecoder, growing
from model.runs.editing import Editing
from model.runs.long_text import MAX_BYTES, LongRun, LongText, room_behind
from model.runs.run import AnyToken
from model.runs.run_model import other_runs, with_own_inputs
from model.runs.text import check_pair, read, read_prefix
from model.runs.window import AttentionCapture, continuing
from model.trace import Recorder
from model.zoo.models import Model

MAX_NEW_TOKENS = 32


@dataclass(frozen=True)
class Settings:
    """The settings of a generation. A setting that the strategy does not use has no effect; `used`
    holds the others.
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
    def rows(self) -> int:
        """How many texts are generated at once."""
        return self.beams if self.strategy == "beam" else 1

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
    out of range and UnknownName for an unknown strategy.
    """
    question = {"max_new_tokens": min(MAX_NEW_TOKENS, prompt.max_new_tokens), **question}
    settings = Settings(**question)
    if settings.strategy not in STRATEGIES:
        raise UnknownName("unknown-strategy", settings.strategy, STRATEGIES)
    for name, (low, high) in {**RANGES, "max_new_tokens": (1, prompt.max_new_tokens)}.items():
        value = getattr(settings, name)
        if value is not None and not low <= value <= high:
            raise InvalidInput(
                "setting-out-of-range",
                field=name,
                limit=[low, high],
                given=value,
                low=low,
                high=high,
                shown=str(value)[:40],
            )
    if prompt.long and settings.rows * prompt.long.keys_and_values.nbytes > MAX_BYTES:
        most = MAX_BYTES // prompt.long.keys_and_values.nbytes
        raise InvalidInput("too-many-beams", field="beams", limit=most, given=settings.beams)
    return settings


@dataclass(frozen=True)
class Prompt:
    """The tokens that a model has before it generates: `tokens`, which its attention attends to and
    which are on the axis `axis`, and `ids`, which it continues. Every position may attend to the
    first `prefix` ids. `editing` changes the model at every step, without a cache. A `long` text
    was read without its maps; its attention is reported for the positions of a `window`.
    """

    model: Model
    axis: str
    tokens: list[Token]
    ids: list[int]
    prefix: int = 0
    editing: Editing | None = None
    long: LongText | None = None
    window: tuple[int, int] | None = None

    @property
    def max_new_tokens(self) -> int:
        """The number of tokens that may follow the prompt."""
        if self.long:
            return room_behind(self.model, len(self.ids))
        layout = self.editing.layout if self.editing else None
        taken = layout.taken if layout else 0
        return self.model.config.max_length - len(self.ids) - taken

    def decoder(self) -> Decoder:
        """A new decoder, which has read nothing yet."""
        if self.editing:
            return self.edited_decoder(self.editing)
        if self.long:
            return continuing(self.model.transformer, self.long)
        return IncrementalDecoder(
            self.model.transformer,
            [[token.id for token in self.tokens]] if self.model.config.cross else None,
            self.prefix,
        )

    def steps(self, choose: Chooser, most: int) -> Iterator[Step]:
        """The steps of at most `most` tokens that `choose` selects after the prompt."""
        frame, window = self.model.text_tokenizer.frame, self.window

        def recorder() -> Recorder:
            return Recorder(AttentionCapture(window)) if window else Recorder()

        return generate_tokens(self.decoder(), self.ids, choose, most, frame, recorder)

    def edited_decoder(self, editing: Editing) -> EditedDecoder:
        """A new decoder whose every step is edited."""
        return EditedDecoder(editing, self.read, {})

    def read(self, ids: list[int]) -> dict[str, list[Token]]:
        """The tokens that the model has read, by the name of the input, once it has read `ids`."""
        tokenizer = self.model.text_tokenizer
        if self.model.config.cross:
            return {"source": self.tokens, "target": [tokenizer.token(id) for id in ids]}
        return {"text": [*self.tokens, *map(tokenizer.token, ids[len(self.tokens) :])]}

    def memory_tokens(self, ids: list[int]) -> Sequence[AnyToken]:
        """The tokens that attention attends to once the model has read `ids`, in reading order."""
        tokens = self.tokens if self.model.config.cross else self.read(ids)["text"]
        if self.window:
            return tokens[slice(*self.window)]
        layout = self.editing.layout if self.editing else None
        return layout.arranged_tokens(tokens) if layout else tokens


def prompt_of(
    model: Model, input: Input, edits: Edits = (), arranged: Arrangement = UNARRANGED
) -> Prompt:
    """The prompt of `input`, arranged as in `arranged`, with the edits of every step. Raises
    InvalidInput for an input or an arrangement that the model does not support.
    """
    prompt = PROMPTS.get((model.config.inputs, model.config.family), refuse)(model, input)
    if not edits and arranged == UNARRANGED:
        return prompt
    typed = prompt.tokens[: prompt.prefix or None]
    layout = None if arranged == UNARRANGED else arrange(model, arranged, typed, writes=True)
    others, resolved = other_runs(model, edits), with_own_inputs(edits, ITSELF)
    return replace(prompt, editing=Editing(model, resolved, others, layout, growing(model.config)))


def translation_prompt(model: Model, input: Input) -> Prompt:
    source = read(model, "source", check_pair(model, input))
    return Prompt(model, "source", source, [model.text_tokenizer.frame.start])


def prefix_prompt(model: Model, input: Input) -> Prompt:
    source = read_prefix(model, check_pair(model, input))
    tokenizer = model.text_tokenizer
    tokens = [*source, tokenizer.token(tokenizer.frame.start)]
    return Prompt(model, "text", tokens, [token.id for token in tokens], len(source))


def continuation_prompt(model: Model, input: Input) -> Prompt:
    """The prompt of a decoder that continues a text. Raises InvalidInput if `input` has no text, or
    one that leaves no room for another token.
    """
    if input.text is None or input.source is not None or input.target is not None:
        raise InvalidInput("continues-one-text", field="text", model=model.id)
    tokens = read(model, "text", input.text, end=False)
    check_room(model, len(tokens), model.config.max_length - 1)
    return Prompt(model, "text", tokens, [token.id for token in tokens])


def long_prompt(run: LongRun, window: str) -> Prompt:
    """The prompt of a text that was read without its maps. Raises InvalidInput as
    `continuation_prompt` does, and for a window that does not begin in the text.
    """
    tokens, n = cast(list[Token], run.tokens["text"]), run.inputs["text"].size
    check_room(run.model, n, n + room_behind(run.model, n) - 1)
    ends = interval("window", window, n + LONGEST)
    check_interval("window", (ends[0], min(ends[1], n)), n)
    check_interval("window", ends, n + LONGEST, POSITIONS)
    ids, text = [token.id for token in tokens], cast(LongText, run.trace)
    return Prompt(run.model, "text", tokens, ids, long=text, window=ends)


def check_room(model: Model, tokens: int, limit: int) -> None:
    """Raises InvalidInput for a text that leaves no room for another token."""
    if tokens > limit:
        raise InvalidInput(
            "no-room-to-write", field="text", limit=limit, given=tokens, model=model.id
        )


def refuse(model: Model, input: Input) -> Prompt:
    raise InvalidInput("writes-nothing", field="model", model=model.id)


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
    frame, most = prompt.model.text_tokenizer.frame, settings.max_new_tokens
    tree = beam_search(prompt.decoder(), prompt.ids, settings.beams, most, frame)
    return forced(tree.text(tree.best)), tree


Strategy = Callable[[Prompt, Settings], tuple[Chooser, Tree | None]]
STRATEGIES: dict[str, Strategy] = {
    "greedy": greedy_strategy,
    "sample": sampling_strategy,
    "beam": beam_strategy,
}
