"""What /effects has to say, from the changes of its answer."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from model.answers.answer import Answer
from tests.app.said.claims import Claim, changed, of, says, seen, shaken

TRANSLATOR = {"model": "translator", "source": "cold", "target": "froid", "draws": 1}
SHAPES = {"model": "shapes", "image": "one", "draws": 1}
ASKED = (
    TRANSLATOR | {"unit": "sublayer", "ablation": "zero"},
    {"model": "fill-in", "text": "i ___ cold", "unit": "position", "ablation": "mean", "draws": 2},
    {"model": "digits", "image": "three", "unit": "neurons", "groups": 2, "ablation": "resample"},
    TRANSLATOR
    | {"unit": "head", "ablation": "zero", "chosen": "decoder.1.cross_attention.z[head 2]"},
    SHAPES | {"unit": "head", "ablation": "zero"},
    {"model": "shakespeare", "text": "to be", "unit": "sublayer", "draws": 1, "ablation": "mean"},
    {"model": "penguins-saint", "row": "adelie", "unit": "sublayer", "draws": 1},
)
VARIED = 4
# Of a model with more layers than these have; tests/model/analyses/test_effects.py asks for some.
UNSAID: tuple[str, ...] = (" These are the ", ". All of them would take one core about ")
OFF = {
    "zero": "set to 0",
    "mean": "set to its mean over all positions of the model’s examples",
    "resample": "taken from other examples of the model",
}
ONE = {
    "head": "a head",
    "sublayer": "a sub-layer’s output",
    "position": "the embedding of a position",
    "neurons": "a group of neurons",
}
MANY = {
    "head": "heads",
    "sublayer": "sub-layers",
    "position": "positions",
    "neurons": "groups of neurons",
}
REPLY = {
    "target": "the target",
    "next token": "the likeliest next token",
    "blanks": "the likeliest word at each blank",
    "class": "the likeliest class",
    "shapes": "the classes of the shapes that it finds",
}
PARTS = {
    "attention": ("self-attention", "self"),
    "cross_attention": ("cross-attention", "cross"),
    "feed_forward": ("feed-forward", "ffn"),
    "row_attention": ("attention between rows", "rows"),
    "row_feed_forward": ("feed-forward after rows", "ffn"),
}
ROUNDING = 1e-6


def ordered(answer: Answer, **tensors: Any) -> Answer:
    """The answer with other changes, and the units in their order."""
    told = changed(answer, tensors)
    return changed(told, order=told.tensors["change"].data.argsort().tolist())


def variants(answer: Answer) -> Iterator[tuple[str, Answer]]:
    apart = shaken(answer, 3)
    yield "numbers apart", ordered(apart)
    turned = {"change": lambda data: -data, "by_token": lambda data: -data}
    yield "all signs turned", ordered(apart, **turned)
    yield "all fall", ordered(apart, change=lambda x: -x.abs() - 1, by_token=lambda x: -x.abs())
    yield "all rise", ordered(apart, change=lambda x: x.abs() + 1, by_token=lambda x: x.abs() + 0.1)
    yield "nothing changes", ordered(answer, change=lambda x: 0 * x, by_token=lambda x: 0 * x)
    yield "no other example", changed(answer, usual_change=None)
    yield "draws", changed(ordered(apart), draws=1 if answer.fields["draws"] > 1 else 5)
    for n in range(2):
        units = [
            one | {"says": [f"other{i}" if i <= n else word for i, word in enumerate(one["says"])]}
            for one in answer.fields["units"]
        ]
        yield f"{n + 1} other words", changed(answer, units=units)
    if "spread" in answer.tensors:
        few = {name: one for name, one in answer.tensors.items() if name != "spread"}
        yield (
            "no spread",
            changed(
                type(answer)(
                    answer.kind,
                    answer.axes,
                    few,
                    answer.fields,
                    answer.model,
                    answer.input,
                    inputs=answer.axes,
                )
            ),
        )


def stacks(answer: Answer) -> int:
    return len({unit["stack"] for unit in answer.fields["units"]})


def short(answer: Answer, unit: dict) -> str:
    """A unit in a word or two."""
    kind, first = answer.fields["unit"], (unit["indices"] or [None])[0]
    stack = unit["stack"] + " " if stacks(answer) > 1 else ""
    if kind == "position":
        return f"{stack or 'input '}{first} {seen(unit['token'])}"
    part = PARTS[unit["part"]][1]
    group = f"{'' if part == 'cross' else stack}{part} {unit['layer']}"
    ends = {"head": f".{first}", "sublayer": "", "neurons": f": {first}–{unit['indices'][-1:]}"}
    if kind == "neurons":
        return f"{group}: {first}–{unit['indices'][-1]}"
    return group + ends[kind]


def long(answer: Answer, unit: dict) -> str:
    """A unit as a sentence names it."""
    kind, first = answer.fields["unit"], (unit["indices"] or [None])[0]
    if kind == "position":
        return f"position {first} of the {unit['stack']}, “{seen(unit['token'])}”"
    part = f"the {unit['stack']}’s {PARTS[unit['part']][0]}"
    layer = f"layer {unit['layer']}"
    if kind == "sublayer":
        return f"{part} of {layer}"
    if kind == "head":
        return f"head {first} of {layer} of {part}"
    return f"neurons {first} to {unit['indices'][-1]} of {layer} of {part}"


def quoted(answer: Answer, tokens: list[str]) -> str:
    between = " " if answer.fields["reply"]["kind"] in ("target", "next token") else ", "
    return f"“{between.join(map(seen, tokens))}”"


def here(answer: Answer, question: dict) -> int:
    names = [unit["name"] for unit in answer.fields["units"]]
    if question.get("chosen") in names:
        return names.index(question["chosen"])
    return lowest(answer)


def lowest(answer: Answer) -> int:
    """The unit without which the answer loses most; of those alike, the first in the order."""
    change = of(answer, "change")
    alike = np.flatnonzero(change == change.min())
    return next(i for i in answer.fields["order"] if i in alike)


def claims(answer: Answer, question: dict, figures: Any) -> dict[str, list[list[Claim]]]:
    return {
        "map": [overview(answer), scale(answer)],
        "sorted": ranked(answer),
        "tokens": by_token(answer, here(answer, question)),
    }


def measured(answer: Answer) -> dict[str, str]:
    reply = answer.fields["reply"]
    return {"what": REPLY[reply["kind"]], "reply": quoted(answer, reply["tokens"])}


def whole(answer: Answer) -> Claim:
    return says(
        "With every part on it is {before:number} nats.",
        before=answer.fields["unedited"]["log_probability"],
    )


def overview(answer: Answer) -> list[Claim]:
    fields, worst = answer.fields, lowest(answer)
    by = of(answer, "change")[worst]
    return [
        says(
            "Each {mark} shows by how much the log-probability of {what}, {reply}, changes when"
            " {unit} is {off}.",
            mark="cell" if fields["unit"] in ("head", "neurons") else "bar",
            unit=ONE[fields["unit"]],
            off=OFF[fields["ablation"]],
            **measured(answer),
        ),
        whole(answer),
        says(
            "It falls most without {unit}, by {by:number} nats.",
            unit=long(answer, fields["units"][worst]),
            by=float(-by),
        )
        if by < -ROUNDING
        else says("It falls in no case."),
    ]


def scale(answer: Answer) -> list[Claim]:
    fields, change = answer.fields, np.abs(of(answer, "change"))
    if fields["usual_change"] is None:
        return [says("No other example was drawn to compare the changes with.")]
    n, unit = answer.axes["unit"].size, fields["unit"]
    told = [
        says(
            "For comparison: {unit} that is taken from {examples} changes it by {usual:number} nats"
            " on average, up or down.",
            unit=ONE[unit],
            usual=fields["usual_change"],
            examples="one other example"
            if fields["draws"] == 1
            else f"{fields['draws']} other examples",
        )
    ]
    if fields["ablation"] != "resample":
        larger = int((change > fields["usual_change"]).sum())
        template = "Of the {n} {units} here, {larger} change it by more than that."
        return [*told, says(template, n=n, units=MANY[unit], larger=larger)]
    if "spread" not in answer.tensors:
        return [*told, says("With one example there is no spread over examples.")]
    clear = int((change > 2 * of(answer, "spread")).sum())
    return [
        *told,
        says(
            "For {clear} of the {n} {units} the mean change is more than twice its standard"
            " deviation over the examples. The change of the others depends much on the example.",
            clear=clear,
            n=n,
            units=MANY[unit],
        ),
    ]


def ranked(answer: Answer) -> list[list[Claim]]:
    change, fields = of(answer, "change"), answer.fields
    drawn = "Each dot is the change when the same part is taken from another example."
    return [
        [
            says(
                "The bars show by how much the log-probability of {what}, {reply}, changes without"
                " one part, the largest changes in order.",
                **measured(answer),
            ),
            whole(answer),
            says(
                "It falls without {falls} of the {n} {units}, and rises without {rises}.",
                falls=int((change < -ROUNDING).sum()),
                rises=int((change > ROUNDING).sum()),
                n=len(change),
                units=MANY[fields["unit"]],
            ),
            *([says(drawn)] if fields["draws"] else []),
        ],
        [
            says(
                "The {n} changes sum to {sum:number} nats. Turning all parts off at once need not"
                " change it by as much: a part can take over the work of another, and two parts"
                " can need each other.",
                n=len(change),
                sum=answer.tensors["change"].data.sum().item(),
            )
        ],
    ]


def by_token(answer: Answer, at: int) -> list[list[Claim]]:
    fields, unit = answer.fields, answer.fields["units"][at]
    tokens, by = of(answer, "by_token")[at], of(answer, "change")[at]
    reply, before = fields["reply"]["tokens"], fields["unedited"]
    other = sum(a != b for a, b in zip(unit["says"], before["says"], strict=True))
    first = " (first draw)" if fields["ablation"] == "resample" else ""
    told = [
        says(
            "The bars compare the log-probability of {what}, {reply}, token by token.",
            **measured(answer),
        ),
        whole(answer),
        says("Without {unit}, it", unit=long(answer, unit)),
    ]
    if abs(by) < ROUNDING:
        told.append(says("does not change."))
    else:
        told.append(
            says(
                "{way} by {by:number} nats, to {after:number}.",
                way="rises" if by > 0 else "falls",
                by=float(abs(by)),
                after=float(before["log_probability"] + by),
            )
        )
        if before["loss"] is not None:
            told.append(
                says(
                    "The loss goes from {before:number} to {after:number} nats a token.",
                    before=before["loss"],
                    after=float(of(answer, "loss")[at]),
                )
            )
    if other:
        several = len(reply) > 1
        told.append(
            says(
                "Then{first} {who} {says}{counted}.",
                first=first,
                who="the likeliest tokens after the target’s own tokens are"
                if fields["reply"]["kind"] == "target"
                else "the model says",
                says=quoted(answer, unit["says"]),
                counted=f": {other} of {len(reply)} differ{'s' if other == 1 else ''}"
                if several
                else "",
            )
        )
    else:
        told.append(says("What the model finds likeliest stays the same{first}.", first=first))
    worst = int(tokens.argmin())
    least = (
        says(
            "{token:token} loses most: its log-probability falls by {by:number} nats.",
            token=reply[worst],
            by=float(-tokens[worst]),
        )
        if tokens[worst] < -ROUNDING
        else says("No token loses anything.")
    )
    return [told, [least]]


def choices(answer: Answer, _: dict) -> dict[str, list[tuple[str, str]]]:
    units = answer.fields["units"]
    return {
        "chosen": [("", "largest loss"), *((unit["name"], short(answer, unit)) for unit in units)]
    }


def chosen(answer: Answer, question: dict) -> dict[str, str]:
    return {"chosen": question.get("chosen", "")}


def links(answer: Answer, question: dict) -> list[tuple[str, dict, str]]:
    unit = answer.fields["units"][here(answer, question)]
    inputs = ("model", "source", "target", "text", "image", "row")
    given = {name: question[name] for name in inputs if name in question}
    given["edits"] = json.dumps(unit["edits"], ensure_ascii=False)
    place = {}
    if answer.fields["unit"] == "head":
        kind = {"attention": "self", "cross_attention": "cross", "row_attention": "rows"}
        place = {
            "kind": kind[unit["part"]],
            "stack": unit["stack"],
            "layer": unit["layer"],
            "head": unit["indices"][0],
        }
    name = short(answer, unit)
    told = [("/attention", given | place, f"Attention without {name}")]
    if answer.fields["reply"]["kind"] in ("target", "next token"):
        free = {key: value for key, value in given.items() if key != "target"}
        told.append(("/generate", free, f"What the model writes without {name}"))
    return told
