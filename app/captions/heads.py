"""What the page of /heads says: which roles were found and which not, what turning heads off costs,
and where each head can be seen at work.
"""

import re
from typing import TYPE_CHECKING, Any

from app.captions import Question
from app.captions.page import Seen, choices, link, with_terms
from app.captions.text import counted, listed, number, percent

if TYPE_CHECKING:
    from model.answers.answer import Answer

Fields = dict[str, Any]
Head = dict[str, Any]

KINDS = {"attention": "{stack}", "cross_attention": "cross", "row_attention": "rows"}
"""What the attention of a layer is called in a figure, by its name in the activations."""


def captions(answer: "Answer", question: Question) -> dict[str, Any]:
    """What the page says: of every view, in its controls, and where it leads on."""
    fields = answer.fields
    chosen = chosen_head(answer, question)
    views = {"roles": roles, "scores": scores, "costs": costs, "both": both, "groups": groups}
    names = names_of_roles(answer)
    return {
        "views": {name: with_terms(view(answer, chosen)) for name, view in views.items()},
        "choices": {
            "role": choices(
                "each head’s own", (one for one in names.items() if one[0] in defined(answer))
            ),
            "place": choices(
                "costs most", ((id_of(head), short_name(head)) for head in fields["heads"])
            ),
            "examples": measured_on(answer),
        },
        "chosen": {
            "role": fields["role"] or "",
            "examples": str(question.get("examples") or ""),
            "place": id_of(chosen) if question.get("place") == id_of(chosen) else "",
        },
        "links": links(answer, chosen),
    }


def defined(answer: "Answer") -> set[str]:
    """The roles that some query of the model's inputs has keys for: a decoder has no next token."""
    chances = answer.tensors["chances"].data
    return {
        one["role"]
        for one, row in zip(answer.fields["roles"], chances, strict=True)
        if row.isfinite().any()
    }


def measured_on(answer: "Answer") -> list[dict[str, str]]:
    """What the heads may be measured on. Of one's own model nothing was measured before: its
    examples are read now.
    """
    most = answer.fields["most_examples"]
    if answer.kind == "yours":
        return [
            {"value": value, "label": f"{counted(n, 'example')}, now"}
            for value, n in [("", answer.fields["inputs"]), (str(most), most)]
        ]
    offered = (
        [(str(n), f"{n} drawn anew, now") for n in DRAWN]
        if most is None
        else [(str(most), f"{most} examples, now")]
    )
    return [
        {"value": value, "label": label} for value, label in [("", "held-out inputs"), *offered]
    ]


DRAWN = (16, 64)
"""How many inputs the page offers to draw."""


def names_of_roles(answer: "Answer") -> dict[str, str]:
    return {one["role"]: one["name"] for one in answer.fields["roles"]}


def looks_at(answer: "Answer", role: str) -> str:
    return next(one["looks_at"] for one in answer.fields["roles"] if one["role"] == role)


def id_of(head: Head) -> str:
    """The head as the address says it: decoder.2.cross_attention.1."""
    return f"{head['layer']}.{head['head']}"


def layer_name(layer: str) -> str:
    """The attention of a layer as figures call it: encoder 0, decoder 0 or cross 0."""
    stack, number_, kind = layer.split(".")
    return f"{KINDS[kind].format(stack=stack)} {number_}"


def short_name(head: Head) -> str:
    """The head as figures call it: cross 2.1 is head 1 of the cross-attention of layer 2."""
    return f"{layer_name(head['layer'])}.{head['head']}"


def chosen_head(answer: "Answer", question: Question) -> Head:
    """The head that is asked for; else, among those with a role, the one that costs most."""
    heads: list[Head] = answer.fields["heads"]
    for head in heads:
        if id_of(head) == question.get("place"):
            return head
    with_role = [head for head in heads if head["role"] is not None]
    return max(with_role or heads, key=lambda head: head["cost"])


def over(fields: Fields) -> str:
    """What the numbers are means over."""
    when = "measured now" if fields["measured_now"] else "measured when the model was shipped"
    few = ", which are few" if fields["inputs"] < FEW else ""
    of_one = re.sub(r"s\b", "", fields["of"], count=1)
    return f"{counted(fields['inputs'], of_one, fields['of'])}{few} ({when})"


FEW = 30
COLOUR = "Brighter means further above chance: the colour is the lift, 0 at chance and 1 at most."


def head_sentences(answer: "Answer", head: Head) -> str:
    """One head in sentences: its role with the numbers, and its cost."""
    name = names_of_roles(answer)[head["closest"]]
    ends = (
        ""
        if head["low"] is None
        else f" (interval {number(head['low'])} to {number(head['high'])})"
    )
    numbers = f"{number(head['score'])}{ends}, and chance is {number(head['chance'])}"
    keys = looks_at(answer, head["closest"])
    first = (
        f"Head {short_name(head)} has the role “{name}”: its score, the mean weight on {keys}, is"
        f" {numbers}."
        if head["role"]
        else f"For head {short_name(head)} no role was found. The nearest is “{name}”: its score,"
        f" the mean weight on {keys}, is {numbers}."
    )
    return f"{first} {cost_sentence(head)}"


def cost_sentence(head: Head, off: str = "Turning it off") -> str:
    """What turning one head off costs, and whether that can be told from 0."""
    if head["cost_low"] is None:
        return f"{off} changes the loss by {number(head['cost'])} nats on one input."
    ends = f"(interval {number(head['cost_low'])} to {number(head['cost_high'])})"
    if head["needed"]:
        return f"{off} raises the loss by {number(head['cost'])} nats {ends}."
    if head["cost_high"] < 0:
        return f"{off} lowers the loss by {number(-head['cost'])} nats {ends}."
    return (
        f"{off} changes the loss by {number(head['cost'])} nats {ends}, which cannot be told from"
        " 0."
    )


def roles(answer: "Answer", chosen: Head) -> Seen:
    """How many heads have a role, and which roles they are."""
    fields, names = answer.fields, names_of_roles(answer)
    heads = fields["heads"]
    role = fields["role"]
    if role is not None:
        having = [head for head in heads if role in head["roles"]]
        which = listed([short_name(head) for head in having]) if having else "None"
        see = (
            "Each cell is a head with its score, the mean weight on"
            f" {looks_at(answer, role)}. {COLOUR} {len(having)} of {len(heads)} heads"
            f" have the role “{names[role]}”: {which}."
        )
    else:
        having = [head for head in heads if head["role"] is not None]
        counts = {
            names[id]: sum(head["role"] == id for head in heads)
            for id in names
            if any(head["role"] == id for head in heads)
        }
        found = f": {listed([f'{n} “{name}”' for name, n in counts.items()])}" if counts else ""
        see = (
            f"Each cell is a head, with the role that its attention fits best and its score for"
            f" it. {COLOUR} Of {len(heads)} heads, {len(having)}"
            f" {'has' if len(having) == 1 else 'have'} a role{found}. A dash means that no role was"
            " found."
        )
    return {"see": see, "more": head_sentences(answer, chosen)}


def scores(answer: "Answer", chosen: Head) -> Seen:
    """What a score is, over what it is a mean, and when it is a role."""
    fields = answer.fields
    own = " A diamond is the score on your input alone." if "here" in answer.tensors else ""
    return {
        "see": (
            "Each bar is the share of a head’s attention weight that lies on the keys of its role,"
            f" over {over(fields)}. The level stroke is chance, the score of a head that looks"
            f" evenly at all that it may see.{own}"
        ),
        "more": (
            "A role is found only if the whole interval of the score lies more than"
            f" {percent(fields['margin'])} of the way from chance to 1."
            f" {head_sentences(answer, chosen)}"
        ),
    }


def costs(answer: "Answer", chosen: Head) -> Seen:
    """Which heads the model needs, alone."""
    fields = answer.fields
    heads = fields["heads"]
    most = max(heads, key=lambda head: head["cost"])
    off = f"Turning off head {short_name(chosen)}"
    needed = sum(head["needed"] for head in heads)
    without = sum(head["needed"] and head["role"] is None for head in heads)
    return {
        "see": (
            "Each bar says by how much the loss rises when one head is turned off, over"
            f" {over(fields)}. Head {short_name(most)} costs most, {number(most['cost'])} nats."
        ),
        "more": (
            f"The loss is the mean of −ln p of {fields['right']}. For {needed} of {len(heads)}"
            f" heads the interval lies above 0. Of these heads, {without}"
            f" {'has' if without == 1 else 'have'} no role that this page knows."
            f" {cost_sentence(chosen, off) if chosen is not most else ''}"
        ).strip(),
    }


def both(answer: "Answer", chosen: Head) -> Seen:
    """Whether a clear role means a high cost."""
    heads, agreement = answer.fields["heads"], answer.fields["agreement"]
    ranked = (
        ""
        if agreement is None
        else (
            f" Over {len(heads)} heads, the rank correlation of the two numbers is"
            f" {number(agreement)}."
        )
    )
    clearest = max(heads, key=lambda head: head["lift"])
    return {
        "see": (
            "Each dot is a head. A head with a clear role stands far to the right, and a head that"
            f" costs much when it is turned off stands high.{ranked}"
        ),
        "more": (
            f"The head with the clearest role is {short_name(clearest)},"
            f" “{names_of_roles(answer)[clearest['closest']]}”, and turning it off changes the loss"
            f" by {number(clearest['cost'])} nats. A clear pattern does not say that a head is"
            " needed: other heads may do the same."
        ),
    }


def groups(answer: "Answer", chosen: Head) -> Seen:
    """Whether the heads of one role stand in for each other."""
    found, names = answer.fields["groups"], names_of_roles(answer)
    first = "For each role, all heads that have it are turned off together."
    several = [group for group in found if len(group["heads"]) > 1]
    if not found:
        return {
            "see": "No head has a role, so there are no heads to turn off together.",
            "more": "",
        }
    if not several:
        return {"see": first, "more": "No role has more than one head."}
    most = max(several, key=lambda group: group["cost"] - group["alone"])
    which = f"The {len(most['heads'])} heads of the role “{names[most['role']]}”"
    costs_told = (
        f"{which} cost {number(most['cost'])} nats together, and the sum of what each costs alone"
        f" is {number(most['alone'])} nats."
    )
    stand_in = most["cost_low"] is not None and most["cost_low"] > most["alone"]
    more = (
        "Together they cost more than the sum. While one of them is off, others still do its work,"
        " so turning off one head at a time does not show what they are worth."
        if stand_in
        else "As far as these inputs can tell, they cost no more than one by one when all are off."
    )
    return {"see": f"{first} {costs_told}", "more": more}


def links(answer: "Answer", chosen: Head) -> list[dict[str, str]]:
    """The chosen head on the input where its role shows best, and pages that go on from there."""
    stack, layer, kind = chosen["layer"].split(".")
    attention = {
        "model": answer.model,
        **chosen["shown"],
        "kind": {"attention": "self", "cross_attention": "cross", "row_attention": "rows"}[kind],
        "stack": stack,
        "layer": layer,
        "head": chosen["head"],
    }
    where = f"Head {short_name(chosen)} on the example where this shows best"
    found = [link("/attention", attention, where)]
    if str(answer.model).startswith("induction"):
        found.append(link("/training", {}, "How these roles form in the training"))
    return found
