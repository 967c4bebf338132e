"""The recorded trials of /amplification: its default question with 64 seeds, for every placement.

`python -m model.processes.shipped_amplification` measures them again.
"""

from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parents[1] / "results" / "amplification.safetensors"
RECORDED_SEEDS, MAX_DEPTH = 64, 64
USUAL_DEPTHS = (2, 4, 8, 16, 32, 64)
USUAL: dict[str, Any] = {"noise": 0.01, "d_model": 64, "stack": "encoder", "seed": 0}
"""The recorded settings, at every number of sub-layers up to MAX_DEPTH."""


def is_recorded(deepest: int, **question: float | str) -> bool:
    """Whether the trials of a question are recorded. All its depths are measured on the deepest
    stack, and the samples of a trial depend on its depth.
    """
    return deepest == MAX_DEPTH and question == USUAL
