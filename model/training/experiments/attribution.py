"""`attribution`: how well each token attribution method agrees with the removal of tokens on
held-out inputs. Nothing is trained; the members are included models.

The inputs are those that a model's card calls held out. The prediction is the default one to
attribute. The measure is the rank correlation of each method with removal. A method that gives all
tokens the same score ranks nothing, and has 0.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from model.inputs.images import image_text
from model.inputs.input import Input
from model.inputs.table_rows import row_text
from model.interpretability.attribution.agreement import correlation
from model.interpretability.attribution.answer import AttributedAnswer, attributed_answer
from model.interpretability.attribution.flow import mixings, node_of, rollout
from model.interpretability.attribution.methods import COMPARED, STEPS, attribute
from model.runs.run_model import run_model
from model.training.experiments.experiment import Experiment
from model.training.recipes import digits, penguins, pronouncer, shakespeare, translator
from model.training.texts import TEXTS
from model.zoo.models import load_model

MEMBERS = (
    "translator",
    "translator-pre",
    "prefix-translator",
    "shakespeare",
    "fill-in",
    "pronouncer",
    "speller",
    "induction-2",
    "induction-1",
    "digits",
    "penguins-ft",
)
FILES = (translator.DATA, shakespeare.DATA, pronouncer.DATA, penguins.FILE)
INPUTS = 50
MIN_TOKENS = 5
"""With fewer tokens, a rank correlation has very few values."""
POINTS = (*COMPARED, "uniform")
"""The methods, and the rollout of uniform attention, which depends only on the masks."""


def images(data: Path) -> Iterator[Input]:
    yield from (Input(image=image_text(image[0].tolist())) for image in digits.Digits().test.images)


def rows(data: Path) -> Iterator[Input]:
    task = penguins.Penguins("penguins-ft", data)
    yield from (Input(row=row_text(values)) for values in task.test.values)


def texts(id: str) -> Callable[[Path], Iterable[Input]]:
    return lambda data: (trial.input for trial in TEXTS[id](data).trials)


OTHERS: dict[str, Callable[[Path], Iterable[Input]]] = {"digits": images, "penguins-ft": rows}


class Attributions:
    """The held-out inputs of every member, read when first needed. `digest` is that of the files
    that inputs were held out from, and of the weights of all members.
    """

    def __init__(self, data: Path):
        self.data = data
        self.targets: dict[str, list[AttributedAnswer]] = {}
        content = [(data / name).read_bytes() for name in FILES]
        content += [load_model(id).card["weights_sha256"].encode() for id in MEMBERS]
        self.digest = hashlib.sha256(b"".join(content)).hexdigest()

    @property
    def facts(self) -> dict[str, Any]:
        return {"inputs": INPUTS, "least_tokens": MIN_TOKENS, "steps": STEPS}

    def measure(self, member: str, seed: int) -> list[float]:
        """The rank correlation of every method with removal for input number `seed`."""
        if member not in self.targets:
            self.targets[member] = list(islice(self.inputs(member), INPUTS))
        target = self.targets[member][seed]
        scores = attribute(target).scores
        scores["uniform"] = rollout(mixings(target, uniform=True), node_of(target))
        found = [correlation(scores[name], scores["removal"]) for name in POINTS]
        return [round(value or 0.0, 4) for value in found]

    def inputs(self, member: str) -> Iterator[AttributedAnswer]:
        """The held-out inputs whose tokens can be ranked by removal."""
        model = load_model(member)
        source = OTHERS.get(member) or texts(member)
        for input in source(self.data):
            target = attributed_answer(run_model(model, input), input)
            if len(target.tokens) >= MIN_TOKENS:
                yield target


EXPERIMENT = Experiment(
    id="attribution",
    members=MEMBERS,
    seeds=INPUTS,
    axis="method",
    points=POINTS,
    prepare=Attributions,
)
