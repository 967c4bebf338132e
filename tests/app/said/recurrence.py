"""What /recurrence says of five networks that write words backwards."""

from tests.app.said.answered import cut, measured, number, shows
from tests.app.said.sayings import Field, Fields, Says, When, only

LEFT = ("letters", "words", "writings", "truncated")
RIGHT = ("alignment", "gradient.trained", "gradient.initial")


def share(what: str, network: str) -> Field:
    return lambda a, _: cut(a, what, network=network, length=str(a.fields["trained_length"])).item()


def first_of(*order: str) -> When:
    """Whether the last of these is shown and none of those before it."""
    *others, one = order
    return lambda _, q: one in q["figures"] and not set(others) & set(q["figures"])


def opens(_, question) -> bool:
    """Whether no figure is named, and the page speaks of those with which it opens."""
    return not set(question["figures"]) & {*LEFT, *RIGHT}


def either(*whens: When) -> When:
    return lambda a, q: any(when(a, q) for when in whens)


def tells(*what: str) -> When:
    return lambda a, q: (
        not ({"gradient.initial", "gradient.trained", "truncated", "writings"} & set(q["figures"]))
        and ("words" in q["figures"]) is (what == ("words",))
    )


gradient = ("gradient.initial", "gradient.trained")
FIELDS: Fields = {
    "rnn": number("factor.rnn"),
    "lstm": lambda a, _: measured(a, "factor.rnn") + measured(a, "factor.lstm"),
    "rnn.trained": number("factor.rnn.trained"),
    "lstm.trained": number("factor.lstm.trained"),
    **{f"cut.{steps}": number(f"behind_cut.{steps}") for steps in (2, 4, 8)},
    "right": lambda a, _: sum(one["right"] for one in a.fields["writings"]),
    "networks": lambda a, _: a.axes["network"].size,
    "word": lambda a, _: "".join(a.axes["letter"].labels),
    "longest": lambda a, _: a.fields["trained_length"],
    **{
        f"{what}.{network}": share(what, network)
        for what in ("letters", "words")
        for network in ("rnn", "rnn-attention")
    },
}
SAYS: list[Says] = [
    *only(
        first_of("gradient.initial"),
        "Before training a gradient fades at every step of recurrence, fades less with gates, and"
        " does not fade through attention",
        "Before training each step back leaves {rnn:%} of the RNN's gradient, and {lstm:%} of the"
        " LSTM's",
    ),
    *only(
        first_of(*gradient),
        "Once trained, a recurrent network passes its gradient on",
        "After training each step back leaves {rnn.trained:%} of the RNN's gradient, and"
        " {lstm.trained:%} of the LSTM's",
    ),
    *only(
        first_of(*gradient, "truncated"),
        "A gradient that is cut teaches less about letters that were read long before",
        "Of the letters that were read before the cut, these are right: {cut.2:%} with a cut after"
        " 2 steps, {cut.4:%} with a cut after 4 steps, {cut.8:%} with a cut after 8 steps",
    ),
    *only(
        lambda _, q: not {*gradient, "truncated"} & set(q["figures"]),
        "Within the trained lengths, attention gets more letters right than a single vector",
    ),
    *only(
        first_of(*gradient, "truncated", "writings"),
        "{right} of {networks} networks write « {word} » backwards without a mistake",
    ),
    *only(
        tells("words"),
        "Of words at the last length of the training the RNN has {words.rnn:%} right, and the RNN"
        " with attention {words.rnn-attention:%}",
    ),
    *only(
        tells("letters"),
        "Of letters at the last length of the training the RNN has {letters.rnn:%} right, and the"
        " RNN with attention {letters.rnn-attention:%}",
    ),
    *only(
        either(shows("letters", "words"), opens),
        "words of 1 to {longest} letters backwards",
        "The shaded lengths are those that they have seen; to the right of them are longer words",
    ),
    *only(
        shows("writings"),
        "Each row is a network, and each cell is a letter that it writes for your word",
        "a frame marks a wrong one",
    ),
    *only(
        shows("truncated"),
        "Each line is an LSTM whose gradient was cut in training after the number of steps at its"
        " end",
        "Letters farther to the right were read earlier",
    ),
    *only(
        either(shows("alignment"), opens),
        "Each row of a map is a step of writing, and shows where in the word the network looks",
    ),
    *only(
        shows(*gradient),
        "The curves show how strongly each token that was read moves the last letter",
    ),
    *only(
        shows("gradient.trained"),
        "The dotted line separates the letters of the word from what the decoder has read",
    ),
    *only(
        shows("gradient.initial"),
        "On a straight line downward the same share is lost at every step",
    ),
]
NAMES = ("RNN", "LSTM", "Transformer", "attention", "recurrent")
CLAIMS = {
    "Within the trained lengths": ("bottleneck.rnn", "bottleneck.lstm"),
    "Before training": (
        "factor.rnn",
        "factor.lstm",
        *(f"far_over_near.{n}" for n in ("rnn-attention", "lstm-attention", "transformer")),
    ),
    "Once trained": ("factor.rnn.trained", "factor.lstm.trained"),
    "A gradient that is cut": tuple(f"cost_of_cut.{steps}" for steps in (2, 4, 8)),
}
FIGURES = tuple((left, right) for left in LEFT for right in RIGHT)
