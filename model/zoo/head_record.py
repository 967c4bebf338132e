"""The record of the roles of a model's heads: `heads.json` next to the weights, measured by
`model/training/head_records.py`.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from model.errors import CorruptWeights
from model.zoo.models import WEIGHTS, read_card

FILE = "heads.json"
Nested = list[Any]
"""Numbers in nested lists; None for missing measurements."""


@dataclass(frozen=True)
class HeadRecord:
    """The measurements of one model on `inputs` inputs, described by `of`. `right` says in words
    what the loss is about.

    `score`, `low`, and `high` are [role][layer][head], `chance` is [role][layer], and `cost`,
    `cost_low`, and `cost_high` are [layer][head]. `groups` are the heads of each role, turned off
    together. `shown` [layer][head] is the id of the card's example that shows the head's role best.
    """

    weights_sha256: str
    inputs: int
    of: str
    right: str
    layers: list[str]
    roles: list[str]
    score: Nested
    low: Nested
    high: Nested
    chance: Nested
    cost: Nested
    cost_low: Nested
    cost_high: Nested
    groups: list[dict[str, Any]]
    shown: list[list[str]]


@cache
def read_head_record(id: str, folder: Path = WEIGHTS) -> HeadRecord | None:
    """The record of the model `id`; None if it has none. Raises CorruptWeights if it was measured
    with other weights.
    """
    path = folder / id / FILE
    if not path.is_file():
        return None
    record = HeadRecord(**json.loads(path.read_text(encoding="utf-8")))
    if record.weights_sha256 != read_card(id, folder)["weights_sha256"]:
        raise CorruptWeights("measured-with-other-weights", file=FILE)
    return record
