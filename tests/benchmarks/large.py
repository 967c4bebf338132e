"""A model at the size of SmolLM2 (30 layers of 9 heads, 49,152 tokens): how long one waits for it,
in seconds of one processor, the memory of the process, and how far the estimate of a sweep is off.
VITRINE_REAL_MODELS names the folder that `tools/real-models` made; without it nothing is measured.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import torch

from app.experiments import experiment
from tests.benchmarks.timing import Row

FOLDER = os.environ.get("VITRINE_REAL_MODELS", "")
ONE_OF = "The old man walked down the long road to the village, where his daughter lived with her"
TEXT = f"{ONE_OF} two children. {ONE_OF} dog. {ONE_OF} horse, and the horse was as old as the"
SENTENCE = {"text": "The capital of France is"}
OPENINGS: dict[str, dict] = {
    "effects": {"text": ONE_OF, "draws": 0, "loss": False},
    "patching": SENTENCE | {"sites": "residual.in,attention.out,feed_forward.out"},
    "steering": SENTENCE | {"toward": "they are here", "away": "he is here", "draws": 1},
    "circuit": SENTENCE | {"part": "weights"},
    "heads": {},
}
PAIRS = SENTENCE | {"part": "composition"}
"""What the pages of sweeps ask of a large model when they open."""


def rows() -> list[Row]:
    """The rows, measured in a process of its own, whose memory holds nothing else."""
    if not FOLDER:
        return [Row("SmolLM2: left out, VITRINE_REAL_MODELS names no folder", 0)]
    with tempfile.TemporaryDirectory() as shelf:
        environment = os.environ | {"VITRINE_MODELS": shelf, "OMP_NUM_THREADS": "1"}
        add = [sys.executable, "-m", "app.cli", "add", str(Path(FOLDER) / "smollm2")]
        subprocess.run(add, env=environment, check=True, stdout=subprocess.DEVNULL)
        done = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.large", shelf],
            env=environment,
            check=True,
            stdout=subprocess.PIPE,
        )
    return [Row(**row) for row in json.loads(done.stdout)]


def seconds(call: Callable[..., object], *arguments: object) -> float:
    start = time.process_time()
    call(*arguments)
    return time.process_time() - start


def measured(shelf: str) -> list[Row]:
    from app.compute.messages import Figures, Numbers, Sizes
    from app.settings import Settings
    from app.worker.process import State
    from model import analyses
    from model.zoo.models import load_model

    settings = Settings()
    State.analyses = analyses
    State.sizes = Sizes(**{name: getattr(settings, name) for name in Sizes.__dataclass_fields__})
    State.keep_runs(settings.runs_kept, settings.runs_bytes)
    analyses.keep_models(shelf, settings.model_bytes, State.forget)

    def ask(word: str, text: str, **more: object) -> Callable[[], object]:
        question = {"model": "smollm2", "text": text, **more}
        return lambda: State.answer(word, question, Figures())

    State.answer("attention", {"model": "translator", "source": "I don't speak French."}, Figures())
    found = [Row("SmolLM2 opens from disk", seconds(lambda: load_model("smollm2")), 10, unit=" s")]
    for word in ("attention", "residual"):
        for when, most in (("first", 1.5), ("again", 0.3)):
            took = seconds(ask(word, TEXT))
            found.append(Row(f"/{word} of SmolLM2, 64 tokens, {when}", took, most, unit=" s"))
    for word, opening in [*OPENINGS.items(), ("circuit", PAIRS)]:
        question = experiment(word).question(model="smollm2", **opening)
        arguments, estimate = question.arguments(), question.estimated_seconds()
        form = Numbers("base64") if opening is PAIRS else Figures()
        took = seconds(State.answer, word, arguments, form)
        which = "pairs of heads" if opening is PAIRS else "as its page opens"
        found.append(Row(f"/{word} of SmolLM2, {which}", took, 10, unit=" s"))
        off = max(took / estimate, estimate / took)
        found.append(Row(f"the estimate of /{word} is off by a factor", off, 1.5))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    found.append(Row("memory with it and the translator, at most", peak, 2, unit=" GB"))
    return [*found, *of_a_long_text(ask), of_twelve_more(Path(shelf))]


def of_a_long_text(ask: Callable[..., Callable[[], object]]) -> list[Row]:
    """A text of 4,000 tokens by tiles, windows of its streams and its lens, and what follows it."""
    text, found = f"{TEXT} " * 58, []
    tile, last = {"level": "auto"}, {"level": "auto", "layer": 29}
    part = {"window": "3000:3064", "first_layer": 8}
    writing = {"window": "0:64", "max_new_tokens": 16}
    questions: list[tuple[str, str, dict, float | None]] = [
        ("a picture of the first layer", "attention", tile, 4),
        ("a step of the zoom", "attention", tile | {"rows": "1024:3072"}, 0.4),
        ("another", "attention", tile | {"rows": "1024:2048", "columns": "0:1024"}, 0.4),
        ("a picture of layer 3", "attention", tile | {"layer": 3}, 4),
        ("a picture of the last layer", "attention", last, None),
        ("another head of it", "attention", last | {"head": 1}, 0.4),
        ("the streams of 64 positions", "residual", part, None),
        ("the lens of 64 positions", "logits", part | {"lens": True}, None),
        ("16 tokens written behind the text", "generate", writing, None),
    ]
    for what, word, more, most in questions:
        took = seconds(ask(word, text, **more))
        found.append(Row(f"{what} of 4,000 tokens of SmolLM2", took, most, unit=" s"))
    other = text.replace("horse", "house")  # nothing of it is read yet
    question = experiment("generate").question(model="smollm2", text=other, **writing)
    took = seconds(ask("generate", other, **writing))
    off = max(took / question.estimated_seconds(), question.estimated_seconds() / took)
    found.append(Row("a long text is read and 16 tokens are written", took, None, unit=" s"))
    found.append(Row("the estimate of it is off by a factor", off, 1.5))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    found.append(Row("memory with it, at most", peak, 3, unit=" GB"))
    return found


def of_twelve_more(shelf: Path) -> Row:
    """What the start page costs beside twelve more models that nobody has asked for."""
    from starlette.testclient import TestClient

    from app.http.application import create_app
    from app.settings import Settings

    def visit() -> float:
        pages = TestClient(create_app(Settings(models=shelf)), "http://localhost")
        pages.get("/")
        return min(seconds(lambda: pages.get("/")) for _ in range(10))

    before = visit()
    for number in range(12):
        shutil.copytree(shelf / "smollm2", shelf / f"other-{number}")
    return Row("the start page beside 12 more models, in times that without", visit() / before, 2)


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps([asdict(row) for row in measured(sys.argv[1])]))
