"""The record of what a model saw in training, and of its accuracy at each confidence:
`familiarity.json` next to the weights, measured by `model/calibration/measure.py`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from model.errors import CorruptWeights

FILE = "familiarity.json"
SHARE = 0.99
"""The fraction of held-out texts that counts as similar to the training data."""


@dataclass(frozen=True)
class Calibration:
    """The measurements of one model. `counts` has the number of occurrences of each token id in the
    training data. Of the held-out `texts`, the fraction `SHARE` has at least `shortest` tokens and
    a surprise of at most `surprise`, in nats.

    The held-out texts are sorted by confidence into groups of equal size: `edges` are the
    confidences between the groups, from 0 to 1, and `right` the accuracy in each group. `of` names
    the texts, and `done` says in words what a correct prediction does to them.
    """

    weights_sha256: str
    counts: Sequence[int]
    texts: int
    shortest: int
    surprise: float
    edges: Sequence[float]
    right: Sequence[float]
    of: str
    done: str


def read_calibration(folder: Path, weights_sha256: str) -> Calibration | None:
    """The record in `folder`; None if there is none. Raises CorruptWeights if it was measured with
    weights other than those with the digest `weights_sha256`.
    """
    if not (folder / FILE).is_file():
        return None
    known = Calibration(**json.loads((folder / FILE).read_text(encoding="utf-8")))
    if known.weights_sha256 != weights_sha256:
        raise CorruptWeights("measured-with-other-weights", file=FILE)
    return known
