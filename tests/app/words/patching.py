"""What is so where /patching says it, and its own fields once more."""

from collections import Counter

import numpy as np

from tests.app.words.answered import cut, with_fields
from tests.app.words.facts import Facts

RUNS = ("corrupted", "patched", "clean")


def token(answer, at: int) -> str:
    return answer.axes["position"].labels[at]


def best(answer) -> tuple[int, ...]:
    """Where the output of a head restores most: its kind, head, layer and position."""
    restored = cut(answer, "restored_by_head")
    return tuple(map(int, np.unravel_index(restored.argmax(), restored.shape)))


def kind(answer, _) -> str:
    names = {
        "attention.z": "output of a head",
        "cross_attention.z": "output of a cross-attention head",
        "row_attention.z": "output of a head between rows",
    }
    return names[answer.axes["head_site"].labels[best(answer)[0]]]


def otherwise(answer) -> dict[tuple[int, int], str]:
    """The answers of two positions that are not the corrupted run's."""
    answers = np.array(answer.fields["pair_answers"])
    every = zip(*np.triu_indices(len(answers), 1), strict=True)
    corrupted = answer.fields["answer_corrupted"]
    return {(int(i), int(j)): answers[i, j] for i, j in every if answers[i, j] != corrupted}


def rarest(answer) -> list[tuple[int, int]]:
    """The pairs with the rarest answer that is new with two positions."""
    singles = {row[i] for i, row in enumerate(answer.fields["pair_answers"])}
    new = {pair: text for pair, text in otherwise(answer).items() if text not in singles}
    counts = Counter(new.values())
    rare = min(counts, key=lambda text: (counts[text], text != "8"), default=None)
    return sorted((pair for pair, text in new.items() if text == rare), key=lambda pair: pair[::-1])


def first(answer) -> tuple[int, int]:
    return next(iter(rarest(answer)))


def word(run: str):
    """What a run is said to write, or to answer."""
    return lambda a, _: a.fields[run]["writes"] or a.fields[run]["answers"][0]["text"]


def answers_alike(answer, question) -> bool:
    return word("corrupted")(answer, question) == word("patched")(answer, question)


def ranked(answer, _) -> bool:
    every = [[entry["probability"] for entry in answer.fields[run]["answers"]] for run in RUNS]
    return all(row[0] == max(row) for row in every)


def too_little(answer, _) -> bool:
    values = [answer.fields[run]["value"] for run in ("clean", "corrupted")]
    return abs(values[0] - values[1]) < 1e-3


def along_a_path(_, question) -> bool:
    return question["receiver"] is not None


ORACLES = {
    "token": lambda a, _: token(a, a.fields["position"]),
    "before": word("corrupted"),
    "after": word("patched"),
    "moved": lambda a, _: -a.fields["corrupted"]["value"] + a.fields["patched"]["value"],
    "difference": lambda a, _: max(a.fields["difference"], -a.fields["difference"]),
    "best_share": lambda a, _: cut(a, "restored_by_head").max().item(),
    "best_site": kind,
    "best_head": lambda a, _: str(best(a)[1]),
    "best_layer": lambda a, _: str(best(a)[2]),
    "best_token": lambda a, _: token(a, best(a)[3]),
    "turned": lambda a, _: len(otherwise(a)),
    "pairs": lambda a, _: len(a.fields["pair_answers"]) * (len(a.fields["pair_answers"]) - 1) // 2,
    "new": lambda a, _: len(rarest(a)),
    "first": lambda a, _: first(a)[0],
    "second": lambda a, _: first(a)[1],
    "first_token": lambda a, _: token(a, first(a)[0]),
    "second_token": lambda a, _: token(a, first(a)[1]),
    "new_answer": lambda a, _: otherwise(a)[first(a)],
}
RECEIVER = {"receiver": "decoder.2.cross_attention.v"}
OTHERS = {"clean": None, "corrupted": None}
QUESTIONS = (
    {"stack": "decoder", "heads": True, "position": 1},
    RECEIVER | {"metric": "log_probability", "site": "attention.out", "layer": 1},
    RECEIVER | {"metric": "kl", "heads": True, "receiver_head": 1},
    {"corrupted": "cold", "heads": True},
    OTHERS | {"model": "induction-2", "text": "abab", "clean": "cbcb", "heads": True},
    OTHERS | {"model": "penguins-saint", "row": "adelie"},
    OTHERS | {"model": "digits", "image": "three", "clean": "0" * 64, "pairs": True},
)


def with_pairs(answer, *pairs: tuple[int, int]):
    """The answer in which these pairs alone have another answer than the corrupted run."""
    n, corrupted = len(answer.fields["pair_answers"]), answer.fields["answer_corrupted"]
    answers = [[corrupted] * n for _ in range(n)]
    for i, j in pairs:
        answers[i][j] = answers[j][i] = "8"
    return with_fields(answer, pair_answers=answers)


MADE_UP = (
    lambda answer: with_fields(answer, everything=0.83),
    with_pairs,
    lambda answer: with_pairs(answer, (5, 2), (7, 1), (9, 3)),
)
FACTS: Facts = {
    "divided": {
        "yes": {
            "most": lambda a, _: (
                "restored_by_head" not in a.tensors
                or cut(a, "restored_by_head").max() == cut(a, "restored_by_head")[best(a)]
            )
        },
        "no": {"little": too_little},
    },
    "stays": {"no": {"none": lambda *both: not answers_alike(*both)}},
    "bypassed": {"yes": {"all": lambda a, _: abs(a.fields["everything"] - 1) > 0.01}},
    "frozen": {"yes": dict.fromkeys(("only", "all", "same"), along_a_path)},
    "newly": {"only": {"only": lambda a, _: len(rarest(a)) == 1}},
    "answers.description": {"": {"most": ranked}},
}
