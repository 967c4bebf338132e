"""Random English sentences, assembled from short word lists and all different."""

import torch

PROMPTS = ("", "", "yesterday", "maybe", "i think", "tom said")
ANIMALS = ("cat", "dog", "bird", "horse")
THINGS = ("car", "book", "house", "hat", "letter", "chair", "boat", "watch")
PEOPLE = ("i", "you", "he", "she", "we", "they", "tom", "mary")
SUBJECTS = (*PEOPLE, *(f"the {animal}" for animal in ANIMALS))
VERBS = ("saw", "found", "lost", "wanted", "liked", "needed", "left", "took", "had", "bought")
DETERMINERS = ("a", "the", "my", "your", "his", "this")
ADJECTIVES = ("", "", "black", "white", "new", "small", "big", "beautiful")
ENDINGS = ("", "", "here", "again", "last night", "this morning")
PLACES = (PROMPTS, SUBJECTS, VERBS, DETERMINERS, ADJECTIVES, (*ANIMALS, *THINGS), ENDINGS)
"""A sentence has one entry from each list, in this order, and at most ten words."""


def sentences(n: int, draws: torch.Generator) -> list[str]:
    """`n` different sentences, for example: tom said the cat had my hat this morning."""
    found: dict[str, None] = {}
    while len(found) < n:
        chosen = (words[torch.randint(len(words), (), generator=draws)] for words in PLACES)
        found[" ".join(filter(None, chosen)) + "."] = None
    return list(found)
