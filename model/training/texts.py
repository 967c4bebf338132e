"""By model, the texts that it read in training and some that were held out, each with its correct
prediction: for `calibration/measure.py`. For already trained models, `python -m
model.training.texts DATA [ID …]` measures them again.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import torch

from model.calibration.measure import Texts, Trial, measure, write
from model.inputs.input import Input
from model.inputs.text import TextTokenizer
from model.training.recipes import fill_in, induction, pronouncer, shakespeare, speller, translator
from model.zoo.models import WEIGHTS, load_model

TRIALS = 1_000
LONGEST = 64  # tokens in a text to continue
SEED = 2**41
T = TypeVar("T")


def ids_of(tokenizer: TextTokenizer, text: str) -> tuple[int, ...]:
    return tuple(token.id for token in tokenizer.encode(text))


def translations(data: Path) -> Texts:
    task = translator.Translation({}, data)
    sources = list(dict.fromkeys(source for source, _ in task.split.train))
    return Texts(
        [encoding.ids for encoding in task.tokenizer.backend.encode_batch(sources)],
        [
            Trial(Input(source=source), tuple(ids_of(task.tokenizer, text) for text in several))
            for source, several in list(task.split.test.items())[:TRIALS]
        ],
        "held-out sentences",
        "translated exactly as in a reference",
    )


def pronunciations(data: Path) -> Texts:
    task = pronouncer.Pronunciation(data)
    sounds = task.tokenizer.tokenizer_for("target")
    return Texts(
        (ids_of(task.tokenizer, word) for word in task.train),
        [
            Trial(Input(source=word), tuple(ids_of(sounds, text) for text in several))
            for word, several in spread(list(task.held_out.items()))
        ],
        "held-out words",
        "pronounced exactly as in the dictionary",
    )


def misspellings(data: Path) -> Texts:
    task = speller.Spelling(data)
    return Texts(
        (ids_of(task.tokenizer, word) for word in task.words),
        [
            Trial(Input(source=wrong), (ids_of(task.tokenizer, right),))
            for wrong, (right, _) in list(task.test().items())[:TRIALS]
        ],
        "held-out misspellings",
        "corrected",
    )


def blanks(data: Path) -> Texts:
    return Texts(
        *blanked(fill_in.FillIn(data)),
        "held-out sentences",
        "filled with the missing word",
    )


def blanked(task: fill_in.FillIn) -> tuple[list[list[int]], list[Trial]]:
    """The training sentences, and a copy of each held-out sentence with one random word left
    blank.
    """
    draws, trials = torch.Generator().manual_seed(SEED), []
    for sentence in task.test:
        tokens = task.tokenizer.encode(sentence)
        places, _ = fill_in.whole_words(sentence, tokens)
        if not places or len(tokens) + 2 > task.longest:
            continue
        token = tokens[places[int(torch.randint(len(places), (), generator=draws))]]
        text = f"{sentence[: token.start]}___{sentence[token.end :]}"
        trials.append(Trial(Input(text=text), ((token.id,),)))
    return task.ids, trials[:TRIALS]


def plays(data: Path) -> Texts:
    task = shakespeare.Plays(data)
    return Texts(
        [task.ids.tolist()],
        list(passages(task)),
        "held-out passages",
        "continued with the correct token",
    )


def passages(task: shakespeare.Plays) -> Iterator[Trial]:
    """Passages of the held-out text that begin at a line and have 2 to `LONGEST` tokens, and the
    next token.
    """
    draws = torch.Generator().manual_seed(SEED)
    lines = [i + 1 for i, sign in enumerate(task.test) if sign == "\n"]
    for line in spread(lines[:-LONGEST]):
        tokens = task.tokenizer.encode(task.test[line : line + 10 * LONGEST])
        length = int(torch.randint(2, LONGEST + 1, (), generator=draws))
        text = task.test[line : line + tokens[length - 1].end]
        # A text that ends inside a word may be tokenized differently.
        if text.strip() and len(task.tokenizer.encode(text)) == length:
            yield Trial(Input(text=text), ((tokens[length].id,),))


def letters(layers: int, data: Path) -> Texts:
    """Texts that repeat, cut inside the repetition or before it."""
    task, draws = induction.Repeats(layers), torch.Generator().manual_seed(SEED)
    rows, _ = induction.repeats(TRIALS, draws)
    trials = []
    for row in rows[:, 1:].tolist():
        length = int(torch.randint(2, induction.LENGTH, (), generator=draws))
        trials.append(Trial(Input(text=task.tokenizer.decode(row[:length])), ((row[length],),)))
    read, _ = induction.repeats(TRIALS, draws)
    return Texts(
        read[:, 1:].tolist(),
        trials,
        "held-out texts",
        "continued with the correct letter",
    )


def spread(items: list[T]) -> list[T]:
    """`TRIALS` of the items, evenly spaced."""
    return items[:: max(1, len(items) // TRIALS)][:TRIALS]


TEXTS: dict[str, Callable[[Path], Texts]] = {
    "translator": translations,
    "translator-pre": translations,
    "prefix-translator": translations,
    "shakespeare": plays,
    "shakespeare-xl": plays,
    "fill-in": blanks,
    "pronouncer": pronunciations,
    "speller": misspellings,
    "induction-2": partial(letters, 2),
    "induction-1": partial(letters, 1),
}


def record(id: str, data: Path, weights: Path = WEIGHTS) -> None:
    """Measures the model `id` and writes its record to `weights`; nothing for a model that does not
    read text.
    """
    if id in TEXTS:
        write(weights / id, measure(load_model(id, weights), TEXTS[id](data)))


if __name__ == "__main__":
    for name in sys.argv[2:] or TEXTS:
        record(name, Path(sys.argv[1]))
