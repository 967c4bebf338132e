"""What /patching has to say, from what each copy restores."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from model.answers.answer import Answer
from tests.app.said.claims import Claim, changed, of, says, seen, shaken

TRANSLATOR = {"model": "translator", "source": "cold", "clean": "hot"}
EMPTY = "0" * 64
ASKED = (
    TRANSLATOR | {"metric": "log_probability", "site": "attention.out", "layer": 1, "position": 2},
    {"model": "digits", "image": "three", "clean": EMPTY, "pairs": True, "site": "residual.in"},
    TRANSLATOR | {"heads": True, "receiver": "decoder.2.cross_attention.v", "receiver_head": 1},
    TRANSLATOR | {"metric": "kl", "heads": True},
    {"model": "shakespeare", "text": "to be", "clean": "to go", "heads": True},
    {"model": "translator", "source": "cold", "clean": "cold"},
)
VARIED = 5
PLACES = {
    "residual.in": "stream into the layer",
    "attention.q": "queries",
    "attention.k": "keys",
    "attention.v": "values",
    "attention.pattern": "attention pattern",
    "attention.z": "output of a head",
    "attention.out": "attention output",
    "residual.after_attention": "stream after attention",
    "cross_attention.pattern": "cross-attention pattern",
    "cross_attention.z": "output of a cross-attention head",
    "cross_attention.out": "cross-attention output",
    "residual.after_cross_attention": "stream after cross-attention",
    "feed_forward.out": "feed-forward output",
    "residual.after_feed_forward": "stream after feed-forward",
    "row_attention.q": "row queries",
    "row_attention.k": "row keys",
    "row_attention.v": "row values",
    "row_attention.pattern": "row pattern",
    "row_attention.z": "output of a head between rows",
    "row_attention.out": "row attention output",
    "residual.after_row_attention": "stream after row attention",
    "row_feed_forward.out": "row feed-forward output",
    "residual.out": "stream out of the layer",
}
OFFERED = PLACES | {
    "residual.in": "stream in",
    "attention.pattern": "pattern",
    "attention.z": "head output",
    "attention.out": "attention",
    "residual.after_attention": "after attention",
    "cross_attention.pattern": "cross pattern",
    "cross_attention.z": "cross head",
    "cross_attention.out": "cross-attention",
    "residual.after_cross_attention": "after cross",
    "feed_forward.out": "feed-forward",
    "residual.after_feed_forward": "after feed-f.",
    "row_attention.z": "row head",
    "row_attention.out": "row att.",
    "residual.after_row_attention": "after row",
    "row_feed_forward.out": "row f.-f.",
    "residual.out": "stream out",
}
METRICS = {
    "logit_difference": "logit difference",
    "log_probability": "log-probability",
    "kl": "KL divergence",
}
UNSAID = ("he is cold",)
"""What stands in an address, which the links are held against."""


def variants(answer: Answer) -> Iterator[tuple[str, Answer]]:
    apart = shaken(answer, 13)
    yield "numbers apart", apart
    for at in PLACES:
        yield at, changed(apart, site=at)
    yield (
        "no difference",
        changed(apart, nothing=None, chosen_restored=None, difference=-apart.fields["difference"]),
    )
    yield "part of it", changed(apart, everything=0.83)
    yield "a little more", changed(apart, everything=1.02)
    yield "all of it", changed(apart, everything=0.995)
    yield "nothing known", changed(apart, everything=None)
    before = apart.fields["corrupted"]
    yield (
        "the answer stays",
        changed(
            apart,
            patched=apart.fields["patched"]
            | {"answers": before["answers"], "writes": before["writes"]},
        ),
    )
    for metric in METRICS:
        yield metric, changed(apart, metric=metric)
    if "pair_answers" in answer.fields:
        n, own = len(answer.fields["pair_answers"]), answer.fields["answer_corrupted"]
        for count in (0, 1, 3):
            said = [[own] * n for _ in range(n)]
            for i, j in [(5, 2), (7, 1), (9, 3)][:count]:
                said[i][j] = said[j][i] = "8"
            said[11][4] = said[4][11] = own
            yield f"{count} pairs", changed(answer, pair_answers=said)


def quoted(text: str) -> str:
    return f"“{seen(text)}”"


def token(answer: Answer, at: int) -> str:
    return quoted(answer.axes["position"].labels[at])


def claims(answer: Answer, question: dict, figures: Any) -> dict[str, list[list[Claim]]]:
    told = {"grid": grid(answer), "answers": answers(answer)}
    if "measured_by_head" in answer.tensors:
        told["heads"] = heads(answer)
    if "measured_by_pair" in answer.tensors:
        told["pairs"] = pairs(answer)
    return told


def restores(fields: dict) -> Claim:
    if fields["chosen_restored"] is not None:
        template = "restores {share:%} of the difference"
        return says(template, share=fields["chosen_restored"])
    return says(
        "moves the metric by {by:number} {unit}",
        by=fields["patched"]["value"] - fields["corrupted"]["value"],
        unit=fields["unit"],
    )


def grid(answer: Answer) -> list[list[Claim]]:
    fields = answer.fields
    reads = fields["reads"]
    told = []
    if reads in ("source", "text"):
        told.append(
            says(
                "The corrupted run reads {corrupted}, and the clean run {clean}.",
                corrupted=quoted(fields["corrupted"]["input"][reads]),
                clean=quoted(fields["clean"]["input"][reads]),
            )
        )
    writes = fields["corrupted"]["writes"] is not None
    before, after = (
        fields[name]["writes"] or fields[name]["answers"][0]["text"]
        for name in ("corrupted", "patched")
    )
    verb = "writes" if writes else "says"
    told += [
        says(
            "Each cell copies one vector of the clean run into the corrupted run, and its colour"
            " says how much that restores."
        ),
        says(
            "The frame is at {token} ({site}, {stack} layer {layer}): this copy",
            token=token(answer, fields["position"]),
            site=PLACES[fields["site"]],
            stack=fields["stack"],
            layer=fields["layer"],
        ),
        restores(fields),
        says("The model still {verb} {before}.", verb=verb, before=quoted(before))
        if before == after
        else says(
            "The model then {verb} {after} and not {before}.",
            verb=verb,
            after=quoted(after),
            before=quoted(before),
        ),
    ]
    return [told, [*scale(fields), *only(fields)]]


def too_little(fields: dict) -> list[Claim]:
    return [
        says(
            "The {metric} of the two runs differs by {difference:number} {unit}, which is too"
            " little to divide by. So the colours show how far each copy moves it, in {unit}.",
            metric=METRICS[fields["metric"]],
            difference=abs(fields["difference"]),
            unit=fields["unit"],
        )
    ]


def scale(fields: dict) -> list[Claim]:
    if fields["nothing"] is None:
        return too_little(fields)
    told = [
        says(
            "On the scale, 0 is the corrupted run, whose {metric} is {low:number} {unit}, and 1 is"
            " the clean run, with {high:number}. Below 0 a copy leads away from the clean run.",
            metric=METRICS[fields["metric"]],
            low=fields["corrupted"]["value"],
            high=fields["clean"]["value"],
            unit=fields["unit"],
        )
    ]
    whole = fields["everything"]
    if whole is not None and abs(whole - 1) > 0.01:
        told.append(
            says(
                "A copy of all that the stacks read restores {whole:%}: the rest of the input"
                " bypasses them.",
                whole=whole,
            )
        )
    return told


def only(fields: dict) -> list[Claim]:
    if fields["receiver"] is None:
        return []
    head = fields["receiver_head"]
    return [
        says(
            "Each copy acts on {receiver}{head} alone, and what every sub-layer on the way writes"
            " stays as it was (path patching).",
            receiver=fields["receiver"],
            head="" if head is None else f", head {head}",
        )
    ]


def heads(answer: Answer) -> list[list[Claim]]:
    fields = answer.fields
    begin = says(
        "Each small map is one head, and each cell copies the head’s output at one token from the"
        " clean run."
    )
    if fields["nothing"] is None:
        return [[begin], too_little(fields)]
    restored = of(answer, "restored_by_head")
    kind, head, layer, at = np.unravel_index(restored.argmax(), restored.shape)
    kinds = answer.axes["head_site"].labels
    return [
        [
            begin,
            says(
                "Head {head} of layer {layer}{kind} restores most, {share:%} of the difference,"
                " at {token}.",
                head=head,
                layer=layer,
                kind=f" ({PLACES[kinds[kind]]})" if len(kinds) > 1 else "",
                share=float(restored.max()),
                token=token(answer, int(at)),
            ),
        ],
        scale(fields),
    ]


def pairs(answer: Answer) -> list[list[Claim]]:
    fields = answer.fields
    said, own = fields["pair_answers"], fields["answer_corrupted"]
    n = len(said)
    both = {(i, j): said[j][i] for j in range(n) for i in range(j)}
    other = {pair: one for pair, one in both.items() if one != own}
    alone = {said[i][i] for i in range(n)}
    told = [
        says(
            "Each cell copies two vectors at once ({site}, layer {layer}). {turned} of {pairs}"
            " pairs change the model’s answer {own}, and the new answer stands in the cell.",
            site=PLACES[fields["site"]],
            layer=fields["layer"],
            turned=len(other),
            pairs=len(both),
            own=quoted(own),
        )
    ]
    new: dict[str, list[tuple[int, int]]] = {}
    for pair, one in other.items():
        if one not in alone:
            new.setdefault(one, []).append(pair)
    if new:
        one = min(new, key=lambda each: (len(new[each]), each != "8"))
        i, j = new[one][0]
        names = {
            "first": token(answer, i),
            "i": i,
            "second": token(answer, j),
            "j": j,
            "answer": quoted(one),
            "n": len(new[one]),
        }
        both_of = "{first} (position {i}) and {second} (position {j}) together"
        told.append(
            says(f"Only {both_of} make it say {{answer}}.", **names)
            if len(new[one]) == 1
            else says(f"{both_of} are one of {{n}} pairs with {{answer}}.", **names)
        )
    return [told, [*scale(fields), says("A cell of the diagonal copies one vector.")]]


def answers(answer: Answer) -> list[list[Claim]]:
    fields = answer.fields
    runs = {"corrupted": "corrupted run", "patched": "run with the copy", "clean": "clean run"}
    told = [says("The most probable answers at position {step}:", step=fields["step"])]
    for name, called in runs.items():
        best = fields[name]["answers"][0]
        told.append(
            says(
                "{text} in the {run} ({probability:%})",
                text=quoted(best["text"]),
                run=called,
                probability=best["probability"],
            )
        )
    if fields["clean"]["writes"] is not None:
        told.append(
            says(
                "Written to the end, the corrupted run says {corrupted}, the run with the copy"
                " {patched}, and the clean run {clean}.",
                **{name: quoted(fields[name]["writes"]) for name in runs},
            )
        )
    frame = says("The copy in the frame of “sites”")
    return [told, [frame, restores(fields), *scale(fields)]]


def choices(answer: Answer, _: dict) -> dict[str, list[tuple[str, str]]]:
    sites, tokens = answer.axes["site"].labels, answer.axes["position"].labels
    layers = [str(i) for i in range(answer.axes["layer"].size)]
    return {
        "site": [("", "first"), *((site, OFFERED[site]) for site in sites)],
        "layer": [("", "first"), *((layer, layer) for layer in layers)],
        "position": [
            ("", "strongest"),
            *((str(i), f"{i} {seen(one)}") for i, one in enumerate(tokens)),
        ],
    }


def chosen(answer: Answer, question: dict) -> dict[str, str]:
    return {name: str(question.get(name, "")) for name in ("site", "layer", "position")}


def links(answer: Answer, question: dict) -> list[tuple[str, dict, str]]:
    inputs = ("model", "source", "target", "text", "image", "row")
    given = {name: question[name] for name in inputs if name in question}
    told: list[tuple[str, dict, str]] = []
    if "receiver" not in question:
        edit = json.dumps([answer.fields["edit"]], ensure_ascii=False, separators=(",", ":"))
        told.append(("/attention", given | {"edits": edit}, "The attention with this patch"))
    translator = {"model": "translator", "source": "i am cold", "clean": "he is cold"}
    verb = translator | {"show": "grid", "position": 2}
    digits = {"model": "digits", "image": "three", "clean": EMPTY, "show": "pairs"}
    path = translator | {"receiver": "decoder.2.cross_attention.v", "show": "grid"}
    return [
        *told,
        ("/patching", translator | {"show": "grid"}, "One word of a sentence: “i” becomes “he”"),
        ("/patching", verb, "The verb alone: “am” becomes “is”, and little happens"),
        ("/patching", digits, "The two pieces of a 3 without which it becomes an 8"),
        (
            "/patching",
            path,
            "One path: what reaches the values of the last cross-attention directly",
        ),
    ]
