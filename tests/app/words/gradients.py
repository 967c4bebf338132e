"""What is so where /gradients says it, and its own fields once more."""

from tests.app.words.amplification import TITLES
from tests.app.words.answered import cut, measured, with_number
from tests.app.words.facts import Fact, Facts, between


def ratio(placement: str):
    """The findings are means over seeds of what is drawn."""

    def over(answer, question) -> float:
        of_stream = ".residual" if "residual" in question["figures"] else ""
        return measured(answer, f"first_over_last{of_stream}.{placement}")

    return over


def line(answer, question, placement: str) -> float:
    """What is left at the first layer, as it is drawn."""
    tensor = "residual" if "residual" in question["figures"] else "parameter"
    numbers = cut(answer, tensor, stack=question["stack"], placement=placement)
    return numbers[0] / numbers[-1]


def keeps(*placements: str) -> Fact:
    """Whether the lines of these, or all, do not fall to a tenth."""
    return lambda a, q: all(
        line(a, q, name) > 0.1 for name in placements or a.axes["placement"].labels
    )


def hundredfold(answer, question) -> bool:
    return line(answer, question, "post") < 0.01


def falling(answer, question) -> str:
    """What the sentence on the lines rests on: a hundredth and a tenth of where they start."""
    of_decoder = hundredfold(answer, question) and keeps("pre", "b2t")(answer, question)
    stack = question["stack"]
    known = of_decoder if stack == "decoder" else keeps()(answer, question)
    return f"{stack}_as_known" if known else stack


def cosine(answer) -> float:
    return cut(answer, "token_cosine", placement="post", depth=-1).item()


def is_cosine(answer, _) -> bool:
    """One vector is where the cosine is 1, which none is above."""
    return cut(answer, "token_cosine").max() < 1 + 1e-5


ORACLES = {
    "falling": falling,
    "post_left": ratio("post"),
    "pre_left": ratio("pre"),
    "placements": lambda a, _: [TITLES[name] for name in a.axes["placement"].labels],
}
QUESTIONS = (
    {"stack": "decoder"},
    {"stack": "decoder", "d_model": 64},
    {"d_model": 4},
    {"d_model": 16, "depths": [2, 8, 16]},
)
MADE_UP = (
    lambda answer: with_number(answer, "first_over_last.post", 2.5),
    lambda answer: with_number(answer, "first_over_last.pre", 0.4),
)
FACTS: Facts = {
    "falling": {
        "decoder_as_known": {"less post-ln": hundredfold},
        "encoder_as_known": {"all": keeps()},
        "decoder": {"less b2t": lambda a, q: falling(a, q) == "decoder"},
        "encoder": {"less": lambda a, q: falling(a, q) == "encoder"},
    },
    "alike": {
        "yes": {"all post-ln": lambda a, _: cosine(a) >= 0.95},
        "no": {"none post-ln": lambda a, _: cosine(a) < 0.95},
    },
    "shown": {"cosine": {"all": is_cosine, "same": is_cosine}},
}
RIGHT = ("first_over_last.{placement}",), between(0.1, 10)
