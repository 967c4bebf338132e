"""Attention only: a two-layer attention network whose stream is a sum of paths, random,
hand-written, or trained (Elhage et al. 2021).
"""

from copy import deepcopy
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from model.config import Config, PositionChoices
from model.inputs.letters import LetterTokenizer
from model.layers import masks, positional_encodings
from model.layers.attention import MultiHeadAttention
from model.layers.context import Context
from model.layers.embedding import Embedding
from model.measure.initialised_stacks import HEADS
from model.trace import OFF, Trace
from model.transformer import Transformer
from model.zoo.initialisation import initialise

FRAME = LetterTokenizer.frame
TOKENS = "·abcdefghijklmno"
"""The vocabulary. The first token occurs only at the beginning of a sequence."""
BLOCK = len(TOKENS)
TOKEN, POSITION, PREVIOUS, NEXT = (slice(i * BLOCK, (i + 1) * BLOCK) for i in range(4))
"""The blocks of channels of the stream: the token itself, its position, the previous token, and the
predicted token.
"""
D_MODEL, D_HEAD = 4 * BLOCK, 4 * BLOCK // HEADS
REPEATED, LONGEST = 8, len(TOKENS) - 1
"""The predicted positions of the repetition, and the maximum number of letters before it."""

Ids = Int[Tensor, "sequence position"]
Matrix = Float[Tensor, "from to"]
Change = tuple[slice, Matrix]


class AttentionOnly(nn.Module):
    """A network of two layers x + attention(x), without norms or feed-forward networks. The current
    token and the predicted token use separate channels.
    """

    def __init__(self, draws: torch.Generator):
        super().__init__()
        config = Config(
            family="decoder-only",
            vocabulary_size=len(TOKENS),
            d_model=D_MODEL,
            n_heads=HEADS,
            n_decoder_layers=2,
            positions=PositionChoices(absolute="learned"),
            max_length=1 + LONGEST + REPEATED,
        )
        self.embedding = Embedding(config, "decoder")
        # ModuleList is not generic: its modules are MultiHeadAttention.
        self.layers: Any = nn.ModuleList(
            initialise(MultiHeadAttention(config), draws) for _ in range(2)
        )
        self.unembedding = torch.eye(D_MODEL, dtype=torch.float64)[:, NEXT]
        self.double().requires_grad_(False)
        self.embedding.token[:, TOKEN] = torch.eye(BLOCK, dtype=torch.float64)
        assert self.embedding.learned is not None, "its positions are learned"
        self.embedding.learned[:, POSITION] = positional_encodings.sinusoidal(
            config.max_length, BLOCK, dtype=torch.float64
        )

    def ids_of(self, tokens: Ids) -> Ids:
        """The ids of `tokens` in this network."""
        return tokens

    @property
    def letters(self) -> slice:
        """The tokens that the mean logit is taken over: all that can be predicted."""
        return slice(0, len(TOKENS))

    def forward(self, ids: Ids, trace: Trace = OFF) -> Float[Tensor, "sequence position channel"]:
        x = trace("in", self.embedding(ids))
        context = Context(masks.causal(ids.shape[-1]))
        for layer, attention in enumerate(self.layers):
            x = x + attention(x, context, trace / layer)
        return x


class Trained(AttentionOnly):
    """The weights of a trained two-layer attention network, in float64."""

    def __init__(self, transformer: Transformer):
        nn.Module.__init__(self)
        whole = deepcopy(transformer).double()
        self.embedding = whole.embedding
        stack = whole.stack("decoder")
        self.layers = nn.ModuleList(block.attention for block in stack.blocks)
        self.unembedding = whole.unembedding
        self.requires_grad_(False)

    def ids_of(self, tokens: Ids) -> Ids:
        return torch.where(tokens == 0, FRAME.start, tokens + len(FRAME.special) - 1)

    @property
    def letters(self) -> slice:
        return slice(len(FRAME.special), self.unembedding.shape[1])


def by_hand(
    attention: MultiHeadAttention,
    head: int,
    query: Change,
    key: Change,
    value: Change,
    output: Change,
) -> None:
    """Sets the weights of one head: its queries, keys, and values each read one block of channels,
    and its output goes to one block.
    """
    part = slice(head * D_HEAD, (head + 1) * D_HEAD)
    for linear, (block, matrix) in (
        (attention.query, query),
        (attention.key, key),
        (attention.value, value),
    ):
        linear.weight[:, part] = 0
        linear.weight[block, part] = matrix
    block, matrix = output
    attention.output.weight[part] = 0
    attention.output.weight[part, block] = matrix
