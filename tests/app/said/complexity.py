"""What /complexity says of what a layer costs and of what is left of a gradient."""

import numpy as np

from tests.app.said.answered import both, cut, hides, shows
from tests.app.said.sayings import Field, Fields, Says, When, always, only, results


def left_of(path: str):
    return lambda a, _: cut(a, "gradient_by_distance", path=path)[-1].item()


def kept(path: str) -> Field:
    """A share with one decimal, or that it is below a hundredth."""

    def said(a, q) -> str:
        left = left_of(path)(a, q)
        return "less than 1 %" if left < 0.01 else f"{100 * left:.{1 if left < 1 else 0}f} %"

    return said


def level(path: str, is_so: bool = True) -> When:
    """Whether the line of a path is nearly level."""

    def so(a, _) -> bool:
        line = cut(a, "gradient_by_distance", path=path)
        return bool(line.max() <= 1.25 * line.min()) is is_so

    return so


def near_its_share(answer, question) -> bool:
    """Whether the line of attention is level within a third of 1/n."""
    line = cut(answer, "gradient_by_distance", path="attention")
    share = 1 / (len(line) + 1)
    return level("attention")(answer, question) and bool(2 / 3 < line.mean() / share < 3 / 2)


def moves_with_every_step(answer, _) -> bool:
    names = ("RNN, gain 0.8", "RNN, gain 1.2", "LSTM")
    lines = [cut(answer, "gradient_by_distance", path=name) for name in names]
    return all((np.diff(line) != 0).all() for line in lines)


def edge_moves(answer, _) -> bool:
    """Whether of the largest inputs fewer gains let a change grow than of the smallest."""
    grows = (cut(answer, "growth") > 0).sum(0)
    return bool(grows[-1] < grows[0])


FIELDS: Fields = {
    "lstm": kept("LSTM"),
    "attention": kept("attention"),
}
others = hides("sequential", "path_length", "time")
SAYS: list[Says] = [
    *always(
        "passes its gradient on equally over any distance",
        "Over the longest distance an LSTM keeps {lstm} of a gradient, and attention {attention}",
    ),
    *only(others, "On the left each line counts the operations of a layer, by table 1"),
    *only(
        shows("sequential"),
        "On the left each line counts the steps that wait for the step before",
    ),
    *only(
        shows("path_length"),
        "On the left each line counts the steps from the first position to the last",
    ),
    *only(shows("time"), "On the left each line is the time of a layer on this machine"),
    *results(
        both(hides("growth"), near_its_share),
        "On the right, the line of attention is level near 1/n, because each of n positions gets"
        " an equal share",
        "The shortcut beside it adds 1, to a position's own gradient alone",
    ),
    *results(
        both(hides("growth"), level("attention", False)),
        "On the right, the line of attention is not level at 1/n, because with inputs as large as"
        " these the softmax gives the positions unequal shares",
    ),
    *results(
        both(hides("growth"), level("RNN, gain 1", False), moves_with_every_step),
        "Recurrent lines fall or climb with every step",
    ),
    *results(
        both(hides("growth"), level("RNN, gain 1"), moves_with_every_step),
        "The line of an RNN of gain 1 is level as well, because inputs as small as these leave tanh"
        " linear",
        "The other recurrent lines fall or climb with every step",
    ),
    *only(
        shows("growth"),
        "On the right, each cell is an RNN",
        "A small change fades where the cell is blue and grows where it is orange",
    ),
    *results(
        both(shows("growth"), edge_moves),
        "Larger inputs flatten tanh, and so the edge moves to a larger gain",
    ),
]
NAMES = ("RNN", "LSTM")
CLAIMS = {"Attention passes": ("gradient.attention",)}
QUESTIONS = ({"input_size": 3.0}, {"input_size": 0.0}, {"input_size": 10.0, "d_model": 4})
UNSAID = ("RNN, gain 1",)
FIGURES = (("time", "gradient"), ("path_length", "growth"))
