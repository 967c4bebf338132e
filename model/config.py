"""Every size and every choice of a Transformer, in one frozen record."""

from dataclasses import asdict, dataclass
from typing import Literal

from model.errors import InvalidInput

Family = Literal["encoder-only", "decoder-only", "encoder-decoder"]
Placement = Literal["post", "pre", "admin", "branch", "none"]
Norm = Literal["layer", "rms", "scale"]
Positions = Literal["none", "sinusoidal", "learned"]
Score = Literal["dot", "scaled_dot"]
Activation = Literal["relu", "gelu"]


@dataclass(frozen=True, kw_only=True)
class Config:
    """Sizes as in Vaswani et al. 2017, table 3, where `d_model`, `d_ff` and h = `n_heads` come from."""

    family: Family
    vocabulary_size: int
    d_model: int = 512
    n_heads: int = 8
    d_ff: int = 2048
    n_encoder_layers: int = 0
    n_decoder_layers: int = 0
    max_length: int = 512
    placement: Placement = "post"
    norm: Norm = "layer"
    shortcut: float = 1.0  # lambda: what the stream is multiplied by where it passes a sub-layer
    positions: Positions = "sinusoidal"
    score: Score = "scaled_dot"
    activation: Activation = "relu"
    tied_unembedding: bool = True
    norm_epsilon: float = 1e-5

    def __post_init__(self):
        if self.d_model % self.n_heads:
            raise InvalidInput(f"d_model {self.d_model} cannot be split over {self.n_heads} heads.")
        layers = {"encoder": self.n_encoder_layers, "decoder": self.n_decoder_layers}
        for stack, n in layers.items():
            if (n > 0) != (stack in self.stacks):
                raise InvalidInput(f"{self.family} with {n} {stack} layers makes no sense.")

    @property
    def stacks(self) -> tuple[str, ...]:
        return ("encoder", "decoder") if self.family == "encoder-decoder" else (self.family.removesuffix("-only"),)

    @property
    def d_head(self) -> int:
        """d_k = d_v = d_model / h: the width is divided among the heads, not multiplied."""
        return self.d_model // self.n_heads

    @property
    def cross(self) -> bool:
        return self.family == "encoder-decoder"

    def layers(self, stack: str) -> int:
        return {"encoder": self.n_encoder_layers, "decoder": self.n_decoder_layers}[stack]

    def as_dict(self) -> dict:
        return asdict(self)
