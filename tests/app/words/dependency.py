"""What is so where /dependency says it, and its own fields and conditions once more."""

from tests.app.words import amplification
from tests.app.words.answered import cut
from tests.app.words.facts import Facts, between


def rises(answer, _) -> bool:
    line = cut(answer, "by_kind", kind="attention")
    return bool(line[-1] > 2 * line[0])


def post_stays(answer, _) -> bool:
    """Whether from the first layer to the last the newest share of Pre-LN falls by a third or
    more, on average over the kinds of sub-layers, and that of Post-LN not at all.
    """
    left = {}
    for name in ("post", "pre"):
        shares = cut(answer, "dependency.all", placement=name)
        kinds = answer.axes["kind"].size
        left[name] = shares[-kinds:].mean() / shares[:kinds].mean()
    return bool(left["pre"] < 2 / 3 and left["post"] >= 1)


ORACLES = {
    "placements": amplification.ORACLES["placements"],
    "rows": lambda a, q: "fade" if post_stays(a, q) else "compare",
    "lines": lambda a, q: "rise" if rises(a, q) else "compare",
}
QUESTIONS = ({"layers": 6, "d_model": 64}, {"layers": 3, "placement": "pre"})
FACTS: Facts = {
    "rows": {"fade": dict.fromkeys(("less", "none"), post_stays)},
    "lines": {"rise": dict.fromkeys(("more", "less"), rises)},
}
RIGHT = ("mean_dependency",), between(0.15, 0.35)
