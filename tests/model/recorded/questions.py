"""Questions that together reach every word, every model and every clinic, and a short form of their
answers: what cannot change by rounding as a digest, and for each tensor two sums of all its numbers
that no change of one of them leaves as they are.

`python -m tests.model.recorded.questions bits` prints a digest of every bit of each answer, to
compare two checkouts on one machine; `write` records the answers in answers.json.
"""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from hashlib import sha256
from pathlib import Path

import torch
from torch import Tensor

from app.compute import wire
from model import analyses
from tests.model.support.asked import unedited

RECORDED = Path(__file__).with_name("answers.json")
CARDS = {
    path.parent.name: json.loads(path.read_text())
    for path in sorted((Path(analyses.__file__).parents[1] / "weights").glob("*/card.json"))
}
OF_A_RUN = (
    ("tokens", {}),
    ("attention", {}),
    ("attention", {"kind": "rows"}),
    ("activations", {"names": "*"}),
    ("architecture", {}),
    ("residual", {}),
    ("logits", {}),
    ("images", {}),
    ("detection", {}),
    ("tables", {}),
    ("generate", {"max_new_tokens": 6}),
    ("generate", {"strategy": "beam", "max_new_tokens": 6}),
    ("generate", {"strategy": "sample", "seed": 3, "top_p": 0.9, "max_new_tokens": 6}),
)
UNDER_A_MASK = (
    ("masks", {"pattern": "causal"}),
    ("masks", {"pattern": "window", "window": 3}),
)
OTHER_QUESTIONS = (
    ("modes", {"text": "i am cold"}),
    ("training", {"text": "qvmtzkdbqvmtzkdbqvmt", "step": 200}),
    *(
        ("positions", {"scheme": scheme})
        for scheme in (
            "sinusoidal",
            "integer",
            "normalised",
            "sigmoid",
            "sine",
            "rope",
            "alibi",
            "shaw",
            "t5",
        )
    ),
    ("positions", {"board": True}),
    ("masks", {"pattern": "block or window", "block": 4, "window": 2, "length": 12}),
    ("masks", {"pattern": "causal", "length": 8, "flip": "2.5"}),
    ("masks", {"pattern": "dilated", "window": 3, "dilation": 2, "length": 12}),
    ("masks", {"pattern": "window_2d", "columns": 4, "above": 1, "beside": 1, "length": 12}),
    ("masks", {"pattern": "padding", "lengths": [3, 5], "length": 6}),
)
TIMED = ("complexity", "performer", "memory")
"""Clinics that measure how long something takes: their answers are never the same twice."""


def questions() -> Iterator[tuple[str, dict]]:
    for id, card in CARDS.items():
        yield "models", {"id": id}
        yield "positions", {"model": id}
        input = card["examples"][0]["input"]
        of_a_text = UNDER_A_MASK if not {"image", "row"} & set(input) else ()
        for word, more in OF_A_RUN + of_a_text:
            yield word, {"model": id, **input, **more}
    yield from OTHER_QUESTIONS


def clinics() -> Iterator[tuple[str, dict]]:
    """Their trainings carry the last bit of a sum on to the third digit: they are compared on one
    machine alone.
    """
    for word in (name.replace("_", "-") for name in analyses.CLINICS):
        if word not in TIMED:
            yield word, {}


def answer_parts(word: str, question: dict) -> tuple[dict, dict[str, Tensor]]:
    """The answer without its tensors, and the tensors; of a refusal what it says."""
    try:
        answer = analyses.answer(word, question, runs=unedited)
    except Exception as refusal:
        return {type(refusal).__name__: str(refusal)}, {}
    plain = asdict(answer)
    assert not plain.pop("unedited_axes")
    assert not plain.pop("unedited"), "no question here is about an edited run"
    plain |= {
        "fields": wire.plain(answer.fields),
        "tensors": {name: [it.axes, it.formula, it.masked] for name, it in answer.tensors.items()},
    }
    return plain, {name: it.data for name, it in answer.tensors.items()}


def explained(id: str) -> tuple[dict, dict[str, Tensor]]:
    """The first cell of every activation of a model's first example, without what is said of it
    since the answers were recorded.
    """
    input = {"model": id, **CARDS[id]["examples"][0]["input"]}
    manifest, _ = answer_parts("activations", input)
    shapes = {row["name"]: row["shape"] for row in manifest["fields"]["activations"]}
    found = {
        name: answer_parts("explain", {**input, "name": name, "at": ",".join("0" * len(shape))})[0]
        for name, shape in shapes.items()
    }
    for answer in found.values():
        since = answer.get("fields", {})
        for name in ("written", "short", "own", "equations"):
            since.pop(name, None)
        for operand in since.get("operands", []):
            for name in ("short", "axis", "token"):
                del operand[name]
    return found, {}


def recorded() -> dict[str, Callable[[], tuple[dict, dict[str, Tensor]]]]:
    """What asks each question, under its name."""
    of_words = {
        f"{word} {json.dumps(question)[:120]}": partial(answer_parts, word, question)
        for word, question in questions()
    }
    return of_words | {f"explain {id}": partial(explained, id) for id in CARDS}


def short(plain: object, tensors: dict[str, Tensor]) -> dict:
    """The structure as a digest, and of all numbers that rounding can change two sums a tensor."""
    floats: list[float] = []

    def without_floats(it: object) -> object:
        if isinstance(it, float):
            floats.append(it)
            return None
        if isinstance(it, dict):
            return {name: without_floats(value) for name, value in it.items()}
        if isinstance(it, list | tuple):
            return [without_floats(value) for value in it]
        return it

    structure = json.dumps(without_floats(plain), sort_keys=True, default=str)
    numbers = {"": torch.tensor(floats, dtype=torch.float64), **tensors}
    return {
        "structure": sha256(structure.encode()).hexdigest()[:16],
        "numbers": {name: sums(values) for name, values in numbers.items()},
    }


def sums(values: Tensor) -> list[float]:
    """A sum in which every number has a weight of its own, and the same of absolute values."""
    flat = values.double().flatten()
    flat = flat[flat.isfinite()]
    weights = 1 + torch.arange(len(flat), dtype=torch.float64).cos() / 2
    return [float(f"{float(total):.9g}") for total in (flat @ weights, flat.abs() @ weights)]


def bits(plain: object, tensors: dict[str, Tensor]) -> str:
    whole = sha256(json.dumps(plain, sort_keys=True, default=str).encode())
    for name, values in tensors.items():
        whole.update(name.encode() + values.contiguous().numpy().tobytes())
    return whole.hexdigest()[:16]


if __name__ == "__main__":
    torch.set_num_threads(1)
    if sys.argv[1:] == ["bits"]:
        for name, ask in recorded().items():
            print(bits(*ask()), name, flush=True)
        for word, question in clinics():
            print(bits(*answer_parts(word, question)), word, flush=True)
    elif sys.argv[1:] == ["write"]:
        answers = {name: short(*ask()) for name, ask in recorded().items()}
        lines = (f"{json.dumps(name)}: {json.dumps(answer)}" for name, answer in answers.items())
        RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    else:
        sys.exit(f"{sys.argv[0]}: bits or write")
