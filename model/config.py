"""Every size and every choice of a Transformer, in one frozen record."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal, get_args, get_origin, get_type_hints

from model.errors import InvalidInput, UnknownName

Family = Literal["encoder-only", "decoder-only", "encoder-decoder", "prefix"]
Inputs = Literal["tokens", "patches", "columns"]
Readout = Literal["unembedding", "bypass"]
Placement = Literal["post", "pre", "admin", "b2t", "branch", "none"]
Norm = Literal["layer", "rms", "scale"]
Absolute = Literal["none", "integer", "normalised", "sigmoid", "sine", "sinusoidal", "learned"]
Relative = Literal["none", "shaw", "t5", "rope", "alibi"]
Score = Literal["dot", "scaled_dot", "general", "additive", "cosine", "location"]
Weighing = Literal["softmax", "favor"]
Features = Literal["positive", "trigonometric"]
Draws = Literal["orthogonal", "independent"]
Activation = Literal["relu", "gelu", "gelu_tanh", "silu"]

STACKS: dict[Family, tuple[str, ...]] = {
    "encoder-only": ("encoder",),
    "decoder-only": ("decoder",),
    "encoder-decoder": ("encoder", "decoder"),
    "prefix": ("decoder",),
}


@dataclass(frozen=True, kw_only=True)
class Config:
    """Sizes as in Vaswani et al. 2017, table 3, where `d_model`, `d_ff` and h = `n_heads` come
    from; the defaults are that paper's.

    `d_ff` = 0 leaves the feed-forward out; `n_kv_heads` = 0 gives every head keys and values of its
    own. Of an image the vocabulary is its classes.
    """

    family: Family
    vocabulary_size: int
    inputs: Inputs = "tokens"
    image_side: int = 0  # pixels; an image is square, and so are the patches it is cut into
    patch_side: int = 0
    colours: int = 1  # numbers of a pixel
    n_queries: int = (
        0  # object queries: what a decoder reads in place of a target; of each a box is told
    )
    n_numeric: int = 0  # columns of numbers
    categories: Sequence[
        int
    ] = ()  # of each column of categories how many there are; the last stands for what is missing
    between_rows: bool = False  # after the columns of a row, the rows attend to one another (SAINT)
    readout: Readout = (
        "unembedding"  # with "bypass" numbers are no tokens and go past the stack (TabTransformer)
    )
    d_model: int = 512
    n_heads: int = 8
    n_kv_heads: int = 0
    d_ff: int = 2048
    n_encoder_layers: int = 0
    n_decoder_layers: int = 0
    max_length: int = 512
    placement: Placement = "post"
    norm: Norm = "layer"
    shortcut: float = 1.0  # lambda: what the stream is multiplied by where it passes a sub-layer
    positions: Absolute = "sinusoidal"  # added to the embeddings
    relative: Relative = "none"  # told to self-attention
    score: Score = "scaled_dot"
    weighing: Weighing = "softmax"
    n_features: int = 64  # of FAVOR+: how many projections, of which kind, and how they are drawn
    features: Features = "positive"
    draws: Draws = "orthogonal"
    slots: int = 0  # persistent keys and values in every self-attention
    # tokens read at once by a model that remembers the segments before; 0 reads the whole text
    segment: int = 0
    memory: int = 0  # how many inputs before its segment each layer remembers
    activation: Activation = "relu"
    gated: bool = False
    biases: bool = True
    scaled_embedding: bool = True  # times sqrt(d_model)
    normed_embedding: bool = False
    tied_unembedding: bool = True
    unembedding_bias: bool = False
    norm_epsilon: float = 1e-5

    def __post_init__(self):
        object.__setattr__(
            self, "categories", tuple(self.categories)
        )  # JSON has lists, and a record has to be hashable
        self.check_choices()
        if self.d_model % self.n_heads:
            raise InvalidInput(f"d_model {self.d_model} cannot be split over {self.n_heads} heads.")
        if self.relative == "rope" and self.d_head % 2:
            raise InvalidInput(
                f"Rotary positions rotate channels in pairs, and d_head is {self.d_head}: it has to"
                " be even."
            )
        if self.n_heads % self.kv_heads:
            raise InvalidInput(
                f"{self.n_heads} heads cannot share {self.kv_heads} keys and values evenly."
            )
        if self.slots and self.relative in ("shaw", "t5", "alibi"):
            raise InvalidInput(
                f"Persistent slots have no position, and {self.relative} needs one of every key."
            )
        if self.weighing == "favor" and (
            self.score != "scaled_dot" or self.relative in ("shaw", "t5", "alibi")
        ):
            raise InvalidInput(
                "FAVOR+ estimates exp of the scaled dot product; nothing can be added to a score or"
                " put in its place."
            )
        if self.segment or self.memory:
            self.check_recurrence()
        if self.inputs == "patches":
            self.check_patches()
        if (self.n_queries > 0) != (self.inputs == "patches" and self.family == "encoder-decoder"):
            raise InvalidInput(
                "Object queries are read by a decoder beside an encoder of patches, and by no"
                " other."
            )
        self.check_columns()
        layers = {"encoder": self.n_encoder_layers, "decoder": self.n_decoder_layers}
        for stack, n in layers.items():
            if (n > 0) != (stack in self.stacks):
                raise InvalidInput(f"{self.family} with {n} {stack} layers makes no sense.")

    def check_choices(self) -> None:
        """Raises UnknownName where a choice is none of those that its type names."""
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise UnknownName(name, str(getattr(self, name)), choices)

    def check_recurrence(self) -> None:
        if self.segment < 1 or self.memory < 0:
            raise InvalidInput(
                f"Segments of {self.segment} tokens and a memory of {self.memory} make no"
                " recurrence."
            )
        if self.family != "decoder-only":
            raise InvalidInput(
                f"Segment recurrence goes on with what came before; {self.family} sees what comes"
                " after, or another text."
            )
        if self.positions != "none" or self.score == "location":
            raise InvalidInput(
                "What is remembered has no place of its own in its new segment: positions have to"
                " be relative."
            )

    def check_patches(self) -> None:
        if (
            self.patch_side < 1
            or self.image_side < self.patch_side
            or self.image_side % self.patch_side
        ):
            raise InvalidInput(
                f"An image of side {self.image_side} cannot be cut into patches of side"
                f" {self.patch_side}."
            )
        if "encoder" not in self.stacks or self.tied_unembedding:
            raise InvalidInput(
                "An image is read by an encoder, and patches are no vocabulary to tie the"
                " unembedding to."
            )
        positions = self.n_patches + (self.family == "encoder-only")
        if self.max_length != positions:
            cls = "[CLS] and " if self.family == "encoder-only" else ""
            raise InvalidInput(
                f"{cls}{self.n_patches} patches have {positions} positions; max_length is"
                f" {self.max_length}."
            )

    @property
    def reading(self) -> str:
        """What is read at once, by which a run is made: patches, a text of tokens, or its
        segments.
        """
        return "segments" if self.segment else self.inputs

    def check_columns(self) -> None:
        if self.inputs != "columns":
            if (
                self.n_numeric
                or self.categories
                or self.between_rows
                or self.readout != "unembedding"
            ):
                raise InvalidInput(
                    "Columns, attention between rows and what goes past the stack belong to a model"
                    " that reads rows of a table."
                )
            return
        if (
            self.family != "encoder-only"
            or self.positions != "none"
            or self.relative != "none"
            or self.tied_unembedding
        ):
            raise InvalidInput(
                "A row of a table is read by an encoder alone; its columns have no order, and are"
                " no vocabulary to tie to."
            )
        if not self.n_tokens or self.max_length != self.n_tokens:
            raise InvalidInput(
                f"The columns of a row make {self.n_tokens} tokens; max_length is"
                f" {self.max_length}."
            )

    @property
    def n_tokens(self) -> int:
        """Of a row of a table: [CLS] and every column, or the columns of categories alone where
        numbers go past the stack.
        """
        return (
            len(self.categories)
            if self.readout == "bypass"
            else 1 + self.n_numeric + len(self.categories)
        )

    @property
    def n_patches(self) -> int:
        return (self.image_side // self.patch_side) ** 2

    @property
    def stacks(self) -> tuple[str, ...]:
        return STACKS[self.family]

    @property
    def d_head(self) -> int:
        """d_k = d_v = d_model / h: the width is divided among the heads, not multiplied."""
        return self.d_model // self.n_heads

    @property
    def kv_heads(self) -> int:
        """Heads of keys and values: n_heads, fewer in grouped-query attention, 1 in multi-query
        attention.
        """
        return self.n_kv_heads or self.n_heads

    @property
    def untied(self) -> bool:
        """Whether there is a matrix of unembedding besides the embedding."""
        return not self.tied_unembedding and self.readout == "unembedding"

    @property
    def cross(self) -> bool:
        return self.family == "encoder-decoder"

    def reads(self, stack: str) -> str:
        """What the tokens of a stack are: the input's, or object queries."""
        return "queries" if self.n_queries and stack == "decoder" else self.inputs

    def told(self, stack: str) -> str:
        """The positions added to them. Object queries are a set: none comes first."""
        return "none" if self.reads(stack) == "queries" else self.positions

    def sublayers(self, stack: str) -> tuple[str, ...]:
        """Of one block, in order."""
        cross = ("cross_attention",) if self.cross and stack == "decoder" else ()
        rows = (
            ("row_attention", *(("row_feed_forward",) if self.d_ff else ()))
            if self.between_rows
            else ()
        )
        return ("attention", *cross, *(("feed_forward",) if self.d_ff else ()), *rows)

    def both_ways(self, stack: str) -> bool:
        """Whether some position of a stack sees what comes after it: in an encoder each, in a
        prefix model those of the source.
        """
        return stack == "encoder" or self.family == "prefix"

    def layers(self, stack: str) -> int:
        return {"encoder": self.n_encoder_layers, "decoder": self.n_decoder_layers}[stack]

    def as_dict(self) -> dict:
        """As JSON reads it back."""
        return asdict(self) | {"categories": list(self.categories)}


CHOICES: dict[str, tuple[str, ...]] = {
    name: get_args(type_)
    for name, type_ in get_type_hints(Config).items()
    if get_origin(type_) is Literal
}
"""The fields of Config that are one of several names, and the names."""
