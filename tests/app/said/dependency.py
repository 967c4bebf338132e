"""What /dependency says of the share that the newest sub-layer supplies."""

from tests.app.said.answered import asks, cut
from tests.app.said.sayings import Field, Fields, Says, always, only, results
from tests.app.words.amplification import TITLES


def share(placement: str | None = None) -> Field:
    def mean(a, q) -> float:
        return cut(a, "dependency.all", placement=placement or q["placement"]).mean().item()

    return mean


def rises(answer, _) -> bool:
    line = cut(answer, "by_kind", kind="attention")
    return bool(line[-1] > 2 * line[0])


def post_stays(answer, _) -> bool:
    """Whether from the first layer to the last the newest share of Pre-LN falls by a third or
    more, on average over the kinds of sub-layers, and that of Post-LN by less.
    """
    left = {}
    for name in ("post", "pre"):
        shares = cut(answer, "dependency.all", placement=name)
        kinds = answer.axes["kind"].size
        left[name] = shares[-kinds:].mean() / shares[:kinds].mean()
    return bool(left["pre"] < 2 / 3 < left["post"])


def not_rises(answer, question) -> bool:
    return not rises(answer, question)


FIELDS: Fields = {
    "stack": asks("stack"),
    "placement": lambda _, q: TITLES[q["placement"]],
    "share": share(),
    "share.post": share("post"),
    "share.pre": share("pre"),
}
SAYS: list[Says] = [
    *always(
        "The newest sub-layer supplies more of a Post-LN stream than of a Pre-LN stream",
        "Left, each row is the stream after one sub-layer, and each cell is the share of its"
        " variance that one sub-layer has written",
        "The last cell of a row is the newest sub-layer’s",
        "On average over all sub-layers, the newest one supplies {share:%} of the variance of the"
        " stream of an {stack} with {placement}",
        "On average over all sub-layers, the newest one supplies {share:%} of the variance of the"
        " stream of a {stack} with {placement}",
        "{share.post:%} with Post-LN",
        "{share.pre:%} with Pre-LN",
    ),
    *results(
        post_stays,
        "Down the rows, it stays bright under Post-LN and fades under Pre-LN",
    ),
    *results(
        lambda a, q: not post_stays(a, q),
        "Down the rows, compare it under Post-LN and under Pre-LN",
    ),
    *only(
        rises,
        "Right, the line of attention rises",
        "the tokens become alike",
        "the average of like vectors is not shorter than they are",
    ),
    *only(not_rises, "Right, each kind of sub-layer has a line for the share of the newest"),
]
NAMES = (*TITLES.values(), "encoder", "decoder")
CLAIMS = {"The newest sub-layer": ("post_over_pre",)}
QUESTIONS = (
    {"placement": "pre"},
    {"placement": "admin"},
    {"placement": "b2t"},
    {"stack": "decoder"},
    {"layers": 6, "d_model": 64},
)
