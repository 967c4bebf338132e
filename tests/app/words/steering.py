"""What is so where /steering says it, and its own fields once more."""

from dataclasses import replace

from tests.app.words.answered import cut, with_fields, with_tensor
from tests.app.words.facts import Facts


def at(answer, place: str) -> str:
    """The label of the strength that is asked for, or of none."""
    return f"{answer.fields['strength']:g}" if place == "at" else "0"


def read(tensor: str, place: str):
    return lambda answer, _: cut(answer, tensor, strength=at(answer, place)).item()


def of_random(answer, _=None):
    return cut(answer, "random.share", strength=at(answer, "at"))


def breaking(answer, _=None) -> list[float]:
    strengths = answer.axes["strength"].values
    shares = zip(strengths, cut(answer, "distinct"), strict=True)
    return sorted(strength for strength, share in shares if strength > 0 and share < 0.3)


def text(answer, name: str, place: str) -> str:
    return answer.fields[name][answer.axes["strength"].labels.index(at(answer, place))]["text"]


def stays(name: str):
    return lambda answer, _: text(answer, name, "at") == text(answer, "texts", "without")


def of_one_only(answer, _) -> bool:
    """Whether each token stands in the one text and not in the other: they are letters."""
    toward, away = answer.fields["toward"], answer.fields["away"]
    return all(token in toward and token not in away for token in answer.fields["wanted"])


def as_strong(answer, _) -> bool:
    """Whether random directions are added at the strengths of the direction."""
    return answer.tensors["random.share"].axes == ("draw", *answer.tensors["share"].axes)


ORACLES = {
    **{f"{key}_{by}": read(key, by) for key in ("share", "surprise") for by in ("at", "without")},
    "broken": lambda a, _: breaking(a)[0],
    "wanted": lambda a, _: [token for i, token in enumerate(a.fields["wanted"]) if i < 6],
    "others": lambda a, _: len(a.fields["wanted"][6:]),
    "lowest": lambda a, _: of_random(a).min().item(),
    "yours": lambda a, _: "yes" if a.kind == "yours" else "no",
    "highest": lambda a, _: of_random(a).max().item(),
}
QUESTIONS = (
    {"direction": "token", "toward": None, "away": None, "token": "a"},
    {"strength": -2.0, "layer": 1},
    {"strength": 0.0, "toward": "abcdefghi", "away": "jkjk"},
    {"direction": "probe", "toward": "abcdefgh", "away": "ijij", "draws": 2, "strength": -0.5},
)
MADE_UP = (
    lambda answer: with_tensor(answer, "random.share", 0 * cut(answer, "random.share")),
    lambda answer: with_tensor(answer, "distinct", 0 * cut(answer, "distinct") + 0.29),
    lambda answer: replace(
        with_tensor(answer, "distinct", 0 * cut(answer, "distinct") + 0.29), kind="yours"
    ),
    lambda answer: with_fields(answer, right=answer.fields["chance"]),
)
FACTS: Facts = {
    "direction": {
        "difference": {"none": of_one_only},
        "probe": {"none": of_one_only, "more": lambda a, _: a.fields["chance"] >= 0.5},
    },
    "changed": {"no": {"same": stays("texts")}},
    "better": {
        "yes": {"more": lambda a, _: a.fields["right"] > a.fields["chance"]},
        "no": dict.fromkeys(("none", "more"), lambda a, _: a.fields["right"] <= a.fields["chance"]),
    },
    "breaks": {
        "yes": {"less": lambda a, _: len(breaking(a)) > 0},
        "no": {"none": lambda a, _: not breaking(a)},
    },
    "random_changed": {
        "yes": {"same": as_strong},
        "no": {"same": as_strong, "none": stays("random_texts")},
    },
    "effect.description": {"": {"same": as_strong}},
    "random-shares": {"": {"same": as_strong}},
    "several-shares": {"": {"same": as_strong}},
    "compared": {
        "more": {"more": lambda *both: read("share", "at")(*both) > of_random(*both).max()},
        "less": {"less": lambda *both: read("share", "at")(*both) < of_random(*both).min()},
        "between": dict.fromkeys(
            ("none", "more"), lambda *both: read("share", "at")(*both) <= of_random(*both).max()
        ),
    },
    "effect.more": {"": dict.fromkeys(("more", "less"), lambda *_: True)},  # what a loss is
}
