"""What is so where /recurrence says it, and its own fields once more."""

import numpy as np

from tests.app.words.answered import cut, measured
from tests.app.words.facts import Facts
from tests.app.words.printed import percent

TITLES = {
    "rnn": "RNN",
    "lstm": "LSTM",
    "rnn-attention": "RNN + attention",
    "lstm-attention": "LSTM + attention",
    "transformer": "Transformer",
}
"""How pages call the networks."""


def share(what: str, network: str):
    return lambda a, _: cut(a, what, network=network, length=str(a.fields["trained_length"])).item()


def text(network: str):
    def of(answer, _) -> str:
        (row,) = [row for row in answer.fields["writings"] if row["network"] == network]
        return row["text"]

    return of


def shares(answer, question) -> str:
    means = cut(answer, "letters.by_training", length=str(question["length"])).mean(0)
    named = zip(answer.axes["network"].labels, means, strict=True)
    return ", ".join(f"{TITLES[name]} {percent(mean)}" for name, mean in named)


def farther_is_earlier(answer, _) -> bool:
    return bool(np.diff(answer.axes["gap"].values).min() > 0)


def spoken_of(_, question) -> str:
    """The figure of which heading and reading speak: the first of these that is shown."""
    order = ("gradient.initial", "gradient.trained", "truncated", "writings", "words")
    visible = [name for name in order if name in question["figures"]]
    return visible[0].replace(".", "_") if visible else "other"


ORACLES = {
    "factor_lstm": lambda a, _: sum(measured(a, f"factor.{name}") for name in ("lstm", "rnn")),
    "right_writings": lambda a, _: sum(
        row["text"] == "".join(reversed(a.axes["letter"].labels)) for row in a.fields["writings"]
    ),
    "word": lambda a, _: "".join(a.axes["letter"].labels),
    **{
        f"{what}_{network.replace('-', '_')}": share(what, network)
        for what in ("letters", "words")
        for network in ("rnn", "rnn-attention")
    },
    **{f"text_{network.replace('-', '_')}": text(network) for network in TITLES},
    "shares": shares,
    "shown": spoken_of,
}
QUESTIONS = ({"text": "recurrentnetworks", "length": 20},)
FIGURES = (("writings", "gradient.trained"), ("truncated", "gradient.initial"))
FACTS: Facts = {
    "left": {"truncated": {"more": farther_is_earlier}},
    "right": {
        "gradient_initial": {"same": lambda *_: True, "all": lambda *_: True},  # on such a scale
    },
}
