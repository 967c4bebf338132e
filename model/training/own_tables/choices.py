"""The choices made before training on a table: the target, the columns, and the architecture."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from model.config import Config, EmbeddingChoices, HeadChoices, PositionChoices
from model.errors import InvalidInput, UnknownName
from model.inputs.sizes import ColumnSizes
from model.inputs.table_rows import RowTokenizer


@dataclass(frozen=True)
class Architecture:
    """The name of an architecture, its `choices` of a Config, and those of its ColumnSizes."""

    name: str
    choices: dict[str, Any]
    sizes: dict[str, Any]


ARCHITECTURES = {
    "ft": Architecture(
        "FT-Transformer", {"placement": "pre", "gated": True, "d_model": 32, "d_ff": 48}, {}
    ),
    "tab": Architecture(
        "TabTransformer",
        {"placement": "post", "d_model": 16, "d_ff": 32},
        {"readout": "bypass"},
    ),
    "saint": Architecture(
        "SAINT",
        {"placement": "pre", "activation": "gelu", "d_model": 16, "d_ff": 32},
        {"between_rows": True},
    ),
}
"""Gorishniy et al. 2021, Huang et al. 2020, Somepalli et al. 2021."""

PRETRAININGS = ("mask", "replace")
"""The pre-training objectives, used before any class is known (pretraining.py)."""


@dataclass(frozen=True, kw_only=True)
class Choices:
    """The choices for training on a table. `target` is the column of classes; `drop` are columns to
    omit, `categories` are numbers to treat as categories, and rows that agree in the column `group`
    are held out together. With `steps` = 0, the number of rows decides. `units` are the units of
    numeric columns. `pretrain` is one of PRETRAININGS; True means "mask".
    """

    target: str
    architecture: str = "ft"
    drop: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    group: str = ""
    pretrain: str | bool = False
    steps: int = 0
    seed: int = 0
    n_layers: int = 2
    units: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self):
        if self.architecture not in ARCHITECTURES:
            raise UnknownName("unknown-architecture", self.architecture, ARCHITECTURES)
        if self.pretraining and self.pretraining not in PRETRAININGS:
            raise UnknownName("unknown-pretraining", self.pretraining, PRETRAININGS)

    @property
    def pretraining(self) -> str:
        """The name of the pre-training objective, "" if there is none."""
        return PRETRAININGS[0] if self.pretrain is True else self.pretrain or ""

    @property
    def between_rows(self) -> bool:
        """Whether rows attend to one another."""
        return bool(ARCHITECTURES[self.architecture].sizes.get("between_rows"))


def config_of(tokenizer: RowTokenizer, choices: Choices) -> Config:
    """The Config of the architecture for these columns. Raises InvalidInput for a TabTransformer
    without columns of both kinds.
    """
    architecture = ARCHITECTURES[choices.architecture]
    if choices.architecture == "tab" and not (tokenizer.numbers and tokenizer.categories):
        raise InvalidInput("columns-of-one-kind")
    sizes = ColumnSizes(len(tokenizer.numbers), tokenizer.sizes, **architecture.sizes)
    return Config(
        family="encoder-only",
        n_heads=4,
        n_encoder_layers=choices.n_layers,
        max_length=sizes.n_tokens,
        positions=PositionChoices(absolute="none"),
        embedding=EmbeddingChoices(scaled=False),
        head=HeadChoices(tied=False, classes=tokenizer.size),
        input_sizes=sizes,
        **architecture.choices,
    )
