"""Image generation with a pixel writer, and the dependence of each pixel on earlier ones."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model import progress
from model.generation.sampling_filters import at_temperature, draw
from model.pixels.writers import (
    LEVELS,
    PIXELS,
    DigitIds,
    Levels,
    Logits,
    allowed,
    grey_logits,
)
from model.trace import Trace
from model.transformer import Transformer

Draws = Float[Tensor, "image pixel"]
READ = "decoder.embedding.token"


@torch.no_grad()
def write_images(
    network: Transformer,
    name: str,
    digits: DigitIds,
    beginning: Int[Tensor, "image given"],
    draws: Draws,
    temperature: float = 1.0,
) -> tuple[Levels, Logits]:
    """Images of `digits` that start with `beginning`, and the logits of each pixel's gray values.
    `draws` holds a number in [0, 1) for each pixel, which selects its gray value. The keys and
    values of earlier pixels are cached.
    """
    cache, mask = network.new_cache(), allowed(name)
    last, levels, logits = LEVELS + digits[:, None], [], []
    for pixel in progress.steps(range(PIXELS)):
        sees = mask[None, pixel : pixel + 1, : pixel + 1]
        x = network.decode(last, sees, start=pixel, cache=cache)
        logits.append(network.unembed(x)[:, 0, :LEVELS])
        if pixel < beginning.shape[1]:
            level = beginning[:, pixel]
        else:
            rows = zip(logits[-1], draws[:, pixel].tolist(), strict=True)
            level = torch.tensor([draw(at_temperature(row, temperature), u) for row, u in rows])
        last = level[:, None]
        levels.append(level)
    return torch.stack(levels, dim=1), torch.stack(logits, dim=1)


def influences(
    network: Transformer, name: str, levels: Int[Tensor, " pixel"], digit: int
) -> Float[Tensor, "pixel position"]:
    """|d ln p(pixel) / d e_j| for every pixel of an image, where e_j is the embedding of the input
    at position j: the digit at position 0, pixel j - 1 at the others.
    """
    read: list[Tensor] = []

    def from_here(activation: str, value: Tensor) -> Tensor:
        if activation != READ:
            return value
        read.append(value.detach().requires_grad_())
        return read[0]

    copies, digits = levels.expand(PIXELS, -1), torch.full((PIXELS,), digit)
    found = grey_logits(network, name, copies, digits, Trace(from_here)).log_softmax(-1)
    each = torch.arange(PIXELS)
    (gradient,) = torch.autograd.grad(found[each, each, levels].sum(), read)
    return gradient.norm(dim=-1)
