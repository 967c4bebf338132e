"""Edit distance: the fewest letters to insert, drop or replace on the way from one word to another
(Levenshtein 1966).
"""

from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

import numpy as np
from jaxtyping import Int

Word = TypeVar("Word", bound=Sequence[Hashable])


class EditDistance(Generic[Word]):
    """From any word to each of `words` at once. With `swaps`, two neighbours that change places are
    one edit (Damerau 1964), if nothing else is done to them (optimal string alignment).
    """

    def __init__(self, words: Sequence[Word], swaps: bool = False):
        self.words, self.swaps = words, swaps
        self.number = {
            letter: n
            for n, letter in enumerate(dict.fromkeys(letter for word in words for letter in word))
        }
        self.lengths = np.array([len(word) for word in words])
        self.letters = np.full((self.lengths.max(initial=0), len(words)), -1, dtype=np.int16)
        for n, word in enumerate(words):
            self.letters[: len(word), n] = [self.number[letter] for letter in word]

    def __call__(self, word: Sequence[Hashable]) -> Int[np.ndarray, " word"]:
        """`edits[i, j]` are those from the first i letters of `word` to the first j of each of the
        words.
        """
        read = [self.number.get(letter, -2) for letter in word]
        edits = np.zeros((len(read) + 1, len(self.letters) + 1, len(self.lengths)), dtype=np.int16)
        edits[:, 0] = np.arange(len(read) + 1)[:, None]
        edits[0] = np.arange(len(self.letters) + 1)[:, None]
        for i in range(1, len(read) + 1):
            differs = self.letters != read[i - 1]
            for j in range(1, len(self.letters) + 1):
                edits[i, j] = np.minimum(
                    np.minimum(edits[i - 1, j], edits[i, j - 1]) + 1,
                    edits[i - 1, j - 1] + differs[j - 1],
                )
                if self.swaps and i > 1 and j > 1:
                    swapped = (self.letters[j - 1] == read[i - 2]) & (
                        self.letters[j - 2] == read[i - 1]
                    )
                    edits[i, j] = np.where(
                        swapped, np.minimum(edits[i, j], edits[i - 2, j - 2] + 1), edits[i, j]
                    )
        return edits[-1, self.lengths, np.arange(len(self.lengths))].astype(int)

    def nearest(self, word: Word) -> Word:
        """The word at the smallest distance, the first of several."""
        return self.words[int(self(word).argmin())]
