"""What the page of /circuit says of each view: what is seen, and what it means."""

import math
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.axes import labels
from app.captions.page import Seen, choices, chosen, given, indices, link, with_terms
from app.captions.text import counted, grouped, number, percent, visible

if TYPE_CHECKING:
    from model.answers.answer import Answer

Fields = dict[str, Any]

BY = {"q": "queries", "k": "keys", "v": "values"}
ATTENTIONS = {"encoder": "the encoder", "decoder": "the decoder", "cross": "the cross-attention"}
KINDS = {
    "direct": "direct path",
    "layer 0": "layer 0 alone",
    "layer 1": "layer 1 alone",
    "both": "layer 0, then values of layer 1",
}
CASES = {
    "whole": "whole model",
    "scores_alone": "keys and queries",
    "path_alone": "the path alone",
    "without_path": "without the path",
    "without_head": "without the head",
    "no_layer_0": "without layer 0",
}
NORMS = " Norms and biases are left out here, so a run may do something else."


def captions(answer: "Answer", question: Question) -> dict[str, Any]:
    """What the page says: of every view that the answer has, in its controls, and where it leads
    on.
    """
    fields = answer.fields
    views = [view for part in fields["parts"] for view in CAPTIONS[part].items()]
    return {
        "views": {name: with_terms(view(answer, question)) for name, view in views},
        "choices": offered(fields),
        "chosen": chosen(question, "layer", "head", "step"),
        "links": links(fields, question),
    }


def offered(fields: Fields) -> dict[str, list[dict[str, str]]]:
    """What the controls offer: layers and heads where a head is shown, and kept steps."""
    found = {}
    if "weights" in fields["parts"]:
        for name in ("layer", "head"):
            found[name] = choices("copies most", indices(fields[f"{name}s"]))
    if fields["steps"]:
        found["step"] = choices("shipped", ((step, str(step)) for step in fields["steps"]))
    return found


# One head.


def head_of(fields: Fields) -> str:
    return f"head {fields['layer']}.{fields['head']} of {ATTENTIONS[fields['attention']]}"


def first_of(rows: Sequence[Fields]) -> tuple[str, str]:
    """The token of the first row, and the first of its words."""
    return visible(rows[0]["token"]), visible(rows[0]["words"][0])


def raised(answer: "Answer", question: Question) -> Seen:
    """What the head writes for the tokens with the largest rows."""
    fields = answer.fields
    circuit = fields["circuits"]["ov"]
    token, word = first_of(circuit["rows"])
    size = fields["vocabulary"]
    most = number(answer.tensors["ov"].data[0, 0].item())
    return {
        "see": (
            f"Each row is a token that {head_of(fields)} may look at, with the words whose logits"
            f" it then raises most. “{token}” raises “{word}” most, by {most}. No sentence was"
            " read: this follows from the weights alone."
        ),
        "more": (
            f"The OV circuit has a row and a column for each of {grouped(size)} tokens, and the"
            f" {largest(circuit, 'numbers')} shown. {of_rows(circuit)},"
            f" {percent(circuit['own'])} raise their own token most, and by chance it would be"
            f" {percent(1 / size)}.{of_encoder(fields)}{NORMS if fields['normed'] else ''}"
        ),
    }


def largest(circuit: dict[str, Any], what: str) -> str:
    """12 rows with the largest numbers are"""
    kind = f"with the largest {what}"
    return counted(len(circuit["rows"]), f"row {kind} is", f"rows {kind} are")


def of_rows(circuit: Fields) -> str:
    """Of which rows it is said: all, or those of a large vocabulary that were looked through."""
    if "scanned" not in circuit:
        return "Of all rows"
    return f"Of the {grouped(circuit['scanned'])} rows that were looked through, at even distances"


def of_encoder(fields: Fields) -> str:
    """What the words of an encoder mean that predicts none."""
    if fields["attention"] != "encoder" or "decoder" not in fields["attentions"]:
        return ""
    return (
        " No words are read from this encoder; its vectors are compared with those of the words"
        " that the decoder predicts."
    )


def of_input(answer: "Answer", question: Question) -> Seen:
    """What the head writes for the tokens of the input."""
    fields = answer.fields
    rows = fields["circuits"]["ov_of_input"]
    most = int(answer.tensors["ov.input"].data[:, 0].argmax())
    token, word = visible(rows[most]["token"]), visible(rows[most]["words"][0])
    return {
        "see": (
            f"Each row is a token of your input, with the words that {head_of(fields)} raises when"
            f" it looks at this token alone. The largest number is that of “{word}” for"
            f" “{token}”."
        ),
        "more": (
            "In a run, the head reads the stream, to which other layers have written, and not the"
            " token’s own vector alone."
        ),
    }


def looked_for(answer: "Answer", question: Question) -> Seen:
    """Which tokens the head looks for."""
    fields = answer.fields
    circuit = fields["circuits"]["qk"]
    token, key = first_of(circuit["rows"])
    turned = (
        " In a run the scores also depend on the distance, by which this model turns queries and"
        " keys. Here both stand at one place."
        if fields["rotated"]
        else ""
    )
    return {
        "see": (
            f"Each row is a token from which {head_of(fields)} makes a query, with the tokens whose"
            f" keys get the highest scores. “{token}” looks for “{key}” most, with a score of"
            f" {number(answer.tensors['qk'].data[0, 0].item())}."
        ),
        "more": (
            f"The {largest(circuit, 'scores')} shown. {of_rows(circuit)},"
            f" {percent(circuit['own'])} have their own token as the best key, and by chance it"
            f" would be {percent(1 / fields['vocabulary'])}."
            f"{turned}{NORMS if fields['normed'] else ''}"
        ),
    }


def of_positions(answer: "Answer", question: Question) -> Seen:
    """Which positions the head looks at, whatever the tokens are."""
    fields = answer.fields
    scores = answer.tensors["qk.positions"].data.numpy()
    offset, share = favourite(scores)
    where = {0: "at the query itself", -1: "at the position before", 1: "at the next position"}
    there = where.get(offset, f"{abs(offset)} positions {'before' if offset < 0 else 'ahead'}")
    what = (
        "It is computed from the vectors of positions alone."
        if fields["of_positions"]
        else "Every position holds the mean of all tokens, because positions add no vector here and"
        " only turn queries and keys."
        if fields["rotated"]
        else "Every position holds the mean of all tokens, because positions do not enter the"
        " scores of this attention."
    )
    return {
        "see": (
            f"Each cell is a score of {head_of(fields)}, from the position of its row, which looks,"
            f" to the position of its column, which is looked at. {what} In {percent(share)} of the"
            f" rows the highest score lies {there}."
        ),
        "more": "In a run the tokens change these scores, and so do the norms."
        if fields["of_positions"]
        else "In a run the tokens change these scores.",
    }


def favourite(scores: np.ndarray) -> tuple[int, float]:
    """The offset at which the highest score of a row lies most often, and in which share of rows.
    The first row of a causal attention has no choice.
    """
    offsets = [int(row.argmax()) - i for i, row in enumerate(scores) if np.isfinite(row).sum() > 1]
    best = max(sorted(set(offsets), key=abs), key=offsets.count)
    return best, offsets.count(best) / len(offsets)


def copied(answer: "Answer", question: Question) -> Seen:
    """Which heads copy."""
    found = answer.tensors["ov.copying"].data.numpy()
    layer, head = np.unravel_index(found.argmax(), found.shape)
    return {
        "see": (
            "The left map is near 1 for a head that raises the tokens that it looks at, so that it"
            " copies them, and near −1 for a head that lowers them. Head"
            f" {layer}.{head} copies most, with {number(float(found.max()))}. The right map is near"
            " 1 where tokens look for tokens like themselves. Click a head to choose it."
        ),
        "more": (
            "The number is the sum of the eigenvalues of the circuit, divided by the sum of their"
            " absolute values. It is 0 where positive and negative eigenvalues cancel."
        ),
    }


# All pairs of heads.


def composed(answer: "Answer", question: Question) -> Seen:
    """How many pairs compose, and which one most."""
    fields = answer.fields
    read = question.get("composition", "k")
    pairs = fields["pairs"][read]
    if not pairs["pairs"]:
        return {
            "see": "No head of this model can read another, because it has a single layer.",
            "more": "Choose a model of two layers or more.",
        }
    scores = answer.cut("composition", composition=read).data
    row, column = divmod(int(scores.argmax()), scores.shape[1])
    names = labels(answer, "reader")
    return {
        "see": (
            f"Each cell says how much one head reads, by its {BY[read]}, of what an earlier head"
            " writes. For comparison, the stream between the two heads is turned at random"
            f" {grouped(fields['draws'])} times. Of {counted(pairs['pairs'], 'pair')},"
            f" {pairs['compose']} lie above all of their turns (by chance it would be"
            f" {number(pairs['by_chance'])}), and {pairs['avoid']} below all of them."
        ),
        "more": (
            f"The largest is {number(scores.max().item())}: head {short(names[row], names)} reads"
            f" head {short(names[column], names)}. The root mean square of turned pairs is"
            f" 1/√d_model = {number(fields['expected'])}. A pair composes if it lies above all of"
            " its turns. This says that their weights fit, and not that a run makes use of it."
        ),
    }


def pair_of(answer: "Answer", read: str, row: int, column: int, ends: np.ndarray) -> str:
    """What a cell says of its pair, beside the smallest and the largest of its random turns."""
    names = labels(answer, "reader")
    low, high = (float(end[row, column]) for end in ends)
    rank = float(answer.cut("quantile", composition=read).data[row, column])
    verdict = (
        "composes: above all turned pairs"
        if rank == 1
        else "avoids: below all turned pairs"
        if rank == 0
        else f"above {percent(rank)} of the turned pairs"
    )
    return (
        f"{short(names[row], names)} reads {short(names[column], names)} by {BY[read]}; {verdict}"
        f" ({number(low)} to {number(high)})"
    )


def attention_of(name: str, names: Sequence[str]) -> str:
    """The attention of a head whose name is stack.layer.attention.head, as it stands in a cell:
    "encoder 0" or "cross 2", and "2" where all of `names` are of one stack.
    """
    stack, layer, attention, _ = name.split(".")
    kind = "cross" if attention == "cross_attention" else stack
    return layer if len({one.split(".")[0] for one in names}) == 1 else f"{kind} {layer}"


def short(name: str, names: Sequence[str]) -> str:
    """A head as it stands in a cell: "encoder 0.1", and "0.1" in a model of one stack."""
    return f"{attention_of(name, names)}.{name.rpartition('.')[2]}"


# Paths.


def lost(answer: "Answer", question: Question) -> Seen:
    """What is left without the paths that are taken away, and what the one path carries."""
    fields = answer.fields
    removed, whole, now = fields["removed"], fields["whole"], fields["remaining"]
    texts = f"{fields['texts']} held-out texts ({grouped(fields['letters'])} repeated letters)"
    state = (
        f"Without {counted(len(removed), 'path')} the model predicts"
        f" {percent(now['accuracy'])} of them, at a loss of {number(now['loss'])} nats; with all"
        f" paths {percent(whole['accuracy'])} and {number(whole['loss'])}."
        if removed
        else f"With all paths the model predicts {percent(whole['accuracy'])} of them, at a loss"
        f" of {number(whole['loss'])} nats."
    )
    return {
        "see": (
            "Each cell is a path, and its colour says by how much the loss of repeated letters"
            f" rises without it, in {texts}. {state} Click a cell to take its path away, and again"
            " to give it back."
        ),
        "more": f"{verdict(fields)} {summed(fields)}",
    }


def verdict(fields: Fields) -> str:
    """Whether the path from the previous-token head through the keys carries the repetition."""
    if not fields["cases"].get("path_alone"):
        return "One layer has no paths from head to head, and it cannot find a repetition."
    head, cases = fields["previous"], fields["cases"]
    whole, alone, without, lone = (
        cases[case]["accuracy"] for case in ("whole", "path_alone", "without_path", "without_head")
    )
    held = {fact.name: fact.holds for fact in fields["facts"]}
    judged = (
        "So this path alone carries the repetition, as the textbook has it."
        if held["path_alone"] and held["without_path"]
        else "So the textbook’s single path is not the whole mechanism here."
    )
    back = [read_as(step["paths"]) for step in fields["greedy"]]
    enough = (
        " These paths from layer 0 together reach 95 % of the accuracy, the best first:"
        f" {', '.join(back)}."
        if len(back) > 1
        else ""
    )
    return (
        f"Head {head} looks at the letter before. If layer 1 reads only the path from it to the"
        f" keys, and nothing else of layer 0, {percent(alone / whole)} of the accuracy is left. If"
        f" only this path is missing, {percent(without / whole)} is left. {judged} Without"
        f" anything that head {head} writes, {percent(lone / whole)} is left.{enough}"
    )


def read_as(pattern: str) -> str:
    """Paths into the scores of layer 1 in words: from head 0.3 to the keys, of all heads or of
    head 1.2 alone.
    """
    head, _, into = pattern.partition("-")
    reader, _, end = into.rpartition(".")
    return f"from head {head} to the {BY[end]}{'' if reader == '1.?' else f' of head {reader}'}"


def summed(fields: Fields) -> str:
    error = fields["largest_difference"]["value"]
    return (
        "With the patterns held fixed, the paths to the logits add up to the logits of your text,"
        f" up to {number(error)}."
    )


def learned(answer: "Answer", question: Question) -> Seen:
    """What the kinds of paths carry over the training."""
    fields = answer.fields
    kinds = answer.tensors["contribution_by_kind"].data.numpy()
    steps = labels(answer, "step")
    if "path_alone" not in fields["cases"]:
        return {
            "see": (
                "Each bar is what the paths add to the logit of the right letter, less the mean of"
                f" all letters, at a kept step. At the end it is {number(float(kinds[-1].sum()))}."
            ),
            "more": "The lower line is the accuracy in repetitions, which one layer cannot find.",
        }
    alone, both = (
        answer.cut("contribution_by_kind", kind=kind).data.numpy() for kind in ("layer 1", "both")
    )
    share = both / np.where(kinds.sum(1) > 0.5, kinds.sum(1), math.inf)
    peak = int(share.argmax())
    return {
        "see": (
            "Each bar shows what the kinds of paths add to the logit of the right letter, less the"
            " mean of all letters, at a kept step of the training. At the end layer 1 alone adds"
            f" {number(float(alone[-1]))} of"
            f" {number(float(kinds[-1].sum()))}."
        ),
        "more": (
            f"At step {steps[peak]}, {percent(float(share[peak]))} of it goes through the values of"
            " two heads in a row (a virtual head), and at the end"
            f" {percent(float(both[-1] / kinds[-1].sum()))}. The lines below are the accuracy with"
            f" some paths alone; “the path” goes from head {fields['previous']} to the keys of"
            " layer 1. Click a step to choose it."
        ),
    }


def ends_of(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """The heads of layer 0 and of layer 1, by their names."""
    single = [name for name in paths if "-" not in name and name[0].isdigit()]
    first = [one for one in single if one[0] == "0"]
    return first, [one for one in single if one[0] == "1"]


def address_of(fields: Fields, removed: Collection[str]) -> str:
    """The paths as an address names them: groups by their pattern where all of it are removed."""
    left, said = set(removed), []
    for pattern, paths in fields["groups"].items():
        if set(paths) <= left:
            said.append(pattern)
            left -= set(paths)
    return ",".join([*said, *(name for name in fields["paths"] if name in left)])


def links(fields: Fields, question: Question) -> list[dict[str, str]]:
    """States of this page that are worth a look, and pages that go on from here."""
    run = given(question, ("model", "source", "target", "text"))
    found = []
    if "paths" in fields["parts"] and "path_alone" in fields["cases"]:
        head = fields["previous"]
        for case, text in (
            ("path_alone", f"Only the path {head} → keys of layer 1"),
            ("without_path", "All but this path"),
            ("without_head", f"All but head {head}"),
            ("scores_alone", "Layer 0 in keys and queries alone"),
            ("whole", "All paths"),
        ):
            without = address_of(fields, fields["cases"][case]["without"])
            state = {**run, "show": "paths", **({"without": without} if without else {})}
            found.append(link("/circuit", state, text))
    if fields["expandable"]:
        found.append(link("/training", {}, "How an induction head forms"))
        trained = {"weights": "trained"}
        found.append(link("/circuits-theory", trained, "Clinic: attention-only circuits"))
    elif "weights" in fields["parts"]:
        of = {"kind": "cross"} if fields["attention"] == "cross" else {"kind": "self"}
        place = {"layer": fields["layer"], "head": fields["head"]}
        stack = {} if fields["attention"] == "cross" else {"stack": fields["attention"]}
        state = {**run, **of, **stack, **place}
        found.append(link("/attention", state, "Where this head looks in your input"))
    return found


Caption = Callable[["Answer", Question], Seen]
CAPTIONS: dict[str, dict[str, Caption]] = {
    "weights": {
        "ov": raised,
        "input": of_input,
        "qk": looked_for,
        "positions": of_positions,
        "copying": copied,
    },
    "composition": {"composition": composed},
    "paths": {"paths": lost, "training": learned},
}
