"""Count-based baselines: an interpolated Kneser-Ney n-gram model and a word bigram model."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Float

START, END = "<s>", "</s>"


class KneserNey:
    """The probability of a character after the `order` - 1 characters before it, by interpolated
    Kneser-Ney (Chen and Goodman 1999, section 2.7).

    P_n(c | h) = (max(N(h c) - D, 0) + D kinds(h) P_{n-1}(c | h without its first)) / N(h), where
    kinds(h) is the number of different characters that follow h. N is the number of occurrences of
    a gram of full length; for a shorter gram, it is the number of different characters before it.
    Below the shortest gram, the probability is 1 / (alphabet + 1), because all characters that are
    not in the text count as one more.
    """

    def __init__(self, text: str, order: int):
        self.alphabet = sorted(set(text))
        counts = Counter(text[i : i + order] for i in range(len(text) - order + 1))
        self.levels: list[Level] = []
        for _ in range(order):
            self.levels.insert(0, Level(counts))
            counts = Counter(gram[1:] for gram in counts)

    def probability(self, history: str, character: str) -> float:
        """The probability of `character` after `history`, of which only the last `order` - 1
        characters count; a shorter history uses shorter grams.
        """
        p = 1 / (len(self.alphabet) + 1)
        for length, level in enumerate(self.levels[: len(history) + 1]):
            p = level.interpolated(history[len(history) - length :], character, p)
        return p

    def bits(self, text: str) -> float:
        """-log2 P(text), summed over its characters; the first ones have a shorter history."""
        order = len(self.levels)
        return math.fsum(
            -math.log2(self.probability(text[max(0, i + 1 - order) : i], text[i]))
            for i in range(len(text))
        )


class Level:
    """The grams of one length. The discount is D = n1 / (n1 + 2 n2), where n1 and n2 are the
    numbers of grams that occur once and twice (Ney et al. 1994), or 1/2 if no gram occurs once.
    """

    def __init__(self, counts: Counter[str]):
        self.counts, self.totals, self.kinds = counts, Counter(), Counter()
        for gram, n in counts.items():
            self.totals[gram[:-1]] += n
            self.kinds[gram[:-1]] += 1
        often = Counter(counts.values())
        self.discount = often[1] / (often[1] + 2 * often[2]) if often[1] else 0.5

    def interpolated(self, history: str, character: str, shorter: float) -> float:
        if history not in self.totals:
            return shorter
        found = max(self.counts[history + character] - self.discount, 0)
        return (found + self.discount * self.kinds[history] * shorter) / self.totals[history]


class Bigrams:
    """P(word | left) P(right | word) for a word between two others, from bigram counts.

    Each count is smoothed with `mass` words, distributed as in the whole text: P(b | a) = (N(a b) +
    mass P(b)) / (N(a) + mass).
    """

    def __init__(self, sentences: Iterable[Sequence[str]], mass: float):
        self.mass, self.after, self.before = mass, {}, {}
        once: Counter[str] = Counter()
        pairs: Counter[tuple[str, str]] = Counter()
        for sentence in sentences:
            once.update(sentence)
            pairs.update(zip([START, *sentence], [*sentence, END], strict=True))
        self.words = list(once)
        self.number = {word: i for i, word in enumerate(self.words)}
        self.count = np.array([once[word] for word in self.words], dtype=np.float64)
        self.ends = sum(n for (_, right), n in pairs.items() if right == END)
        for (left, right), n in pairs.items():
            self.after.setdefault(left, {})[right] = n
            self.before.setdefault(right, {})[left] = n

    def probability(self, right: str) -> float:
        """P(right), the fraction of `right` among all words and ends that follow a word or a
        start.
        """
        n = (
            self.ends
            if right == END
            else self.count[self.number[right]]
            if right in self.number
            else 0
        )
        return n / (self.count.sum() + self.ends)

    def between(self, left: str, right: str) -> Float[np.ndarray, " word"]:
        """P(word | left) P(right | word) for each of `words`."""
        following = self.after.get(left, {})
        first = self.row(following) + self.mass * self.count / (self.count.sum() + self.ends)
        second = self.row(self.before.get(right, {})) + self.mass * self.probability(right)
        return first / (sum(following.values()) + self.mass) * second / (self.count + self.mass)

    def row(self, counts: dict[str, int]) -> Float[np.ndarray, " word"]:
        """`counts` as an array over `words`, without the ends of sentences."""
        row = np.zeros(len(self.words))
        for word, n in counts.items():
            if word in self.number:
                row[self.number[word]] = n
        return row

    def best(self, left: str, right: str, k: int) -> list[str]:
        """The `k` best words, in order."""
        return [self.words[i] for i in np.argsort(-self.between(left, right), kind="stable")[:k]]
