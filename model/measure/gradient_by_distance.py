"""The size of the gradient by the number of steps between reading a token and writing the
output.
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
    """The mean over `words` of |d logit / d e_i|, where logit is that of the last letter to write,
    the first of the word, and e_i is the embedding of a token read before.

    Source and target form one sequence x_1 … x_n <s> y_1 … y_(n-1), in the order in which a
    recurrent network reads them. Index 0 is the token read in the writing step, and index 2n - 1,
    the last, is x_1, the letter to write. `truncation` truncates backpropagation as in training.
    """
    read: dict[str, Tensor] = {}

    def from_here(name: str, value: Tensor) -> Tensor:
        if name not in READ:
            return value
        read[name] = value.detach().requires_grad_()
        return read[name]

    target = decoder_input(words)[:, :-1]  # without the last letter, since </s> is not measured
    logits = network(words, target, Trace(from_here), truncation)
    last = logits[:, -1].gather(-1, words[:, :1]).sum()
    gradients = torch.autograd.grad(last, [read[name] for name in READ], materialize_grads=True)
    return torch.cat(gradients, dim=1).norm(dim=-1).mean(0).flip(0)
