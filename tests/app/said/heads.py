"""What /heads has to say, from the scores and costs of its answer."""

from collections.abc import Iterator
from typing import Any

from model.answers.answer import Answer
from tests.app.said.claims import Claim, changed, listed, says, shaken

ASKED = (
    {"model": "induction-2", "text": "abcab"},
    {"model": "translator"},
    {"model": "translator", "role": "previous", "place": "decoder.2.cross_attention.1"},
    {"model": "penguins-saint"},
    {"model": "induction-2", "examples": 16, "role": "itself"},
)
VARIED = 3
UNSAID = ()
FEW = 30


def variants(answer: Answer) -> Iterator[tuple[str, Answer]]:
    apart = shaken(answer, 11, ("margin",))
    yield "numbers apart", apart
    yield "few inputs, now", changed(apart, inputs=7, measured_now=True, most_examples=12)
    yield "no agreement", changed(apart, agreement=None)
    heads = apart.fields["heads"]
    kinds = (
        {"needed": True, "cost": 0.31, "cost_low": 0.21, "cost_high": 0.42},
        {"needed": False, "cost": -0.31, "cost_low": -0.42, "cost_high": -0.21},
        {"needed": False, "cost": 0.013, "cost_low": -0.052, "cost_high": 0.071},
        {"cost_low": None, "cost_high": None, "low": None, "high": None, "needed": False},
    )
    for i, kind in enumerate(kinds):
        for role in (None, heads[0]["closest"]):
            all_so = [
                one | kind | {"role": role, "roles": [role] if role else [], "lift": 0.2 + at / 99}
                for at, one in enumerate(heads)
            ]
            yield f"kind {i}, role {role}", changed(apart, heads=all_so)
    one_role = [head | {"role": None, "roles": []} for head in heads]
    one_role[-1] = heads[-1] | {"role": heads[-1]["closest"], "roles": [heads[-1]["closest"]]}
    yield "one head has a role", changed(apart, heads=one_role)
    alone = [one | kinds[0 if i == 1 else 2] | {"role": None} for i, one in enumerate(heads)]
    yield "one head is needed", changed(apart, heads=alone)
    first, *rest = apart.fields["groups"] or [None]
    if first is not None:
        two = {"heads": [{"layer": one["layer"], "head": one["head"]} for one in heads[:2]]}
        yield "no group", changed(apart, groups=[])
        single = [first | {"heads": first["heads"][:1]}]
        yield "no group of several", changed(apart, groups=single)
        more = {"cost": 1.23, "cost_low": 1.04, "cost_high": 1.42, "alone": 0.87}
        yield "more together", changed(apart, groups=[*rest, first | two | more])
        less = {"cost": 0.81, "cost_low": 0.61, "cost_high": 0.99, "alone": 0.87}
        yield "no more together", changed(apart, groups=[first | two | less])
        unknown = more | {"cost_low": None}
        yield "no interval together", changed(apart, groups=[first | two | unknown])


def short(head: dict) -> str:
    stack, layer, kind = head["layer"].split(".")
    name = {"attention": stack, "cross_attention": "cross", "row_attention": "rows"}[kind]
    return f"{name} {layer}.{head['head']}"


def place(head: dict) -> str:
    return f"{head['layer']}.{head['head']}"


def role_of(answer: Answer, role: str) -> dict:
    (one,) = [one for one in answer.fields["roles"] if one["role"] == role]
    return one


def here(answer: Answer, question: dict) -> dict:
    heads = answer.fields["heads"]
    for head in heads:
        if place(head) == question.get("place"):
            return head
    having = [head for head in heads if head["role"]] or heads
    most = max(head["cost"] for head in having)
    return next(head for head in having if head["cost"] == most)


def claims(answer: Answer, question: dict, figures: Any) -> dict[str, list[list[Claim]]]:
    head = here(answer, question)
    return {
        "roles": [roles(answer), of_head(answer, head)],
        "scores": scores(answer, head),
        "costs": costs(answer, head),
        "both": both(answer),
        "groups": groups(answer),
    }


LIFT = "Brighter means further above chance: the colour is the lift, 0 at chance and 1 at most."


def roles(answer: Answer) -> list[Claim]:
    fields = answer.fields
    heads, role = fields["heads"], fields["role"]
    if role is not None:
        having = [short(head) for head in heads if role in head["roles"]]
        return [
            says(
                "Each cell is a head with its score, the mean weight on {keys}. " + LIFT,
                keys=role_of(answer, role)["looks_at"],
            ),
            says(
                "{n} of {all} heads have the role “{role}”: {which}.",
                n=len(having),
                all=len(heads),
                role=role_of(answer, role)["name"],
                which=listed(having) if having else "None",
            ),
        ]
    having = [head["role"] for head in heads if head["role"] is not None]
    counts = [
        f"{having.count(one['role'])} “{one['name']}”"
        for one in fields["roles"]
        if one["role"] in having
    ]
    return [
        says(
            "Each cell is a head, with the role that its attention fits best and its score for it. "
            + LIFT
        ),
        says(
            "Of {all} heads, {n} {have} a role{which}. A dash means that no role was found.",
            all=len(heads),
            n=len(having),
            have="has" if len(having) == 1 else "have",
            which=f": {listed(counts)}" if counts else "",
        ),
    ]


def of_head(answer: Answer, head: dict) -> list[Claim]:
    role = role_of(answer, head["closest"])
    if head["role"]:
        told = says("Head {head} has the role “{role}”:", head=short(head), role=role["name"])
    else:
        told = says(
            "For head {head} no role was found. The nearest is “{role}”:",
            head=short(head),
            role=role["name"],
        )
    ends = {name: head[name] for name in ("low", "high")}
    between = "" if head["low"] is None else " (interval {low:number} to {high:number})"
    return [
        told,
        says(
            "its score, the mean weight on {keys}, is {score:number}" + between + ", and chance is"
            " {chance:number}.",
            keys=role["looks_at"],
            score=head["score"],
            chance=head["chance"],
            **ends,
        ),
        cost(head, "Turning it off"),
    ]


def cost(head: dict, off: str) -> Claim:
    low, high, by = head["cost_low"], head["cost_high"], head["cost"]
    if low is None:
        template = "{off} changes the loss by {by:number} nats on one input."
    elif low > 0:
        template = (
            "{off} raises the loss by {by:number} nats (interval {low:number} to {high:number})."
        )
    elif high < 0:
        template = (
            "{off} lowers the loss by {by:number} nats (interval {low:number} to {high:number})."
        )
        by = -by
    else:
        template = (
            "{off} changes the loss by {by:number} nats (interval {low:number} to {high:number}),"
            " which cannot be told from 0."
        )
    return says(template, off=off, by=by, low=low, high=high)


def over(answer: Answer) -> Claim:
    fields = answer.fields
    return says(
        "over {inputs} {of}{few} ({when}).",
        inputs=fields["inputs"],
        of=fields["of"],
        few=", which are few" if fields["inputs"] < FEW else "",
        when="measured now" if fields["measured_now"] else "measured when the model was shipped",
    )


def scores(answer: Answer, head: dict) -> list[list[Claim]]:
    own = "A diamond is the score on your input alone."
    return [
        [
            says(
                "Each bar is the share of a head’s attention weight that lies on the keys of its"
                " role,"
            ),
            over(answer),
            says(
                "The level stroke is chance, the score of a head that looks evenly at all that it"
                " may see."
            ),
            *([says(own)] if "here" in answer.tensors else []),
        ],
        [
            says(
                "A role is found only if the whole interval of the score lies more than {margin:%}"
                " of the way from chance to 1.",
                margin=answer.fields["margin"],
            ),
            *of_head(answer, head),
        ],
    ]


def costs(answer: Answer, head: dict) -> list[list[Claim]]:
    fields = answer.fields
    heads = fields["heads"]
    needed = [one for one in heads if one["needed"]]
    without = len([one for one in needed if one["role"] is None])
    most = max(one["cost"] for one in heads)
    worst = next(one for one in heads if one["cost"] == most)
    return [
        [
            says("Each bar says by how much the loss rises when one head is turned off,"),
            over(answer),
            says("Head {head} costs most, {by:number} nats.", head=short(worst), by=most),
        ],
        [
            says(
                "The loss is the mean of −ln p of {right}. For {needed} of {all} heads the interval"
                " lies above 0. Of these heads, {without} {have} no role that this page knows.",
                right=fields["right"],
                needed=len(needed),
                all=len(heads),
                without=without,
                have="has" if without == 1 else "have",
            ),
            *([] if head is worst else [cost(head, f"Turning off head {short(head)}")]),
        ],
    ]


def both(answer: Answer) -> list[list[Claim]]:
    heads, agreement = answer.fields["heads"], answer.fields["agreement"]
    most = max(head["lift"] for head in heads)
    clearest = next(head for head in heads if head["lift"] == most)
    template = "Over {n} heads, the rank correlation of the two numbers is {agreement:number}."
    return [
        [
            says(
                "Each dot is a head. A head with a clear role stands far to the right, and a head"
                " that costs much when it is turned off stands high."
            ),
            *([] if agreement is None else [says(template, n=len(heads), agreement=agreement)]),
        ],
        [
            says(
                "The head with the clearest role is {head}, “{role}”, and turning it off changes"
                " the loss by {by:number} nats. A clear pattern does not say that a head is needed:"
                " other heads may do the same.",
                head=short(clearest),
                role=role_of(answer, clearest["closest"])["name"],
                by=clearest["cost"],
            )
        ],
    ]


def groups(answer: Answer) -> list[list[Claim]]:
    found = answer.fields["groups"]
    if not found:
        return [[says("No head has a role, so there are no heads to turn off together.")], []]
    first = says("For each role, all heads that have it are turned off together.")
    several = [one for one in found if len(one["heads"]) > 1]
    if not several:
        return [[first], [says("No role has more than one head.")]]
    gain = max(one["cost"] - one["alone"] for one in several)
    most = next(one for one in several if one["cost"] - one["alone"] == gain)
    stands_in = most["cost_low"] is not None and most["cost_low"] > most["alone"]
    return [
        [
            first,
            says(
                "The {n} heads of the role “{role}” cost {together:number} nats together, and the"
                " sum of what each costs alone is {alone:number} nats.",
                n=len(most["heads"]),
                role=role_of(answer, most["role"])["name"],
                together=most["cost"],
                alone=most["alone"],
            ),
        ],
        [
            says(
                "Together they cost more than the sum. While one of them is off, others still do"
                " its work, so turning off one head at a time does not show what they are worth."
                if stands_in
                else "As far as these inputs can tell, they cost no more than one by one when all"
                " are off."
            )
        ],
    ]


def choices(answer: Answer, _: dict) -> dict[str, list[tuple[str, str]]]:
    fields = answer.fields
    chances = answer.tensors["chances"].data
    roles_of = [
        (one["role"], one["name"])
        for i, one in enumerate(fields["roles"])
        if bool(chances[i].isfinite().any())
    ]
    most = fields["most_examples"]
    drawn = (
        [("16", "16 drawn anew, now"), ("64", "64 drawn anew, now")]
        if most is None
        else [(str(most), f"{most} examples, now")]
    )
    return {
        "role": [("", "each head’s own"), *roles_of],
        "place": [("", "costs most"), *((place(one), short(one)) for one in fields["heads"])],
        "examples": [("", "held-out inputs"), *drawn],
    }


def chosen(answer: Answer, question: dict) -> dict[str, str]:
    return {
        "role": answer.fields["role"] or "",
        "examples": str(question.get("examples", "")),
        "place": question.get("place", ""),
    }


def links(answer: Answer, question: dict) -> list[tuple[str, dict, str]]:
    head = here(answer, question)
    stack, layer, kind = head["layer"].split(".")
    kinds = {"attention": "self", "cross_attention": "cross", "row_attention": "rows"}
    state = {
        "model": question["model"],
        **head["shown"],
        "kind": kinds[kind],
        "stack": stack,
        "layer": layer,
        "head": head["head"],
    }
    told = [("/attention", state, f"Head {short(head)} on the example where this shows best")]
    if question["model"].startswith("induction"):
        told.append(("/training", {}, "How these roles form in the training"))
    return told
