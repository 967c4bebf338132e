"""Edit distance: the minimum number of letters to insert, delete, or replace to turn one word into
another (Levenshtein 1966), computed by the rapidfuzz library.
"""

from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

import numpy as np
from jaxtyping import Int
from rapidfuzz.distance import OSA, Levenshtein
from rapidfuzz.process import cdist

Word = TypeVar("Word", bound=Sequence[Hashable])


class EditDistance(Generic[Word]):
    """The distances from any word to each of `words`. With `swaps`, swapping two adjacent letters
    counts as one edit (Damerau 1964), if they are not edited further (optimal string alignment).
    """

    def __init__(self, words: Sequence[Word], swaps: bool = False):
        self.words, self.scorer = words, OSA.distance if swaps else Levenshtein.distance

    def __call__(self, word: Sequence[Hashable]) -> Int[np.ndarray, " word"]:
        """The distance from `word` to each of the words, in order."""
        return cdist([word], self.words, scorer=self.scorer)[0].astype(int)

    def nearest(self, word: Word) -> Word:
        """The word at the smallest distance, the first if tied."""
        return self.words[int(self(word).argmin())]
