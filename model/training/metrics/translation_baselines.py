"""Baselines for translators: word-by-word translation, and the piece that most often follows the
previous one. Both are fitted on the training side.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np

from model.inputs.text import TextTokenizer
from model.training.data.sentence_pairs import Pair
from model.training.metrics.ibm_model1 import Model1, WordPair


class Words:
    """Numbers for words, as split by the tokenizer at spaces, punctuation, and elisions; 0 is an
    unknown word.
    """

    def __init__(self, sentences: Iterable[list[str]]):
        counts = Counter(word for sentence in sentences for word in sentence)
        self.number = {word: n for n, word in enumerate(counts, start=1)}

    def __call__(self, sentence: list[str]) -> np.ndarray:
        return np.array([self.number.get(word, 0) for word in sentence], dtype=np.int64)


def words_of(tokenizer: TextTokenizer, text: str) -> list[str]:
    """The words of `text` in the tokenizer's normalized form: lower case, `j' ai froid .`"""
    return tokenizer.decode([token.id for token in tokenizer.encode(text)]).split()


class WordTranslations:
    """IBM Model 1 on the words of `pairs` of texts: the translation of each word."""

    def __init__(self, tokenizer: TextTokenizer, pairs: Iterable[Pair]):
        self.tokenizer = tokenizer
        spelled = [(words_of(tokenizer, a), words_of(tokenizer, b)) for a, b in pairs]
        self.source, self.target = Words(a for a, _ in spelled), Words(b for _, b in spelled)
        self.model = Model1(
            [WordPair(self.source(a), self.target(b)) for a, b in spelled if a and b],
            len(self.target.number) + 1,
        )
        word, likeliest = ["", *self.target.number], self.model.likeliest()
        self.translation = {
            source: word[likeliest[n]] for source, n in self.source.number.items() if n in likeliest
        }

    def posterior(self, source: list[str], target: list[str]) -> np.ndarray:
        """The probability [target, 1 + source] that each target word comes from each source word,
        of which the first is NULL.
        """
        return self.model.posterior(WordPair(self.source(source), self.target(target)))

    def translate(self, sentence: str) -> str:
        """`sentence` with each word replaced, in order, with the target word f with the largest t(f
        | word); unknown words are copied. There are spaces between words: j' ai froid .
        """
        words = words_of(self.tokenizer, sentence)
        return " ".join(self.translation.get(word, word) for word in words)


def bigram_accuracy(tokenizer: TextTokenizer, train: list[Pair], held_out: list[Pair]) -> float:
    """The fraction of target tokens, including </s>, that most often follow the previous token in
    the targets of `train`. After a token that never occurs there, the most frequent token is
    predicted; ties go to the first that occurred.
    """
    followers: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for _, target in train:
        for before, after in bigrams(tokenizer, target):
            followers[before][after] += 1
    likeliest = {before: after.most_common(1)[0][0] for before, after in followers.items()}
    otherwise = sum(followers.values(), Counter()).most_common(1)[0][0]
    right = [
        likeliest.get(before, otherwise) == after
        for _, target in held_out
        for before, after in bigrams(tokenizer, target)
    ]
    return sum(right) / len(right)


def bigrams(tokenizer: TextTokenizer, text: str) -> list[tuple[int, int]]:
    """Each token of `text` and </s>, paired with the one before it, starting with <s>."""
    ids = [token.id for token in tokenizer.encode(text, end=True)]
    return list(zip([tokenizer.frame.start, *ids[:-1]], ids, strict=True))
