"""Runs of small random models, as the analyses see them: text in, everything recorded."""

import torch

from model.inputs.text import TextTokenizer, Token
from model.layers import masks
from model.runs.run import Run, text_axis
from model.zoo.models import Model
from tests.model.support.small import SOURCE, TARGET, small, traced

END = 2

PLACEMENTS = ("post", "pre", "none")


class Letters(TextTokenizer):
    """Token 3 is written t3."""

    def __init__(self):
        pass

    @property
    def size(self) -> int:
        return 13

    def label(self, id: int) -> str:
        return f"t{id}"


def small_run(
    placement: str = "post",
    family: str = "encoder-decoder",
    *,
    dtype: torch.dtype = torch.float64,
    **choices,
) -> Run:
    transformer = small(family, placement=placement, dtype=dtype, **choices)
    ids = {"source": SOURCE, "target": TARGET} if family == "encoder-decoder" else {"text": SOURCE}
    tokens = {
        name: [Token(f"t{id}", id, 0, 0, False, None) for id in row.tolist()]
        for name, row in ids.items()
    }
    model = Model("small", transformer.config, transformer, Letters(), {}, "random initialization")
    allowed = {"decoder.attention": masks.causal(len(TARGET))}
    axes = {name: text_axis(row) for name, row in tokens.items()}
    following = list(tokens.values())[-1][1:] + (
        [model.tokenizer.token(END)] if "target" in tokens else []
    )
    return Run(model, dict.fromkeys(ids, ""), axes, tokens, traced(transformer), allowed, following)
