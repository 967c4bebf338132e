"""What /attribution has to say, from the scores of its answer."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from model.answers.answer import Answer
from tests.app.said.claims import Claim, changed, colour_of, listed, of, says, seen, shaken

TRANSLATOR = {"model": "translator", "source": "i am cold", "target": "j' ai froid", "steps": 17}
ASKED = (
    TRANSLATOR,
    {"model": "digits", "image": "three", "steps": 17},
    TRANSLATOR | {"answer": 1, "methods": "attention"},
)
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
VERDICTS = ("better than chance", "no better than chance", "worse than chance")


def variants(answer: Answer) -> Iterator[tuple[str, Answer]]:
    """Answers in which other sentences are said."""
    yield "numbers apart", shaken(answer, 1)
    yield "all signs turned", changed(shaken(answer, 2), {"score": lambda data: -data})
    names = answer.axes["method"].labels

    def alone(data: Any) -> Any:
        data[names.index("removal"), -1] = 1 + data.abs().max()
        data[[i for i, name in enumerate(names) if name != "removal"], -1] = 0
        return data

    yield "removal alone", changed(answer, {"score": alone})
    for at in range(3):
        rows = [
            one | {"verdict": (*VERDICTS, "not defined")[(i + at) % 4]}
            for i, one in enumerate(answer.fields["agreement"])
        ]
        held = answer.fields["held_out"]
        rest = held and held | {
            "agreement": [
                one | {"verdict": VERDICTS[at], "mean": (i + 2 * at) % 5 - one["mean"]}
                for i, one in enumerate(held["agreement"])
            ]
        }
        yield f"verdicts {at}", changed(answer, agreement=rows, held_out=rest)
    yield "no chance", changed(answer, chance=None, held_out=None)
    yield "no order", changed(answer, uniform_agreement={"removal": None, "rollout": None})
    if answer.fields["completeness"]:
        for complete in (False, True):
            was = answer.fields["completeness"] | {"complete": complete}
            yield f"complete {complete}", changed(answer, completeness=was)


def methods(names: list[str]) -> str:
    return listed([CALLED[name] for name in names])


def plural(names: list[str]) -> bool:
    return len(names) > 1 or names == ["integrated"]


def token(answer: Answer, at: int) -> str:
    """A token as it is called: with its place where another has the same text."""
    tokens, axis = answer.fields["tokens"], answer.axes["token"]
    name = f"“{seen(tokens[at])}”"
    if axis.kind == "patch" and "CLS" not in name:
        return f"patch {name}"
    if tokens.count(tokens[at]) == 1:
        return name
    if axis.parts is None:
        return f"{name} (position {at})"
    for part, size in axis.parts.items():
        if at < size:
            return f"{name} ({part} {at})"
        at -= size
    raise AssertionError


def strongest(answer: Answer, method: str) -> int:
    return int(np.abs(of(answer, "score", method=method)).argmax())


def claims(answer: Answer, question: dict, figures: Any) -> dict[str, list[list[Claim]]]:
    """Of each view, the claims of both its texts."""
    told = {"scores": scores(answer, figures), "agreement": agreement(answer)}
    if "rollout" in answer.axes["method"].labels:
        told["rollout"] = rollout(answer)
    if answer.fields["direct"]:
        told["logit"] = logit(answer)
    return told


def scores(answer: Answer, figures: Any) -> list[list[Claim]]:
    others = [name for name in answer.axes["method"].labels if name != "removal"]
    most = strongest(answer, "removal")
    change = of(answer, "score", method="removal")[most]
    found: dict[int, list[str]] = {}
    for name in others:
        found.setdefault(strongest(answer, name), []).append(name)
    too = found.pop(most, [])
    answered, sums = answer.fields["answered"], answer.fields["completeness"]
    scale = figures("scores")["data"][0]["colorscale"]
    return [
        [
            says(
                "The model answers {answer:token} with a probability of {probability:%}.",
                answer=answered["text"],
                probability=answered["probability"],
            ),
            says(
                "By removal {most} matters most: without its vector, the answer’s log-probability"
                " {goes} by {change:number} nats.",
                most=token(answer, most),
                goes="falls" if change > 0 else "rises",
                change=float(abs(change)),
            ),
            says(
                "{methods:capital} {put} it first, too.",
                methods=methods(too),
                put="put" if plural(too) else "puts",
            )
            if too
            else says("No other method puts it first."),
            *(
                says(
                    "{methods:capital} {put} {token} first.",
                    methods=methods(names),
                    put="put" if plural(names) else "puts",
                    token=token(answer, at),
                )
                for at, names in found.items()
            ),
        ],
        [
            says("The colours of each row are divided by its largest size, so compare them within"),
            says(
                "a row. {positive:capital} is for the answer, and {negative} is against it.",
                positive=colour_of(scale[-1][1]),
                negative=colour_of(scale[0][1]),
            ),
            *(completeness(sums) if sums else []),
        ],
    ]


def completeness(sums: dict) -> list[Claim]:
    return [
        says(
            "Integrated gradients must sum to the change of the log-probability from an empty"
            " input, {difference:number} nats. With {steps} points they sum to {sum:number}, and"
            " the error is {error:number} nats, {within} 0.005.",
            within="at most" if sums["complete"] else "more than",
            **{name: sums[name] for name in ("difference", "steps", "sum", "error")},
        ),
        *([] if sums["complete"] else [says("Choose more points to make it smaller.")]),
    ]


def by_verdict(rows: list[dict]) -> dict[str, list[str]]:
    return {
        verdict: names
        for verdict in VERDICTS
        if (names := [row["method"] for row in rows if row["verdict"] == verdict])
    }


def agreement(answer: Answer) -> list[list[Claim]]:
    fields = answer.fields
    rest = held_out(fields["held_out"])
    if fields["chance"] is None:
        none = "Removal gives these tokens no order, so no method can agree with it."
        return [[says(none)], rest]
    undefined = [one["method"] for one in fields["agreement"] if one["verdict"] == "not defined"]
    return [
        [
            says(
                "Each bar is the rank correlation of a method with removal, which is 1 if both"
                " order the tokens alike."
            ),
            *(
                says(
                    "{methods:capital} {agree} with removal {verdict} here.",
                    methods=methods(names),
                    agree="agree" if plural(names) else "agrees",
                    verdict=verdict,
                )
                for verdict, names in by_verdict(fields["agreement"]).items()
            ),
            *(
                [
                    says(
                        "{methods:capital} {give} no order.",
                        methods=methods(undefined),
                        give="give" if plural(undefined) else "gives",
                    )
                ]
                if undefined
                else []
            ),
            says(
                "The grey band, {low:number} to {high:number}, holds 95 % of random orders of the"
                " {n} {kind}.",
                low=fields["chance"]["low"],
                high=fields["chance"]["high"],
                n=answer.axes["token"].size,
                kind="patches" if answer.axes["token"].kind == "patch" else "tokens",
            ),
        ],
        rest,
    ]


MEAN = "{mean:number} (interval {low:number} to {high:number})"


def ends(one: dict) -> dict[str, float]:
    return {name: one[name] for name in ("mean", "low", "high")}


def held_out(found: dict | None) -> list[Claim]:
    if found is None:
        return [says("over held-out inputs was not measured for this model")]
    rows = {one["method"]: one for one in found["agreement"]}
    own = sorted((one for name, one in rows.items() if name != "uniform"), key=lambda x: x["mean"])
    told = {
        verdict: names
        for verdict, names in by_verdict(
            [one for one in found["agreement"] if one["method"] != "uniform"]
        ).items()
        if verdict != "better than chance"
    }
    return [
        says(
            "Over {n} held-out inputs, the mean is highest for {method}, " + MEAN,
            n=found["inputs"],
            method=CALLED[own[-1]["method"]],
            **ends(own[-1]),
        ),
        says("lowest for {method}, " + MEAN, method=CALLED[own[0]["method"]], **ends(own[0])),
        *(
            says(
                "On average {methods} {agree} {verdict}.",
                methods=methods(names),
                agree="agree" if plural(names) else "agrees",
                verdict=verdict,
            )
            for verdict, names in told.items()
        ),
        *([] if told else [says("On average every method agrees better than chance.")]),
        says(
            "For the rollout of uniform attention, which knows only the mask, the mean is " + MEAN,
            **ends(rows["uniform"]),
        ),
    ]


def rollout(answer: Answer) -> list[list[Claim]]:
    own = of(answer, "score", method="rollout")
    most, alike = int(own.argmax()), answer.fields["uniform_agreement"]
    return [
        [
            says(
                "Rollout says that {share:%} of the answer’s stream came from {token}.",
                share=float(own[most]),
                token=token(answer, most),
            ),
            says(
                "If every query looked evenly at all that it may see, it would be {uniform:%}.",
                uniform=float(of(answer, "uniform")[most]),
            ),
            *(
                []
                if alike["rollout"] is None
                else [
                    says(
                        "rank correlation of these two orders of the tokens is {both:number}.",
                        both=alike["rollout"],
                    )
                ]
            ),
        ],
        [
            says(
                "Rollout multiplies the attention patterns of all layers, each averaged with the"
                " residual connection. The strokes come from the mask alone and know nothing of the"
                " input."
            ),
            *(
                []
                if alike["removal"] is None
                else [
                    says(
                        "The rank correlation of uniform rollout with removal is {removal:number}.",
                        removal=alike["removal"],
                    )
                ]
            ),
        ],
    ]


def logit(answer: Answer) -> list[list[Claim]]:
    direct, row = answer.fields["direct"], of(answer, "score", method="logit")
    most = strongest(answer, "logit")
    return [
        [
            says(
                "The logit of {answer:token} is {logit:number}. The largest part of it,"
                " {part:number}, comes from the position of {token}. All tokens together bring"
                " {tokens:number}, and the rest is {rest:number}. They sum to the logit up to"
                " {error:number}.",
                answer=answer.fields["answered"]["text"],
                part=float(row[most]),
                token=token(answer, most),
                **direct,
            )
        ],
        [
            says(
                "The rest is what belongs to no other token: the position, the biases, and the"
                " feed-forward networks at the answer’s own position. After the first layer a"
                " position holds what came from other tokens too, and this is not followed back."
            )
        ],
    ]


def choices(answer: Answer, question: dict) -> dict[str, list[tuple[str, str]]]:
    rest = [(str(i), f"{i} {seen(text)}") for i, text in enumerate(answer.fields["answers"])]
    first = "the usual one" if question.get("answer") else seen(answer.fields["answered"]["text"])
    return {"answer": [("", first), *rest]}


def chosen(answer: Answer, question: dict) -> dict[str, str]:
    return {"answer": str(question.get("answer", ""))}


def links(answer: Answer, question: dict) -> list[tuple[str, dict, str]]:
    given = {k: question[k] for k in question if k not in ("steps", "methods", "answer")}
    at = answer.fields["answered"]["position"]
    return [
        ("/attention", given, "Attention, head by head"),
        (
            "/residual",
            given | {"view": "writes", "position": at},
            "What every part writes to the stream of this answer",
        ),
    ]


VARIED = 2
UNSAID = ("of the logit",)
"""What only a figure says, where one points at it."""
