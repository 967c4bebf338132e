"""What /pixels says of networks that write digits pixel by pixel."""

from tests.app.said.answered import asks, cut, shows
from tests.app.said.sayings import Field, Fields, Says, When, always, only

LEFT = ("samples", "completed", "image")
RIGHT = ("bits", "by_pixel", "next", "looks", "influence")
DEPENDS = ("influence", "looks")
MODELS = {
    "block": "with a block of 13",
    "line": "with a line of 13",
    "all": "with all pixels",
    "independent": "where pixels are alone",
    "markov": "in a Markov chain",
}


def bits(model: str) -> Field:
    return lambda a, _: cut(a, "bits", model=model).item()


def opens(_, question) -> bool:
    """Whether no figure is named, and the page speaks of those with which it opens."""
    return not set(question["figures"]) & {*LEFT, *RIGHT}


def also(name: str) -> When:
    return lambda a, q: opens(a, q) or name in q["figures"]


FIELDS: Fields = {
    **{model: bits(model) for model in MODELS},
    "row": lambda _, q: q["pixel"] // 8 + 1,
    "column": lambda _, q: q["pixel"] % 8 + 1,
    "pixel": asks("pixel"),
    "sees": lambda a, _: int(cut(a, "sees")[1:].sum()),
    "moves": lambda a, _: int((cut(a, "influence")[1:] > 0).sum()),
    "level": lambda a, _: a.fields["written"],
    "chance": lambda a, _: cut(a, "next", level=str(a.fields["written"])).item(),
}
SAYS: list[Says] = [
    *always("A network that writes an image pixel by pixel learns what pixels tell of each other"),
    *only(
        shows(*DEPENDS),
        "The pixel in row {row}, column {column} may look at {sees} pixels, and {moves} have an"
        " influence on it",
    ),
    *only(
        lambda _, q: "next" in q["figures"] and not set(DEPENDS) & set(q["figures"]),
        "Grey value {level} was written, with probability {chance:%}",
    ),
    *only(
        lambda _, q: not {*DEPENDS, "next"} & set(q["figures"]),
        "A held-out pixel costs {block:2} bits with a block of 13 pixels, and {independent:2} where"
        " pixels are alone",
    ),
    *only(
        also("samples"),
        "Each row has ten digits, and every pixel of them follows what the network says after"
        " the pixels before it",
    ),
    *only(
        shows("completed"),
        "The first image is held out",
        "The others begin with the same rows, and the network wrote the rest of them",
    ),
    *only(
        shows("image"),
        "The frame without colour marks one pixel",
        "Before it was written, the network could look at the digit and at the pixels in the"
        " coloured frames",
        "Click another pixel",
    ),
    *only(
        also("bits"),
        "A bar is what a pixel of a held-out image costs",
        "A lower bar is a better model of images",
    ),
    *only(
        shows("by_pixel"),
        "A map shows which pixels cost most: those where strokes may be or not",
    ),
    *only(shows("next"), "The bars are the probabilities of the grey values of this pixel"),
    *only(
        shows("looks"),
        "The maps show which pixels each head looked at; the empty ones are hidden",
    ),
    *only(
        shows("influence"),
        "The map shows how strongly each earlier pixel changes the probability of this one",
        "Two layers reach beyond the window of one, and no farther",
    ),
]
CLAIMS = {
    "learns what pixels tell of each other": lambda _, q: tuple(
        f"{q['network']}.less_{baseline}" for baseline in ("independent", "markov")
    )
}
FIGURES = tuple((left, right) for left in LEFT for right in RIGHT)
