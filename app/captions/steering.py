"""What the page of /steering says of each view."""

from typing import TYPE_CHECKING, Any

from app.captions import Question
from app.captions.page import choices, chosen, given, indices, link, with_terms
from app.captions.text import counted, number, percent, tick, visible

if TYPE_CHECKING:
    from model.answers.answer import Answer

Fields = dict[str, Any]

LONGEST = 60  # letters of a text that is quoted
REPEATS = 0.3  # a text with fewer different tokens than this share says the same again and again


def captions(answer: "Answer", question: Question) -> dict[str, Any]:
    """What the page says: of every view, in its controls, and where it leads on."""
    fields = answer.fields
    return {
        "views": {
            name: with_terms(dict(zip(("see", "more"), view(answer, fields), strict=True)))
            for name, view in (("texts", texts), ("random", random), ("effect", effect))
        },
        "choices": {"layer": choices("middle", indices(fields["layers"]))},
        "chosen": chosen(question, "layer"),
        "links": links(question),
    }


def quoted(text: str) -> str:
    """The beginning of a text, with a stroke where a line ends."""
    seen = " ".join(visible(" / ".join(line for line in text.split("\n") if line)).split())
    return f"“{seen if len(seen) <= LONGEST else seen[:LONGEST].rstrip() + ' …'}”"


def repeats(answer: "Answer", at: int, random: bool = False) -> bool:
    values = answer.tensors["random.distinct" if random else "distinct"].data
    return float(values[0, at] if random else values[at]) < REPEATS


def first_repeating(answer: "Answer") -> str:
    """From which strength on, above 0, every text repeats itself; or that none does."""
    strengths = answer.axes["strength"].values or []
    above = [at for at, strength in enumerate(strengths) if strength > 0]
    broken = [repeats(answer, at) for at in above]
    if not any(broken):
        return "No text above strength 0 repeats itself all the time."
    first = next(at for at, is_broken in zip(above, broken, strict=True) if is_broken)
    said = (
        f"At strength {tick(strengths[first])} the text repeats itself: fewer than"
        f" {percent(REPEATS)} of its tokens are distinct."
    )
    unlike = " Such a text is unlike those that the model was trained on."
    return said if answer.kind == "yours" else said + unlike


def about(fields: Fields) -> str:
    """What the direction is."""
    place = f"after layer {fields['layer']}"
    if fields["direction"] == "token":
        return f"The direction is the embedding of the token “{visible(fields['wanted'][0])}”."
    both = f"{quoted(fields['toward'])} and {quoted(fields['away'])}"
    if fields["direction"] == "difference":
        return (
            f"The direction is the mean of the stream over {quoted(fields['toward'])} {place} minus"
            f" the mean over {quoted(fields['away'])}."
        )
    better = "better than" if fields["right"] > fields["chance"] else "no better than"
    return (
        f"The direction is that of a linear probe that tells the positions of {both} apart {place}."
        f" It is right at {percent(fields['right'])} of them, each of which is left out of its"
        f" fitting. That is {better} a guess of the larger input, {percent(fields['chance'])}."
    )


def texts(answer: "Answer", fields: Fields) -> tuple[str, str]:
    """What is written with the direction and without it."""
    at, without = fields["at"], fields["without"]
    now, plain = fields["texts"][at]["text"], fields["texts"][without]["text"]
    strength = tick(fields["strength"])
    if now == plain:
        first = f"At strength {strength} the model writes what it writes without it: {quoted(now)}."
    else:
        first = (
            f"At strength {strength} the model writes {quoted(now)}, and without the direction"
            f" {quoted(plain)}."
        )
    return first, f"{about(fields)} {first_repeating(answer)}"


def random(answer: "Answer", fields: Fields) -> tuple[str, str]:
    """What a random direction of the same length does to the text."""
    at, without = fields["at"], fields["without"]
    now, plain = fields["random_texts"][at]["text"], fields["texts"][without]["text"]
    strength = tick(fields["strength"])
    first = (
        f"At strength {strength} a random direction of the same length changes nothing: the model"
        f" writes {quoted(now)}."
        if now == plain
        else f"At strength {strength} a random direction of the same length changes the text, too:"
        f" {quoted(now)} in the place of {quoted(plain)}."
    )
    return first, "Any vector changes the text if it is long enough, whatever its direction is."


def effect(answer: "Answer", fields: Fields) -> tuple[str, str]:
    """How much more the direction does to its tokens than random directions do."""
    at, without = fields["at"], fields["without"]
    share, others = answer.tensors["share"].data, answer.tensors["random.share"].data[:, at]
    now, plain, low, high = (
        float(value) for value in (share[at], share[without], others.min(), others.max())
    )
    wanted = fields["wanted"]
    names = ", ".join(f"“{visible(token)}”" for token in wanted[:6])
    more_of = f" and {len(wanted) - 6} others" if len(wanted) > 6 else ""
    place = (
        "does more for them than any of these"
        if now > high
        else "does less for them than any of these"
        if now < low
        else "does no more for them than random directions do"
    )
    nats = answer.tensors["surprise"].data
    range_of = percent(low) if len(others) == 1 else f"{percent(low)} to {percent(high)}"
    return (
        f"At strength {tick(fields['strength'])} the tokens {names}{more_of} get {percent(now)}"
        f" of the probability. Without the direction they get {percent(plain)}, and with"
        f" {counted(len(others), 'random direction')} of the same length {range_of}. So this"
        f" direction {place}.",
        f"The model without the direction gives this text a loss of {number(float(nats[at]))} nats"
        f" a token, and its own text {number(float(nats[without]))}. The higher the loss, the less"
        " the model itself would write this text. A text that repeats one token may have a low"
        " loss, because the model expects a repetition to go on.",
    )


def links(question: Question) -> list[dict[str, str]]:
    """The pages that go on from here, in the same state."""
    run = given(question, ("model", "source", "text"))
    return [
        link("/generate", run, "How each token is chosen without a direction"),
        link("/residual", run, "The stream that the direction is added to"),
        link("/probes", {}, "Clinic: what linear probes read"),
    ]
