"""`translator`, `translator-pre`, and `prefix-translator`: English to French at a size that a
laptop can train and a class can understand.

`translator` is Post-LN, as in Vaswani et al. 2017; `translator-pre` is the same with Pre-LN,
trained for half as long; `prefix-translator` is a single stack that reads source and target as one
sequence (Raffel et al. 2020, section 3.2.1), trained for a quarter as long.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from model.config import Config
from model.inputs.text import TextTokenizer, fit
from model.trace import Trace
from model.training.data.sentence_pairs import (
    Batch,
    Pair,
    Split,
    epoch_of_batches,
    read_pairs,
    split_by_source,
)
from model.training.loop import Recipe
from model.training.losses.seq2seq_forward import FORWARD_PASSES
from model.training.losses.teacher_forcing import distil, teacher_forced_loss
from model.training.metrics import translation
from model.training.metrics.translation_baselines import WordTranslations, bigram_accuracy
from model.training.model_card import Card
from model.training.recipes.translator_examples import AS_ONE, EXAMPLES, PRE_EXAMPLES
from model.training.schedule import Cycle, Dropout
from model.transformer import Transformer
from model.zoo.models import read_card

DATA = "english-french.tsv"
MAX_WORDS = 10
VOCABULARY = 6000
REFERENCES = 3  # translations of each test sentence
BATCH = 96
NO_FULL_STOP = 0.15  # fraction of the pairs that lose their full stops
SMOOTHING = 0.1


class Translation:
    """Sentence pairs. The tokenizer is fitted only on the training side of the split."""

    def __init__(self, choices: dict, data: Path):
        self.choices = choices
        self.path = data / DATA
        self.split: Split = split_by_source(
            read_pairs(self.path, MAX_WORDS), n_validation=300, n_test=1000, references=REFERENCES
        )
        self.tokenizer: TextTokenizer = fit(
            [side for pair in self.split.train for side in pair], VOCABULARY
        )
        self.digest = hashlib.sha256(self.path.read_bytes()).hexdigest()
        self.pairs = self.split.train

    @cached_property
    def config(self) -> Config:
        return Config(
            vocabulary_size=self.tokenizer.size,
            d_model=192,
            n_heads=4,
            d_ff=576,
            max_length=64,
            **self.choices,
        )

    @cached_property
    def longest(self) -> int:
        """The largest number of tokens in a training text, including <s> and </s>."""
        sides = (
            [
                len(e.ids)
                for e in self.tokenizer.backend.encode_batch([pair[i] for pair in self.split.train])
            ]
            for i in (0, 1)
        )
        return max(map(FORWARD_PASSES[self.config.family].tokens, *sides))

    def epoch(self, generator: torch.Generator) -> Iterator[Batch]:
        return epoch_of_batches(self.pairs, self.tokenizer, BATCH, NO_FULL_STOP, generator)

    def loss(self, model: Transformer, batch: Batch, trace: Trace) -> Float[Tensor, ""]:
        return teacher_forced_loss(model, batch, SMOOTHING, trace)


class DistilledPairs(Translation):
    """The sentence pairs with one translation per sentence, chosen by a teacher, so that the
    student learns consistent translations.
    """

    def __init__(self, choices: dict, data: Path, teacher: Transformer):
        super().__init__(choices, data)
        self.pairs = distil(teacher, self.tokenizer, self.split.train)


NOTICE = (
    "The training sentences are from Tatoeba (tatoeba.org), as collected by ManyThings"
    " (manythings.org/anki), CC BY 2.0 FR. Vitrine includes only those used as examples."
)


def pairs_of(held_out: dict[str, list[str]]) -> list[Pair]:
    return [(source, target) for source, targets in held_out.items() for target in targets]


def translated(
    task: Translation, model: Transformer, held_out: dict[str, list[str]]
) -> tuple[list[str], list[bool]]:
    """Greedy translations of `held_out`, and whether each is one of its references."""
    translations = translation.translate(model, task.tokenizer, list(held_out))
    return translations, translation.exact_matches(
        task.tokenizer, translations, list(held_out.values())
    )


def measured(task: Translation, model: Transformer) -> dict:
    """Measures on the held-out sentences, compared with the baselines from the training side."""
    held_out, others = task.split.test, task.split.validation
    pairs, pairs_of_others = pairs_of(held_out), pairs_of(others)
    translations, matches = translated(task, model, held_out)
    _, matches_of_others = translated(task, model, others)
    words = WordTranslations(task.tokenizer, task.split.train)
    references = list(held_out.values())
    one_by_one = [words.translate(sentence) for sentence in held_out]
    hits = translation.exact_matches(task.tokenizer, one_by_one, references)
    return {
        "token_accuracy": {
            "value": translation.token_accuracy(model, task.tokenizer, pairs),
            "bigram": bigram_accuracy(task.tokenizer, task.split.train, pairs),
            "others": translation.token_accuracy(model, task.tokenizer, pairs_of_others),
            "how": (
                "Fraction of target tokens (including </s>) that the model predicts correctly,"
                f" given the correct tokens before them, over {len(pairs):,} held-out sentence"
                " pairs. bigram: predicts the token that most often followed the previous one in"
                f" the training data. others: the same measure on {len(pairs_of_others)} pairs from"
                f" {len(others)} further held-out sentences. The sentences of the first set have"
                f" exactly {REFERENCES} translations each; these may have any number"
            ),
        },
        "exact_match": {
            "value": sum(matches) / len(matches),
            "word_by_word": sum(hits) / len(hits),
            "others": sum(matches_of_others) / len(matches_of_others),
            "how": (
                f"Fraction of {len(held_out):,} held-out English sentences whose greedy"
                f" translation matches one of their {REFERENCES} French reference translations"
                " exactly, ignoring case. word_by_word: each English word is replaced by its most"
                " likely French word according to IBM Model 1, fitted to the training data; unknown"
                f" words are copied. others: the same measure on {len(others)} further held-out"
                " sentences. These may have any number of reference translations"
                f" ({len(pairs_of_others) / len(others):.2f} on average)"
            ),
        },
        "chrf": {
            "value": translation.chrf(translations, references) / 100,
            "word_by_word": translation.chrf(one_by_one, references) / 100,
            "how": (
                f"chrF (sacrebleu’s score divided by 100) of the {len(held_out):,} translations"
                " scored for exact match, each against all its references, in lower case."
                " word_by_word: the chrF of the word-by-word translation"
            ),
        },
        "alignment": alignment(task, model, words, pairs),
    }


def alignment(
    task: Translation, model: Transformer, words_of_training: WordTranslations, pairs: list[Pair]
) -> dict:
    """How often the attention over `pairs` is largest where IBM Model 1 aligns a word."""
    agreement = translation.alignment_agreement(model, task.tokenizer, words_of_training, pairs)
    words, diagonal = agreement.pop("words"), agreement.pop("diagonal")
    best = max(agreement, key=agreement.__getitem__)
    last = " (the last)" if int(best[0]) == task.config.n_decoder_layers - 1 else ""
    return {
        "value": agreement[best],
        "where": "decoder layer "
        + best.replace(".", f"{last}, head ").replace("head mean", "averaged over heads"),
        "diagonal": diagonal,
        "by_head": agreement,
        "how": (
            f"Fraction of {words:,} held-out French words for which"
            f" {'cross-attention' if task.config.cross else 'attention'} is largest on the English"
            " word that IBM Model 1 aligns with the French one. Attention to an English word is"
            " summed over its tokens. The attention used is that of the positions that predict the"
            " French word’s tokens, averaged over them. Only confident alignments count: those that"
            f" have a posterior probability of at least {translation.CONFIDENT} and are not to the"
            " empty word NULL. diagonal: output word j of m attends to source word ⌊jn/m⌋ of n"
            " (counting from 0)"
        ),
    }


def describe(variant: "Variant", task: DistilledPairs, model: Transformer, steps: int) -> Card:
    """The card of a translator, with measures on the held-out sentences."""
    held_out, others = task.split.test, task.split.validation
    quality = measured(task, model)
    if variant.compared_with:
        for name, value in read_card(variant.compared_with)["quality"].items():
            quality[name][variant.compared_with] = value["value"]
    return Card(
        name=variant.name,
        modality="text",
        task="translates English sentences of at most 10 words into French",
        limits={
            "tokens": task.config.max_length,
            "trained_tokens": task.longest,
            "trained_words": MAX_WORDS,
        },
        quality=quality,
        training={
            "batch": BATCH,
            "label_smoothing": SMOOTHING,
            "parts": [
                part(variant.teacher, task.split.train),
                part(variant.recipe, task.pairs),
            ],
            "how": (
                "all pairs first; then of each sentence only the translation that the model"
                " itself found likeliest"
            ),
        },
        split=(
            f"by English sentence, before the encoding was fitted: {len(held_out):,} with"
            f" {REFERENCES} translations each for the figures above, {len(others)} of the others;"
            " the last part of the recipe was chosen among trials by these very figures"
        ),
        data_notice=NOTICE,
        examples=variant.examples,
    )


def part(recipe: Recipe, pairs: list[Pair]) -> dict:
    """The steps of a recipe, the number of its pairs, and the number of passes through them."""
    return {
        "steps": recipe.steps,
        "pairs": len(pairs),
        "passes": round(recipe.steps * BATCH / len(pairs), 1),
    }


@dataclass(frozen=True)
class Variant:
    """One translator: how it differs from the others. `choices` are choices of the configuration,
    `cycles` those of the teacher, and `student_steps` is the number of steps after distillation.
    `compared_with` is the model whose measures are on the card for comparison.
    """

    id: str
    name: str
    choices: dict
    cycles: tuple[Cycle, ...]
    student_steps: int
    examples: list[dict]
    compared_with: str | None = None

    @property
    def teacher(self) -> Recipe:
        return Recipe(
            id=f"{self.id}-teacher", cycles=self.cycles, prepare=partial(Translation, self.choices)
        )

    @property
    def recipe(self) -> Recipe:
        return Recipe(
            id=self.id,
            cycles=(
                Cycle(
                    peak=3e-4, warmup=100, steps=self.student_steps, dropout=Dropout(numbers=0.15)
                ),
            ),
            prepare=partial(DistilledPairs, self.choices),
            describe=partial(describe, self),
            teacher=self.teacher,
            stored=torch.float16,
        )


TWO = {"family": "encoder-decoder", "n_encoder_layers": 3, "n_decoder_layers": 3}
VARIANTS = (
    Variant(
        id="translator",
        name="English to French",
        choices={**TWO, "placement": "post"},
        cycles=(
            Cycle(peak=1.2e-3, warmup=800, steps=14_000, dropout=Dropout(numbers=0.15)),
            Cycle(peak=1.2e-3, warmup=800, steps=14_000, dropout=Dropout(numbers=0.3)),
        ),
        student_steps=2_500,
        examples=EXAMPLES,
    ),
    Variant(
        id="translator-pre",
        name="English to French, Pre-LN",
        choices={**TWO, "placement": "pre"},
        cycles=(Cycle(peak=1.2e-3, warmup=100, steps=14_000, dropout=Dropout(numbers=0.15)),),
        student_steps=2_500,
        examples=PRE_EXAMPLES,
        compared_with="translator",
    ),
    Variant(
        id="prefix-translator",
        name="English to French, as one text",
        choices={"family": "prefix", "n_decoder_layers": 4, "placement": "post"},
        cycles=(Cycle(peak=1.2e-3, warmup=800, steps=7_000, dropout=Dropout(numbers=0.1)),),
        student_steps=1_200,
        examples=AS_ONE,
        compared_with="translator",
    ),
)
RECIPES = tuple(variant.recipe for variant in VARIANTS)
