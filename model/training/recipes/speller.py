"""`speller`: misspelled words to correct words. The model can only output words that it has
learned: its lexicon is in its weights.
"""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import torch

from model.config import Config, PositionChoices
from model.errors import InvalidInput
from model.inputs.letters import word
from model.training.data.misspellings import RULES, misspell, pick
from model.training.data.sentence_pairs import Batch, Pair, batches_of_like_length
from model.training.loop import Recipe
from model.training.metrics import translation
from model.training.metrics.edit_distance import EditDistance
from model.training.model_card import Card
from model.training.recipes.pronouncer import DATA as DICTIONARY
from model.training.recipes.pronouncer import read_pronunciations
from model.training.recipes.single_words import BATCH, SMOOTHING, Words, encoded, set_aside
from model.training.schedule import Cycle, Dropout
from model.transformer import Transformer

TEXTS = ("english-french.tsv", "shakespeare.txt")
WORD = re.compile(r"[a-z]+(?:'[a-z]+)*")
SHORTEST, RAREST = 3, 5  # letters, and number of occurrences
# The number of errors in a word; four words in five have one (Damerau 1964).
ERRORS = [0, *[1] * 8, 2, 2]
LETTERS_AN_ERROR = 3  # a short word with two errors could be anything
HELD_OUT = 32  # one misspelling in this many is held out
TEST_SEED = 2**40  # no training epoch uses it


def occurrences(data: Path) -> Counter[str]:
    """The number of occurrences of each word in the English texts. Raises InvalidInput if a file
    does not exist.
    """
    for name in (DICTIONARY, *TEXTS):
        if not (data / name).is_file():
            raise InvalidInput("training-text-missing", file=name, folder=data)
    lines = (
        line.split("\t")[0]
        for name in TEXTS
        for line in (data / name).read_text(encoding="utf-8").splitlines()
    )
    return Counter(
        found for line in lines for found in WORD.findall(line.lower().replace("’", "'"))
    )


def common_words(data: Path) -> dict[str, int]:
    """The words of the dictionary that occur at least `RAREST` times in the texts, with their
    counts, except words shorter than `SHORTEST` and possessives.
    """
    counts = occurrences(data)
    known, _ = read_pronunciations(data / DICTIONARY)
    return {
        word: counts[word]
        for word in known
        if counts[word] >= RAREST and len(word) >= SHORTEST and not word.endswith("'s")
    }


class Spelling(Words):
    """Words that are misspelled anew in every pass. Misspellings are held out, for any word;
    correct words never are.
    """

    tested = 2000  # held-out misspellings and correct words for measuring

    def __init__(self, data: Path):
        self.lexicon = common_words(data)
        self.words = list(self.lexicon)
        self.tokenizer = word()
        self.digest = hashlib.sha256(
            "".join(f"{word} {n}\n" for word, n in self.lexicon.items()).encode()
        ).hexdigest()

    @property
    def config(self) -> Config:
        """A larger model than for other word tasks: a missing letter shifts all letters after it,
        so the encoder has rotary positions, a wider feed-forward network, and one more layer.
        """
        return replace(
            super().config, positions=PositionChoices(relative="rope"), d_ff=512, n_encoder_layers=3
        )

    def misspelled(
        self, right: str, errors: int, held_out: bool, draws: torch.Generator
    ) -> str | None:
        """`right` with `errors` errors; None if that is a word of the lexicon or on the other side
        of the split.
        """
        wrong = right
        for _ in range(errors):
            wrong = misspell(wrong, draws)
        return None if wrong in self.lexicon or set_aside(wrong, HELD_OUT) != held_out else wrong

    def lesson(self, draws: torch.Generator) -> Iterator[Pair]:
        """The pairs of one pass: each word once, in random order, with zero, one, or two errors."""
        for i in torch.randperm(len(self.words), generator=draws).tolist():
            right = self.words[i]
            yield (
                self.misspelled(right, drawn_errors(right, ERRORS, draws), False, draws) or right,
                right,
            )

    def epoch(self, generator: torch.Generator) -> Iterator[Batch]:
        lesson = encoded(self.tokenizer, self.lesson(generator))
        return batches_of_like_length(lesson, BATCH, self.tokenizer.frame, generator)

    def test(self) -> dict[str, tuple[str, int]]:
        """The test: `tested` held-out misspellings, each with the correct word and the number of
        errors. All words are equally likely.
        """
        draws = torch.Generator().manual_seed(TEST_SEED)
        found: dict[str, tuple[str, int]] = {}
        while len(found) < self.tested:
            right = pick(self.words, draws)
            errors = drawn_errors(right, ERRORS[1:], draws)
            wrong = self.misspelled(right, errors, True, draws)
            if wrong and wrong not in found:
                found[wrong] = right, errors
        return found


def drawn_errors(right: str, numbers: list[int], draws: torch.Generator) -> int:
    return min(pick(numbers, draws), len(right) // LETTERS_AN_ERROR)


def nearest_word(lexicon: dict[str, int]) -> Callable[[str], str]:
    """The baseline: the word with the smallest edit distance, counting a swap of two adjacent
    letters as one edit; ties go to the most frequent word.
    """
    return EditDistance(sorted(lexicon, key=lexicon.__getitem__, reverse=True), swaps=True).nearest


NOTICE = (
    "Trained on words, with no sentences: those of the CMU Pronouncing Dictionary (Copyright (C)"
    " 1993-2015 Carnegie Mellon University. All rights reserved. BSD-2-Clause) that occur in"
    " Tatoeba sentences (tatoeba.org) as collected by ManyThings (manythings.org/anki), CC BY 2.0"
    " FR, or in Shakespeare (public domain)."
)

EXAMPLES = [
    {
        "id": "receive",
        "input": {"source": "recieve"},
        "look_for": (
            "Two letters are swapped. When the model generates the first “e”, it attends to the"
            " “i” that stands in its place."
        ),
    },
    {
        "id": "beautiful",
        "input": {"source": "beutifull"},
        "look_for": (
            "When the model generates the missing “a”, it attends to the letters after the gap,"
            " “u” and “t”. When it generates the single “l”, it attends to both letters “l”."
        ),
    },
    {
        "id": "friend",
        "input": {"source": "freind"},
        "look_for": (
            "When the model generates the “i”, it attends to the “e” that stands in its place."
        ),
    },
    {
        "id": "tomorrow",
        "input": {"source": "tommorow"},
        "look_for": (
            "The word has one “m” too many and one “r” too few. The model fails more often on"
            " words with two errors, and it fails here."
        ),
    },
]


def equal(outputs: list[str], meant: list[str]) -> list[bool]:
    return [ours == theirs for ours, theirs in zip(outputs, meant, strict=True)]


def fraction(right: list[bool]) -> float:
    return sum(right) / len(right)


def by_errors(right: list[bool], errors: list[int]) -> dict[int, float]:
    """The fraction of correct corrections by the number of errors in a misspelling."""
    return {
        count: fraction([ok for ok, n in zip(right, errors, strict=True) if n == count])
        for count in sorted(set(errors))
    }


def describe(task: Spelling, model: Transformer, steps: int) -> Card:
    """The card of the model, with measures on the held-out misspellings."""
    test = task.test()
    meant, errors = map(list, zip(*test.values(), strict=True))
    ours = equal(translation.translate(model, task.tokenizer, list(test)), meant)
    nearest = equal(list(map(nearest_word(task.lexicon), test)), meant)
    some = task.words[:: math.ceil(len(task.words) / task.tested)]
    same = equal(translation.translate(model, task.tokenizer, some), some)
    quality = {
        "exact_match": {
            "value": fraction(ours),
            "nearest_word": fraction(nearest),
            "by_errors": {
                "value": by_errors(ours, errors),
                "nearest_word": by_errors(nearest, errors),
            },
            "how": (
                f"Fraction of {len(test):,} misspellings unseen in training whose greedy correction"
                f" is the intended word. All intended words were learned: these {len(task.words):,}"
                " words are the model’s lexicon. nearest_word: the word of the lexicon with the"
                " smallest edit distance, where swapping two letters counts as one edit; if there"
                " are ties, the most frequent one"
            ),
        },
        "left_alone": {
            "value": fraction(same),
            "how": (
                f"Fraction of {len(same):,} of these words, spelled correctly, that the model"
                " leaves unchanged"
            ),
        },
    }
    return Card(
        name="Spelling",
        modality="text",
        task="corrects misspelled English words",
        limits={
            "tokens": task.config.max_length,
            "trained_tokens": 2 + max(map(len, task.words)) + max(ERRORS),
            "words": len(task.words),
        },
        quality=quality,
        training={
            "words": len(task.words),
            "passes": round(steps * BATCH / len(task.words), 1),
            "batch": BATCH,
            "label_smoothing": SMOOTHING,
        },
        split=(
            f"by misspelling, whatever the word: one in {HELD_OUT} is never shown. The words"
            f" themselves are the same on both sides. Errors by rule ({', '.join(RULES)}), one or"
            f" two a word, two from {2 * LETTERS_AN_ERROR} letters on; what happens to be another"
            " word of the lexicon is no misspelling"
        ),
        data_notice=NOTICE,
        examples=EXAMPLES,
    )


RECIPE = Recipe(
    id="speller",
    cycles=(Cycle(peak=2e-3, warmup=400, steps=12_000, dropout=Dropout(numbers=0.0)),),
    prepare=Spelling,
    describe=describe,
    stored=torch.float16,
)
