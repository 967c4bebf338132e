"""What the page of /recurrence says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import axes
from app.figures.findings import measured
from app.figures.text import percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Within the trained lengths, attention gets more letters right than a single vector"
UNTRAINED = (
    "Before training a gradient fades at every step of recurrence, fades less with gates, and does"
    " not fade through attention"
)
TRAINED = "Once trained, a recurrent network passes its gradient on"
TRUNCATED = "A gradient that is cut teaches less about letters that were read long before"
LENGTHS = (
    "Five networks of similar size have learned to write words of 1 to 10 letters backwards. The"
    " shaded lengths are those that they have seen; to the right of them are longer words."
)
LEFT = {
    "letters": LENGTHS,
    "words": LENGTHS,
    "writings": (
        "Each row is a network, and each cell is a letter that it writes for your word. The colour"
        " is the probability of the letter, and a frame marks a wrong one."
    ),
    "truncated": (
        "Each line is an LSTM whose gradient was cut in training after the number of steps at its"
        " end. Letters farther to the right were read earlier."
    ),
}
RIGHT = {
    "alignment": (
        "Each row of a map is a step of writing, and shows where in the word the network looks."
    ),
    "gradient.trained": (
        "The curves show how strongly each token that was read moves the last letter. The dotted"
        " line separates the letters of the word from what the decoder has read."
    ),
    "gradient.initial": (
        "The curves show how strongly each token that was read moves the last letter. On a"
        " straight line downward the same share is lost at every step."
    ),
}
LOOK_FOR = f"{LENGTHS} {RIGHT['alignment']}"
"""What to look for in the two figures with which the page opens."""

BAHDANAU = " + attention"
NAMES = {
    "rnn": "RNN",
    "lstm": "LSTM",
    "rnn-attention": f"RNN{BAHDANAU}",
    "lstm-attention": f"LSTM{BAHDANAU}",
    "transformer": "Transformer",
}
ATTENDING = ("rnn-attention", "lstm-attention", "transformer")
CUTS = (2, 4, 8)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    if "gradient.initial" in question["figures"]:
        level = tuple(f"far_over_near.{name}" for name in ATTENDING)
        return Claim(UNTRAINED, ("factor.rnn", "factor.lstm", *level))
    if "gradient.trained" in question["figures"]:
        return Claim(TRAINED, ("factor.rnn.trained", "factor.lstm.trained"))
    if "truncated" in question["figures"]:
        return Claim(TRUNCATED, tuple(f"cost_of_cut.{steps}" for steps in CUTS))
    return Claim(CLAIM, ("bottleneck.rnn", "bottleneck.lstm"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figure on the left, then in that on the right."""
    shown = question["figures"]
    said = {name: sentence for name, sentence in (LEFT | RIGHT).items() if name in shown}
    return " ".join(said.values()) or LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off: of gradients, of a cut, of the reader's word, or of the lengths."""
    shown = question["figures"]
    if "gradient.initial" in shown:
        rnn = measured(answer, "factor.rnn")
        lstm = rnn + measured(answer, "factor.lstm")
        return (
            f"Before training each step back leaves {percent(rnn)} of the RNN's gradient, and"
            f" {percent(lstm)} of the LSTM's."
        )
    if "gradient.trained" in shown:
        rnn, lstm = (
            percent(measured(answer, f"factor.{name}.trained")) for name in ("rnn", "lstm")
        )
        return (
            f"After training each step back leaves {rnn} of the RNN's gradient, and {lstm} of the"
            " LSTM's."
        )
    if "truncated" in shown:
        right = ", ".join(
            f"{percent(measured(answer, f'behind_cut.{steps}'))} with a cut after {steps} steps"
            for steps in CUTS
        )
        return f"Of the letters that were read before the cut, these are right: {right}."
    writings = answer.fields["writings"]
    right = sum(writing["right"] for writing in writings)
    if "writings" in shown:
        word = "".join(answer.fields["word"])
        return f"{right} of {len(writings)} networks write « {word} » backwards without a mistake."
    what = "words" if "words" in shown else "letters"
    shares, longest = answer.tensors[what].data, answer.fields["trained_length"]
    trained, longer = (
        [percent(share).replace(" ", "\u00a0") for share in shares[:, n - 1].tolist()]
        for n in (longest, 2 * longest)
    )
    told = "; ".join(
        f"{NAMES[name]} {trained[i]}, {longer[i]}"
        for i, name in enumerate(axes.labels(answer, "network"))
    )
    return f"{what.capitalize()} that are right, at {longest} and {2 * longest} letters: {told}."


TITLES = {
    "bottleneck.rnn": "What attention adds to an RNN at the longest trained words",
    "bottleneck.lstm": "What attention adds to an LSTM at the longest trained words",
    "longer.rnn": "What attention adds to an RNN at twice that length",
    "longer.lstm": "What attention adds to an LSTM at twice that length",
    **{f"beyond.{name}": f"{said}, twice the trained length" for name, said in NAMES.items()},
    "factor.rnn": "Gradient of an untrained RNN, per step",
    "factor.lstm": "The same of an LSTM, less the RNN's",
    "factor.rnn.trained": "Gradient of the trained RNN, per step",
    "factor.lstm.trained": "Gradient of the trained LSTM, per step",
    **{
        f"far_over_near.{name}": f"{NAMES[name]}, untrained: farther letters over nearer"
        for name in ATTENDING
    },
    **{
        f"{name}.{steps}": title.format(steps)
        for steps in CUTS
        for name, title in (
            ("behind_cut", "Letters read {} steps before or more, gradient cut there"),
            ("cost_of_cut", "The same, less those without the cut after {}"),
        )
    },
    "rows": "Rows of weights, less 1",
    "cut": "Logits with and without truncation, difference",
    "gradient_behind_cut": "Gradient behind a cut",
}
