"""What /amplification says of how far placements are moved, and of what a sub-layer supplies."""

from tests.app.said.answered import cut
from tests.app.said.sayings import Fields, Says, always, results

TITLES = {
    "post": "Post-LN",
    "pre": "Pre-LN",
    "admin": "Admin",
    "b2t": "B2T",
    "branch": "x + LN(f)",
    "none": "no norm",
}
"""How pages call the placements of a norm."""


def at_the_end(tensor: str, placement: str | None = None):
    return lambda a, q: cut(a, tensor, placement=placement or q["placement"], depth=-1).item()


change, change_of_pre = at_the_end("change"), at_the_end("change", "pre")
COMPARED = ("post", "pre", "admin")


def farthest(answer, _) -> bool:
    """Whether the line of Post-LN ends above those of Pre-LN and Admin."""
    post, pre, admin = (cut(answer, "change", placement=name)[-1] for name in COMPARED)
    return bool(post > pre and post > admin)


def in_stripe(answer, _) -> bool:
    """Whether no C is more than twice another."""
    drawn = [c for name in COMPARED for c in cut(answer, "constant", placement=name).tolist()]
    return max(drawn) / min(drawn) <= 2


def not_farthest(answer, question) -> bool:
    return not farthest(answer, question)


def out_of_stripe(answer, question) -> bool:
    return not in_stripe(answer, question)


FIELDS: Fields = {
    "placement": lambda _, q: TITLES[q["placement"]],
    "depth": lambda a, _: a.axes["depth"].values[-1],
    "over_pre": lambda a, q: change(a, q) / change_of_pre(a, q),
    "share": at_the_end("share"),
}
SAYS: list[Says] = [
    *always(
        "Right, each line is divided by the sum of the shares that its sub-layers supply",
        "The more each sub-layer contributes, the more a small change moves the output",
        "{placement}, {depth} sub-layers",
        "a sub-layer makes up {share:%} of the variance of the stream on average",
        "After {depth} sub-layers the mean square change of the output of {placement} is"
        " {over_pre:2} times that of Pre-LN",
    ),
    *results(
        farthest,
        "Left, the same small change of the weights moves the output of Post-LN farther than that"
        " of Pre-LN or Admin",
    ),
    *results(
        not_farthest,
        "Left, the same small change of the weights does not move the output of Post-LN farther"
        " than those of Pre-LN and Admin both",
    ),
    *results(
        in_stripe,
        "Post-LN, Pre-LN and Admin then lie in one grey stripe, whose upper edge is twice its lower"
        " one",
    ),
    *results(
        out_of_stripe,
        "one constant, Post-LN, Pre-LN and Admin would lie in the grey stripe, whose upper edge is"
        " twice its lower one. Here they do not",
    ),
]
CLAIMS = {"The more each sub-layer": ("proportional", "sum_spread")}
NAMES = TITLES.values()
QUESTIONS = (
    {"placement": "pre"},
    {"placement": "b2t"},
    {"stack": "decoder"},
    {"d_model": 16, "depths": [2, 8, 32], "seeds": 4},
)
