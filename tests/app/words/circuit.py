"""What is so where /circuit says it, and its own fields once more."""

from collections import Counter
from dataclasses import replace

import numpy as np

from tests.app.questions import INPUT, TRANSLATOR
from tests.app.words.answered import cut, with_fields, with_tensor
from tests.app.words.facts import Facts
from tests.rounding import SHIPPED, SINGLE, is_same

NOTHING = dict.fromkeys(INPUT)
WEIGHTS = NOTHING | TRANSLATOR | {"part": "weights", "top": 3}
ENOUGH, CHANCES = 0.9, 2
"""The path keeps more of the accuracy, and without it there are at most so many times chance."""


def largest_row(answer) -> dict:
    """The row of the input with the largest number."""
    largest = cut(answer, "ov.input").max(1)
    return answer.fields["circuits"]["ov_of_input"][int(np.flatnonzero(largest == max(largest))[0])]


def offsets(answer) -> list[tuple[int, int]]:
    """How often the highest score of a row lies at each offset: the most frequent first, of those
    the nearest, and of those the one before.
    """
    counts = Counter(
        int(np.argmax(row)) - i
        for i, row in enumerate(cut(answer, "qk.positions"))
        if np.isfinite(row).sum() > 1
    )
    return sorted(counts.items(), key=lambda pair: (-pair[1], abs(pair[0]), pair[0]))


def at_most(answer, axis: int) -> int:
    copying = cut(answer, "ov.copying")
    return int(np.argwhere(copying == copying.max())[0][axis])


def composition(answer, question) -> np.ndarray:
    return cut(answer, "composition", composition=question["composition"])


def of_pair(axis: int):
    """A head of the pair with the largest score, with its stack where the model has two."""

    def name(answer, question) -> str:
        names, scores = answer.axes["reader"].labels, composition(answer, question)
        at = np.argwhere(scores == scores.max())[0][axis]
        stack, layer, attention, head = names[at].split(".")
        kind = "cross-attention" if attention.startswith("cross") else stack
        several = len({label.partition(".")[0] for label in names}) > 1
        return f"L{layer}H{head} ({kind})" if several else f"L{layer}H{head}"

    return name


def share(case: str):
    """The share of the accuracy that is left in a case."""

    def of(answer, _) -> float:
        left, whole = (answer.fields["cases"][name]["accuracy"] for name in (case, "whole"))
        return left / whole

    return of


def called(name: str) -> str:
    return f"L{name[0]}H{name[2]}"


def path(name: str) -> str:
    """A path of scores in words."""
    of = "" if "?" in name else f" of head {called(name[4:7])}"
    return f"from head {called(name[:3])} to the {'keys' if name[-1] == 'k' else 'queries'}{of}"


def greedy(answer) -> list[str]:
    return [step["paths"] for step in answer.fields["greedy"]]


def kind(answer, name: str) -> np.ndarray:
    return cut(answer, "contribution_by_kind", kind=name)


def shares(answer) -> list[float]:
    """What goes through two heads, where the sum is not small."""
    total = cut(answer, "contribution_by_kind").sum(1)
    return [
        both / whole if whole > 0.5 else 0.0
        for both, whole in zip(kind(answer, "both"), total, strict=True)
    ]


ORACLES = {
    **{
        f"{name}_by": lambda answer, _, name=name: float(cut(answer, name).max())
        for name in ("ov", "qk")
    },
    "rows": lambda answer, _: answer.axes["qk.row"].size,
    "chance": lambda answer, _: 1 / answer.fields["vocabulary"],
    "input_token": lambda answer, _: largest_row(answer)["token"],
    "input_word": lambda answer, _: largest_row(answer)["words"][0],
    "favourite_share": lambda answer, _: (
        offsets(answer)[0][1] / sum(dict(offsets(answer)).values())
    ),
    "distance": lambda answer, _: abs(offsets(answer)[0][0]),
    "copying_layer": lambda answer, _: at_most(answer, 0),
    "copying_head": lambda answer, _: at_most(answer, 1),
    "copying_most": lambda answer, _: float(cut(answer, "ov.copying").max()),
    **{
        part: lambda *of, part=part: of[0].fields["pairs"][of[1]["composition"]][part]
        for part in ("pairs", "compose", "avoid", "by_chance")
    },
    "composition_most": lambda *of: float(composition(*of).max()),
    "reader": of_pair(0),
    "writer": of_pair(1),
    "removed_count": lambda answer, _: len(answer.fields["removed"]),
    **{f"{case}_share": share(case) for case in ("path_alone", "without_path", "without_head")},
    "given_back": lambda answer, _: ", ".join(map(path, greedy(answer))),
    "previous": lambda answer, _: (
        called(answer.fields["previous"]) if answer.fields["previous"] else ""
    ),
    "from_head": lambda answer, _: called(greedy(answer)[0][:3]),
    "to_head": lambda answer, _: called(greedy(answer)[0][4:7]),
    "sum": lambda answer, _: float(cut(answer, "contribution_by_kind")[-1].sum()),
    "alone": lambda answer, _: float(kind(answer, "layer 1")[-1]),
    "peak": lambda answer, _: answer.axes["step"].labels[shares(answer).index(max(shares(answer)))],
    "peak_share": lambda answer, _: max(shares(answer)),
    "end_share": lambda answer, _: float(
        kind(answer, "both")[-1] / cut(answer, "contribution_by_kind")[-1].sum()
    ),
}
QUESTIONS = (
    WEIGHTS | {"attention": "encoder", "layer": 1, "head": 2},
    WEIGHTS | {"attention": "cross"},
    WEIGHTS | {"part": "composition", "composition": "v"},
    NOTHING | {"model": "induction-1", "text": "abcab", "part": None},
    {"part": "paths", "without": "0.3-1.?.k"},
    {},
    {"part": None, "composition": "q"},
)
MEAN = "mean token W_Q R W_K^T mean token / √d_head"


def with_offset(answer, offset: int, formula: str = "", **fields) -> object:
    """The answer where each position looks so far ahead, or as far as there are positions."""
    data = 0 * answer.tensors["qk.positions"].data.nan_to_num(neginf=0)
    places = np.arange(len(data))
    data[places, np.clip(places + offset, 0, len(data) - 1)] = 1
    edited = with_tensor(answer, "qk.positions", data)
    labelled = edited.tensors["qk.positions"]
    tensors = {"qk.positions": replace(labelled, formula=formula or labelled.formula)}
    return with_fields(replace(edited, tensors=edited.tensors | tensors), **fields)


def as_in_the_textbook(answer) -> object:
    """The answer where the path is needed and enough, the direct path adds more, and the vocabulary
    is large.
    """
    for name in ("contribution_by_step", "contribution_by_kind"):
        data = answer.tensors[name].data.clone()
        data[:, 0] += 2
        answer = with_tensor(answer, name, data)
    cases = answer.fields["cases"]
    whole = cases["whole"]["accuracy"]
    accuracy = {"path_alone": 0.97 * whole, "without_path": answer.fields["chance"]}
    cases = cases | {name: cases[name] | {"accuracy": by} for name, by in accuracy.items()}
    facts = [
        replace(fact, holds=fact.holds or fact.name in accuracy) for fact in answer.fields["facts"]
    ]
    circuits = answer.fields["circuits"]
    scanned = {name: circuits[name] | {"scanned": 8192} for name in ("ov", "qk")}
    return with_fields(
        answer,
        cases=cases,
        facts=facts,
        greedy=answer.fields["greedy"][:1],
        circuits=circuits | scanned,
    )


MADE_UP = (
    lambda answer: with_offset(answer, 0, MEAN, of_positions=False, rotated=True),
    lambda answer: with_offset(answer, -1, MEAN, of_positions=False, rotated=False),
    lambda answer: with_offset(answer, 1, greedy=[{"paths": "0.1-1.2.k"}, {"paths": "0.2-1.?.q"}]),
    lambda answer: with_offset(answer, -3, greedy=[{"paths": "0.0-1.?.q"}, {"paths": "0.3-1.0.k"}]),
    lambda answer: with_offset(answer, 4),
    as_in_the_textbook,
)


def where(tensor: str, holds):
    """What is so of each answer with this tensor."""
    return lambda answer, question: tensor not in answer.tensors or holds(answer, question)


def raises_most(tensor: str):
    """Whether the first number of the first row is the largest of all."""
    return where(
        tensor, lambda answer, _: bool((cut(answer, tensor) <= cut(answer, tensor)[0, 0]).all())
    )


def of_weights(tensor: str):
    """Whether a tensor is made of weights and of no run."""
    return where(tensor, lambda answer, _: answer.tensors[tensor].formula[:5] in ("E W_V", "E W_Q"))


def copies_most(answer, question) -> bool:
    """Whether the head that is shown where none is named copies more than all others."""
    copying = cut(answer, "ov.copying")
    score = copying[answer.fields["layer"], answer.fields["head"]]
    return question["layer"] is not None or score == copying.max()


def from_formula(part: str):
    return lambda answer, _: answer.tensors["qk.positions"].formula.startswith(part)


def beyond_all(answer, question) -> bool:
    """Whether so many pairs lie above and below all of their turns."""
    rank = cut(answer, "quantile", composition=question["composition"])
    counted = answer.fields["pairs"][question["composition"]]
    return (counted["compose"], counted["avoid"]) == ((rank == 1).sum(), (rank == 0).sum())


def one_layer(answer, _) -> bool:
    return len({name.split(".")[1] for name in answer.axes["reader"].labels}) == 1


def no_heads_in_a_row(answer, _) -> bool:
    return not any("-" in name for name in answer.fields["paths"])


def only_this_path(answer, _) -> bool:
    """Whether the cases leave and take the path from the head before to the keys, and no other."""
    cases, previous = answer.fields["cases"], answer.fields["previous"]
    lost = cases["path_alone"]["without"]
    every = {name for name in answer.fields["paths"] if "-" in name}
    path = {name for name in every if name[:3] == previous and name.endswith(".k")}
    return every - {*lost} == path == {*cases["without_path"]["without"]}


def sums(answer, _) -> bool:
    """Whether the kinds share out what the paths add, less the mean of the letters."""
    by_path, by_kind = (cut(answer, f"contribution_by_{axis}") for axis in ("step", "kind"))
    labelled = answer.tensors["contribution_by_step"]
    return "less the mean of all letters" in labelled.formula and is_same(
        by_path.sum(1), by_kind.sum(1), SINGLE, n=SHIPPED, scale=1
    )


def in_the_textbook(answer) -> bool:
    with_path, without = share("path_alone")(answer, {}), answer.fields["cases"]["without_path"]
    return with_path > ENOUGH and without["accuracy"] <= CHANCES * answer.fields["chance"]


def rises(answer, _) -> bool:
    """Whether the change of a path is by how much the loss is larger than that which remains."""
    return answer.tensors["killed.change"].formula.startswith("loss without") and is_same(
        cut(answer, "killed.change"),
        cut(answer, "killed.loss") - answer.fields["remaining"]["loss"],
        SINGLE,
        n=SHIPPED,
        scale=1,
    )


def whole_is(answer, _) -> bool:
    """Whether all paths are those of which nothing is taken away."""
    whole, case = answer.fields["whole"], answer.fields["cases"]["whole"]
    return case["without"] == [] and whole["accuracy"] == case["accuracy"]


WEIGHTS_ALONE = dict.fromkeys(("none", "only"), of_weights("ov"))
FACTS: Facts = {
    "ov.description": {"": WEIGHTS_ALONE | {"most": raises_most("ov")}},
    "ov.more": {"": {"most": raises_most("ov")}},
    "input.description": {"": {"only": of_weights("ov.input")}},
    "input.more": {"": dict.fromkeys(("none", "only"), of_weights("ov.input"))},
    "qk.description": {"": {"most": raises_most("qk")}},
    "scanned": {
        "no": {"all": lambda answer, _: "scanned" not in answer.fields["circuits"]["qk"]},
    },
    "encoder": {
        "yes": {"none": lambda answer, _: "cross" in answer.fields["attentions"]},
    },
    "placed": {
        "vectors": {"only": from_formula("P W_Q")},
        "rotated": dict.fromkeys(("all", "none", "only"), from_formula("mean token")),
        "apart": dict.fromkeys(("all", "none"), from_formula("mean token")),
    },
    **{
        name: {"": {"most": where("ov.copying", copies_most)}}
        for name in ("copying.description", "usual.head")
    },
    "paired": {
        "no": dict.fromkeys(("none", "more"), one_layer),
        "yes": dict.fromkeys(("all", "none", "more", "less"), beyond_all),
    },
    "paths.description": {"": {"more": where("killed.change", rises)}},
    "removed": {"no": {"all": whole_is}, "yes": {"all": whole_is}},
    "two": {
        "no": {"none": no_heads_in_a_row, "all": sums},
        "yes": dict.fromkeys(("none", "only"), only_this_path) | {"all": sums},
    },
    "textbook": {
        "yes": {"only": lambda answer, _: in_the_textbook(answer)},
        "no": {"none": lambda answer, _: not in_the_textbook(answer)},
    },
}
