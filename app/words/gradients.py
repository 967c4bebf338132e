"""What the page of /gradients says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import axes, placements
from app.figures.findings import measured
from app.figures.text import decimals, number
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "In a deep Post-LN decoder the gradient vanishes on its way to the first layer"
ENCODER = "In a deep Post-LN encoder the gradient does not vanish"
LOOK_FOR = (
    "Right, follow each line from layer 18, which the loss reads, down to layer 1. In a decoder the"
    " line of Post-LN falls by a factor of hundreds, and those of B2T and Pre-LN do not."
)
ALONG_ENCODER = (
    "Right, follow each line from layer 18, which the loss reads, down to layer 1. In an encoder no"
    " line falls by a factor of ten. Choose the decoder and compare."
)
COSINE = (
    "Right, a mean cosine of 1 means that all tokens point in the same direction. Under Post-LN"
    " they"
    " nearly do in deep stacks, because each attention adds an average over tokens to every token."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    shown = "first_over_last.residual.post" if along_stream(question) else "first_over_last.post"
    return Claim(CLAIM if question["stack"] == "decoder" else ENCODER, (shown,))


def along_stream(question: Question) -> bool:
    return "residual" in question["figures"]


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures that are shown."""
    if "cosine" in question["figures"]:
        return COSINE
    return LOOK_FOR if question["stack"] == "decoder" else ALONG_ENCODER


def reading(answer: "Answer", question: Question) -> str:
    """For each placement the number of the figure on the right, as it is drawn."""
    names = axes.labels(answer, "placement")
    if "cosine" in question["figures"]:
        depth = axes.labels(answer, "depth")[-1]
        values = answer.tensors["token_cosine"].data[:, -1].tolist()
        said = listed(names, values, 3)
        return (
            f"After {depth} layers of the {question['stack']}, the mean cosine between two tokens"
            f" is {said}."
        )
    tensor = "first_over_last.residual" if along_stream(question) else "first_over_last"
    what = "stream" if along_stream(question) else "weights"
    values = [measured(answer, f"{tensor}.{name}") for name in names]
    return (
        f"The gradient of the {what} at the first layer of the {question['stack']}, divided by that"
        f" at the 18th, is {listed(names, values)}."
    )


def listed(names: list[str], values: list[float], digits: int = 2) -> str:
    """0.005 under Post-LN, 2.6 under Pre-LN."""
    said = [
        f"{number(value) if value < 0.1 else decimals(value, digits)} under"
        f" {placements.NAMES[name]}"
        for name, value in zip(names, values, strict=True)
    ]
    return ", ".join(said)


def titled(prefix: str, said: str) -> dict[str, str]:
    """A title for the finding of each placement."""
    return {f"{prefix}.{name}": f"{said}, {title}" for name, title in placements.NAMES.items()}


TITLES = {
    **titled("slope", "Exponent in the depth"),
    **titled("first_over_last", "Weights, first over last layer"),
    **titled("first_over_last.residual", "Stream, first over last layer"),
    "first_over_last.post.6": "Weights at 6 layers, first over last, Post-LN",
    **titled("token_cosine", "Cosine of two tokens"),
    "token_cosine.bare": "Cosine of two tokens, no shortcuts",
    "equation_5": "Wang’s equation 5, norms and sub-layers in turns",
    "equation_5.printed": "Wang’s equation 5 as printed",
    "equation_6": "Wang’s equation 6, total derivatives",
    "equation_6.partial": "Wang’s equation 6, partial derivatives",
}
