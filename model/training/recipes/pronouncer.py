"""`pronouncer`: letters to phonemes. Phonemes are in the order of their letters, so cross-attention
hardly ever goes back.
"""

import hashlib
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import torch

from model.errors import InvalidInput
from model.inputs.phonemes import pronunciation
from model.training.data.sentence_pairs import Batch, EncodedPair, batches_of_like_length
from model.training.loop import Recipe
from model.training.metrics import translation
from model.training.metrics.edit_distance import EditDistance
from model.training.metrics.monotonicity import monotone
from model.training.model_card import Card
from model.training.recipes.single_words import BATCH, SMOOTHING, Words, encoded, set_aside
from model.training.schedule import Cycle, Dropout
from model.transformer import Transformer

DATA = "pronunciations.txt"
WORD = re.compile(r"(?=.*[a-z])[a-z']+")
HELD_OUT = 50  # one word in this many is held out

Pronunciations = dict[str, list[str]]


def read_pronunciations(path: Path) -> tuple[Pronunciations, int]:
    """The words of letters and apostrophes with their pronunciations, and the number of entries
    omitted because of other characters. Raises InvalidInput if the file does not exist.

    A line is `word phonemes`; alternative pronunciations of a word have `(2)` and so on after the
    word, and a comment follows #.
    """
    if not path.is_file():
        raise InvalidInput("training-text-missing", file=path.name, folder=path.parent)
    words: Pronunciations = {}
    left_out = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        entry, *phonemes = line.split("#")[0].split()
        word = re.sub(r"\(\d+\)$", "", entry)
        if WORD.fullmatch(word):
            words.setdefault(word, []).append(" ".join(phonemes))
        else:
            left_out += 1
    return words, left_out


def stem(word: str) -> str:
    """`word` without the ending of a possessive: dog for dog's, dogs for dogs'."""
    return word.removesuffix("'s").removesuffix("'")


class Pronunciation(Words):
    """Words and their pronunciations. A word is held out with all its pronunciations and its
    possessive.
    """

    def __init__(self, data: Path):
        path = data / DATA
        words, self.left_out = read_pronunciations(path)
        self.tokenizer = pronunciation()
        self.train = {
            word: ways for word, ways in words.items() if not set_aside(stem(word), HELD_OUT)
        }
        self.held_out = {word: ways for word, ways in words.items() if word not in self.train}
        self.digest = hashlib.sha256(path.read_bytes()).hexdigest()

    @cached_property
    def pairs(self) -> list[EncodedPair]:
        return encoded(
            self.tokenizer,
            [(word, sound.split()) for word, ways in self.train.items() for sound in ways],
        )

    def epoch(self, generator: torch.Generator) -> Iterator[Batch]:
        order = torch.randperm(len(self.pairs), generator=generator).tolist()
        pairs, frame = [self.pairs[i] for i in order], self.tokenizer.frame
        return batches_of_like_length(pairs, BATCH, frame, generator)


def without_stress(phonemes: str) -> str:
    return re.sub(r"\d", "", phonemes)


def errors(outputs: list[str], references: list[list[str]]) -> tuple[float, float]:
    """The phoneme error rate, the edits to the nearest reference divided by its phonemes, and the
    word error rate, the fraction of words with an edit.
    """
    edits = phonemes = wrong = 0
    for ours, several in zip(outputs, references, strict=True):
        split = [text.split() for text in several]
        distances = EditDistance(split)(ours.split())
        nearest = int(distances.argmin())
        edits, phonemes, wrong = (
            edits + distances[nearest],
            phonemes + len(split[nearest]),
            wrong + (distances[nearest] > 0),
        )
    return float(edits / phonemes), float(wrong / len(outputs))


def errors_without_stress(outputs: list[str], references: list[list[str]]) -> tuple[float, float]:
    return errors(
        [without_stress(text) for text in outputs],
        [[without_stress(text) for text in several] for several in references],
    )


NOTICE = (
    "Trained on the CMU Pronouncing Dictionary. Copyright (C) 1993-2015 Carnegie Mellon University."
    " All rights reserved. BSD-2-Clause. The dictionary itself is not included."
)

EXAMPLES = [
    {
        "id": "phone",
        "input": {"source": "telephone"},
        "look_for": "The two letters “ph” make one sound, F, and the final “e” is silent.",
    },
    {
        "id": "thought",
        "input": {"source": "thought"},
        "look_for": (
            "Seven letters make three sounds. When the model generates TH, it attends to “th”;"
            " “gh” is silent."
        ),
    },
    {
        "id": "record",
        "input": {"source": "record"},
        "look_for": (
            "The noun and the verb “record” differ in stress. The model pronounces the verb,"
            " re-CORD."
        ),
    },
    {
        "id": "circus",
        "input": {"source": "circus"},
        "look_for": (
            "The first “c” is pronounced S and the second K. For each, the model also attends to"
            " the letter that follows."
        ),
    },
]


def error_rates(task: Pronunciation, model: Transformer) -> dict:
    """The errors in greedy pronunciations of the held-out words."""
    held_out, references = list(task.held_out), list(task.held_out.values())
    outputs = translation.translate(model, task.tokenizer, held_out)
    (plain, plain_words), (stressed, stressed_words) = (
        errors_without_stress(outputs, references),
        errors(outputs, references),
    )
    by_analogy = EditDistance(list(task.train))
    nearest, _ = errors_without_stress(
        [task.train[by_analogy.nearest(word)][0] for word in held_out], references
    )
    words = (
        f"Greedy decoding of {len(held_out):,} held-out words, each compared with the closest of"
        " its"
        " pronunciations in the dictionary"
    )
    return {
        "phoneme_error_rate": {
            "value": plain,
            "with_stress": stressed,
            "nearest_word": nearest,
            "how": (
                "Fraction of phonemes that must be inserted, deleted or replaced, relative to the"
                f" reference, ignoring stress. {words}. nearest_word: copies the pronunciation of"
                " the training word with the most similar spelling (the first, if there are ties)"
            ),
        },
        "word_error_rate": {
            "value": plain_words,
            "with_stress": stressed_words,
            "how": ("Fraction of the same words with any error, ignoring stress"),
        },
    }


def monotonicity(task: Pronunciation, model: Transformer) -> dict:
    """How far cross-attention goes through the letters in order, for the held-out words."""
    order = monotone(
        model,
        encoded(task.tokenizer, [(word, ways[0].split()) for word, ways in task.held_out.items()]),
        task.tokenizer.frame,
    )
    diagonal = order.pop("diagonal")
    best = max(order, key=lambda name: order[name]["value"])
    return {
        **order[best],
        "where": "decoder layer "
        + best.replace(".", ", head ").replace("head mean", "averaged over heads"),
        "diagonal": diagonal["value"],
        "by_head": {name: found["value"] for name, found in order.items()},
        "how": (
            "Over all pairs of phonemes of a word, the fraction whose most attended letters are in"
            " the same order minus the fraction in reverse order (Kendall’s tau): 0 by chance, or"
            " if a head always attends to one place. diagonal: attention that moves evenly from the"
            " first letter to the last. back: fraction of steps from one phoneme to the next that"
            " go backward. For the same words, with the first pronunciation"
        ),
    }


def describe(task: Pronunciation, model: Transformer, steps: int) -> Card:
    """The card of the model, with measures on the held-out words."""
    return Card(
        name="Letters to phonemes",
        modality="text",
        task=("pronounces English words as Americans do: letters to ARPAbet phonemes, with stress"),
        limits={
            "tokens": task.config.max_length,
            "trained_tokens": 2 + max(max(map(len, pair)) for pair in task.pairs),
        },
        quality={**error_rates(task, model), "monotone": monotonicity(task, model)},
        training={
            "pairs": len(task.pairs),
            "passes": round(steps * BATCH / len(task.pairs), 1),
            "batch": BATCH,
            "label_smoothing": SMOOTHING,
        },
        split=(
            f"by spelling, before anything else: one word in {HELD_OUT} with all its pronunciations"
            " and its possessive. Plurals and other forms of a word may stand on both sides. Words"
            f" of a to z and apostrophes: {task.left_out:,} entries with another character are"
            " left out"
        ),
        data_notice=NOTICE,
        examples=EXAMPLES,
    )


RECIPE = Recipe(
    id="pronouncer",
    cycles=(Cycle(peak=2e-3, warmup=400, steps=6_000, dropout=Dropout(numbers=0.1)),),
    prepare=Pronunciation,
    describe=describe,
    stored=torch.float16,
)
