"""The predictions for the numbers measured by /recurrence."""

from model.answers.laws import DIFFERENCE, Law, by_name, each
from model.recurrent.names import ATTENDING, NAMES

LAWS = by_name(
    *each(
        {"rnn": "an RNN", "lstm": "an LSTM"},
        Law(
            "bottleneck.{}",
            "What attention adds to {}’s accuracy on words of the longest training length",
            "more than 0: with attention, more of the {longest} letters are right",
            (0, None),
            f"of the letters{DIFFERENCE}",
        ),
    ),
    *each(
        {"rnn": "an RNN", "lstm": "an LSTM"},
        Law(
            "longer.{}",
            "What attention adds to {}’s accuracy on words twice as long",
            "words of {letters} letters",
            unit=f"of the letters{DIFFERENCE}",
        ),
    ),
    *each(
        NAMES,
        Law(
            "beyond.{}",
            "{}: relative accuracy at twice the training length",
            "accuracy at {letters} letters divided by accuracy at {longest}",
        ),
        {
            "transformer": (
                "at most 0.5: with absolute positions, a Transformer fails beyond its"
                " training lengths (Kazemnejad et al. 2023)",
                (None, 0.5),
            )
        },
    ),
    Law(
        "factor.rnn",
        "Factor by which the gradient of an untrained RNN changes per step",
        "at most 1: the matrix is orthogonal, and tanh’s slope never exceeds 1",
        (None, 1),
        "per step",
    ),
    Law(
        "factor.lstm",
        "Factor by which the gradient of an untrained LSTM changes per step, minus the RNN’s",
        "more than 0: the LSTM’s gates preserve more of the gradient",
        (0, None),
        "per step",
    ),
    *each(
        {"rnn": "RNN", "lstm": "LSTM"},
        Law(
            "factor.{}.trained",
            "Factor by which the gradient of the trained {} changes per step",
            "about 1: a trained network has learned to preserve gradients",
            (0.9, 1.1),
            "per step",
        ),
    ),
    *each(
        {name: NAMES[name] for name in ATTENDING},
        Law(
            "far_over_near.{}",
            "{}, untrained: gradient of farther / nearer letters",
            "about 1: through attention, every letter is one step from the output",
            (0.5, 2),
        ),
    ),
    *(
        law
        for steps in ("2", "4", "8")
        for law in (
            Law(
                f"behind_cut.{steps}",
                f"Accuracy on letters read at least {steps} steps before their output, with the"
                f" gradient cut after {steps} steps",
                "chance is 1/{letters}; these letters get no gradient, but use the same weights as"
                " nearer letters",
                unit="of the letters",
            ),
            Law(
                f"cost_of_cut.{steps}",
                f"Accuracy with a cut after {steps} steps minus accuracy without one, on letters"
                f" read at least {steps} steps before their output",
                "less than 0: with the full gradient, more of these letters are right",
                (None, 0),
                f"of the letters{DIFFERENCE}",
            ),
        )
    ),
    Law("rows", "Sum of each row of weights − 1", "0: the weights of a step sum to 1", (0, 1e-5)),
    Law(
        "cut",
        "Difference between the logits with and without truncation",
        "0: truncation does not change the output",
        (0, 0),
    ),
    Law("gradient_behind_cut", "Gradient beyond a cut", "0: no gradient passes a cut", (0, 0)),
)
