"""What is so where /journey says it, and its own fields once more."""

import numpy as np

from model.interpretability.token_journey import STEPS
from model.zoo.cards import read_card
from tests.app.questions import DIGITS, INPUT
from tests.app.words.answered import cut, with_fields, with_tensor
from tests.app.words.facts import Facts
from tests.rounding import SHIPPED, SINGLE, is_same

COMPOSED = {f"{step}{part}" for step in STEPS for part in ("", ".description", ".more")}
"""Messages that the page names by its steps."""


def steps(answer) -> dict[str, dict]:
    return {step["name"]: step["numbers"] for step in answer.fields["steps"]}


def shares(answer) -> np.ndarray:
    """The weights of the followed token or patch, in the head that is shown."""
    if "weights" in answer.tensors:
        return cut(answer, "weights")
    name = f"encoder.{steps(answer)['looks']['layer']}.attention.pattern"
    return cut(answer, name)[0, answer.fields["followed"]]


def own_weight(answer) -> float:
    row = shares(answer)
    read = answer.fields["followed"]
    queries = len(cut(answer, "text.ids"))
    return float(row[read + len(row) - queries])


def of_step(name: str, of):
    """What a step of the walk holds, and of another walk nothing that it could break."""
    return lambda answer, _: name not in steps(answer) or of(answer, steps(answer)[name])


def all_scores(answer, found: dict) -> bool:
    """Whether the keys are counted that may be looked at."""
    return found["keys"] == np.isfinite(cut(answer, "scores")).sum()


def is_kept(answer, _) -> bool:
    """Whether the vector that the token had is a summand, and nothing else but what is found."""
    before, added, total, *_ = cut(answer, "add")
    return is_same(before + added, total, SINGLE, n=SHIPPED, scale=1)


def turned(answer, found: dict) -> bool:
    """Whether the cosine is that of the first and the last vector."""
    first, *_, last = cut(answer, "add")
    lengths = np.linalg.norm(first) * np.linalg.norm(last)
    return is_same(first @ last / lengths, found["cosine"], SINGLE, n=SHIPPED, scale=1)


def reads(answer, found: dict, stack: str = "decoder") -> np.ndarray:
    """The weights of the head that is shown."""
    return cut(answer, f"{stack}.{found['layer']}.attention.pattern")[0]


def reads_none_after(answer, found: dict) -> bool:
    return not np.triu(reads(answer, found), 1).any()


def reads_most(answer, found: dict) -> bool:
    row = reads(answer, found)[answer.fields["read_at"]]
    return is_same(row.max(), found["top_weight"], SINGLE, n=SHIPPED, scale=1)


def most_of_cls(answer, found: dict) -> float:
    """By how much [CLS] reads another patch more than the followed one."""
    row = reads(answer, found, "encoder")[0]
    return row.max() - row[answer.fields["followed"]]


def guesses(answer) -> list[str]:
    return [point["guess"] for point in answer.fields["points"]]


def from_guess(answer, _=None) -> int:
    """The step, counted from 1, from which on no guess is another."""
    other = [i for i, guess in enumerate(guesses(answer)) if guess != guesses(answer)[-1]]
    return max(other, default=-1) + 2


def blanks_alike(answer, _) -> bool:
    """Whether all that have the number of the followed token have its vector."""
    ids, vectors = cut(answer, "text.ids"), cut(answer, "text.vectors")
    same = vectors[ids == ids[answer.fields["followed"]]]
    return bool((same == same[0]).all())


def unplaced(answer, _) -> bool:
    """Whether the sum is the vector of the token."""
    rows = cut(answer, "embedding")
    return np.array_equal(rows[0], rows[-1])


def softmax(row: np.ndarray) -> np.ndarray:
    raised = np.exp(row - row.max())
    return raised / raised.sum()


def all_divided(answer, found: dict) -> bool:
    """Whether the probabilities are to each other as the exponentials of the divided logits."""
    sizes, chances = cut(answer, "logits"), cut(answer, "logits.probability")
    return is_same(
        softmax(sizes / found["temperature"]), chances / chances.sum(), SINGLE, n=SHIPPED, scale=1
    )


PRINTED = {"none": "none", "rope": "RoPE"}
ORACLES = {
    "weights_sum": lambda answer, _: round(float(shares(answer).sum()), 5),
    "weights_top_weight": lambda answer, _: float(shares(answer).max()),
    "weights_own_weight": lambda answer, _: own_weight(answer),
    "weights_top": lambda answer, _: keys(answer)[int(shares(answer).argmax())],
    "patch_count": lambda answer, _: len(answer.fields["candidates"]),
    "embedding_relative": lambda answer, _: PRINTED[read_card(answer.model)["config"]["relative"]],
    "stream_from": from_guess,
}


def keys(answer) -> list[str]:
    """What the followed token can look at."""
    name = "weights" if "weights" in answer.tensors else "scores"
    return answer.axes[answer.tensors[name].axes[0]].labels


NOTHING = dict.fromkeys(INPUT)
QUESTIONS = (
    NOTHING | {"model": "shakespeare", "text": "to be", "token": 0, "temperature": 0.5},
    NOTHING | {"model": "fill-in", "text": "i ___ cold"},
    NOTHING | DIGITS | {"image": "three"},
    NOTHING | DIGITS | {"image": "two"},
    {"target": "nous"},
    {},
)
OTHER = {
    "embedding": {"position": 0.0},
    "add": {"heads": 1, "edited": 4.32},
    "stream": {"leads_from": 0},
}


def of_one_head(answer) -> object:
    """The answer of a model with one head that knows no positions, in which an edit changes what
    attention leaves, and the word leads from the first step on.
    """
    changed = [
        step | {"numbers": step["numbers"] | OTHER.get(step["name"], {})}
        for step in answer.fields["steps"]
    ]
    for step in changed:
        step["numbers"].pop("normed", None)
    points = [point | {"guess": guesses(answer)[-1]} for point in answer.fields["points"]]
    rows = answer.tensors["embedding"].data
    unplaced = with_tensor(answer, "embedding", rows[:1].expand(rows.shape))
    return with_fields(unplaced, steps=changed, points=points)


MADE_UP = (of_one_head,)
SCORES, UNREAD, FIRST, NOT_FIRST = (
    of_step("scores", all_scores),
    of_step("masked", reads_none_after),
    of_step("cls", lambda answer, found: most_of_cls(answer, found) == 0),
    of_step("cls", lambda answer, found: most_of_cls(answer, found) > 0),
)
FACTS: Facts = {
    "scores.description": {"": {"all": SCORES}},
    "weights.description": {
        "": dict.fromkeys(
            ("more", "less"),
            lambda answer, _: is_same(shares(answer).sum(), 1, SINGLE, n=SHIPPED, scale=1),
        )
    },
    "itself": {"yes": {"most": lambda answer, _: own_weight(answer) == shares(answer).max()}},
    "blank": {"yes": dict.fromkeys(("same", "all"), blanks_alike)},
    "placed": {"no": dict.fromkeys(("none", "only"), unplaced)},
    "add": {"": {"none": of_step("add", is_kept)}},
    "add.more": {"": {"same": of_step("add", turned)}},
    "output.description": {
        "": {"only": of_step("output", lambda answer, n: len(cut(answer, "output")) == n["tokens"])}
    },
    "masked.description": {"": {"none": UNREAD}},
    "masked.more": {"": {"most": of_step("masked", reads_most)}},
    "most_read": {"yes": {"more": FIRST}, "no": {"most": NOT_FIRST}},
    "stream.description": {
        "": {"all": of_step("stream", lambda answer, n: len(guesses(answer)) == n["points"])}
    },
    "leads": {"yes": {"all": lambda answer, _: len({*guesses(answer)}) == 1}},
    "logits.description": {"": {"all": of_step("logits", all_divided)}},
}
