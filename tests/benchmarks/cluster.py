"""The engine of a cluster beside that of one machine: the same class, whose students type sentences
of their own without a pause.
"""

import asyncio
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.app.serving import running
from tests.benchmarks.classroom import lesson, numbers
from tests.benchmarks.timing import Row, quantile

ENGINES = {
    "one machine, 1 worker": {"workers": 1},
    "one machine, 2 workers": {"workers": 2},
    "Ray, 1 replica": {"engine": "ray", "replicas": "1"},
    "Ray, 2 replicas": {"engine": "ray", "replicas": "2"},
}
STUDENTS, SECONDS = 200, 10


def rows() -> list[Row]:
    if find_spec("ray") is None:
        print("Ray is not compared: it is not installed (make cluster installs it).")
        return []
    return [row for name, limits in ENGINES.items() for row in of_engine(name, limits)]


def of_engine(name: str, limits: dict) -> list[Row]:
    quiet = {"PYTHONWARNINGS": "ignore"}
    with (
        TemporaryDirectory() as folder,
        running(Path(folder), "model.analyses", quiet, patient=False, **limits) as server,
    ):
        server.until_ready(180)
        asyncio.run(lesson(server.port, 8, 4, lambda draw: 0.0))  # what is loaded once
        measures = asyncio.run(lesson(server.port, STUDENTS, SECONDS, lambda draw: 0.0))
        rate, _ = asyncio.run(numbers(server.port))
    late = quantile(measures.views, 0.95)
    note = f"95 % within {late:.1f} s, {measures.refused} refused once, {measures.twice} twice"
    return [
        Row(f"{name}: whole pages a second", len(measures.views) / measures.seconds, note=note),
        Row(f"{name}: numbers alone, answers a second", rate),
    ]
