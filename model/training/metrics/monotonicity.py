"""Monotonicity: whether cross-attention moves through the source from beginning to end."""

from collections import Counter

import torch
from jaxtyping import Int
from torch import Tensor

from model.inputs.text import Frame
from model.trace import Recorder
from model.training.data.sentence_pairs import EncodedPair
from model.training.metrics.translation import forward
from model.transformer import Transformer

LookedAt = Int[Tensor, "*map row"]


def in_order(looked_at: LookedAt) -> Int[Tensor, "*map"]:
    """The number of pairs of rows in which the later row attends to a later position, minus the
    number in which it attends to an earlier one (Kendall 1938).
    """
    return (looked_at[..., None, :] - looked_at[..., :, None]).sign().triu(1).sum((-1, -2))


def steps_back(looked_at: LookedAt) -> Int[Tensor, "*map"]:
    """The number of steps from one row to the next that go backward."""
    return (looked_at[..., 1:] < looked_at[..., :-1]).sum(-1)


@torch.inference_mode()
def monotone(
    model: Transformer, pairs: list[EncodedPair], frame: Frame
) -> dict[str, dict[str, float]]:
    """How the most attended letter moves from row to row of the cross-attention, by `layer.head`
    and `layer.mean`. The ids of `frame` do not count.

    `value` is `in_order` divided by the number of pairs of rows: 1 if all pairs are in order, 0 by
    chance or if all rows attend to the same letter. `back` is the fraction of steps that go
    backward. `diagonal` is the baseline in which row j of m attends to letter floor(j n / m) of n.
    """
    order: Counter[str] = Counter()
    back: Counter[str] = Counter()
    n_pairs = n_steps = 0
    for source, target in pairs:
        n, m = len(source), len(target)
        trace = Recorder()
        forward(model, frame.around(source), [frame.start, *target], trace)
        maps = {"diagonal": (torch.arange(m) * n // m)[None]}
        for layer in range(model.config.n_decoder_layers):
            pattern = trace.values[f"decoder.{layer}.cross_attention.pattern"][:, :m, 1:-1]
            maps |= {f"{layer}.{head}": map.argmax(-1)[None] for head, map in enumerate(pattern)}
            maps[f"{layer}.mean"] = pattern.mean(0).argmax(-1)[None]
        looked_at = torch.cat(list(maps.values()))
        for name, ordered, gone_back in zip(
            maps, in_order(looked_at).tolist(), steps_back(looked_at).tolist(), strict=True
        ):
            order[name] += ordered
            back[name] += gone_back
        n_pairs, n_steps = n_pairs + m * (m - 1) // 2, n_steps + m - 1
    return {name: {"value": order[name] / n_pairs, "back": back[name] / n_steps} for name in order}
