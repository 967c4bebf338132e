"""The recurrent encoder-decoder: one network reads the source into its state, and another generates
the target from that state, with or without attention to the encoder's states.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from model.layers.linear import Linear
from model.recurrent.bahdanau_attention import Annotations, BahdanauAttention
from model.recurrent.cells import CELLS, State, Vector
from model.trace import OFF, Trace

Source = Int[Tensor, "*batch source"]
Target = Int[Tensor, "*batch target"]
Logits = Float[Tensor, "*batch target vocabulary"]
Output = Float[Tensor, "*batch output"]


@dataclass(frozen=True, kw_only=True)
class RecurrentConfig:
    """The sizes of a recurrent encoder-decoder; `cell` is a key of CELLS."""

    cell: str
    attention: bool
    vocabulary_size: int
    d_embedding: int
    n_hidden: int


class EncoderDecoder(nn.Module):
    """h_j = f(x_j, h_(j-1)) reads the source; s_i = f(y_(i-1), s_(i-1)) generates the target, and
    s_0 is the last h, the decoder's only information about the source (Sutskever et al. 2014).

    With attention, s_i = f([y_(i-1); c_i], s_(i-1)), and c_i attends to every h_j (Bahdanau et al.
    2015, section 3.1). The logits are [s_i; c_i] W + b, or s_i W + b without attention.
    """

    def __init__(self, config: RecurrentConfig):
        super().__init__()
        self.config, hidden = config, config.n_hidden
        n_context = hidden if config.attention else 0
        cell = CELLS[config.cell]
        self.embedding = nn.Parameter(torch.zeros(config.vocabulary_size, config.d_embedding))
        self.encoder = cell(config.d_embedding, hidden)
        self.attention = BahdanauAttention(hidden) if config.attention else None
        self.decoder = cell(config.d_embedding + n_context, hidden)
        self.output = Linear(hidden + n_context, config.vocabulary_size)

    def forward(
        self, source: Source, target: Target, trace: Trace = OFF, truncation: int | None = None
    ) -> Logits:
        """The logits of the token after each token of `target`, which begins with <s>.

        With `truncation` = k, the gradient passes through at most k steps: before every k-th step
        of source and target, counted together, the state is detached (truncated backpropagation
        through time, Williams and Peng 1990). The forward pass does not change.
        """
        h, state = self.encode(source, trace / "encoder", truncation)
        return self.decode(target, h, state, trace / "decoder", truncation)

    def encode(
        self, source: Source, trace: Trace = OFF, truncation: int | None = None
    ) -> tuple[Annotations, State]:
        """The states h_j at all source positions, and the full state after the last."""
        x = trace("embedding.token", self.embedding[source])
        state, annotations = self.encoder.initial(*source.shape[:-1]), []
        for step, x_j in enumerate(x.unbind(-2)):
            state = self.encoder(x_j, truncated(state, step, truncation))
            annotations.append(state[0])
        return trace("hidden", torch.stack(annotations, dim=-2)), state

    def decode(
        self,
        target: Target,
        h: Annotations,
        state: State,
        trace: Trace = OFF,
        truncation: int | None = None,
    ) -> Logits:
        y = trace("embedding.token", self.embedding[target])
        outputs = []
        for step, y_i in enumerate(y.unbind(-2)):
            state = truncated(state, h.shape[-2] + step, truncation)
            s, state = self.step(y_i, h, state, trace / step)
            outputs.append(s)
        return trace("logits", self.output(torch.stack(outputs, dim=-2)))

    def step(
        self, y: Vector, h: Annotations, state: State, trace: Trace = OFF
    ) -> tuple[Output, State]:
        """[s_i; c_i], from which the output is computed, and the state after the step."""
        if self.attention is None:
            state = self.decoder(y, state)
            return state[0], state
        c = self.attention(state[0], h, trace / "attention")
        state = self.decoder(torch.cat([y, c], dim=-1), state)
        return torch.cat([state[0], c], dim=-1), state


def truncated(state: State, step: int, truncation: int | None) -> State:
    """`state`, detached if `step` begins a new piece of `truncation` steps."""
    cut = truncation is not None and step and step % truncation == 0
    return tuple(value.detach() for value in state) if cut else state
