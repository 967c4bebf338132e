"""What /gradients says of a gradient on its way to the first layer, and of tokens."""

from tests.app.said.answered import asked, asks, both, cut, hides, measured, shows
from tests.app.said.printed import FORMS
from tests.app.said.sayings import Field, Fields, Says, only, results

PLACEMENTS = {"post": "Post-LN", "pre": "Pre-LN", "b2t": "B2T"}


def printed(field: Field, digits: str) -> Field:
    """What is small is printed with three significant digits, all else with so many decimals."""

    def said(a, q) -> str:
        value = field(a, q)
        return FORMS["number" if value < 0.1 else digits](value)

    return said


def measures(name: str) -> Field:
    return lambda a, _: measured(a, name)


def cosine(placement: str) -> Field:
    return lambda a, _: cut(a, "token_cosine", placement=placement)[-1].item()


def any_falls(answer, question) -> bool:
    """Whether a gradient of the weights or of the stream falls to a tenth."""
    ends = [
        cut(answer, name, stack=question["stack"])[:, 0]
        / cut(answer, name, stack=question["stack"])[:, -1]
        for name in ("parameter", "residual")
    ]
    return any((one < 0.1).any() for one in ends)


FIELDS: Fields = {
    "stack": asks("stack"),
    "depth": lambda a, _: a.axes["depth"].values[-1],
    "layers": lambda a, _: a.axes["layer"].size,
    **{f"cosine.{name}": printed(cosine(name), "3") for name in PLACEMENTS},
    **{f"weights.{n}": printed(measures(f"first_over_last.{n}"), "2") for n in PLACEMENTS},
    **{f"stream.{n}": printed(measures(f"first_over_last.residual.{n}"), "2") for n in PLACEMENTS},
}


def listed(name: str) -> str:
    return ", ".join(f"{{{name}.{key}}} under {said}" for key, said in PLACEMENTS.items())


along_layers = "Right, follow each line from layer {layers}, which the loss reads, down to layer 1"
SAYS: list[Says] = [
    *only(
        asked(stack="decoder"),
        "In a deep Post-LN decoder the gradient vanishes on its way to the first layer",
    ),
    *only(asked(stack="encoder"), "In a deep Post-LN encoder the gradient does not vanish"),
    *only(hides("cosine"), along_layers),
    *only(
        both(hides("cosine"), asked(stack="decoder")),
        "In a decoder the line of Post-LN falls by a factor of hundreds, and those of B2T and"
        " Pre-LN do not",
    ),
    *only(
        both(hides("cosine"), asked(stack="encoder")),
        "Choose the decoder and compare",
    ),
    *results(
        lambda a, q: hides("cosine")(a, q) and q["stack"] == "encoder" and not any_falls(a, q),
        "In an encoder no line falls by a factor of ten",
    ),
    *only(
        shows("cosine"),
        "Right, a mean cosine of 1 means that all tokens point in the same direction",
        "Under Post-LN they nearly do in deep stacks, because each attention adds an average over"
        " tokens to every token",
        "After {depth} layers of the {stack}, the mean cosine between two tokens is "
        + listed("cosine"),
    ),
    *only(
        hides("cosine", "residual"),
        "of the weights at the first layer of the {stack}, divided by that at the {layers}th, is "
        + listed("weights"),
    ),
    *only(
        both(hides("cosine"), shows("residual")),
        "of the stream at the first layer of the {stack}, divided by that at the {layers}th, is "
        + listed("stream"),
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
QUESTIONS = ({"stack": "decoder"},)
