"""The record of what a model met in training, and of how often it is right at which confidence:
`familiarity.json` beside the weights. `model/calibration/measure.py` measures it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from model.errors import CorruptWeights

FILE = "familiarity.json"
SHARE = 0.99
"""The share of the held-out texts that bounds what counts as like the training."""


@dataclass(frozen=True)
class Calibration:
    """What was measured of one model. `counts` has by id how often each token occurs in what the
    model read in training. Of the `texts` held out, the share `SHARE` has at least `shortest`
    tokens and a surprise of at most `surprise`, in nats.

    The held-out texts are sorted by the model's confidence into groups of the same size: `edges`
    are the confidences between the groups, from 0 to 1, and `right` the share of each group in
    which the model was right. `of` names the texts, and `done` says what is done to them where
    the model is right.
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
    """The record in `folder`; None for a model that has none. Raises CorruptWeights if it was
    measured with other weights than those with the digest `weights_sha256`.
    """
    if not (folder / FILE).is_file():
        return None
    known = Calibration(**json.loads((folder / FILE).read_text(encoding="utf-8")))
    if known.weights_sha256 != weights_sha256:
        raise CorruptWeights("measured-with-other-weights", file=FILE)
    return known
