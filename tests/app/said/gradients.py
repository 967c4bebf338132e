"""What /gradients says of a gradient on its way to the first layer, and of tokens."""

from tests.app.said.answered import asked, asks, both, cut, hides, measured, shows, with_tensor
from tests.app.said.printed import FORMS
from tests.app.said.sayings import Field, Fields, Pages, Says, When, only, results

PLACEMENTS = ("post", "pre")


def beside(field: Field) -> Field:
    """One gradient over another: 2.6 times it, or 1/190 of it."""

    def said(a, q) -> str:
        value = field(a, q)
        if FORMS["number"](value) == "1":
            return "as large as"
        more = value > 1
        return f"{FORMS['number'](value)} times" if more else f"1/{FORMS['number'](1 / value)} of"

    return said


def measures(name: str) -> Field:
    return lambda a, _: measured(a, name)


def cosine(placement: str) -> Field:
    return lambda a, _: cut(a, "token_cosine", placement=placement)[-1].item()


def left(answer, question, placement: str) -> float:
    """What is left at the first layer of the gradient of the weights, or of the stream where that
    is shown.
    """
    drawn = "residual" if "residual" in question["figures"] else "parameter"
    line = cut(answer, drawn, stack=question["stack"], placement=placement)
    return line[0] / line[-1]


def as_known(answer, question) -> bool:
    """Whether no line of an encoder falls to a tenth; and of a decoder only that of Post-LN, to a
    hundredth.
    """
    if question["stack"] == "encoder":
        return all(left(answer, question, one) > 0.1 for one in answer.axes["placement"].labels)
    if left(answer, question, "post") >= 0.01:
        return False
    return all(left(answer, question, one) > 0.1 for one in ("pre", "b2t"))


def compares(stack: str, is_known: bool) -> When:
    return lambda a, q: hides("cosine")(a, q) and q["stack"] == stack and as_known(a, q) is is_known


def alike(is_so: bool) -> When:
    return lambda a, q: shows("cosine")(a, q) and (cosine("post")(a, q) >= 0.95) is is_so


FIELDS: Fields = {
    "stack": asks("stack"),
    "depth": lambda a, _: a.axes["depth"].values[-1],
    "layers": lambda a, _: a.axes["layer"].size,
    **{f"cosine.{name}": cosine(name) for name in PLACEMENTS},
    **{f"weights.{n}": beside(measures(f"first_over_last.{n}")) for n in PLACEMENTS},
    **{f"stream.{n}": beside(measures(f"first_over_last.residual.{n}")) for n in PLACEMENTS},
}


along_layers = (
    "Right, follow each line from the last layer, which the loss reads, down to the first"
)
SAYS: list[Says] = [
    *only(
        asked(stack="decoder"),
        "In a deep Post-LN decoder the gradient vanishes on its way to the first layer",
    ),
    *only(asked(stack="encoder"), "In a deep Post-LN encoder the gradient does not vanish"),
    *only(hides("cosine"), along_layers),
    *results(
        compares("decoder", True),
        "In a decoder the line of Post-LN falls by a factor of more than a hundred, and those of"
        " B2T and Pre-LN do not fall by a factor of ten",
    ),
    *results(
        compares("encoder", True),
        "In an encoder no line falls by a factor of ten",
        "Choose the decoder and compare",
    ),
    *results(compares("decoder", False), "how far the lines of Post-LN, Pre-LN and B2T fall"),
    *results(compares("encoder", False), "how far the lines fall, and choose the decoder"),
    *results(
        alike(True),
        "Under Post-LN they nearly do in the deepest stack, because each attention adds an average"
        " over tokens to every token",
    ),
    *results(
        alike(False),
        "Under Post-LN they do not nearly do so here, not even in the deepest stack",
    ),
    *only(
        shows("cosine"),
        "Right, all tokens point in the same direction where their mean cosine is 1",
        "After {depth} layers of the {stack}, the mean cosine between two tokens is"
        " {cosine.post:3} under Post-LN and {cosine.pre:3} under Pre-LN",
    ),
    *only(
        hides("cosine", "residual"),
        "In this {layers}-layer {stack} the gradient of the weights at the first layer is"
        " {weights.post} that at the last layer under Post-LN, and {weights.pre} it under Pre-LN",
    ),
    *only(
        both(hides("cosine"), shows("residual")),
        "In this {layers}-layer {stack} the gradient of the stream at the first layer is"
        " {stream.post} that at the last layer under Post-LN, and {stream.pre} it under Pre-LN",
    ),
]
NAMES = ("Post-LN", "Pre-LN", "B2T", "Admin", "encoder", "decoder")
CLAIMS = {
    "In a deep": lambda _, q: (
        ("first_over_last.residual.post",)
        if "residual" in q["figures"]
        else ("first_over_last.post",)
    )
}
FIGURES = (("last", "residual"), ("parameter", "cosine"))
QUESTIONS = (
    {"stack": "decoder"},
    {"stack": "decoder", "d_model": 64},
    {"d_model": 4},
    {"d_model": 16, "depths": [2, 8, 16]},
)
UNSAID = ("as large as",)


def forced(pages: Pages) -> Pages:
    """Gradients that fall a thousandfold on their way down."""
    for question, answer in pages:
        for name in ("parameter", "residual"):
            lines = answer.tensors[name].data.clone()
            lines[..., 0] /= 1000
            yield question, with_tensor(answer, name, lines)
