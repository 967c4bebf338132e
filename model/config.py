"""Every size and every choice of a Transformer, in one frozen record."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from model import checks
from model.checks import check_at_least, check_kind
from model.errors import InvalidInput, UnknownName
from model.inputs.sizes import (
    INPUTS,
    ColumnSizes,
    ImageSizes,
    InputSizes,
    SegmentSizes,
    TextSizes,
    as_json,
)

Family = Literal["encoder-only", "decoder-only", "encoder-decoder", "prefix"]

STACKS: dict[str, tuple[str, ...]] = {
    "encoder-only": ("encoder",),
    "decoder-only": ("decoder",),
    "encoder-decoder": ("encoder", "decoder"),
    "prefix": ("decoder",),
}

MIN_VALUES = dict.fromkeys(
    ("vocabulary_size", "d_model", "n_heads", "max_length", "n_features"), 1
) | {"rope_base": 1, "rope_factor": 1}
"""The least value of a number of a Config; a number that is not named here is at least 0."""

UNSTATED = {
    *("head_dim", "rope_base", "rope_factor", "rope_trained", "rope_low", "rope_high"),
    *("rotary_dim", "parallel", "unbiased", "token_types", "separator"),
    *("target_embedding", "headless", "n_classes", "transform", "normed_transform"),
    "scaled_unembedding",
}
"""What a card states only where it is not the default."""

WITH_FINAL_NORM = ("pre",)
"""Placements whose stacks end with a norm of their own: their blocks return x + f(norm(x)), a sum
that is not normalised.
"""

PARTS = ("query_key_value", "attention_output", "feed_forward")
"""The parts of a block whose linear maps may lack the biases that the others have."""


@dataclass(frozen=True, kw_only=True)
class Config:
    """Sizes as in Vaswani et al. 2017, table 3, whose base model has the default values. In the
    paper `n_heads` is h.

    With `d_ff` = 0 a block has no feed-forward network. With `n_kv_heads` = 0 every head has keys
    and values of its own. With `head_dim` = 0 the width is divided among the heads. In a classifier
    `vocabulary_size` is the number of classes.

    The names of placement, norm, positions and other parts are keys of the tables of their layers,
    which `layers/choices.py` lists and checks when a model is built.

    Raises UnknownName for a family that does not exist, and InvalidInput for a number that is too
    small and for sizes that do not go together.
    """

    family: Family
    vocabulary_size: int
    input_sizes: InputSizes = field(default_factory=TextSizes)
    d_model: int = 512
    n_heads: int = 8
    n_kv_heads: int = 0
    head_dim: int = 0
    d_ff: int = 2048
    n_encoder_layers: int = 0
    n_decoder_layers: int = 0
    max_length: int = 512
    placement: str = "post"
    norm: str = "layer"
    parallel: bool = False  # every sub-layer reads the input of its block
    shortcut: float = 1.0  # lambda, the factor of the stream where it passes a sub-layer
    positions: str = "sinusoidal"  # absolute positions, added to the embeddings
    relative: str = "none"  # relative positions, inside self-attention
    rope_base: float = 10000.0  # of the wavelengths of rotary positions
    rope_factor: float = 1.0  # rotary positions turn slow pairs so many times slower
    rope_trained: int = 0  # tokens in which a pair's turns are counted; 0: all pairs are slow
    rope_low: float = 1.0  # a pair with fewer turns is slow, and
    rope_high: float = 4.0  # one with more is not
    rotary_dim: int = 0  # the first channels of a head, which they turn; 0: all of them
    score: str = "scaled_dot"
    weighing: str = "softmax"
    n_features: int = 64  # random projections of FAVOR+, their kind, and how they are drawn
    features: str = "positive"
    draws: str = "orthogonal"
    slots: int = 0  # persistent keys and values in every self-attention
    segments: SegmentSizes | None = None  # None: the whole text is read at once
    activation: str = "relu"
    gated: bool = False
    biases: bool = True
    unbiased: tuple[str, ...] = ()  # parts that have no biases, though the others do
    scaled_embedding: bool = True  # times sqrt(d_model)
    token_types: int = 0  # kinds of texts that are told apart; one text has the first kind
    separator: int = 0  # the id behind which the second kind begins; 0: there is no second
    normed_embedding: bool = False
    target_embedding: bool = False  # the target has positions and a norm of its own
    tied_unembedding: bool = True
    scaled_unembedding: bool = False  # divided by sqrt(d_model)
    n_classes: int = 0  # of a whole text, read at its first position; 0: logits are of tokens
    transform: str = "none"  # the function of a layer between the last stream and the unembedding
    normed_transform: bool = False
    headless: bool = False  # there is nothing behind the last stream: no logits
    unembedding_bias: bool = False
    norm_epsilon: float = 1e-5

    def __post_init__(self):
        self.check_numbers()
        if self.family not in STACKS:
            raise UnknownName("family", str(self.family), STACKS)
        self.check_heads()
        for part in self.unbiased:
            if part not in PARTS:
                raise UnknownName("part", str(part), PARTS)
        if self.segments:
            self.check_segments()
        self.input_sizes.check(self)
        for stack in ("encoder", "decoder"):
            n = self.layers(stack)
            if (n > 0) != (stack in self.stacks):
                raise InvalidInput(f"{self.family} with {n} {stack} layers makes no sense.")

    def check_numbers(self) -> None:
        """Raises InvalidInput for a number that is too small, or a value of another type."""
        for one in fields(self):
            if isinstance(one.type, type) and one.type in checks.KINDS:
                given = getattr(self, one.name)
                check_kind(one.name, given, one.type)
                check_at_least(one.name, given, MIN_VALUES.get(one.name, 0))

    def check_heads(self) -> None:
        """Raises InvalidInput for heads that do not divide the width, where they have to, or do not
        share keys evenly.
        """
        if not self.head_dim and self.d_model % self.n_heads:
            raise InvalidInput(
                f"d_model {self.d_model} cannot be split over {self.n_heads} heads. Choose a"
                f" multiple of {self.n_heads}, or state head_dim, the channels of a head."
            )
        if self.n_heads % self.kv_heads:
            raise InvalidInput(
                f"{self.n_heads} heads cannot share {self.kv_heads} keys and values evenly."
            )

    def check_segments(self) -> None:
        """Raises InvalidInput for a model that cannot read a text in segments."""
        if self.family != "decoder-only":
            raise InvalidInput(
                f"Segment recurrence goes on with what came before; {self.family} sees what comes"
                " after, or another text."
            )
        if self.positions != "none" or self.score == "location":
            raise InvalidInput(
                "A remembered token has no position of its own in a new segment: positions have to"
                " be relative."
            )

    @property
    def inputs(self) -> str:
        """The kind of the input's tokens: a key of `inputs.sizes.INPUTS`."""
        return self.input_sizes.kind

    @property
    def image(self) -> ImageSizes:
        """The sizes of a model of images; no other model has them."""
        assert isinstance(self.input_sizes, ImageSizes), f"the input is {self.inputs}, no image"
        return self.input_sizes

    @property
    def columns(self) -> ColumnSizes:
        """The sizes of a model of rows of a table; no other model has them."""
        assert isinstance(self.input_sizes, ColumnSizes), f"the input is {self.inputs}, no row"
        return self.input_sizes

    @property
    def n_queries(self) -> int:
        """The number of object queries, which is 0 in a model that finds no objects."""
        return self.image.n_queries if self.inputs == "patches" else 0

    @property
    def between_rows(self) -> bool:
        """Whether the rows of a table attend to one another."""
        return self.inputs == "columns" and self.columns.between_rows

    @property
    def bypass(self) -> bool:
        """Whether numbers of a row go past the stack, to a head that reads all tokens."""
        return self.inputs == "columns" and self.columns.readout == "bypass"

    @property
    def head(self) -> str:
        """How logits follow from the last stream: a key of `layers.heads.HEADS`."""
        return "none" if self.headless else "bypass" if self.bypass else "linear"

    @property
    def reads_target_with(self) -> str:
        """The name of the part that embeds a target: that of the source, unless the target has
        positions of its own (`target`) or consists of object queries, which are learned vectors.
        """
        return "queries" if self.n_queries else "target" if self.target_embedding else "embedding"

    @property
    def stacks(self) -> tuple[str, ...]:
        return STACKS[self.family]

    @property
    def d_head(self) -> int:
        """d_k = d_v: the channels of a head. They are d_model / h, so that the width is divided
        among the heads and not multiplied, unless `head_dim` says otherwise (T5, Gemma).
        """
        return self.head_dim or self.d_model // self.n_heads

    @property
    def d_q(self) -> int:
        """The channels of all heads of queries, h d_head."""
        return self.n_heads * self.d_head

    @property
    def d_rotary(self) -> int:
        """The channels of a head that rotary positions turn, the first ones."""
        return self.rotary_dim or self.d_head

    def has_biases(self, part: str = "") -> bool:
        """Whether the linear maps of `part`, one of PARTS, have biases; without a name, those of
        any other part.
        """
        return self.biases and part not in self.unbiased

    @property
    def kv_heads(self) -> int:
        """Heads of keys and values: n_heads, fewer in grouped-query attention, 1 in multi-query
        attention.
        """
        return self.n_kv_heads or self.n_heads

    @property
    def says_class(self) -> bool:
        """Whether what the model says is one class, read at the first position: of an image, of a
        row or of a whole text.
        """
        return self.family == "encoder-only" and (self.inputs != "tokens" or self.n_classes > 0)

    @property
    def n_logits(self) -> int:
        """The logits of a position: one for each class, or for each token of the vocabulary."""
        return self.n_classes or self.vocabulary_size

    @property
    def has_unembedding(self) -> bool:
        """Whether there is a matrix of unembedding besides the embedding."""
        return self.head == "linear" and not self.tied_unembedding

    @property
    def cross(self) -> bool:
        """Whether the decoder attends to the output of an encoder."""
        return self.family == "encoder-decoder"

    @property
    def has_final_norm(self) -> bool:
        """Whether a norm follows the last block of a stack."""
        return self.placement in WITH_FINAL_NORM

    def input_kind_of(self, stack: str) -> str:
        """The kind of the tokens that a stack reads: that of the input, or object queries."""
        return "queries" if self.n_queries and stack == "decoder" else self.inputs

    def positions_of(self, stack: str) -> str:
        """The absolute positions of a stack. Object queries are a set and have none."""
        return "none" if self.input_kind_of(stack) == "queries" else self.positions

    def sublayers(self, stack: str) -> tuple[str, ...]:
        """The names of the sub-layers of one block, in order."""
        cross = ("cross_attention",) if self.cross and stack == "decoder" else ()
        rows = ("row_attention",) if self.between_rows else ()
        if self.d_ff:
            return ("attention", *cross, "feed_forward", *rows, *("row_feed_forward",) * len(rows))
        return ("attention", *cross, *rows)

    def both_ways(self, stack: str) -> bool:
        """Whether some position of a stack sees later positions: in an encoder every position, in a
        prefix model those of the source.
        """
        return stack == "encoder" or self.family == "prefix"

    def layers(self, stack: str) -> int:
        """The number of blocks of a stack."""
        return {"encoder": self.n_encoder_layers, "decoder": self.n_decoder_layers}[stack]

    @classmethod
    def from_dict(cls, flat: Mapping[str, Any]) -> "Config":
        """The configuration that a card states as one flat object. A name that the object leaves
        out has its default value. Raises InvalidInput for sizes of another kind of input.
        """
        rest = dict(flat)
        kind = rest.pop("inputs", TextSizes.kind)
        if kind not in INPUTS:
            raise UnknownName("inputs", str(kind), INPUTS)
        stated = {name: record.take(rest) for name, record in INPUTS.items()}
        for name, sizes in stated.items():
            if name != kind and sizes != INPUTS[name].absent():
                raise InvalidInput(
                    f"{', '.join(sizes)} belong to a model that reads {name}; this model reads"
                    f" {kind}."
                )
        segments = SegmentSizes.take(rest)
        recurrent = segments != SegmentSizes.absent()
        unbiased = tuple(rest.pop("unbiased", ()))
        return cls(
            input_sizes=INPUTS[kind].from_flat(stated[kind]),
            segments=SegmentSizes.from_flat(segments) if recurrent else None,
            unbiased=unbiased,
            **rest,
        )

    def as_dict(self) -> dict[str, Any]:
        """The configuration as a card states it: one flat object, in which the sizes of all kinds
        of input have a value. `UNSTATED` fields are left out where they are the default.
        """
        flat: dict[str, Any] = {}
        for name, default in [(one.name, one.default) for one in fields(self)]:
            if name == "input_sizes":
                flat["inputs"] = self.inputs
                for record in INPUTS.values():
                    flat |= record.absent()
                flat |= self.input_sizes.flat()
            elif name == "segments":
                flat |= self.segments.flat() if self.segments else SegmentSizes.absent()
            elif name not in UNSTATED or getattr(self, name) != default:
                flat[name] = as_json(getattr(self, name))
        return flat
