"""The site of a name: the stack, layer, and part of the network that a value belongs to.

    decoder.2.cross_attention.scores    stack decoder, layer 2, part cross_attention, value scores
    encoder.embedding.norm.mean         stack encoder, part embedding.norm, value mean
    logits                              value logits

Names of parameters and modules have the same form: encoder.0.attention.output.weight is the value
weight of the part attention.output.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

STACKS = ("encoder", "decoder")
MAX_PARSED = 4096
"""How many parsed names are cached; the included models have about 2,000."""


@dataclass(frozen=True)
class Site:
    """A parsed name. `stack` and `layer` are None if the name has none, and `part` is empty if the
    value belongs to the whole model.
    """

    value: str
    part: str = ""
    layer: int | None = None
    stack: str | None = None

    @classmethod
    @lru_cache(MAX_PARSED)
    def parse(cls, name: str) -> "Site":
        """Parses a name; `str` of the result gives the name back."""
        *scope, value = name.split(".")
        stack = scope.pop(0) if scope and scope[0] in STACKS else None
        layer = int(scope.pop(0)) if stack and scope and scope[0].isdigit() else None
        return cls(value, ".".join(scope), layer, stack)

    def __str__(self) -> str:
        layer = None if self.layer is None else str(self.layer)
        return ".".join(piece for piece in (self.stack, layer, self.part, self.value) if piece)

    @cached_property
    def scope(self) -> str:
        """The name without its value: decoder.2.cross_attention."""
        return str(self).rpartition(".")[0]

    @cached_property
    def of_stack(self) -> "Site":
        """The value without its layer: decoder.cross_attention.mask is the mask of all layers."""
        return replace(self, layer=None)
