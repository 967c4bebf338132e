"""What is so where /heads says it, and its own fields once more."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.app.words.answered import cut, with_fields
from tests.app.words.facts import Facts

Head = dict[str, Any]
KINDS = {"cross_attention": "cross-attention", "row_attention": "attention between rows"}


def called(head: Head) -> str:
    stack, layer, kind = head["layer"].split(".")
    return f"L{layer}H{head['head']} ({KINDS.get(kind, stack)})"


def chosen(answer, question) -> Head:
    """The head that is asked for; else, of those with a role, the one that costs most."""
    heads = answer.fields["heads"]
    for head in heads:
        if f"{head['layer']}.{head['head']}" == question["place"]:
            return head
    return max([head for head in heads if head["role"]] or heads, key=lambda head: head["cost"])


def first(answer, number: str) -> Head:
    """The head with the largest of a number."""
    return sorted(answer.fields["heads"], key=lambda head: -head[number])[0]


def role(answer, id: str | None) -> Head:
    return {entry["role"]: entry for entry in answer.fields["roles"]}.get(
        id, {"name": "", "looks_at": ""}
    )


def of_chosen(part: str) -> Callable[..., Any]:
    return lambda *both: chosen(*both)[part]


def having(answer) -> list[Head]:
    role_id, heads = answer.fields["role"], answer.fields["heads"]
    return [head for head in heads if (role_id in head["roles"] if role_id else head["role"])]


def counted(answer, _) -> list[str]:
    roles = [head["role"] for head in answer.fields["heads"]]
    return [
        f"{roles.count(entry['role'])} “{entry['name']}”"
        for entry in answer.fields["roles"]
        if roles.count(entry["role"])
    ]


def needed(answer) -> list[Head]:
    return [head for head in answer.fields["heads"] if head["needed"]]


def group(answer) -> dict[str, Any]:
    several = [entry for entry in answer.fields["groups"] if len(entry["heads"]) > 1]
    return sorted(several, key=lambda entry: entry["alone"] - entry["cost"])[0] if several else {}


def loss(answer, question) -> str:
    """What turning the chosen head off does, by the ends of its interval."""
    low, high = (chosen(answer, question)[f"cost_{end}"] for end in ("low", "high"))
    if low is None:
        return "single"
    return "raises" if low > 0 else "lowers" if high < 0 else "unclear"


def over_margin(answer, _) -> bool:
    """Whether the score of each head with a role is over the margin, with its whole interval."""
    margin = answer.fields["margin"]
    return all(
        (head["low"] - head["chance"]) / (1 - head["chance"]) > margin - 1e-6
        for head in answer.fields["heads"]
        if head["role"] and head["low"] is not None
    )


def dearest(answer, _) -> bool:
    costs = [head["cost"] for head in answer.fields["heads"]]
    return first(answer, "cost")["cost"] == max(costs)


def of_the_role(answer, _) -> bool:
    """Whether the groups are of heads that have their role."""
    having = {(head["layer"], head["head"]): head["roles"] for head in answer.fields["heads"]}
    return all(
        {*having} >= {(head["layer"], head["head"]) for head in entry["heads"]}
        for entry in answer.fields["groups"]
    )


def lift_ends_at_1(answer, _) -> bool:
    return all(head["lift"] <= 1 for head in answer.fields["heads"])


def costs_more(answer, _) -> bool:
    return (
        group(answer)["cost_low"] is not None and group(answer)["cost_low"] > group(answer)["alone"]
    )


ORACLES = {
    "offered": lambda a, _: 16 if a.fields["most_examples"] is None else a.fields["most_examples"],
    "chosen_head": lambda *both: called(chosen(*both)),
    "dearest_head": lambda a, _: called(first(a, "cost")),
    "clearest_head": lambda a, _: called(first(a, "lift")),
    "chosen_role": lambda *both: role(both[0], chosen(*both)["closest"])["name"],
    "chosen_keys": lambda *both: role(both[0], chosen(*both)["closest"])["looks_at"],
    "clearest_role": lambda a, _: role(a, first(a, "lift")["closest"])["name"],
    **{
        f"chosen_{part}": of_chosen(part)
        for part in ("score", "low", "high", "chance", "cost", "cost_low", "cost_high")
    },
    "chosen_gain": lambda *both: -chosen(*both)["cost"],
    "dearest_cost": lambda a, _: first(a, "cost")["cost"],
    "clearest_cost": lambda a, _: first(a, "lift")["cost"],
    "role_name": lambda a, _: role(a, a.fields["role"])["name"],
    "role_keys": lambda a, _: role(a, a.fields["role"])["looks_at"],
    "inputs_of": lambda a, _: (
        a.fields["of"].replace("examples", "example") if a.fields["inputs"] == 1 else a.fields["of"]
    ),
    "heads": lambda a, _: cut(a, "cost").size,
    "having": lambda a, _: len(having(a)),
    "having_heads": lambda a, _: [called(head) for head in having(a)],
    "counted_roles": counted,
    "needed": lambda a, _: len(needed(a)),
    "needed_alone": lambda a, _: len([head for head in needed(a) if not head["role"]]),
    "group_heads": lambda a, _: len(group(a)["heads"]),
    "group_role": lambda a, _: role(a, group(a)["role"])["name"],
    "group_cost": lambda a, _: group(a)["cost"],
    "group_alone": lambda a, _: group(a)["alone"],
    "cost": loss,
    "few": lambda a, _: "yes" if a.fields["inputs"] < 30 else "no",
    "has_role": lambda *both: "yes" if chosen(*both)["role"] else "no",
}
INDUCTION = {"model": "induction-2", "text": "abcab"}
QUESTIONS = (
    {"role": "previous", "place": "decoder.2.cross_attention.1"},
    {"examples": 1},
    {"examples": 3, "role": "itself"},
    {"model": "induction-1"},
    {"model": "penguins-saint"},
    {"model": "digits", "place": "encoder.0.attention.1"},
    INDUCTION,
)


def with_heads(answer, change: Callable[[int], Head]):
    heads = [head | change(i) for i, head in enumerate(answer.fields["heads"])]
    return with_fields(answer, heads=heads)


def first_needed(i: int) -> Head:
    """The first head alone is needed, and none has a role."""
    return {"needed": i == 0, "role": None, "roles": [], "cost_low": 1.0 - 2 * i}


MADE_UP = (
    lambda answer: with_heads(
        answer, lambda i: {"needed": False, "cost": -3.0 - i, "cost_low": -9.0, "cost_high": -1.0}
    ),
    lambda answer: with_heads(answer, first_needed),
    lambda answer: with_fields(
        answer, groups=[entry | {"heads": entry["heads"][:1]} for entry in answer.fields["groups"]]
    ),
    lambda answer: replace(with_fields(answer, agreement=None, most_examples=5), kind="yours"),
)
BY_ROLE = {"all": of_the_role}
FACTS: Facts = {
    "roles": {"": {"all": lambda a, _: cut(a, "lift").size == len(a.fields["heads"])}},
    "groups": {"": {"all": of_the_role}},
    "roles.description": {"": {"most": lift_ends_at_1, "only": over_margin, "more": over_margin}},
    "colour": {"": {"most": lift_ends_at_1}},
    "of_role": {"no": {"none": lambda *_: True}},  # what a dash is
    "some_have": {"no": {"none": lambda a, _: not having(a)}},
    "has_role": {"no": {"none": lambda *both: chosen(*both)["role"] is None}},
    "scores.description": {"": {"all": lambda *_: True}},  # what chance is
    "here": {"yes": {"only": lambda a, _: cut(a, "here").shape[1:] == cut(a, "cost").shape}},
    "scores.more": {"": {"only": over_margin, "more": over_margin}},
    "costs.description": {"": {"more": dearest, "most": dearest}},
    "usual.place": {"": {"most": dearest}},
    "costs.more": {"": {"none": lambda a, _: len(needed(a)) <= len(a.fields["heads"])}},
    "both.more": {"": {"same": lambda *_: True}},  # what need not follow
    "both-costs": {"": BY_ROLE},
    "together": {
        "none": {"none": lambda a, _: not having(a)},
        "alone": {
            "all": of_the_role,
            "none": lambda a, _: not group(a),
            "more": lambda a, _: not group(a),
        },
        "more": BY_ROLE | {"more": costs_more},
        "no_more": BY_ROLE | dict.fromkeys(("none", "more"), lambda *both: not costs_more(*both)),
    },
}
