"""Results of experiments, one JSON file each. The weights that they trained are not included."""

import json
from functools import cache
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results"


def result_path(id: str, folder: Path = RESULTS) -> Path:
    return folder / f"{id}.json"


@cache
def load_result(id: str, folder: Path = RESULTS) -> dict[str, Any]:
    """The result of the experiment `id`: its points, its seeds, `measured` [member][seed][point],
    and facts about the data and the training.
    """
    return json.loads(result_path(id, folder).read_text(encoding="utf-8"))
