"""What /circuit has to say, from the matrices of heads and the paths of its answer."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from model.answers.answer import Answer
from tests.app.said.claims import Claim, changed, of, says, shaken

TWO = {"model": "induction-2", "text": "qvmtqvmt"}
TRANSLATOR = {"model": "translator", "source": "cold", "target": "froid"}
ASKED = (
    TWO | {"part": "paths", "without": "0.3-1.?.k"},
    TWO | {"part": "weights"},
    TRANSLATOR | {"part": "weights", "attention": "encoder", "layer": 1, "head": 2, "top": 3},
    TRANSLATOR | {"part": "composition", "composition": "v"},
    {"model": "shakespeare", "text": "to be", "part": "weights", "top": 2},
    {"model": "induction-1", "text": "abcab", "top": 2},
    TRANSLATOR | {"part": "weights", "attention": "cross", "top": 2},
    {"model": "fill-in", "text": "i ___ cold", "part": "weights", "top": 2},
    TWO | {"part": "composition"},
)
VARIED = 5
READ_BY = {"q": "queries", "k": "keys", "v": "values"}
UNSAID = (
    "direct path",
    "layer 0 alone",
    "layer 1 alone",
    "layer 0, then values of layer 1",
    "whole model",
    "keys and queries",
    "the path alone",
    "without the path",
    "without the head",
    "without layer 0",
    "composes: above all turned pairs",
    "avoids: below all turned pairs",
    " of the turned pairs",
    " reads ",
)
"""Names of lines and what cells say, which only the figures have."""


def variants(answer: Answer) -> Iterator[tuple[str, Answer]]:
    apart = shaken(answer, 19)
    yield "numbers apart", apart
    fields = answer.fields
    if "qk.positions" in answer.tensors:
        for offset in (-1, 0, 1, 3, -3):

            def other(data: Any, offset: int = offset) -> Any:
                n = len(data)
                data = data.new_full(data.shape, 0.25)
                for i in range(n):
                    data[i, min(max(i + offset, 0), n - 1)] = 1.0
                return data

            yield f"looks {offset}", changed(apart, {"qk.positions": other})
        yield (
            "other rows",
            changed(
                apart,
                {"ov.input": lambda data: data.flip(0), "ov.copying": lambda data: data.flip(0, 1)},
            ),
        )
        for kind in (
            {"of_positions": True},
            {"of_positions": False, "rotated": True},
            {"of_positions": False, "rotated": False},
        ):
            yield f"positions {kind}", changed(apart, **kind)
        for normed in (False, True):
            yield f"normed {normed}", changed(apart, normed=normed)
        some = {name: fields["circuits"][name] | {"scanned": 8192} for name in ("ov", "qk")}
        yield "a large vocabulary", changed(apart, circuits=fields["circuits"] | some)
    if "cases" in fields and fields["cases"].get("path_alone"):
        for holds in ((True, True), (True, False), (False, True)):
            now = dict(zip(("path_alone", "without_path"), holds, strict=True))
            facts = [replace(one, holds=now.get(one.name, one.holds)) for one in fields["facts"]]
            yield f"holds {holds}", changed(apart, facts=facts)
        single = [{"paths": "0.0-1.2.k"}, {"paths": "0.1-1.?.q"}, {"paths": "0.3-1.0.q"}]
        yield "single paths", changed(apart, greedy=single)
        yield "one path is enough", changed(apart, greedy=fields["greedy"][:1])
        yield "nothing removed", changed(apart, removed=[])
        yield "one path removed", changed(apart, removed=fields["removed"][:1])
        big = changed(apart, {"contribution_by_kind": lambda data: data.abs() + 1})
        yield "large sums", big


def grouped(n: int) -> str:
    return f"{n:,}".replace(",", "\u202f")


def claims(answer: Answer, question: dict, figures: Any) -> dict[str, list[list[Claim]]]:
    parts = answer.fields["parts"]
    told: dict[str, list[list[Claim]]] = {}
    if "weights" in parts:
        told |= {
            "ov": raised(answer),
            "input": of_input(answer),
            "qk": looked_for(answer),
            "positions": positions(answer),
            "copying": copying(answer),
        }
    if "composition" in parts:
        told["composition"] = composed(answer, question.get("composition", "k"))
    if "paths" in parts:
        told |= {"paths": paths(answer), "training": training(answer)}
    return told


def head_of(fields: dict) -> str:
    where = {"cross": "cross-attention"}.get(fields["attention"], fields["attention"])
    return f"head {fields['layer']}.{fields['head']} of the {where}"


def looked_through(circuit: dict) -> str:
    if "scanned" not in circuit:
        return "all rows"
    return f"the {grouped(circuit['scanned'])} rows that were looked through, at even distances"


NORMS = "Norms and biases are left out here, so a run may do something else."


def raised(answer: Answer) -> list[list[Claim]]:
    fields = answer.fields
    circuit = fields["circuits"]["ov"]
    first = circuit["rows"][0]
    more = [
        says(
            "The OV circuit has a row and a column for each of {n} tokens, and the {rows} rows with"
            " the largest numbers are shown. Of {of}, {own:%} raise their own token most,"
            " and by chance it would be {chance:%}.",
            of=looked_through(circuit),
            n=grouped(fields["vocabulary"]),
            rows=len(circuit["rows"]),
            own=circuit["own"],
            chance=1 / fields["vocabulary"],
        )
    ]
    if fields["attention"] == "encoder" and "decoder" in fields["attentions"]:
        more.append(
            says(
                "No words are read from this encoder; its vectors are compared with those of the"
                " words that the decoder predicts."
            )
        )
    if fields["normed"]:
        more.append(says(NORMS))
    return [
        [
            says(
                "Each row is a token that {head} may look at, with the words whose logits it then"
                " raises most. {token:token} raises {word:token} most, by {by:number}. No sentence"
                " was read: this follows from the weights alone.",
                head=head_of(fields),
                token=first["token"],
                word=first["words"][0],
                by=float(of(answer, "ov")[0, 0]),
            )
        ],
        more,
    ]


def of_input(answer: Answer) -> list[list[Claim]]:
    first = of(answer, "ov.input")[:, 0]
    row = answer.fields["circuits"]["ov_of_input"][int(first.argmax())]
    return [
        [
            says(
                "Each row is a token of your input, with the words that {head} raises when it looks"
                " at this token alone. The largest number is that of {word:token} for"
                " {token:token}.",
                head=head_of(answer.fields),
                word=row["words"][0],
                token=row["token"],
            )
        ],
        [
            says(
                "In a run, the head reads the stream, to which other layers have written, and not"
                " the token’s own vector alone."
            )
        ],
    ]


def looked_for(answer: Answer) -> list[list[Claim]]:
    fields = answer.fields
    circuit = fields["circuits"]["qk"]
    first = circuit["rows"][0]
    more = [
        says(
            "The {rows} rows with the largest scores are shown. Of {of}, {own:%} have their"
            " own token as the best key, and by chance it would be {chance:%}.",
            of=looked_through(circuit),
            rows=len(circuit["rows"]),
            own=circuit["own"],
            chance=1 / fields["vocabulary"],
        )
    ]
    if fields["rotated"]:
        more.append(
            says(
                "In a run the scores also depend on the distance, by which this model turns queries"
                " and keys. Here both stand at one place."
            )
        )
    if fields["normed"]:
        more.append(says(NORMS))
    return [
        [
            says(
                "Each row is a token from which {head} makes a query, with the tokens whose keys"
                " get the highest scores. {token:token} looks for {key:token} most, with a score of"
                " {score:number}.",
                head=head_of(fields),
                token=first["token"],
                key=first["words"][0],
                score=float(of(answer, "qk")[0, 0]),
            )
        ],
        more,
    ]


def positions(answer: Answer) -> list[list[Claim]]:
    fields, scores = answer.fields, of(answer, "qk.positions")
    counts = Counter(
        int(np.argmax(row)) - i for i, row in enumerate(scores) if np.isfinite(row).sum() > 1
    )
    most = max(counts.values())
    best = [offset for offset, n in counts.items() if n == most]
    # Of offsets that are as frequent, the nearest, and of those as near, the one before.
    offset = min(best, key=lambda one: (abs(one), one))
    there = {
        0: "at the query itself",
        -1: "at the position before",
        1: "at the next position",
    }.get(offset, f"{abs(offset)} positions {'before' if offset < 0 else 'ahead'}")
    if fields["of_positions"]:
        what = "It is computed from the vectors of positions alone."
    elif fields["rotated"]:
        what = (
            "Every position holds the mean of all tokens, because positions add no vector here and"
            " only turn queries and keys."
        )
    else:
        what = (
            "Every position holds the mean of all tokens, because positions do not enter the scores"
            " of this attention."
        )
    norms = ", and so do the norms" if fields["of_positions"] else ""
    return [
        [
            says(
                "Each cell is a score of {head}, from the position of its row, which looks, to the"
                " position of its column, which is looked at. {what} In {share:%} of the rows the"
                " highest score lies {there}.",
                head=head_of(fields),
                what=what,
                share=most / sum(counts.values()),
                there=there,
            )
        ],
        [says("In a run the tokens change these scores{norms}.", norms=norms)],
    ]


def copying(answer: Answer) -> list[list[Claim]]:
    found = of(answer, "ov.copying")
    layer, head = np.argwhere(found == found.max())[0]
    return [
        [
            says(
                "The left map is near 1 for a head that raises the tokens that it looks at, so that"
                " it copies them, and near −1 for a head that lowers them. Head {layer}.{head}"
                " copies most, with {most:number}. The right map is near 1 where tokens look for"
                " tokens like themselves. Click a head",
                layer=layer,
                head=head,
                most=float(found.max()),
            ),
            says("to choose it."),
        ],
        [
            says(
                "The number is the sum of the eigenvalues of the circuit, divided by the sum of"
                " their absolute values. It is 0 where positive and negative eigenvalues cancel."
            )
        ],
    ]


def short(answer: Answer, name: str) -> str:
    """A head, with its stack where the model has two."""
    stack, layer, attention, head = name.split(".")
    two = len({one.split(".")[0] for one in answer.axes["reader"].labels}) > 1
    kind = "cross" if attention == "cross_attention" else stack
    return f"{kind + ' ' if two else ''}{layer}.{head}"


def composed(answer: Answer, read: str) -> list[list[Claim]]:
    fields = answer.fields
    pairs = fields["pairs"][read]
    if pairs["pairs"] == 0:
        none = "No head of this model can read another, because it has a single layer."
        return [[says(none)], [says("Choose a model of two layers or more.")]]
    found = of(answer, "composition", composition=read)
    reader, writer = np.argwhere(found == found.max())[0]
    return [
        [
            says(
                "Each cell says how much one head reads, by its {by}, of what an earlier head"
                " writes. For comparison, the stream between the two heads is turned at random"
                " {draws} times. Of {n} pair{s}, {compose} lie above all of their turns (by chance"
                " it would be {chance:number}), and {avoid} below all of them.",
                by=READ_BY[read],
                draws=grouped(fields["draws"]),
                n=grouped(pairs["pairs"]),
                s="" if pairs["pairs"] == 1 else "s",
                compose=pairs["compose"],
                chance=pairs["by_chance"],
                avoid=pairs["avoid"],
            )
        ],
        [
            says(
                "The largest is {most:number}: head {reader} reads head {writer}. The root mean"
                " square of turned pairs is 1/√d_model = {expected:number}. A pair composes if it"
                " lies above all of its turns. This says that their weights fit, and not that a run"
                " makes use of it.",
                most=float(found.max()),
                reader=short(answer, answer.axes["reader"].labels[reader]),
                writer=short(answer, answer.axes["writer"].labels[writer]),
                expected=fields["expected"],
            )
        ],
    ]


def paths(answer: Answer) -> list[list[Claim]]:
    fields = answer.fields
    whole, now, removed = fields["whole"], fields["remaining"], len(fields["removed"])
    told = [
        says(
            "Each cell is a path, and its colour says by how much the loss of repeated letters"
            " rises without it, in {texts} held-out texts ({letters} repeated letters).",
            texts=fields["texts"],
            letters=grouped(fields["letters"]),
        )
    ]
    if removed:
        told.append(
            says(
                "Without {n} path{s} the model predicts {now:%} of them, at a loss of"
                " {loss:number} nats; with all paths {whole:%} and {before:number}.",
                n=removed,
                s="" if removed == 1 else "s",
                now=now["accuracy"],
                loss=now["loss"],
                whole=whole["accuracy"],
                before=whole["loss"],
            )
        )
    else:
        told.append(
            says(
                "With all paths the model predicts {accuracy:%} of them, at a loss of"
                " {loss:number} nats.",
                accuracy=whole["accuracy"],
                loss=whole["loss"],
            )
        )
    told.append(says("Click a cell to take its path away, and again to give it back."))
    return [
        told,
        [
            *verdict(fields),
            says(
                "With the patterns held fixed, the paths to the logits add up to the logits of your"
                " text, up to {error:number}.",
                error=fields["largest_difference"]["value"],
            ),
        ],
    ]


def verdict(fields: dict) -> list[Claim]:
    cases = fields["cases"]
    if not cases.get("path_alone"):
        none = "One layer has no paths from head to head, and it cannot find a repetition."
        return [says(none)]
    held = {fact.name: fact.holds for fact in fields["facts"]}
    kept = {name: case["accuracy"] / cases["whole"]["accuracy"] for name, case in cases.items()}
    told = [
        says(
            "Head {head} looks at the letter before. If layer 1 reads only the path from it to the"
            " keys, and nothing else of layer 0, {alone:%} of the accuracy is left. If only this"
            " path is missing, {without:%} is left.",
            head=fields["previous"],
            alone=kept["path_alone"],
            without=kept["without_path"],
        ),
        says(
            "So this path alone carries the repetition, as the textbook has it."
            if held["path_alone"] and held["without_path"]
            else "So the textbook’s single path is not the whole mechanism here."
        ),
        says(
            "Without anything that head {head} writes, {lone:%} is left.",
            head=fields["previous"],
            lone=kept["without_head"],
        ),
    ]
    if len(fields["greedy"]) > 1:
        back = [
            f"from head {path[:3]} to the {READ_BY[path[-1]]}"
            + ("" if "?" in path else f" of head {path[4:7]}")
            for path in [step["paths"] for step in fields["greedy"]]
        ]
        told.append(
            says(
                "These paths from layer 0 together reach 95 % of the accuracy, the best first:"
                " {back}.",
                back=", ".join(back),
            )
        )
    return told


def training(answer: Answer) -> list[list[Claim]]:
    kinds = of(answer, "contribution_by_kind")
    names, steps = answer.axes["kind"].labels, answer.axes["step"].labels
    if "path_alone" not in answer.fields["cases"]:
        return [
            [
                says(
                    "Each bar is what the paths add to the logit of the right letter, less the mean"
                    " of all letters, at a kept step. At the end it is {end:number}.",
                    end=float(kinds[-1].sum()),
                )
            ],
            [says("The lower line is the accuracy in repetitions, which one layer cannot find.")],
        ]
    both, sums = kinds[:, names.index("both")], kinds.sum(1)
    shares = [b / s if s > 0.5 else 0.0 for b, s in zip(both, sums, strict=True)]
    peak = int(np.argmax(shares))
    return [
        [
            says(
                "Each bar shows what the kinds of paths add to the logit of the right letter, less"
                " the mean of all letters, at a kept step of the training. At the end layer 1 alone"
                " adds {alone:number} of {sum:number}.",
                alone=float(kinds[-1, names.index("layer 1")]),
                sum=float(sums[-1]),
            )
        ],
        [
            says(
                "At step {step}, {share:%} of it goes through the values of two heads in a row (a"
                " virtual head), and at the end {end:%}.",
                step=steps[peak],
                share=float(shares[peak]),
                end=float(both[-1] / sums[-1]),
            ),
            says(
                "The lines below are the accuracy with some paths alone; “the path” goes from head"
                " {head} to the keys of layer 1. Click a step to choose it.",
                head=answer.fields["previous"],
            ),
        ],
    ]


def choices(answer: Answer, _: dict) -> dict[str, list[tuple[str, str]]]:
    fields, told = answer.fields, {}
    if "weights" in fields["parts"]:
        for name in ("layer", "head"):
            own = [(str(i), str(i)) for i in range(fields[f"{name}s"])]
            told[name] = [("", "copies most"), *own]
    if fields["steps"]:
        told["step"] = [("", "shipped"), *((str(step), str(step)) for step in fields["steps"])]
    return told


def chosen(answer: Answer, question: dict) -> dict[str, str]:
    return {name: str(question.get(name, "")) for name in ("layer", "head", "step")}


def links(answer: Answer, question: dict) -> list[tuple[str, dict, str]]:
    fields = answer.fields
    given = {
        name: question[name] for name in ("model", "source", "target", "text") if name in question
    }
    told: list[tuple[str, dict, str]] = []
    if "paths" in fields["parts"] and "path_alone" in fields["cases"]:
        head = fields["previous"]
        titles = {
            "path_alone": f"Only the path {head} → keys of layer 1",
            "without_path": "All but this path",
            "without_head": f"All but head {head}",
            "scores_alone": "Layer 0 in keys and queries alone",
            "whole": "All paths",
        }
        for case, title in titles.items():
            without = address(fields, fields["cases"][case]["without"])
            state = given | {"show": "paths"} | ({"without": without} if without else {})
            told.append(("/circuit", state, title))
    if fields["expandable"]:
        told.append(("/training", {}, "How an induction head forms"))
        clinic = "Clinic: attention-only circuits"
        told.append(("/circuits-theory", {"weights": "trained"}, clinic))
    elif "weights" in fields["parts"]:
        cross = fields["attention"] == "cross"
        state = given | {"kind": "cross" if cross else "self"}
        state |= {} if cross else {"stack": fields["attention"]}
        state |= {"layer": fields["layer"], "head": fields["head"]}
        told.append(("/attention", state, "Where this head looks in your input"))
    return told


def address(fields: dict, without: list[str]) -> str:
    """Paths as an address names them: whole groups by their patterns, and then single ones."""
    left, told = list(without), []
    for pattern, group in fields["groups"].items():
        if all(one in left for one in group):
            told.append(pattern)
            left = [one for one in left if one not in group]
    return ",".join(told + [one for one in fields["paths"] if one in left])
