"""What a figure costs, and what the page of /attention asks of the worker about a new sentence, in
milliseconds of the processor.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import partial
from itertools import product

import torch

from app.compute.allocator import keep_freed_memory
from app.compute.messages import Figures, Sizes
from app.experiments.attention import AttentionFigures
from app.figures.attention import one_head
from app.figures.plot import Plot, dumps
from app.settings import Limits
from app.worker.figures import draw
from app.worker.process import State, warm
from model import analyses
from model.inputs.input import Input
from model.runs.run_model import run_model
from model.zoo.models import load_model
from tests.benchmarks.timing import Row, least

RUN = {"model": "translator", "source": "i am cold"}
HEAD = {"kind": "cross", "stack": "decoder", "layer": 2, "head": 0, "stage": "pattern"}
PAGE = (
    ("heads", {"decimals": 2, "arranged": "column"}),
    ("map", HEAD),
    ("values,importance", HEAD | {"forward": 1}),
)
"""The figures that static/js/views/attention.js asks for with one head open, and their fields."""
SIZES = Sizes(**{field.name: Limits.model_fields[field.name].default for field in fields(Sizes)})
WHO = ("i", "you", "we", "they")
VERBS = ("was", "felt", "looked", "seemed")
HOW = ("cold", "hungry", "happy", "tired", "ready", "sick", "late", "safe")
ROUNDS = 30


def sentences() -> Iterator[str]:
    """Sentences of three words, about which nothing is kept."""
    return map(" ".join, product(WHO, VERBS, HOW))


def page(sentence: str) -> Iterator[tuple[str, dict, Figures]]:
    """All that the page asks the worker for."""
    for names, more in PAGE:
        question = AttentionFigures(**{"model": "translator", "source": sentence, **more})
        form = Figures("base64", tuple(names.split(",")), question.displayed())
        yield "attention", question.arguments(), form


def rows() -> list[Row]:
    torch.set_num_threads(1)
    keep_freed_memory()  # as the worker does
    warm("model.analyses", SIZES)
    head, stream = analyses.answer("attention", RUN | HEAD), analyses.answer("residual", RUN)
    figures = {
        "head": lambda: one_head(head, RUN | HEAD),
        "stream": lambda: draw("residual", "contributions", stream, RUN),
    }
    encodings = {name: partial(as_json, make_plot) for name, make_plot in figures.items()}
    new, model = sentences(), load_model("translator")
    answers = {
        "page": lambda: [State.answer(*task) for task in page(next(new))],
        "run": lambda: run_model(model, Input(source=next(new))),
    }
    seconds = least(encodings, ROUNDS) | least(answers, ROUNDS, calls=1)
    milliseconds = {name: 1e3 * each for name, each in seconds.items()}
    note = f"4 figures; the sentence's run and translation alone {milliseconds['run']:.1f} ms"
    return [
        Row("the heat map of a head, as JSON", milliseconds["head"], 0.5, unit=" ms"),
        Row("the contributions of /residual, as JSON", milliseconds["stream"], 8, unit=" ms"),
        Row(
            "what the page of /attention asks of the worker about a new sentence",
            milliseconds["page"],
            22,
            unit=" ms",
            note=note,
        ),
    ]


def as_json(make_plot: Callable[[], Plot]) -> bytes:
    return dumps(make_plot(), "json")
