"""The roles of every model's heads, measured on inputs held out of its training: `heads.json` next
to its weights. `python -m model.training.head_records DATA [ID …]` measures them.
"""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TypeVar

from model.inputs.images import image_text
from model.inputs.input import Input
from model.inputs.table_rows import row_text
from model.interpretability.heads.measures import Example
from model.interpretability.heads.survey import Inputs, survey, to_record
from model.training.drawn_inputs import NEXT, SAMPLERS
from model.training.own_tables.parts import values_at
from model.training.own_tables.recipe import readable
from model.training.recipes import (
    digits,
    fill_in,
    flights,
    penguins,
    pronouncer,
    shakespeare,
    speller,
)
from model.training.recipes import translator as translators
from model.training.texts import blanked
from model.zoo.files import write_atomically
from model.zoo.head_record import FILE
from model.zoo.models import WEIGHTS, Model, load_model

COUNT = 200
SEED = 0
LETTERS = 300  # of a passage of a play
T = TypeVar("T")


def evenly(items: Sequence[T]) -> Sequence[T]:
    """`COUNT` of the items, evenly spaced."""
    return items[:: max(1, len(items) // COUNT)][:COUNT]


def translations(data: Path) -> Inputs:
    pairs = evenly(list(translators.Translation({}, data).split.test.items()))
    return Inputs(
        [Example(Input(source=source, target=several[0])) for source, several in pairs],
        "held-out sentences",
        "the tokens of a human translation",
    )


def plays(data: Path) -> Inputs:
    """Passages of the held-out text, each starting at a line."""
    text = shakespeare.Plays(data).test
    lines = [i + 1 for i, sign in enumerate(text[:-LETTERS]) if sign == "\n"]
    return Inputs(
        [Example(Input(text=text[start : start + LETTERS])) for start in evenly(lines)],
        "held-out passages",
        NEXT,
    )


def blanks(data: Path) -> Inputs:
    _, trials = blanked(fill_in.FillIn(data))
    return Inputs(
        [Example(trial.input, trial.right[0]) for trial in evenly(trials)],
        "held-out sentences",
        "the omitted words",
    )


def pronunciations(data: Path) -> Inputs:
    found = evenly(list(pronouncer.Pronunciation(data).held_out.items()))
    return Inputs(
        [Example(Input(source=word, target=several[0])) for word, several in found],
        "held-out words",
        "the sounds in the dictionary’s pronunciation",
    )


def misspellings(data: Path) -> Inputs:
    found = evenly(list(speller.Spelling(data).test().items()))
    return Inputs(
        [Example(Input(source=wrong, target=right)) for wrong, (right, _) in found],
        "held-out misspellings",
        "the letters of the correct word",
    )


def images(data: Path) -> Inputs:
    test = digits.Digits(data).test
    found = zip(test.images[:COUNT, 0].tolist(), test.classes.tolist(), strict=False)
    return Inputs(
        [Example(Input(image=image_text(image)), (digit,)) for image, digit in found],
        "held-out digits",
        "the correct digits",
    )


def rows(id: str, data: Path) -> Inputs:
    test = penguins.Penguins(id, data).test
    found = zip(test.values, test.classes.tolist(), strict=True)
    return Inputs(
        [Example(Input(row=row_text(values)), (species,)) for values, species in found],
        "held-out penguins",
        "the correct species",
    )


def flown(data: Path) -> Inputs:
    task = flights.Flights(data)
    found = evenly(
        [
            (row_text(values_at(task.tokenizer, task.table, place)), arrived)
            for place, arrived in zip(task.test.places, task.test.classes.tolist(), strict=True)
            if readable(task, place)
        ]
    )
    return Inputs(
        [Example(Input(row=row), (arrived,)) for row, arrived in found],
        "held-out flights",
        "the true outcomes (late or on time)",
    )


HELD_OUT: dict[str, Callable[[Path], Inputs]] = {
    "translator": translations,
    "translator-pre": translations,
    "prefix-translator": translations,
    "shakespeare": plays,
    "shakespeare-xl": plays,
    "fill-in": blanks,
    "pronouncer": pronunciations,
    "speller": misspellings,
    "digits": images,
    **{id: partial(rows, id) for id in penguins.RECIPES},
    "flights-ft": flown,
}


def held_out(model: Model, data: Path) -> Inputs:
    """Inputs that `model` never saw in training: newly sampled, or held out of its data."""
    if model.id in SAMPLERS:
        return SAMPLERS[model.id](model, COUNT, SEED)
    return HELD_OUT[model.id](data)


def record(id: str, data: Path, weights: Path = WEIGHTS) -> None:
    """Measures the heads of the model `id` and writes the record to `weights`; nothing for a model
    without known held-out inputs.
    """
    if id in SAMPLERS or id in HELD_OUT:
        model = load_model(id, weights)
        found = to_record(survey(model, held_out(model, data)), model.card["weights_sha256"])
        content = json.dumps(asdict(found), separators=(",", ":"), ensure_ascii=False)
        write_atomically(weights / id / FILE, content.encode())


if __name__ == "__main__":
    for name in sys.argv[2:] or (*HELD_OUT, *SAMPLERS):
        record(name, Path(sys.argv[1]))
