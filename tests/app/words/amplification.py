"""What is so where /amplification says it, and its own fields once more."""

from tests.app.words.answered import cut
from tests.app.words.facts import Facts, between

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


def out_of_stripe(answer, _) -> bool:
    """Whether a C is more than twice another."""
    values = [c for name in COMPARED for c in cut(answer, "constant", placement=name).tolist()]
    return max(values) / min(values) > 2


ORACLES = {
    "placements": lambda a, _: [TITLES[name] for name in a.axes["placement"].labels],
    "deepest": lambda a, _: f"{a.axes['depth'].values[-1]:g}",
    "over_pre": lambda a, q: change(a, q) / change_of_pre(a, q),
    "share": at_the_end("share"),
    "noise_percent": lambda _, q: q["noise"] / 0.01,
    "depth_asked": lambda _, q: sorted(q["depths"])[-1],
}
QUESTIONS = (
    {"placement": "pre"},
    {"placement": "b2t"},
    {"stack": "decoder"},
    {"d_model": 16, "depths": [2, 8, 32], "seeds": 4},
)
FACTS: Facts = {
    "moved": {
        "farther": {"more post": farthest},
        "nearer": {
            "none post": lambda a, q: not farthest(a, q),
            "more post": lambda a, q: not farthest(a, q),
        },
    },
    "stripe": {"outside": {"none post": out_of_stripe}},
}
RIGHT = ("post_over_pre",), between(0.5, 2)
