"""What the page of /complexity says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.figures.text import number
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Attention passes its gradient on equally over any distance"
COSTS = {
    "operations": "On the left each line counts the operations of a layer, by table 1.",
    "sequential": "On the left each line counts the steps that wait for the step before.",
    "path_length": "On the left each line counts the steps from the first position to the last.",
    "time": "On the left each line is the time of a layer on this machine.",
}
GRADIENT = (
    "On the right, the line of attention is level near 1/n, because each of n positions gets an"
    " equal share. The shortcut beside it adds 1, to a position's own gradient alone. Recurrent"
    " lines fall or climb with every step."
)
UNEVEN = (
    "On the right, the line of attention goes up and down and is not at 1/n, because with inputs as"
    " large as these the softmax gives the positions unequal shares. Recurrent lines fall or climb"
    " with every step."
)
EVEN = (0.9, 1.1)
"""Attention over that of equal weights, where it counts as even."""
EDGE = (
    "On the right, each cell is an RNN. A small change fades where the cell is blue and grows where"
    " it is orange. Larger inputs flatten tanh, and so the edge moves to a larger gain."
)
LOOK_FOR = f"{COSTS['operations']} {GRADIENT}"


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("gradient.attention",))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures that are shown."""
    shown = question.get("figures", ())
    left = next((said for name, said in COSTS.items() if name in shown), COSTS["operations"])
    if "growth" in shown:
        return f"{left} {EDGE}"
    low, high = EVEN
    return f"{left} {GRADIENT if low <= measured(answer, 'attention.even') <= high else UNEVEN}"


def reading(answer: "Answer", question: Question) -> str:
    """What is left of a gradient after 64 steps, as it is drawn, for inputs of the chosen size."""
    rows = answer.tensors["gradient_by_distance"].data[:, -1].tolist()
    least, _, most, lstm, attention = map(number, rows)
    return (
        f"After 64 steps an RNN has {least} of a gradient left at gain 0.8 and {most} at gain 1.2,"
        f" an LSTM {lstm} and attention {attention}."
    )


TITLES = {
    "crossover_length": "Table 1: attention costs as much as recurrence at n",
    "crossover_products": "Pairs cost as much as all matrices of a layer at n",
    "gradient.0.8": "RNN after 64 steps, gain 0.8",
    "gradient.1.2": "RNN after 64 steps, gain 1.2",
    "gradient.lstm": "LSTM after 64 steps",
    "gradient.attention": "Attention, farther half over nearer half",
    "attention.even": "Attention over that of equal weights",
    "gradient.own": "Own position, with the shortcut",
    "bound": "RNN over its bound, at most",
}
