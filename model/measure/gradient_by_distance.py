"""How much of a gradient arrives, by the number of steps between a token that was read and the
token that is written.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from model.recurrent.reversal import Words, decoder_input
from model.recurrent.reversers import Reverser
from model.trace import Trace

READ = ("encoder.embedding.token", "decoder.embedding.token")


def gradient_by_distance(
    network: Reverser, words: Words, truncation: int | None = None
) -> Float[Tensor, " distance"]:
    """The mean over `words` of |d logit / d e_i|, where logit is that of the last letter to be
    written, the first of the word, and e_i is the embedding of a token that was read before.

    Source and target are counted on as one sequence x_1 … x_n <s> y_1 … y_(n-1), in the order in
    which a recurrent network reads them. Index 0 is the token that is read in the step that
    writes, and index 2n - 1, the last, is x_1, which has to be written. `truncation` cuts the way
    back as in a training.
    """
    read: dict[str, Tensor] = {}

    def from_here(name: str, value: Tensor) -> Tensor:
        if name not in READ:
            return value
        read[name] = value.detach().requires_grad_()
        return read[name]

    target = decoder_input(words)[:, :-1]  # the last letter is not read, and </s> not asked for
    logits = network(words, target, Trace(from_here), truncation)
    last = logits[:, -1].gather(-1, words[:, :1]).sum()
    gradients = torch.autograd.grad(last, [read[name] for name in READ], materialize_grads=True)
    return torch.cat(gradients, dim=1).norm(dim=-1).mean(0).flip(0)
