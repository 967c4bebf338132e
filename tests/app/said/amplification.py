"""What /amplification says of how far placements are moved, and of what a sub-layer supplies."""

from tests.app.said.answered import asked, cut
from tests.app.said.sayings import Fields, Says, always, only

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
FIELDS: Fields = {
    "placement": lambda _, q: TITLES[q["placement"]],
    "depth": lambda a, _: a.axes["depth"].values[-1],
    "over_pre": lambda a, q: change(a, q) / change_of_pre(a, q),
    "share": at_the_end("share"),
}
SAYS: list[Says] = [
    *always(
        "moves with the sum of the shares that the sub-layers supply",
        "{placement}, {depth} sub-layers: on average each sub-layer supplies {share:number} of the"
        " variance of the stream when it has just been added",
        "on average each sub-layer supplies {share:number} of the variance",
        "After {depth} sub-layers the mean square change of the output of {placement} is"
        " {over_pre:2} times that of Pre-LN",
    ),
    *only(
        asked(stack="encoder"),
        "Left, the same small change of the weights moves the output of a deep Post-LN stack"
        " farther than that of Pre-LN or Admin",
        "Right, each line is divided by the sum of the shares that its sub-layers supply",
        "Post-LN, Pre-LN and Admin then lie near one grey stripe",
        "whose upper edge is twice its lower one",
    ),
    *only(
        asked(stack="decoder"),
        "Left, the lines of a decoder lie closer together than those of an encoder",
        "Right, each is divided by the sum of the shares that its sub-layers supply",
        "one constant, all lines would lie in the grey stripe",
    ),
]
CLAIMS = {"The output moves with the sum": ("proportional", "sum_spread")}
NAMES = TITLES.values()
QUESTIONS = ({"placement": "pre"}, {"placement": "b2t"}, {"stack": "decoder"})
