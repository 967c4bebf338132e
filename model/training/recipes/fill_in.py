"""`fill-in`: a word left out of an English sentence, predicted from both sides by an encoder
trained like BERT (Devlin et al. 2019).
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from model.config import Config, PositionChoices
from model.inputs.masked_text import MaskedTextTokenizer, fit
from model.inputs.text import Token, pad_ids
from model.layers import masks
from model.trace import Trace
from model.training.data.sentence_pairs import read_pairs
from model.training.loop import Recipe
from model.training.metrics import kneser_ney
from model.training.metrics.translation_baselines import words_of
from model.training.model_card import Card
from model.training.recipes.translator import DATA, MAX_WORDS, NO_FULL_STOP, NOTICE
from model.training.schedule import Cycle, Dropout
from model.transformer import Transformer

VOCABULARY = 5000
HELD_OUT = 2000
BATCH = 256
CHOSEN = 0.15  # fraction of all tokens
MASKED, RANDOM = 0.8, 0.1  # fractions of the chosen tokens; the rest are unchanged
TOP = 5
MASS = 10.0  # of the bigram baseline: the best of 1, 5, and 10 on 600 held-out sentences

FRAME = MaskedTextTokenizer.frame
Ids = Int[Tensor, "sentence position"]


@dataclass(frozen=True)
class Batch:
    """A batch of masked sentences. `read` is the model's input, `chosen` marks the tokens to
    predict, and `expected` are the original tokens there, in reading order.
    """

    read: Ids
    chosen: Bool[Tensor, "sentence position"]
    expected: Int[Tensor, " chosen"]


class FillIn:
    """English sentences. The tokenizer is fitted only on the training side of the split."""

    def __init__(self, data: Path):
        self.path = data / DATA
        self.train, self.test = split(english for english, _ in read_pairs(self.path, MAX_WORDS))
        self.tokenizer: MaskedTextTokenizer = fit(self.train, VOCABULARY)
        self.ids = [encoding.ids for encoding in self.tokenizer.backend.encode_batch(self.train)]
        self.digest = hashlib.sha256(self.path.read_bytes()).hexdigest()

    @cached_property
    def longest(self) -> int:
        """The largest number of tokens in a training sentence, including <s> and </s>."""
        return 2 + max(map(len, self.ids))

    @cached_property
    def config(self) -> Config:
        """The configuration. Positions are learned, up to the longest training sentence."""
        return Config(
            family="encoder-only",
            vocabulary_size=self.tokenizer.size,
            d_model=128,
            n_heads=4,
            d_ff=512,
            n_encoder_layers=3,
            max_length=self.longest,
            placement="post",
            positions=PositionChoices(absolute="learned"),
            activation="gelu",
        )

    def epoch(self, generator: torch.Generator) -> Iterator[Batch]:
        """Every sentence once, in batches of similar length. A fraction `NO_FULL_STOP` of the
        sentences loses its full stop, because people often omit it.
        """
        (stop,) = self.tokenizer.encode(".")
        no_full_stop = torch.rand(len(self.ids), generator=generator) < NO_FULL_STOP
        shuffled = torch.randperm(len(self.ids), generator=generator).tolist()
        sentences = [
            self.ids[i][:-1] if no_full_stop[i] and self.ids[i][-1] == stop.id else self.ids[i]
            for i in shuffled
        ]
        sentences.sort(key=len)
        batches = [sentences[i : i + BATCH] for i in range(0, len(sentences), BATCH)]
        for i in torch.randperm(len(batches), generator=generator).tolist():
            batch = disguised(
                pad_ids(map(FRAME.around, batches[i]), FRAME.pad),
                self.tokenizer.mask,
                generator,
            )
            if len(batch.read):
                yield batch

    def loss(self, model: Transformer, batch: Batch, trace: Trace) -> Float[Tensor, ""]:
        """The mean of -ln p over the chosen tokens; the other tokens are not predicted."""
        x = model.encode(batch.read, (batch.read != FRAME.pad)[:, None, :], trace)
        return cross_entropy(model.unembed(x[batch.chosen]), batch.expected)


def split(sentences: Iterable[str]) -> tuple[list[str], list[str]]:
    """The training sentences and the `HELD_OUT` test sentences, each once. Sentences that differ
    only in capitals or punctuation count as one.
    """
    spelling: dict[str, str] = {}
    for sentence in sentences:
        spelling.setdefault(" ".join(re.findall(r"\w+", sentence.lower())), sentence)
    shuffled = sorted(spelling, key=lambda key: hashlib.sha256(key.encode()).digest())
    return [spelling[key] for key in shuffled[HELD_OUT:]], [
        spelling[key] for key in shuffled[:HELD_OUT]
    ]


def disguised(ids: Ids, mask: int, draws: torch.Generator) -> Batch:
    """15% of the tokens are chosen: 80% of these become <mask>, 10% a random token, and 10% are
    unchanged (Devlin et al. 2019, 3.1).

    <mask> is the last token of the vocabulary. Sentences without a chosen token are omitted.
    """
    chosen = (torch.rand(ids.shape, generator=draws) < CHOSEN) & FRAME.is_text(ids)
    fate = torch.rand(ids.shape, generator=draws)
    anything = torch.randint(len(FRAME.special), mask, ids.shape, generator=draws)
    read = ids.masked_fill(chosen & (fate < MASKED), mask)
    read = torch.where(chosen & (fate >= 1 - RANDOM), anything, read)
    learned_from = chosen.any(dim=1)
    return Batch(read[learned_from], chosen[learned_from], ids[chosen])


def whole_words(text: str, tokens: list[Token]) -> tuple[list[int], int]:
    """The positions of the words that are single tokens of letters, and the number of all words of
    letters.
    """
    words = [
        list(pieces)
        for word, pieces in groupby(enumerate(tokens), key=lambda place: place[1].word)
        if word is not None
    ]
    letters = [pieces for pieces in words if text[pieces[0][1].start : pieces[-1][1].end].isalpha()]
    return [pieces[0][0] for pieces in letters if len(pieces) == 1], len(letters)


@torch.inference_mode()
def ranks(
    model: Transformer, tokenizer: MaskedTextTokenizer, tokens: list[Token], places: list[int]
) -> Int[Tensor, " place"]:
    """The rank of the original token at each position, 1 for the most probable. Each position is
    masked in its own copy of the sentence.
    """
    ids = torch.tensor([token.id for token in tokens])
    copies, rows = ids.repeat(len(places), 1), torch.arange(len(places))
    copies[rows, places] = tokenizer.mask
    logits = model.unembed(model.encode(copies, masks.full(len(ids))[None])[rows, places])
    return 1 + (logits > logits[rows, ids[places], None]).sum(dim=-1)


def measured(task: FillIn, model: Transformer) -> dict[str, int | float]:
    """Measures on the test sentences: how often the correct word is ranked first and among the
    first `TOP`, by the model and by bigrams.

    A sentence longer than every training sentence has no positions and is omitted.
    """
    bigrams = kneser_ney.Bigrams(
        (words_of(task.tokenizer, sentence) for sentence in task.train), MASS
    )
    found, guessed, total = [], [], 0
    read = {
        sentence: task.tokenizer.encode(sentence, start=True, end=True) for sentence in task.test
    }
    short = {sentence: tokens for sentence, tokens in read.items() if len(tokens) <= task.longest}
    for sentence, tokens in short.items():
        places, words = whole_words(sentence, tokens)
        total += words
        if not places:
            continue
        found += ranks(model, task.tokenizer, tokens, places).tolist()
        spelled = [kneser_ney.START, *words_of(task.tokenizer, sentence), kneser_ney.END]
        for place in places:
            word = tokens[place].word
            assert word is not None, "only <s> and </s> belong to no word, and nobody asks for them"
            at = 1 + word
            guesses = bigrams.best(spelled[at - 1], spelled[at + 1], TOP)
            guessed.append(1 + guesses.index(spelled[at]) if spelled[at] in guesses else TOP + 1)
    return {
        "sentences": len(short),
        "words": len(found),
        "whole": len(found) / total,
        "first": fraction_within(found, 1),
        "top": fraction_within(found, TOP),
        "bigram_first": fraction_within(guessed, 1),
        "bigram_top": fraction_within(guessed, TOP),
    }


def fraction_within(ranks: list[int], most: int) -> float:
    return sum(rank <= most for rank in ranks) / len(ranks)


EXAMPLES = [
    {
        "id": "drink",
        "input": {"text": "I drink a cup of ___ every morning."},
        "look_for": (
            "At the blank, the model expects “tea”, then “coffee”. From the blank, heads 0 and 2"
            " of layer 0 attend to “cup”."
        ),
    },
    {
        "id": "school",
        "input": {"text": "She ___ to school by bus."},
        "look_for": (
            "At the blank, the model expects “went”, then “goes”. From the blank, head 1 of layer"
            " 0 attends to “school”, and head 3 of layer 2 to “she”."
        ),
    },
    {
        "id": "keys",
        "input": {"text": "I lost ___ keys."},
        "look_for": (
            "At the blank, the model expects “my”: from the blank, head 1 of layer 1 attends to"
            " “I”."
        ),
    },
    {
        "id": "two",
        "input": {"text": "___ you ___ French?"},
        "look_for": (
            "The model expects “do” and “speak”. It fills each blank without knowing what it"
            " predicts at the other, although head 0 of layer 2 attends from one blank to the"
            " other."
        ),
    },
]


def describe(task: FillIn, model: Transformer, steps: int) -> Card:
    """The card of the model, with measures on the held-out sentences."""
    found = measured(task, model)
    how = (
        f"Fraction of {found['words']:,} words in {found['sentences']:,} held-out sentences that"
        f" are {{}} of {task.tokenizer.size:,} when this word alone is replaced by <mask>. A word"
        " is letters between spaces, punctuation and elisions (in don 't, don is a word and 't is"
        f" none); only words that are a single token are tested, {found['whole']:.1%} of them."
        " bigram: ranks words by P(word | left neighbor) P(right neighbor | word), estimated on the"
        f" training data with {MASS:g} pseudo-counts distributed like the overall word frequencies"
    )
    top_5 = how.format(f"among the {TOP} most probable tokens")
    top_1 = how.format("the most probable token")
    quality = {
        "top_5": {"value": found["top"], "bigram": found["bigram_top"], "how": top_5},
        "top_1": {"value": found["first"], "bigram": found["bigram_first"], "how": top_1},
    }
    return Card(
        name="Fill in the blank",
        modality="text",
        task="fills a blank, ___ or [MASK], in an English sentence of at most 10 words",
        limits={
            "tokens": task.config.max_length,
            "trained_tokens": task.longest,
            "trained_words": MAX_WORDS,
        },
        quality=quality,
        training={
            "sentences": len(task.train),
            "passes": round(steps * BATCH / len(task.train), 1),
            "batch": BATCH,
            "chosen": CHOSEN,
            "masked": MASKED,
            "random": RANDOM,
        },
        split=(
            "by English sentence, capitals and marks aside, before the encoding was fitted:"
            f" {len(task.test):,} for the figures above"
        ),
        data_notice=NOTICE,
        examples=EXAMPLES,
    )


RECIPE = Recipe(
    id="fill-in",
    cycles=(Cycle(peak=1.5e-3, warmup=800, steps=12_000, dropout=Dropout(numbers=0.1)),),
    prepare=FillIn,
    describe=describe,
    stored=torch.float16,
)
