"""What is so where /attribution says it, and its own fields once more."""

import numpy as np

from tests.app.questions import DIGITS, INDUCTION, INPUT
from tests.app.words.answered import cut, with_fields, with_tensor
from tests.app.words.facts import Facts
from tests.rounding import SHIPPED, SINGLE, is_same

CALLED = {
    "removal": "removal",
    "hiding": "hiding",
    "integrated": "integrated gradients",
    "gradient": "gradient × input",
    "logit": "direct logit",
    "attention": "mean attention",
    "rollout": "rollout",
    "flow": "flow",
    "uniform": "uniform rollout",
}
SUMS = ({"complete": False, "error": 1.43}, {"complete": True, "error": 0.00437})
VERDICTS = ("better than chance", "no better than chance", "worse than chance", "not defined")


def strongest(answer, method: str) -> int:
    return int(np.abs(cut(answer, "score", method=method)).argmax())


def token(answer, at: int) -> str:
    """A token as it is called: with its place where another has the same text."""
    tokens, axis = answer.fields["tokens"], answer.axes["token"]
    name = f"“{tokens[at]}”"
    if axis.kind == "patch" and "CLS" not in name:
        return f"patch {name}"
    if tokens.count(tokens[at]) == 1:
        return name
    for part, size in (axis.parts or {"position": axis.size}).items():
        if at < size:
            return f"{name} ({part} {at})"
        at -= size
    raise AssertionError


def titles(methods: list[str]) -> list[str]:
    return [CALLED[method] for method in methods]


def joined(methods: list[str]) -> str:
    """A, b and c."""
    *names, last = titles(methods)
    text = " and ".join(filter(None, [", ".join(names), last]))
    return text[0].upper() + text[1:]


def first_by(answer) -> dict[int, list[str]]:
    """The other methods by the token that they rank first."""
    found: dict[int, list[str]] = {}
    for method in answer.axes["method"].labels[1:]:
        found.setdefault(strongest(answer, method), []).append(method)
    return found


def found(answer, _=None) -> list[str]:
    return first_by(answer).get(strongest(answer, "removal"), [])


def others(answer) -> list[tuple[int, list[str]]]:
    most = strongest(answer, "removal")
    return [row for row in first_by(answer).items() if row[0] != most]


def elsewhere(answer, _) -> str:
    return "".join(
        f" {joined(methods)} rank{'' if len(methods) > 1 or 'integrated' in methods else 's'}"
        f" {token(answer, at)} first."
        for at, methods in others(answer)
    )


def held_out(answer) -> list[dict]:
    return (answer.fields["held_out"] or {"agreement": []})["agreement"]


def judged(verdict: str, average: bool = False):
    """The methods of a verdict, in a row."""

    def of(answer, _) -> list[str]:
        rows = held_out(answer) if average else answer.fields["agreement"]
        names = [row["method"] for row in rows if row["verdict"] == verdict]
        return titles([name for name in names if name != "uniform" or not average])

    return of


def ranked(answer) -> list[dict]:
    methods = [row for row in held_out(answer) if row["method"] != "uniform"]
    return sorted(methods, key=lambda row: row["mean"])


def score(method: str, tensor: str = "score"):
    def of(answer, _) -> float:
        places = {"method": method} if tensor == "score" else {}
        return float(cut(answer, tensor, **places)[strongest(answer, method)])

    return of


ORACLES = {
    "found_methods": lambda answer, _: titles(found(answer)),
    **{
        f"{name}_methods": judged(verdict)
        for name, verdict in zip(
            ("better", "no_better", "worse", "undefined"), VERDICTS, strict=True
        )
    },
    "mean_no_better_methods": judged(VERDICTS[1], average=True),
    "mean_worse_methods": judged(VERDICTS[2], average=True),
    **{
        f"{name}_{part}": lambda answer, _, at=at, part=part: ranked(answer)[at][part]
        for name, at in (("best", -1), ("worst", 0))
        for part in ("mean", "low", "high")
    },
    "best_name": lambda answer, _: CALLED[ranked(answer)[-1]["method"]],
    "worst_name": lambda answer, _: CALLED[ranked(answer)[0]["method"]],
    **{
        f"{method}_token": lambda answer, _, method=method: token(answer, strongest(answer, method))
        for method in ("removal", "rollout", "logit")
    },
    "removal_by": lambda *of: abs(score("removal")(*of)),
    "rollout_share": score("rollout"),
    "uniform_share": score("rollout", "uniform"),
    "logit_part": score("logit"),
    "elsewhere": elsewhere,
    "other_methods": lambda answer, _: titles(others(answer)[0][1]),
    "other_token": lambda answer, _: token(answer, others(answer)[0][0]),
}
NOTHING = dict.fromkeys(INPUT)
QUESTIONS = (
    {"target": "j' ai froid", "answer": 1, "methods": "attention"},
    NOTHING | DIGITS | {"methods": "integrated,rollout"},
    NOTHING | INDUCTION,
    {},
)


def verdicts(answer, shift: int) -> object:
    """The answer where one method has a verdict, integrated gradients have the next, one has that
    after it, and all others have the last; on average too, with other means.
    """

    def other(rows: list[dict]) -> list[dict]:
        return [row | {"verdict": VERDICTS[(shift + min(i, 3)) % 4]} for i, row in enumerate(rows)]

    held = answer.fields["held_out"]
    means = [
        row | {"mean": (i + 2 * shift) % 5 - row["mean"]} for i, row in enumerate(held["agreement"])
    ]
    return with_fields(
        answer,
        agreement=other(answer.fields["agreement"]),
        held_out=held | {"agreement": other(means)},
        completeness=answer.fields["completeness"] | SUMS[shift > 1],
    )


def all_alike(answer) -> object:
    """The answer where all methods agree with a removal that makes the answer likelier."""
    rows = [row | {"verdict": VERDICTS[0]} for row in answer.fields["agreement"]]
    means = [row | {"verdict": VERDICTS[0]} for row in held_out(answer)]
    score = answer.tensors["score"].data
    score = (score[:1].abs() / score[:1].abs().sum()).repeat(len(score), 1)
    score[0] *= -1
    edited = with_tensor(answer, "score", score)
    held = answer.fields["held_out"] | {"agreement": means}
    return with_fields(edited, agreement=rows, held_out=held)


def only_removal(answer) -> object:
    """The answer where no other method agrees with removal, and nothing is known besides."""
    score = answer.tensors["score"].data.clone()
    score[0, -1], score[1:, -1] = 1 + score.abs().max(), 0
    unknown = {"removal": None, "rollout": None}
    edited = with_tensor(answer, "score", score)
    return with_fields(edited, chance=None, held_out=None, uniform_agreement=unknown)


def one_too(answer) -> object:
    """The answer where one other method ranks the same token first, and another a third token."""
    score = 0 * answer.tensors["score"].data
    score[:, 2], score[:2, 0], score[3, 1] = 1, 2, 2
    return with_tensor(answer, "score", score)


MADE_UP = (
    *(lambda answer, shift=shift: verdicts(answer, shift) for shift in range(4)),
    all_alike,
    only_removal,
    one_too,
)


def matters_most(answer, _) -> bool:
    size = np.abs(cut(answer, "score", method="removal"))
    return size[strongest(answer, "removal")] == size.max()


def loss(answer, _) -> float:
    return score("removal")(answer, _)


def has_verdict(verdict: str, average: bool = False):
    rows = held_out if average else lambda answer: answer.fields["agreement"]
    return lambda answer, _: verdict in [row["verdict"] for row in rows(answer)]


def error(answer, _) -> float:
    """How far the sum of the integrated gradients is from what it must be."""
    return answer.fields["completeness"]["error"]


def sums(answer, _) -> bool:
    """Whether the tokens and the rest are the logit."""
    direct = answer.fields["direct"]
    return (
        direct is None
        or abs(direct["tokens"] + direct["rest"] - direct["logit"]) <= direct["error"] + 1e-4
    )


def is_share(answer, _) -> bool:
    """Whether rollout shares out the stream, and that of uniform attention too."""
    return is_same(cut(answer, "uniform").sum(), 1, SINGLE, n=SHIPPED)


BETTER, NO_BETTER, WORSE, UNDEFINED = (has_verdict(verdict) for verdict in VERDICTS)


def has_no_sign(answer, _) -> bool:
    """Whether no method that is a map of attention has a score below 0."""
    names = {"attention", "rollout", "flow"}.intersection(answer.axes["method"].labels)
    return all((cut(answer, "score", method=name) >= 0).all() for name in names)


FACTS: Facts = {
    "scores.more": {"": dict.fromkeys(("only", "none"), has_no_sign)},
    "scores.description": {"": {"most": matters_most}},
    "falls": {
        "yes": {"less": lambda *of: loss(*of) > 0},
        "no": {"more": lambda *of: loss(*of) <= 0},
    },
    "found": {"none": {"none": lambda answer, _: not found(answer)}},
    "complete": {"no": dict.fromkeys(("more", "less"), lambda *of: error(*of) > 0.005)},
    "chance": {"no": {"none": lambda answer, _: answer.fields["chance"] is None}},
    "held_out": {"no": {"none": lambda answer, _: not held_out(answer)}},
    **{
        name: dict.fromkeys(("one", "several"), dict.fromkeys(senses, fact))
        for name, senses, fact in (
            ("better", ("more",), BETTER),
            ("no_better", ("none", "more"), NO_BETTER),
            ("worse", ("less",), WORSE),
            ("undefined", ("none",), UNDEFINED),
            ("mean_no_better", ("none", "more"), has_verdict(VERDICTS[1], average=True)),
            ("mean_worse", ("less",), has_verdict(VERDICTS[2], average=True)),
        )
    },
    "all_better": {
        "yes": dict.fromkeys(
            ("all", "more"),
            lambda answer, _: all(row["verdict"] == VERDICTS[0] for row in ranked(answer)),
        )
    },
    "rollout.description": {"": {"all": is_share}},
    "rollout.more": {"": dict.fromkeys(("only", "none"), is_share)},
    "logit.description": {"": {"all": sums}},
    "logit.more": {"": {"none": sums}},
}
