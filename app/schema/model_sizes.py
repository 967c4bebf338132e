"""How large the models are, read from their cards without torch: what an answer about a
model costs depends on it.
"""

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
"""About how many characters of a text one token has, where it is not one letter or a patch."""


@dataclass(frozen=True)
class ModelSizes:
    """How many heads, sub-layers and feed-forward networks a model has in all its stacks, how many
    sub-layers the stack has that writes, and how many examples there are, of how many tokens.
    `depth` counts the layers of the deepest stack, and `max_length` is in tokens. With `pairs` each
    of two stacks reads a part of the tokens, and with `writes` the model writes its target itself,
    where a question has none. If `segment` is not 0, a text is read in segments of so many tokens,
    of which the last is shown. With `between_rows` other rows of a table are read along. The heads
    of a model without a record of their roles and costs are measured on `surveyed` inputs. A text
    has `framed` tokens of its own around it. In a `causal` model the streams before a changed token
    stay as they are; `texts` are the examples. Of one's own a model may read `pictures`.
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
        """About how many tokens a text has; an image or a row has as many as the model reads."""
        if text is None:
            return self.max_length
        return min(len(text) / self.characters_a_token + self.framed, self.max_length)

    def shown(self, tokens: float) -> float:
        """How many of so many tokens are shown at most: the last segment, where there are some."""
        return min(tokens, self.segment or tokens)

    def scores(self, tokens: float) -> float:
        """How many pairs of tokens an attention compares, where each of two stacks reads half."""
        return tokens**2 * (0.25 if self.pairs else 1)

    @property
    def token_cost(self) -> float:
        """What one token costs in a pass, in sub-layers of 160 channels. The unembedding of 1,000
        words costs about as much as one.
        """
        return self.layers_cost + self.vocabulary_cost

    @property
    def layers_cost(self) -> float:
        """What one token costs in all layers, in the same unit."""
        read = self.sublayers * self.d_model / 160 * (0.5 if self.pairs else 1)
        return read * self.slower * self.wide

    @property
    def vocabulary_cost(self) -> float:
        """What the logits of one token cost, in the same unit."""
        return self.vocabulary / 1000 * self.slower * self.wide

    @property
    def wide(self) -> float:
        """How many times as long as the channels alone tell a token lasts: the matrices of a wide
        model grow with the square of its channels, and a narrow one's are not what takes time.
        Fitted to a model of 576 channels beside the shipped ones, of which the widest has 192.
        """
        return max(1.0, 1.42 * self.d_model / 160 - 0.7)

    def changed(self, text: str, other: str | None) -> float:
        """The share of the tokens of a text that a causal model reads otherwise in the text
        `other`, or if there is none in the example that is most like it: those from the first
        other character on.
        """
        if not self.causal or not text:
            return 1.0
        words = len(text.split())
        like = [one for one in self.texts if one != text and len(one.split()) == words]
        same = max((begin_alike(text, one) for one in ([other] if other else like)), default=0)
        return max(1 - same / len(text), 1 / self.tokens(text))

    def seconds_of_long(self, text: str, written: int) -> float:
        """Seconds of one core in which a long text is read, and so many tokens are written behind
        it. Each of its tokens looks at those before it; fitted to 250 to 4,000 tokens.
        """
        tokens = min(len(text) / self.characters_a_token + self.framed, LONGEST)
        looks = self.sublayers * self.d_model * tokens
        reading = tokens * (2.6e-6 * self.layers_cost + 1.1e-11 * looks)
        return reading + written * (0.001 + 3.1e-5 * self.token_cost + 6.3e-10 * looks)

    @property
    def writing_cost(self) -> float:
        """What it costs to write one token of a target, in the same unit; 0 where a model writes
        none.
        """
        written = self.writing_sublayers * self.d_model / 160 + self.vocabulary / 1000
        return written if self.writes else 0.0

    @property
    def slower(self) -> float:
        """How many times as long as another model's a pass lasts."""
        return 2.4 if self.segment else 1.0


def begin_alike(text: str, other: str) -> int:
    """With how many characters both texts begin."""
    return len(list(takewhile(lambda both: both[0] == both[1], zip(text, other, strict=False))))


def sizes_of(id: str) -> ModelSizes:
    """Those of the model `id`. One that does not exist has no sizes, and is refused where it is
    looked for.
    """
    return sizes_at(id, version(id))


def first_example(id: str) -> dict[str, str]:
    """The input that the model `id` shows first, by name: a text as it is, an image or a row by its
    id. Empty for a model that does not exist.
    """
    try:
        examples = read_card(id)["examples"]
    except UnknownName:
        return {}
    return {
        name: one["id"] if name in ("image", "row") else given
        for one in examples[:1]
        for name, given in one["input"].items()
    }


@lru_cache(maxsize=256)
def sizes_at(id: str, _: str) -> ModelSizes:
    """The sizes of a model, read once for each version of it."""
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
