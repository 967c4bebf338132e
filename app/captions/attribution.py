"""What the page of /attribution says of each view: what is seen, and what it means."""

from typing import TYPE_CHECKING, Any

from app.captions import Question
from app.captions.page import Seen, choices, chosen, given, link, numbered, with_terms
from app.captions.text import listed, number, percent, visible

if TYPE_CHECKING:
    from model.answers.answer import Answer

Fields = dict[str, Any]

TITLES = {
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
"""The methods as the page calls them."""
UNITS = {
    "removal": "nats",
    "hiding": "nats",
    "integrated": "nats",
    "gradient": "nats",
    "logit": "of the logit",
    "attention": "",
    "rollout": "",
    "flow": "",
}
ROLES = {
    "hiding": "ink-soft",
    "integrated": "embedding",
    "gradient": "embedding",
    "logit": "stream",
    "attention": "attention",
    "rollout": "attention",
    "flow": "attention",
    "uniform": "rule-strong",
}


def captions(answer: "Answer", question: Question) -> dict[str, Any]:
    """What the page says: of every view, in its controls, and where it leads on."""
    fields = answer.fields
    views = {"scores": scores, "agreement": agreement}
    if "rollout" in names_of(answer):
        views["rollout"] = rollout
    if fields["direct"]:
        views["logit"] = logit
    return {
        "views": {name: with_terms(view(answer, fields)) for name, view in views.items()},
        "choices": {"answer": choices(usual(fields, question), numbered(fields["answers"]))},
        "chosen": chosen(question, "answer"),
        "links": links(fields, question),
    }


def usual(fields: Fields, question: Question) -> str:
    """What the page explains where no answer is chosen."""
    return "the usual one" if question.get("answer") else visible(fields["answered"]["text"])


def names_of(answer: "Answer") -> list[str]:
    return answer.axes["method"].labels or []


def methods(names: list[str]) -> str:
    return listed([TITLES[name] for name in names])


def quoted(fields: Fields, at: int) -> str:
    return f"“{visible(fields['tokens'][at])}”"


def called(answer: "Answer", at: int) -> str:
    """The token, with its position where another token has the same text; or the patch."""
    fields, axis = answer.fields, answer.axes["token"]
    if axis.kind == "patch" and fields["tokens"][at] != "[CLS]":
        return f"patch {quoted(fields, at)}"
    if fields["tokens"].count(fields["tokens"][at]) == 1:
        return quoted(fields, at)
    parts = axis.parts or {"position": axis.size}
    places = [f"{name} {i}" for name, size in parts.items() for i in range(size)]
    return f"{quoted(fields, at)} ({places[at]})"


def answer_of(fields: Fields) -> str:
    found = fields["answered"]
    return f"“{visible(found['text'])}” with a probability of {percent(found['probability'])}"


def largest(answer: "Answer", name: str) -> int:
    """The token with the largest size of a score."""
    return int(answer.cut("score", method=name).data.abs().argmax())


def scores(answer: "Answer", fields: Fields) -> Seen:
    """Which token the answer needs most, and which methods find it."""
    most = largest(answer, "removal")
    change = answer.tensors["score"].data[0, most].item()
    falls = "falls" if change > 0 else "rises"
    others = [name for name in names_of(answer) if name != "removal"]
    found = [name for name in others if largest(answer, name) == most]
    missed = {name: largest(answer, name) for name in others if name not in found}
    same = (
        f" {begin(methods(found))} {puts(found)} it first, too."
        if found
        else " No other method puts it first."
    )
    by_token = {
        at: [name for name in missed if missed[name] == at] for at in dict.fromkeys(missed.values())
    }
    elsewhere = "".join(
        f" {begin(methods(names))} {puts(names)} {called(answer, at)} first."
        for at, names in by_token.items()
    )
    return {
        "see": (
            f"The model answers {answer_of(fields)}. By removal {called(answer, most)} matters"
            f" most: without its vector, the answer’s log-probability {falls} by"
            f" {number(abs(change))} nats.{same}{elsewhere}"
        ),
        "more": (
            "The colours of each row are divided by its largest size, so compare them within a"
            " row. Orange is for the answer, and blue is against it."
            f"{complete(fields)}"
        ),
    }


def complete(fields: Fields) -> str:
    """Whether the integrated gradients sum to what they must."""
    found = fields["completeness"]
    if found is None:
        return ""
    within = "at most" if found["complete"] else "more than"
    advice = "" if found["complete"] else " Choose more points to make it smaller."
    return (
        " Integrated gradients must sum to the change of the log-probability from an empty input,"
        f" {number(found['difference'])} nats. With {found['steps']} points they sum to"
        f" {number(found['sum'])}, and the error is {number(found['error'])} nats, {within}"
        f" 0.005.{advice}"
    )


def agreement(answer: "Answer", fields: Fields) -> Seen:
    """Which methods order the tokens as removal does."""
    rows, chance = fields["agreement"], fields["chance"]
    kind = "patches" if answer.axes["token"].kind == "patch" else "tokens"
    if chance is None:
        return {
            "see": "Removal gives these tokens no order, so no method can agree with it.",
            "more": held_out(fields),
        }
    said = [
        f"{begin(methods(names))} {verb(names)} with removal {verdict} here."
        for verdict, names in by_verdict(rows).items()
    ]
    if undefined := [row["method"] for row in rows if row["verdict"] == "not defined"]:
        gives = "give" if several(undefined) else "gives"
        said.append(f"{begin(methods(undefined))} {gives} no order.")
    return {
        "see": (
            "Each bar is the rank correlation of a method with removal, which is 1 if both order"
            f" the tokens alike. {' '.join(said)} The grey band, {number(chance['low'])} to"
            f" {number(chance['high'])}, holds 95 % of random orders of the"
            f" {len(fields['tokens'])} {kind}."
        ),
        "more": held_out(fields),
    }


def by_verdict(rows: list[Fields]) -> dict[str, list[str]]:
    """The methods of each verdict that some method has."""
    verdicts = ("better than chance", "no better than chance", "worse than chance")
    found = {said: [row["method"] for row in rows if row["verdict"] == said] for said in verdicts}
    return {said: names for said, names in found.items() if names}


def several(names: list[str]) -> bool:
    """Whether the names of the methods are a plural: integrated gradients are one by themselves."""
    return len(names) > 1 or names == ["integrated"]


def verb(names: list[str]) -> str:
    return "agree" if several(names) else "agrees"


def puts(names: list[str]) -> str:
    return "put" if several(names) else "puts"


def begin(said: str) -> str:
    return said[0].upper() + said[1:]


def held_out(fields: Fields) -> str:
    """What was measured over many inputs of the model."""
    found = fields["held_out"]
    if found is None:
        return "The agreement over held-out inputs was not measured for this model."
    rows = {one["method"]: one for one in found["agreement"]}
    own = [one for name, one in rows.items() if name != "uniform"]
    best, worst = (pick(own, key=lambda one: one["mean"]) for pick in (max, min))
    others = [
        f"On average {methods(names)} {verb(names)} {verdict}."
        for verdict, names in by_verdict(own).items()
        if verdict != "better than chance"
    ]
    every_one = "On average every method agrees better than chance."
    return (
        f"Over {found['inputs']} held-out inputs, the mean is highest for {mean(best)}, and lowest"
        f" for {mean(worst)}. {' '.join(others) or every_one} For the rollout of uniform attention,"
        f" which knows only the mask, the mean is {interval(rows['uniform'])}."
    )


def mean(one: Fields) -> str:
    return f"{TITLES[one['method']]}, {interval(one)}"


def interval(one: Fields) -> str:
    return f"{number(one['mean'])} (interval {number(one['low'])} to {number(one['high'])})"


def rollout(answer: "Answer", fields: Fields) -> Seen:
    """Rollout beside what the mask alone gives."""
    own = answer.cut("score", method="rollout").data
    uniform, most = answer.tensors["uniform"].data, int(own.argmax())
    alike = fields["uniform_agreement"]
    same = alike["rollout"]
    order = (
        ""
        if same is None
        else f" The rank correlation of these two orders of the tokens is {number(same)}."
    )
    with_removal = (
        ""
        if alike["removal"] is None
        else f" The rank correlation of uniform rollout with removal is {number(alike['removal'])}."
    )
    return {
        "see": (
            f"Rollout says that {percent(own[most].item())} of the answer’s stream came from"
            f" {called(answer, most)}. If every query looked evenly at all that it may see, it"
            f" would be {percent(uniform[most].item())}.{order}"
        ),
        "more": (
            "Rollout multiplies the attention patterns of all layers, each averaged with the"
            " residual connection. The strokes come from the mask alone and know nothing of the"
            " input."
            f"{with_removal}"
        ),
    }


def logit(answer: "Answer", fields: Fields) -> Seen:
    """The logit as a sum."""
    direct = fields["direct"]
    row = answer.cut("score", method="logit").data
    most = int(row.abs().argmax())
    return {
        "see": (
            f"The logit of “{visible(fields['answered']['text'])}” is {number(direct['logit'])}."
            f" The largest part of it, {number(row[most].item())}, comes from the position of"
            f" {called(answer, most)}. All tokens together bring"
            f" {number(direct['tokens'])}, and the rest is {number(direct['rest'])}. They sum to"
            f" the logit up to {number(direct['error'])}."
        ),
        "more": (
            "The rest is what belongs to no other token: the position, the biases, and the"
            " feed-forward networks at the answer’s own position. After the first layer a position"
            " holds what came from other tokens too, and this is not followed back."
        ),
    }


def links(fields: Fields, question: Question) -> list[dict[str, str]]:
    """The pages that go on from here, in the same state."""
    run = given(question)
    position = fields["answered"]["position"]
    return [
        link("/attention", run, "Attention, head by head"),
        link(
            "/residual",
            {**run, "view": "writes", "position": position},
            "What every part writes to the stream of this answer",
        ),
    ]
