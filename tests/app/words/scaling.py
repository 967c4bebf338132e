"""What is so where /scaling says it: by condition, variant, and sense with its subject."""

from tests.app.words.answered import cut, measured
from tests.app.words.facts import Facts, of_question


def evens_out(answer, _) -> bool:
    """The unscaled weights are the less even the wider a head is, up to nearly all on one key."""
    line = cut(answer, "entropy", score="unscaled")
    return bool((line[1:] < line[:-1]).all() and line[-1] < 0.1)


def stays(answer, _) -> bool:
    line = cut(answer, "entropy", score="scaled")
    return bool(line.max() - line.min() < 0.15)


def changes_little(answer, _) -> bool:
    return measured(answer, "entropy.scaled") - measured(answer, "entropy.unscaled") < 0.1


related = of_question(lambda question: question["correlation"] > 0)
alike = of_question(lambda question: question["correlation"] == 0)
QUESTIONS = ({"d_head": 1}, {"d_head": 16, "keys": 3}, {"correlation": 0.5})
FACTS: Facts = {
    "weights": {
        "wide": {"none keys": alike},
        "narrow": {"little root": changes_little, "all upper": evens_out, "same lower": stays},
        "correlated": {"more score": related, "only root": related, "all key": related},
    }
}


def shared(plain: float, divided: float) -> int | None:
    """Whether the weight is shared both times, only after the division, or neither time."""
    if divided >= 0.5:
        return 0 if plain >= 0.5 else 1
    return None if plain >= 0.5 else 2


RIGHT = ("entropy.unscaled", "entropy.scaled"), shared
