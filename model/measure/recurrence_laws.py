"""What /recurrence expects of each number that it measures."""

from model.answers.laws import Law, by_name, each
from model.recurrent.names import ATTENDING, NAMES

LAWS = by_name(
    *each(
        {"rnn": "an RNN", "lstm": "an LSTM"},
        Law(
            "bottleneck.{}",
            "What attention adds to {} at the longest trained words",
            "more than 0: with attention more letters of {longest} are right than without",
            (0, None),
            "of the letters",
        ),
    ),
    *each(
        {"rnn": "an RNN", "lstm": "an LSTM"},
        Law(
            "longer.{}",
            "What attention adds to {} at twice that length",
            "as measured at {letters} letters",
            unit="of the letters",
        ),
    ),
    *each(
        NAMES,
        Law(
            "beyond.{}",
            "{}, twice the trained length",
            "as measured: the share at {letters} letters over that at {longest}",
        ),
        {
            "transformer": (
                "at most 0.5: with absolute positions a Transformer does not go beyond the lengths"
                " it has seen (Kazemnejad et al. 2023)",
                (None, 0.5),
            )
        },
    ),
    Law(
        "factor.rnn",
        "Gradient of an untrained RNN, per step",
        "at most 1: the matrix is orthogonal, and no slope of tanh is above 1",
        (None, 1),
        "a step",
    ),
    Law(
        "factor.lstm",
        "The same of an LSTM, less the RNN's",
        "more than 0: gates keep more of a gradient than the RNN does",
        (0, None),
        "a step",
    ),
    *each(
        {"rnn": "RNN", "lstm": "LSTM"},
        Law(
            "factor.{}.trained",
            "Gradient of the trained {}, per step",
            "about 1: a network that has learned the task has learned to pass gradients",
            (0.9, 1.1),
            "a step",
        ),
    ),
    *each(
        {name: NAMES[name] for name in ATTENDING},
        Law(
            "far_over_near.{}",
            "{}, untrained: farther letters over nearer",
            "about 1: attention is one step from every letter",
            (0.5, 2),
        ),
    ),
    *(
        law
        for steps in ("2", "4", "8")
        for law in (
            Law(
                f"behind_cut.{steps}",
                f"Letters read {steps} steps before or more, gradient cut there",
                "as measured; chance is 1/{letters}. They get no gradient of their own, but share"
                " the weights of nearer letters",
                unit="of the letters",
            ),
            Law(
                f"cost_of_cut.{steps}",
                f"The same, less those without the cut after {steps}",
                "less than 0: with the whole gradient more of these letters are right",
                (None, 0),
                "of the letters",
            ),
        )
    ),
    Law("rows", "Rows of weights, less 1", "0: the weights of a step sum to 1", (0, 1e-5)),
    Law(
        "cut",
        "Logits with and without truncation, difference",
        "0: truncation changes no number",
        (0, 0),
    ),
    Law(
        "gradient_behind_cut", "Gradient behind a cut", "0: no gradient passes the last cut", (0, 0)
    ),
)
