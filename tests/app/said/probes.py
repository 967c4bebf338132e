"""What /probes says of position and token that are read with the residual and without it."""

from tests.app.said.answered import both, cut, found, marked, measured, number, with_finding
from tests.app.said.sayings import Fields, Pages, Says, When, always, only, results


def collapsed(answer, _) -> bool:
    return found(answer, "cosine.on").verdict == "fails"


def looks(kind: str) -> When:
    def so(a, q) -> bool:
        chosen = (
            "selective"
            if "selectivity.on" in q["figures"]
            else "alike"
            if "stream.on" in q["figures"]
            else "read"
        )
        return not collapsed(a, q) and chosen == kind

    return so


def still_reads(answer, _) -> bool:
    """Whether the position is read of more held-out tokens than a guess is right for, after every
    layer.
    """
    right = cut(answer, "accuracy.on", probe="position", split="held-out")
    return bool((right > measured(answer, "by_word")).all())


def later(answer, _) -> bool:
    """Whether tokens are nearly alike at the end with the residual, and at no layer more than
    without it.
    """
    on, off = (cut(answer, f"cosine.{residual}") for residual in ("on", "off"))
    return bool(on[-1] > 0.9 and (on[1:] <= off[1:] + 1e-3).all() and on[1] < off[1])


def reads(kind: str) -> When:
    def so(_, q) -> bool:
        chosen = (
            "alike"
            if "stream.on" in q["figures"]
            else "selective"
            if "selectivity.on" in q["figures"]
            else "read"
        )
        return chosen == kind

    return so


FIELDS: Fields = {
    "on": number("position.last"),
    "off": number("position.last.off"),
    "word": number("by_word"),
    "position": number("position.over_word"),
    "token": number("selectivity.token"),
    "cosine.on": number("cosine.on"),
    "cosine.off": number("cosine.off"),
}
SAYS: list[Says] = [
    *always("The residual carries positions and keeps tokens apart"),
    *results(
        both(looks("read"), still_reads),
        "On the left, a linear map still reads the position of a token after every layer",
    ),
    *results(
        lambda a, q: looks("read")(a, q) and FIELDS["off"](a, q) < FIELDS["word"](a, q),
        "On the right, without the residual, it reads the position worse than a guess from the"
        " word alone",
    ),
    *only(
        looks("selective"),
        "The lines show how much more often a probe is right than its control",
        "Above the dotted line at 0 the vectors themselves hold what is read",
        "The token’s line lies at 0 where the probe learns a random label just as well",
    ),
    *results(
        lambda a, q: looks("alike")(a, q) and FIELDS["cosine.on"](a, q) < 0.5,
        "On the left, the tokens of a sentence stay different from each other",
    ),
    *results(
        lambda a, q: looks("alike")(a, q) and FIELDS["cosine.off"](a, q) > 0.9,
        "On the right, without the residual, they become nearly the same vector",
    ),
    *results(
        both(collapsed, later),
        "With twelve Post-LN layers that learned nothing, the tokens of a sentence grow alike with"
        " the residual too, only later than without it",
    ),
    *only(
        reads("alike"),
        "After the last layer the cosine of two tokens of a sentence is {cosine.on:number} with the"
        " residual and {cosine.off:number} without it",
    ),
    *only(
        reads("selective"),
        "After the last layer the accuracy of the probe less that of its control is {position:%}"
        " for the position and {token:%} for the token",
    ),
    *only(
        reads("read"),
        "After the last layer the position is read for {on:%} of held-out tokens with the residual"
        " and {off:%} without it",
    ),
]
CLAIMS = {
    "The residual carries": (
        "residual.position",
        "residual.token",
        "position.over_word",
        "cosine.on",
    )
}
QUESTIONS = ({"weights": "fresh"},)


def forced(pages: Pages) -> Pages:
    """Tokens that have grown alike with the residual, and such as have not."""
    for question, answer in pages:
        for verdict in ("holds", "fails", "undecided"):
            yield question, with_finding(marked(answer), "cosine.on", verdict=verdict)
