"""Model sizes, read from the cards without torch, for estimating the cost of an answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from statistics import mean
from typing import Any

from model.config import Config
from model.display_limits import LONGEST
from model.errors import UnknownName
from model.zoo.cards import SURVEYED, YOURS, read_card, version

CHARACTERS_A_TOKEN = {"pieces": 4.0, "blanks": 4.2, "verbatim": 2.6, "hub": 4.6}
"""The approximate number of characters per token, if a token is not a single letter or patch."""


@dataclass(frozen=True)
class ModelSizes:
    """The number of heads, sub-layers, and feed-forward networks of a model in all its stacks, the
    number of sub-layers in the generating stack, and the number of examples and their tokens.
    `depth` is the number of layers in the deepest stack, and `max_length` is in tokens. With
    `pairs`, each of two stacks reads some of the tokens, and with `writes`, the model generates a
    missing target. If `segment` is not 0, a text is read in segments of that length, and the last
    is shown. With `between_rows`, other table rows are read too. In a model without a record of
    head roles and costs, heads are measured on `surveyed` inputs. A text has `framed` special
    tokens around it. In a `causal` model, the streams before a changed token are unchanged; `texts`
    are the examples. A user's own model may read `pictures`.
    """

    heads: int = 0
    sublayers: int = 0
    feed_forwards: int = 0
    writing_sublayers: int = 0
    first_layers: int = 0
    depth: int = 0
    d_model: int = 0
    d_head: int = 0
    vocabulary: int = 0
    max_length: int = 0
    characters_a_token: float = 1.0
    examples: int = 0
    example_tokens: float = 0.0
    pairs: bool = False
    writes: bool = False
    segment: int = 0
    between_rows: bool = False
    surveyed: int = 0
    framed: int = 2
    causal: bool = False
    pictures: bool = False
    texts: tuple[str, ...] = ()

    def tokens(self, text: str | None) -> float:
        """The approximate number of tokens in a text; for an image or a row, the number that the
        model reads.
        """
        if text is None:
            return self.max_length
        return min(len(text) / self.characters_a_token + self.framed, self.max_length)

    def visible_tokens(self, tokens: float) -> float:
        """The maximum number of tokens shown: the last segment, if there are segments."""
        return min(tokens, self.segment or tokens)

    def scores(self, tokens: float) -> float:
        """The token pairs in an attention layer; a quarter if two stacks read half each."""
        return tokens**2 * (0.25 if self.pairs else 1)

    @property
    def token_cost(self) -> float:
        """The cost of one token in a pass, in sub-layers of 160 channels. Unembedding 1,000 words
        costs about as much as one.
        """
        return self.layers_cost + self.vocabulary_cost

    @property
    def layers_cost(self) -> float:
        """The cost of one token in all layers, in the same unit."""
        read = self.sublayers * self.d_model / 160 * (0.5 if self.pairs else 1)
        return read * self.slower * self.wide

    @property
    def vocabulary_cost(self) -> float:
        """The cost of the logits of one token, in the same unit."""
        return self.vocabulary / 1000 * self.slower * self.wide

    @property
    def wide(self) -> float:
        """The factor by which a token takes longer than its number of channels predicts: the
        matrices of a wide model grow with the square of its channels, and in a narrow one they
        don't dominate. Fitted to a model with 576 channels and the included ones, with at most 192.
        """
        return max(1.0, 1.42 * self.d_model / 160 - 0.7)

    def changed(self, text: str, other: str | None) -> float:
        """The fraction of the tokens of a text that a causal model reads differently in the text
        `other`, by default the most similar example: those from the first different character on.
        """
        if not self.causal or not text:
            return 1.0
        words = len(text.split())
        like = [known for known in self.texts if known != text and len(known.split()) == words]
        same = max((begin_alike(text, known) for known in ([other] if other else like)), default=0)
        return max(1 - same / len(text), 1 / self.tokens(text))

    def sizes_of_long(self, text: str, new_tokens: int) -> dict[str, float]:
        """The work of reading a long text, whose tokens attend to earlier ones, and of generating
        `new_tokens` after it. Its costs were fitted to 250 to 4,000 tokens.
        """
        tokens = min(len(text) / self.characters_a_token + self.framed, LONGEST)
        attended = self.sublayers * self.d_model * tokens
        return {
            "long_channels": tokens * self.layers_cost,
            "long_scores": tokens * attended,
            "new_tokens": new_tokens,
            "new_channels": new_tokens * self.token_cost,
            "new_scores": new_tokens * attended,
        }

    @property
    def writing_cost(self) -> float:
        """The cost of generating one target token, in the same unit; 0 if there is none."""
        cost = self.writing_sublayers * self.d_model / 160 + self.vocabulary / 1000
        return cost if self.writes else 0.0

    @property
    def slower(self) -> float:
        """How many times longer a pass takes in a model that reads in segments."""
        return 2.4 if self.segment else 1.0


def begin_alike(text: str, other: str) -> int:
    """The length of the common prefix of both texts."""
    return len(list(takewhile(lambda both: both[0] == both[1], zip(text, other, strict=False))))


def sizes_of(id: str) -> ModelSizes:
    """The sizes of the model `id`. An unknown model has no sizes; it raises an error elsewhere."""
    return sizes_at(id, version(id))


def first_example(id: str) -> dict[str, str]:
    """The default input of the model `id`, by name: a text itself, or the id of an image or row.
    Empty for an unknown model.
    """
    try:
        examples = read_card(id)["examples"]
    except UnknownName:
        return {}
    return {
        name: example["id"] if name in ("image", "row") else value
        for example in examples[:1]
        for name, value in example["input"].items()
    }


@lru_cache(maxsize=256)
def sizes_at(id: str, _: str) -> ModelSizes:
    """The sizes of a model, read once per version."""
    try:
        return sizes(read_card(id))
    except UnknownName:
        return ModelSizes()


def sizes(card: Mapping[str, Any]) -> ModelSizes:
    config = Config.from_dict(card["config"])
    by_stack = {stack: config.sublayers(stack) * config.layers(stack) for stack in config.stacks}
    every = [name for names in by_stack.values() for name in names]
    texts = ["".join(example["input"].values()) for example in card["examples"]]
    characters = CHARACTERS_A_TOKEN.get(card["encoding"], 1.0)
    causal = config.family == "decoder-only" and config.segments is None
    framed = 0 if causal and card["encoding"] == "hub" else 2
    tokens = mean(map(len, texts)) / characters + framed
    return ModelSizes(
        heads=config.n_heads * sum(name.endswith("attention") for name in every),
        sublayers=len(every),
        feed_forwards=sum(name.endswith("feed_forward") for name in every),
        writing_sublayers=len(by_stack.get("decoder", ())),
        first_layers=config.layers(config.stacks[0]),
        depth=max(map(config.layers, config.stacks)),
        d_model=config.d_model,
        d_head=config.d_head,
        vocabulary=config.n_logits,
        max_length=config.max_length,
        characters_a_token=characters,
        examples=len(texts),
        example_tokens=min(tokens, config.max_length),
        pairs=config.family == "encoder-decoder",
        writes="source" in card["examples"][0]["input"],
        segment=config.segments.length if config.segments else 0,
        between_rows=config.between_rows,
        surveyed=SURVEYED if card["kind"] == YOURS else 0,
        framed=framed,
        causal=causal,
        pictures=card["encoding"] == "picture",
        texts=tuple(texts),
    )
