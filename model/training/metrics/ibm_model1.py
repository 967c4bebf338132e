"""IBM Model 1 (Brown et al. 1993): which source word each target word translates. It is the
baseline for cross-attention, and, word by word, for translation.
"""

from dataclasses import dataclass

import numpy as np

NULL = 0  # the empty source word, which any target word may come from


@dataclass(frozen=True)
class WordPair:
    """A sentence pair as word numbers. Source words count from 1; 0 is NULL."""

    source: np.ndarray
    target: np.ndarray


class Model1:
    """The probabilities t(target word | source word), estimated by expectation maximization from a
    uniform start.
    """

    def __init__(self, pairs: list[WordPair], n_target_words: int, iterations: int = 10):
        self.n_target_words = n_target_words
        blocks = [self.cells(pair) for pair in pairs]
        self.keys, cell = np.unique(
            np.concatenate([block.ravel() for block in blocks]), return_inverse=True
        )
        sizes = np.array([block.shape[0] for block in blocks])
        widths = np.array([block.shape[1] for block in blocks])
        row = np.repeat(
            np.arange(sizes.sum()), np.repeat(widths, sizes)
        )  # the target occurrence that a cell belongs to
        self.probability = np.ones(len(self.keys))
        source_of_key = self.keys // n_target_words
        for _ in range(iterations):
            weight = self.probability[cell]
            posterior = weight / np.bincount(row, weight)[row]
            count = np.bincount(cell, posterior, minlength=len(self.keys))
            self.probability = count / np.bincount(source_of_key, count)[source_of_key]

    def cells(self, pair: WordPair) -> np.ndarray:
        """[target, 1 + source]: one number for each pair of words that could be aligned."""
        source = np.concatenate([[NULL], pair.source])
        return source[None, :] * self.n_target_words + pair.target[:, None]

    def posterior(self, pair: WordPair) -> np.ndarray:
        """The probability [target, 1 + source] that each target word comes from each source word; 0
        for words that never occur in the same training pair.
        """
        cells = self.cells(pair)
        found = np.searchsorted(self.keys, cells).clip(max=len(self.keys) - 1)
        weight = np.where(self.keys[found] == cells, self.probability[found], 0.0)
        total = weight.sum(axis=1, keepdims=True)
        return np.divide(weight, total, out=np.zeros_like(weight), where=total > 0)

    def likeliest(self) -> dict[int, int]:
        """For every source word e of the training pairs, including NULL, the target word f with the
        largest t(f | e), or the smallest number if tied.
        """
        source, target = np.divmod(self.keys, self.n_target_words)
        order = np.lexsort((target, -self.probability, source))
        words, first = np.unique(source[order], return_index=True)
        return dict(zip(words.tolist(), target[order][first].tolist(), strict=True))


def confident(posterior: np.ndarray, threshold: float) -> list[tuple[int, int]]:
    """Pairs (target word, source word), counted from 0, whose source word is the most probable one,
    is not NULL, and has at least the probability `threshold`.
    """
    best = posterior.argmax(axis=1)
    return [
        (j, int(i) - 1) for j, i in enumerate(best) if i != NULL and posterior[j, i] >= threshold
    ]
