"""All sizes and choices of a Transformer in one frozen dataclass."""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, Literal, Self

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

WITH_FINAL_NORM = ("pre",)
"""Norm placements whose stacks end with a final norm, because their blocks return an unnormalized
sum x + f(norm(x)).
"""

PARTS = ("query_key_value", "attention_output", "feed_forward")
"""The named parts of a block whose linear maps may have no biases."""
OTHER_PARTS = ""
NO_BIASES = (*PARTS, OTHER_PARTS)
"""All parts; the empty name stands for every part that is not in PARTS."""


def rule(default: Any, card: str = "", least: int = 0, stated: bool = False) -> Any:
    """A field with its rules: its name in a `card` if that differs, its minimum, and whether a card
    includes it when it has the default value.
    """
    return field(default=default, metadata={"card": card, "least": least, "stated": stated})


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Base of the configuration and its nested records. A card is one flat object with the fields
    of all of them.
    """

    def flat_fields(self) -> dict[str, tuple[Field, Any]]:
        """The fields that are not nested records, with their values, keyed by their names in a
        card.
        """
        flat: dict[str, tuple[Field, Any]] = {}
        for of in fields(self):
            value = getattr(self, of.name)
            name = of.metadata.get("card") or of.name
            flat |= value.flat_fields() if isinstance(value, Rules) else {name: (of, value)}
        return flat

    @classmethod
    def take(cls, flat: dict[str, Any]) -> Self:
        """The record read from a card's `flat` object, from which its fields are removed."""
        return cls(**cls.taken(flat))

    @classmethod
    def taken(cls, flat: dict[str, Any]) -> dict[str, Any]:
        """The record's fields and nested records, read and removed from `flat`."""
        values: dict[str, Any] = {}
        for of in fields(cls):
            name = of.metadata.get("card") or of.name
            if isinstance(of.default, Rules):
                values[of.name] = of.default.take(flat)
            elif name in flat:
                values[of.name] = flat.pop(name)
        return values


@dataclass(frozen=True, kw_only=True)
class RotarySizes(Rules):
    """Rotary positions with wavelengths based on `base`. A model trained on `trained` tokens can
    read longer sequences if its low-frequency pairs of channels rotate `factor` times more slowly
    (Llama 3.1). Pairs that make at most `low` turns within the training length are slowed down,
    those that make `high` turns or more are not. With `trained` = 0, all pairs are (position
    interpolation, Chen et al. 2023). The first `channels` of a head are rotated; 0 means all.
    """

    base: float = rule(10000.0, "rope_base", 1)
    factor: float = rule(1.0, "rope_factor", 1)
    trained: int = rule(0, "rope_trained")
    low: float = rule(1.0, "rope_low")
    high: float = rule(4.0, "rope_high")
    channels: int = rule(0, "rotary_dim")


@dataclass(frozen=True, kw_only=True)
class PositionChoices(Rules):
    """How a model represents token order: `absolute` positions are added to the embeddings,
    `relative` ones act inside self-attention.
    """

    absolute: str = rule("sinusoidal", "positions", stated=True)
    relative: str = rule("none", stated=True)
    rotary: RotarySizes = RotarySizes()


@dataclass(frozen=True, kw_only=True)
class NormChoices(Rules):
    """The norm of every sub-layer, and the epsilon added to the mean square before the square
    root.
    """

    name: str = rule("layer", "norm", stated=True)
    epsilon: float = rule(1e-5, "norm_epsilon", stated=True)


@dataclass(frozen=True, kw_only=True)
class KernelChoices(Rules):
    """How queries and keys become a pattern: by softmax, or estimated by FAVOR+ from `n_features`
    random projections, with the kind of `features` and how the `projections` are sampled.
    """

    name: str = rule("softmax", "weighing", stated=True)
    n_features: int = rule(64, least=1, stated=True)
    features: str = rule("positive", stated=True)
    projections: str = rule("orthogonal", "draws", stated=True)


@dataclass(frozen=True, kw_only=True)
class AttentionChoices(Rules):
    """How a query scores a key, and how scores become a pattern. Every self-attention layer has
    `slots` persistent keys and values in addition to those of the tokens.
    """

    score: str = rule("scaled_dot", stated=True)
    kernel: KernelChoices = KernelChoices()
    slots: int = rule(0, stated=True)


@dataclass(frozen=True, kw_only=True)
class EmbeddingChoices(Rules):
    """Token vectors may be `scaled` by sqrt(d_model), and the sum may be `normed`. With
    `token_types`, segments have learned vectors; the second segment begins after the id
    `separator`, unless that is 0. A target may have its own positions and norm.
    """

    scaled: bool = rule(True, "scaled_embedding", stated=True)
    token_types: int = rule(0)
    separator: int = rule(0)
    normed: bool = rule(False, "normed_embedding", stated=True)
    own_target: bool = rule(False, "target_embedding")


@dataclass(frozen=True, kw_only=True)
class HeadChoices(Rules):
    """The unembedding may be `tied` to the embedding, `scaled` by 1 / sqrt(d_model), or have a
    `bias`. With `classes`, logits are for the whole input or each object query; with 0, for tokens.
    `transform` is the activation function of a layer before the unembedding, which may have a norm.
    An `absent` head has no logits.
    """

    tied: bool = rule(True, "tied_unembedding", stated=True)
    scaled: bool = rule(False, "scaled_unembedding")
    classes: int = rule(0, "n_classes")
    transform: str = rule("none")
    normed_transform: bool = rule(False)
    absent: bool = rule(False, "headless")
    bias: bool = rule(False, "unembedding_bias", stated=True)


@dataclass(frozen=True, kw_only=True)
class Config(Rules):
    """Sizes as in Vaswani et al. 2017, table 3; the defaults are those of the base model. The
    paper's h is `n_heads`.

    With `d_ff` = 0, blocks have no feed-forward network. With `n_kv_heads` = 0, every head has its
    own keys and values. With `head_dim` = 0, d_head is d_model / n_heads. Models that don't read
    text have no vocabulary; their cards give the number of classes instead.

    The names of the placement, norm, positions, and other choices are keys of tables in the layers.
    `layers/choices.py` lists these tables and checks the names when a model is built.

    Raises UnknownName for an unknown family, and InvalidInput for numbers that are too small or
    sizes that are incompatible.
    """

    family: Family
    vocabulary_size: int = rule(0, stated=True)
    input_sizes: InputSizes = field(default_factory=TextSizes)
    d_model: int = rule(512, least=1, stated=True)
    n_heads: int = rule(8, least=1, stated=True)
    n_kv_heads: int = 0
    head_dim: int = rule(0)
    d_ff: int = 2048
    n_encoder_layers: int = 0
    n_decoder_layers: int = 0
    max_length: int = rule(512, least=1, stated=True)
    placement: str = "post"
    parallel: bool = rule(False)  # every sub-layer reads the block's input
    shortcut: float = 1.0  # lambda, the scale of the residual connections
    norm: NormChoices = NormChoices()
    positions: PositionChoices = PositionChoices()
    attention: AttentionChoices = AttentionChoices()
    segments: SegmentSizes | None = None  # None: no segment recurrence
    activation: str = "relu"
    gated: bool = False
    unbiased: tuple[str, ...] = ()  # parts whose linear maps have no biases; a subset of NO_BIASES
    embedding: EmbeddingChoices = EmbeddingChoices()
    head: HeadChoices = HeadChoices()

    def __post_init__(self):
        for name, (of, value) in self.flat_fields().items():
            if isinstance(of.type, type) and of.type in checks.KINDS:
                check_kind(name, value, of.type)
                check_at_least(name, value, of.metadata.get("least", 0))
        if self.inputs == "tokens" or not self.head.absent:
            check_at_least("vocabulary_size", self.vocabulary_size or self.head.classes, 1)
        if self.family not in STACKS:
            raise UnknownName("unknown-family", str(self.family), STACKS)
        self.check_heads()
        for part in self.unbiased:
            if part not in NO_BIASES:
                raise UnknownName("unknown-part", str(part), PARTS)
        if self.segments:
            self.check_segments()
        self.input_sizes.check(self)
        for stack in ("encoder", "decoder"):
            n = self.layers(stack)
            if (n > 0) != (stack in self.stacks):
                raise InvalidInput(
                    "no-such-stack-of-layers", family=self.family, layers=n, stack=stack
                )

    def check_heads(self) -> None:
        """Raises InvalidInput if the heads do not divide d_model when they have to, or cannot share
        keys evenly.
        """
        if not self.head_dim and self.d_model % self.n_heads:
            raise InvalidInput("width-not-split", d_model=self.d_model, n_heads=self.n_heads)
        if self.n_heads % self.kv_heads:
            raise InvalidInput("keys-not-shared", n_heads=self.n_heads, kv_heads=self.kv_heads)

    def check_segments(self) -> None:
        """Raises InvalidInput for a model that does not support segment recurrence."""
        if self.family != "decoder-only":
            raise InvalidInput("segments-see-ahead", family=self.family)
        if self.positions.absolute != "none" or self.attention.score == "location":
            raise InvalidInput("segments-need-offsets")

    @property
    def inputs(self) -> str:
        """The kind of the input tokens, a key of `inputs.sizes.INPUTS`."""
        return self.input_sizes.kind

    @property
    def image(self) -> ImageSizes:
        """The sizes of an image model; other models have none."""
        assert isinstance(self.input_sizes, ImageSizes), f"the input is {self.inputs}, no image"
        return self.input_sizes

    @property
    def columns(self) -> ColumnSizes:
        """The sizes of a tabular model; other models have none."""
        assert isinstance(self.input_sizes, ColumnSizes), f"the input is {self.inputs}, no row"
        return self.input_sizes

    @property
    def n_queries(self) -> int:
        """The number of object queries, 0 unless the model detects objects."""
        return self.image.n_queries if self.inputs == "patches" else 0

    @property
    def between_rows(self) -> bool:
        """Whether table rows attend to one another."""
        return self.inputs == "columns" and self.columns.between_rows

    @property
    def bypass(self) -> bool:
        """Whether numeric columns bypass the stack, with a head that reads all tokens."""
        return self.inputs == "columns" and self.columns.readout == "bypass"

    @property
    def head_kind(self) -> str:
        """How logits are computed from the last stream, a key of `layers.heads.HEADS`."""
        return "none" if self.head.absent else "bypass" if self.bypass else "linear"

    @property
    def reads_target_with(self) -> str:
        """The name of the module that embeds the target: the source embedding, unless the target
        has its own positions (`target`) or consists of learned object queries.
        """
        return (
            "queries" if self.n_queries else "target" if self.embedding.own_target else "embedding"
        )

    @property
    def stacks(self) -> tuple[str, ...]:
        return STACKS[self.family]

    @property
    def d_head(self) -> int:
        """d_k = d_v, the channels of a head: d_model / h, so that heads divide the width, unless
        `head_dim` sets it (T5, Gemma).
        """
        return self.head_dim or self.d_model // self.n_heads

    @property
    def d_q(self) -> int:
        """The channels of all query heads, h d_head."""
        return self.n_heads * self.d_head

    @property
    def d_rotary(self) -> int:
        """The number of channels of a head that rotary positions rotate, counted from the first."""
        return self.positions.rotary.channels or self.d_head

    def has_biases(self, part: str = OTHER_PARTS) -> bool:
        """Whether the linear maps of `part`, one of PARTS, have biases; an empty name stands for
        any other part.
        """
        return part not in self.unbiased

    @property
    def kv_heads(self) -> int:
        """The number of key and value heads: n_heads, fewer in grouped-query attention, 1 in
        multi-query attention.
        """
        return self.n_kv_heads or self.n_heads

    @property
    def says_class(self) -> bool:
        """Whether the model predicts one class, at the first position, for an image, row, or
        sequence.
        """
        return self.family == "encoder-only" and (self.inputs != "tokens" or self.head.classes > 0)

    @property
    def classifies_text(self) -> bool:
        """Whether the logits classify a whole sequence."""
        return self.inputs == "tokens" and self.head.classes > 0

    @property
    def n_logits(self) -> int:
        """The number of logits at a position: one per class, or one per token of the vocabulary."""
        return self.head.classes or self.vocabulary_size

    @property
    def has_unembedding(self) -> bool:
        """Whether the unembedding matrix is separate from the embedding."""
        return self.head_kind == "linear" and not self.head.tied

    @property
    def cross(self) -> bool:
        """Whether the decoder attends to an encoder's output."""
        return self.family == "encoder-decoder"

    @property
    def has_final_norm(self) -> bool:
        """Whether a norm follows the last block of a stack."""
        return self.placement in WITH_FINAL_NORM

    def input_kind_of(self, stack: str) -> str:
        """The kind of tokens that a stack reads: those of the input, or object queries."""
        return "queries" if self.n_queries and stack == "decoder" else self.inputs

    def positions_of(self, stack: str) -> str:
        """The absolute positions of a stack. Object queries are a set, so they have none."""
        return "none" if self.input_kind_of(stack) == "queries" else self.positions.absolute

    def sublayers(self, stack: str) -> tuple[str, ...]:
        """The names of the sub-layers of one block, in order."""
        cross = ("cross_attention",) if self.cross and stack == "decoder" else ()
        rows = ("row_attention",) if self.between_rows else ()
        if self.d_ff:
            return ("attention", *cross, "feed_forward", *rows, *("row_feed_forward",) * len(rows))
        return ("attention", *cross, *rows)

    def both_ways(self, stack: str) -> bool:
        """Whether some positions of a stack attend to later ones: all positions of an encoder, the
        source positions of a prefix model.
        """
        return stack == "encoder" or self.family == "prefix"

    def layers(self, stack: str) -> int:
        """The number of blocks of a stack."""
        return {"encoder": self.n_encoder_layers, "decoder": self.n_decoder_layers}[stack]

    @classmethod
    def from_dict(cls, flat: Mapping[str, Any]) -> "Config":
        """The configuration in a card's flat object. Missing names get their defaults. Raises
        InvalidInput for sizes of another kind of input.
        """
        rest = dict(flat)
        kind = rest.pop("inputs", TextSizes.kind)
        if kind not in INPUTS:
            raise UnknownName("unknown-inputs", str(kind), INPUTS)
        stated = {name: record.take(rest) for name, record in INPUTS.items()}
        for name, sizes in stated.items():
            if name != kind and sizes != INPUTS[name].absent():
                raise InvalidInput("sizes-of-another-kind", sizes=sizes, owner=name, kind=kind)
        segments = SegmentSizes.take(rest)
        recurrent = segments != SegmentSizes.absent()
        unbiased = tuple(rest.pop("unbiased", ()))
        for part in unbiased:
            if part not in PARTS:
                raise UnknownName("unknown-part", str(part), PARTS)
        if kind != TextSizes.kind:
            rest["n_classes"] = rest.pop("vocabulary_size", 0)
        biases = rest.pop("biases", True)
        check_kind("biases", biases, bool)
        return cls(
            input_sizes=INPUTS[kind].from_flat(stated[kind]),
            segments=SegmentSizes.from_flat(segments) if recurrent else None,
            unbiased=unbiased if biases else NO_BIASES,
            **cls.taken(rest),
            **rest,
        )

    def choice(self, name: str) -> Any:
        """The value of a field, given its name in a card."""
        return self.flat_fields()[name][1]

    def as_dict(self) -> dict[str, Any]:
        """The configuration as a card's flat object, with values for the sizes of all kinds of
        input. Optional fields are omitted when they have the default value.
        """
        flat: dict[str, Any] = {}
        for name, (of, value) in self.flat_fields().items():
            if name == "input_sizes":
                flat["inputs"] = self.inputs
                for record in INPUTS.values():
                    flat |= record.absent()
                flat |= self.input_sizes.flat()
            elif name == "segments":
                flat |= self.segments.flat() if self.segments else SegmentSizes.absent()
            elif name == "vocabulary_size":
                flat[name] = value or self.head.classes
            elif name == "n_classes" and self.inputs != "tokens":
                continue
            elif name == "unbiased":
                flat["biases"] = OTHER_PARTS not in value
                flat |= {name: as_json(value)} if value and flat["biases"] else {}
            elif of.metadata.get("stated", True) or value != of.default:
                flat[name] = as_json(value)
        return flat
