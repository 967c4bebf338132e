"""What the page of /patching says of each view: what is seen, and what it means."""

import json
from typing import TYPE_CHECKING, Any

from app.captions import Question
from app.captions.page import Seen, choices, chosen, given, indices, link, numbered, with_terms
from app.captions.text import number, percent, visible

if TYPE_CHECKING:
    from model.answers.answer import Answer

Fields = dict[str, Any]

SITES = {
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
"""Sites by the names that the page gives them."""
SHORT = {
    "residual.in": "stream in",
    "attention.pattern": "pattern",
    "attention.z": "head",
    "attention.out": "attention",
    "residual.after_attention": "after att.",
    "cross_attention.pattern": "cross pat.",
    "cross_attention.z": "cross head",
    "cross_attention.out": "cross-att.",
    "residual.after_cross_attention": "after cross",
    "feed_forward.out": "feed-forw.",
    "residual.after_feed_forward": "after f.-f.",
    "row_attention.z": "row head",
    "row_attention.out": "row att.",
    "residual.after_row_attention": "after row",
    "row_feed_forward.out": "row f.-f.",
    "residual.out": "stream out",
}
"""Sites by what stands over a small map, where there is little room; a pointer tells the rest."""
OFFERED = {
    "attention.z": "head output",
    "attention.out": "attention",
    "residual.after_attention": "after attention",
    "cross_attention.pattern": "cross pattern",
    "cross_attention.z": "cross head",
    "cross_attention.out": "cross-attention",
    "feed_forward.out": "feed-forward",
    "residual.after_feed_forward": "after feed-f.",
}
"""Sites by what a narrow control calls them, where it has more room than a small map."""
METRICS = {
    "logit_difference": "logit difference",
    "log_probability": "log-probability",
    "kl": "KL divergence",
}
RUNS = {"corrupted": "corrupted run", "patched": "run with the copy", "clean": "clean run"}
PAPER = "0" * 64
SCENES = (
    (
        {"model": "translator", "source": "i am cold", "clean": "he is cold", "show": "grid"},
        "One word of a sentence: “i” becomes “he”",
    ),
    (
        {
            "model": "translator",
            "source": "i am cold",
            "clean": "he is cold",
            "show": "grid",
            "position": 2,
        },
        "The verb alone: “am” becomes “is”, and little happens",
    ),
    (
        {"model": "digits", "image": "three", "clean": PAPER, "show": "pairs"},
        "The two pieces of a 3 without which it becomes an 8",
    ),
    (
        {
            "model": "translator",
            "source": "i am cold",
            "clean": "he is cold",
            "receiver": "decoder.2.cross_attention.v",
            "show": "grid",
        },
        "One path: what reaches the values of the last cross-attention directly",
    ),
)
"""Questions that show something, and what they are called."""


def captions(answer: "Answer", question: Question) -> dict[str, Any]:
    """What the page says: of every view, in its controls, and where it leads on."""
    fields = answer.fields
    views = {"grid": grid(answer, fields), "answers": answers(fields)}
    if "measured_by_head" in answer.tensors:
        views["heads"] = heads(answer, fields)
    if "measured_by_pair" in answer.tensors:
        views["pairs"] = pairs(answer, fields)
    tokens = answer.axes["position"].labels or []
    sites = answer.axes["site"].labels or []
    return {
        "views": {name: with_terms(view) for name, view in views.items()},
        "choices": {
            "site": choices(
                "first", ((site, (SITES | SHORT | OFFERED).get(site, site)) for site in sites)
            ),
            "layer": choices("first", indices(answer.axes["layer"].size)),
            "position": choices("strongest", numbered(tokens)),
        },
        "chosen": chosen(question, "site", "layer", "position"),
        "links": links(answer, fields, question),
    }


def quoted(text: str) -> str:
    return f"“{visible(text)}”"


def token(answer: "Answer", at: int) -> str:
    return quoted((answer.axes["position"].labels or [])[at])


def place(answer: "Answer", fields: Fields) -> str:
    """The chosen patch in words."""
    site = SITES.get(fields["site"], fields["site"])
    at = token(answer, fields["position"])
    return f"{at} ({site}, {fields['stack']} layer {fields['layer']})"


def share(fields: Fields) -> str:
    """How much the chosen patch restores, as its number says."""
    if (restored := fields["chosen_restored"]) is not None:
        return f"restores {percent(restored)} of the difference"
    moved = fields["patched"]["value"] - fields["corrupted"]["value"]
    return f"moves the metric by {number(moved)} {fields['unit']}"


def becomes(fields: Fields) -> str:
    """What the model says before the patch and with it."""
    before, after = (
        fields[name]["writes"] or fields[name]["answers"][0]["text"]
        for name in ("corrupted", "patched")
    )
    verb = "writes" if fields["corrupted"]["writes"] is not None else "says"
    if before == after:
        return f"The model still {verb} {quoted(before)}."
    return f"The model then {verb} {quoted(after)} and not {quoted(before)}."


def no_difference(fields: Fields) -> str:
    return (
        f"The {METRICS[fields['metric']]} of the two runs differs by"
        f" {number(abs(fields['difference']))} {fields['unit']}, which is too little to divide by."
        f" So the colours show how far each copy moves it, in {fields['unit']}."
    )


def scale(fields: Fields) -> str:
    """What the two ends of the scale are, and what lies outside of them."""
    if fields["nothing"] is None:
        return no_difference(fields)
    low, high = fields["corrupted"]["value"], fields["clean"]["value"]
    said = (
        f"On the scale, 0 is the corrupted run, whose {METRICS[fields['metric']]} is {number(low)}"
        f" {fields['unit']}, and 1 is the clean run, with {number(high)}. Below 0 a copy leads"
        " away from the clean run."
    )
    whole = fields["everything"]
    if whole is not None and abs(whole - 1) > 0.01:
        said += (
            f" A copy of all that the stacks read restores {percent(whole)}: the rest of the input"
            " bypasses them."
        )
    return said


def only(fields: Fields) -> str:
    """What a receiver means, where there is one."""
    if fields["receiver"] is None:
        return ""
    head = f", head {fields['receiver_head']}" if fields["receiver_head"] is not None else ""
    return (
        f" Each copy acts on {fields['receiver']}{head} alone, and what every sub-layer on the way"
        " writes stays as it was (path patching)."
    )


def both_read(fields: Fields) -> str:
    """What the two runs read, if it can be quoted."""
    reads = fields["reads"]
    if reads not in ("source", "text"):
        return ""
    corrupted, clean = (fields[name]["input"][reads] for name in ("corrupted", "clean"))
    return f"The corrupted run reads {quoted(corrupted)}, and the clean run {quoted(clean)}. "


def grid(answer: "Answer", fields: Fields) -> Seen:
    """What each patch restores."""
    return {
        "see": (
            f"{both_read(fields)}Each cell copies one vector of the clean run into the corrupted"
            " run, and its colour says how much that restores. The frame is at"
            f" {place(answer, fields)}: this copy {share(fields)}. {becomes(fields)}"
        ),
        "more": f"{scale(fields)}{only(fields)}",
    }


def best(answer: "Answer", name: str) -> tuple[list[int], float]:
    """The place of the largest number of a tensor, and the number."""
    data = answer.tensors[name].data
    at, found = int(data.argmax()), []
    for size in reversed(data.shape):
        at, index = divmod(at, size)
        found.append(index)
    return found[::-1], data.max().item()


def heads(answer: "Answer", fields: Fields) -> Seen:
    """What each head's patch restores."""
    see = (
        "Each small map is one head, and each cell copies the head’s output at one token from the"
        " clean run. "
    )
    if fields["nothing"] is None:
        return {"see": see, "more": no_difference(fields)}
    (kind, head, layer, at), most = best(answer, "restored_by_head")
    names = answer.axes["head_site"].labels or []
    of = f" ({SITES.get(names[kind], names[kind])})" if len(names) > 1 else ""
    return {
        "see": (
            f"{see}Head {head} of layer {layer}{of} restores most,"
            f" {percent(most)} of the difference, at {token(answer, at)}."
        ),
        "more": scale(fields),
    }


def pairs(answer: "Answer", fields: Fields) -> Seen:
    """Which two patches make the model say something else."""
    said, own = fields["pair_answers"], fields["answer_corrupted"]
    n = len(said)
    alone = {said[i][i] for i in range(n)}
    turned = [(i, j) for i in range(n) for j in range(i) if said[i][j] != own]
    new: dict[str, list[tuple[int, int]]] = {}
    for i, j in turned:
        if said[i][j] not in alone:
            new.setdefault(said[i][j], []).append((j, i))
    rare = sorted(new.items(), key=lambda one: (len(one[1]), one[0] != "8"))
    total = n * (n - 1) // 2
    see = (
        f"Each cell copies two vectors at once ({SITES.get(fields['site'])}, layer"
        f" {fields['layer']}). {len(turned)} of {total} pairs change the model’s answer"
        f" {quoted(own)}, and the new answer stands in the cell."
    )
    if rare:
        other, places = rare[0]
        i, j = places[0]
        names = f"{token(answer, i)} (position {i}) and {token(answer, j)} (position {j})"
        see += (
            f" Only {names} together make it say {quoted(other)}."
            if len(places) == 1
            else f" {names} together are one of {len(places)} pairs with {quoted(other)}."
        )
    return {"see": see, "more": f"{scale(fields)} A cell of the diagonal copies one vector."}


def answers(fields: Fields) -> Seen:
    """The answers before and after."""
    top = {name: fields[name]["answers"][0] for name in ("corrupted", "patched", "clean")}
    said = ", ".join(
        f"{quoted(one['text'])} in the {RUNS[name]} ({percent(one['probability'])})"
        for name, one in top.items()
    )
    wrote = (
        " Written to the end, the corrupted run says"
        f" {quoted(fields['corrupted']['writes'])}, the run with the copy"
        f" {quoted(fields['patched']['writes'])}, and the clean run"
        f" {quoted(fields['clean']['writes'])}."
        if fields["clean"]["writes"] is not None
        else ""
    )
    return {
        "see": f"The most probable answers at position {fields['step']}: {said}.{wrote}",
        "more": f"The copy in the frame of “sites” {share(fields)}. {scale(fields)}",
    }


def links(answer: "Answer", fields: Fields, question: Question) -> list[dict[str, str]]:
    """The chosen patch on another page, and questions that show something."""
    run = given(question)
    if not run.keys() - {"model"}:
        run |= {fields["reads"]: fields["corrupted"]["input"][fields["reads"]]}
    found = []
    if fields["receiver"] is None:
        edits = json.dumps([fields["edit"]], ensure_ascii=False, separators=(",", ":"))
        found.append(link("/attention", {**run, "edits": edits}, "The attention with this patch"))
    return [*found, *(link("/patching", scene, text) for scene, text in SCENES)]
