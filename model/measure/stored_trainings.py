"""Stored trainings: those included in the package, and those followed live, stored on the disk of
the service. A stored training is read instead of repeated.

`python -m model.processes.shipped_warmup` trains the missing included ones.
"""

import json
import os
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

DIVERGED = os.EX_DATAERR
"""The exit status of a training in which a network's loss is no longer finite."""
LOG = "steps.jsonl"
SHIPPED = Path(__file__).parents[1] / "results" / "warmup.safetensors"
STEPS, SHORT = 300, 25
"""The number of steps of every included training, and of one that runs while a user waits."""
SEEDS, MORE_SEEDS = 4, 8
"""The number of seeds of an included training, and of the one that /warmup shows first."""
DEFAULT: dict[str, Any] = {
    "warmup_steps": 20,
    "peak": 0.03,
    "layers": 4,
    "placement": "post",
    "stack": "encoder",
    "schedule": "inverse_root",
    "stop": None,
    "seed": 0,
    "seeds": SEEDS,
}
GENTLE: dict[str, Any] = {"peak": 0.01, "warmup_steps": 40}
"""A lower peak and a longer warm-up, for comparing deep networks."""
SLOW: dict[str, Any] = {"peak": 0.003, "warmup_steps": 100, "stack": "decoder"}
"""A still lower peak, for decoders in which Post-LN does not learn at all."""
RECIPE: tuple[dict[str, Any], ...] = (
    {},
    {"seeds": MORE_SEEDS},
    *({"placement": placement} for placement in ("pre", "b2t", "admin", "branch", "none")),
    *({"stop": step} for step in (5, 10, 15)),
    *({"schedule": schedule} for schedule in ("constant", "vaswani")),
    *({"peak": peak} for peak in (0.005, 0.01, 0.02)),
    *({"warmup_steps": steps} for steps in (0, 10, 40)),
    *({"layers": layers} for layers in (2, 6)),
    *({**GENTLE, "layers": layers} for layers in (6, 12, 18)),
    *({**GENTLE, "stack": "decoder", "layers": layers} for layers in (4, 6, 12, 18)),
    *(
        {**SLOW, "layers": layers, "placement": placement}
        for layers in (6, 12, 18)
        for placement in ("post", "b2t")
    ),
)
"""The included trainings: the default page, its controls changed one at a time, and deep
networks.
"""


def name_of(question: dict[str, Any]) -> str:
    """The name of a live training, computed from its question without the number of steps."""
    whole = DEFAULT | {name: value for name, value in question.items() if name != "steps"}
    return sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:16]


def title_of(question: dict[str, Any]) -> str:
    """The differences between an included training and the default one: peak=0.01 stack=decoder."""
    changed = [f"{name}={question[name]}" for name in DEFAULT if question[name] != DEFAULT[name]]
    return " ".join(changed) or "default"


@cache
def titles() -> frozenset[str]:
    """The titles of the included trainings. Their file begins with the length of a JSON list."""
    with SHIPPED.open("rb") as file:
        return frozenset(json.loads(file.read(int.from_bytes(file.read(8), "little"))))


def is_shipped(question: dict[str, Any], steps: int) -> bool:
    return steps <= STEPS and title_of(DEFAULT | question) in titles()


def folder_of(runs: Path, question: dict[str, Any]) -> Path:
    """The folder of a live training below `runs`, named after the question without the number of
    steps, and the version of torch.
    """
    return runs / f"{name_of(question)}-{version('torch')}"


def live_steps(runs: Path, question: dict[str, Any]) -> list[bytes]:
    """The complete lines written by a live training, one per step."""
    try:
        lines = (folder_of(runs, question) / LOG).read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return []
    return [line for line in lines if line.endswith(b"\n")]


def is_stored(runs: Path, question: dict[str, Any], steps: int) -> bool:
    """Whether a training is included, or its first steps were run live."""
    return is_shipped(question, steps) or len(live_steps(runs, question)) >= steps
