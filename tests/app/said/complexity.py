"""What /complexity says of what a layer costs and of what is left of a gradient."""

from tests.app.said.answered import both, cut, hides, measured, shows, with_number
from tests.app.said.sayings import Fields, Pages, Says, always, only


def left_of(path: str):
    return lambda a, _: cut(a, "gradient_by_distance", path=path)[-1].item()


def is_even(answer, _) -> bool:
    return 0.9 <= measured(answer, "attention.even") <= 1.1


def is_uneven(answer, question) -> bool:
    return not is_even(answer, question)


FIELDS: Fields = {
    "distance": lambda a, _: a.axes["distance"].size,
    "0.8": left_of("RNN, gain 0.8"),
    "1.2": left_of("RNN, gain 1.2"),
    "lstm": left_of("LSTM"),
    "attention": left_of("attention"),
}
others = hides("sequential", "path_length", "time")
SAYS: list[Says] = [
    *always(
        "passes its gradient on equally over any distance",
        "After {distance} steps an RNN has {0.8:number} of a gradient left at gain 0.8 and"
        " {1.2:number} at gain 1.2, an LSTM {lstm:number} and attention {attention:number}",
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
    *only(
        both(hides("growth"), is_even),
        "On the right, the line of attention is level near 1/n, because each of n positions gets"
        " an equal share",
        "The shortcut beside it adds 1, to a position's own gradient alone",
    ),
    *only(
        both(hides("growth"), is_uneven),
        "On the right, the line of attention goes up and down and is not at 1/n, because with"
        " inputs as large as these the softmax gives the positions unequal shares",
    ),
    *only(hides("growth"), "Recurrent lines fall or climb with every step"),
    *only(
        shows("growth"),
        "On the right, each cell is an RNN",
        "A small change fades where the cell is blue and grows where it is orange",
        "Larger inputs flatten tanh, and so the edge moves to a larger gain",
    ),
]
NAMES = ("RNN", "LSTM")
CLAIMS = {"Attention passes": ("gradient.attention",)}
QUESTIONS = ({"input_size": 3.0},)
FIGURES = (("time", "gradient"), ("path_length", "growth"))


def forced(pages: Pages) -> Pages:
    """Shares of attention that are equal and that are not."""
    for question, answer in pages:
        for even in (0.85, 0.95, 1.05, 1.15):
            yield question, with_number(answer, "attention.even", even)
