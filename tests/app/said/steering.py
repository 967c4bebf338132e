"""What /steering has to say, from the texts and shares of its answer."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from model.answers.answer import Answer
from tests.app.said.claims import Claim, changed, of, says, seen, shaken

FEW = {"draws": 2, "max_new_tokens": 3}
SHAKESPEARE = {"model": "shakespeare", "text": "to be", **FEW}
BOTH = {"toward": "love thee sweet", "away": "war and blood"}
ASKED = (
    SHAKESPEARE | BOTH | {"layer": 2},
    SHAKESPEARE | BOTH | {"direction": "probe"},
    SHAKESPEARE | {"direction": "token", "token": " love", "strength": -0.75},
)
VARIED = 3
UNSAID = ()
KEPT = ("strength",)


def variants(answer: Answer) -> Iterator[tuple[str, Answer]]:
    apart = shaken(answer, 7, KEPT)
    yield "numbers apart", apart
    at, without, fields = answer.fields["at"], answer.fields["without"], answer.fields
    plain = fields["texts"][without]["text"]
    for name, now in (("same text", plain), ("long text", "a word\n\nand another " * 9)):
        texts = [one | ({"text": now} if i == at else {}) for i, one in enumerate(fields["texts"])]
        random = [
            one | ({"text": now} if i == at else {}) for i, one in enumerate(fields["random_texts"])
        ]
        yield name, changed(apart, texts=texts, random_texts=random)
    for name, share in (("most", 2.0), ("least", 0.001), ("between", None)):

        def other(data: Any, share: float | None = share) -> Any:
            mean = answer.tensors["random.share"].data[:, at].mean()
            data[at] = mean if share is None else share * mean.new_tensor(0.4)
            return data

        yield name, changed(answer, {"share": other})
    yield "no text repeats", changed(answer, {"distinct": lambda data: 0 * data + 0.31})
    yield "all texts repeat", changed(answer, {"distinct": lambda data: 0 * data + 0.29})
    yield "many wanted", changed(answer, wanted=[f"w{i}" for i in range(9)])
    if "right" in fields:
        yield "better", changed(answer, right=0.8, chance=0.62)
        yield "no better", changed(answer, right=0.5, chance=0.62)


def quoted(text: str) -> str:
    """A text in one line, shortened to its first 60 letters."""
    lines = " / ".join(line for line in text.split("\n") if line)
    whole = " ".join(seen(lines).split())
    return f"“{whole}”" if len(whole) <= 60 else f"“{whole[:60].rstrip()} …”"


def claims(answer: Answer, question: dict, figures: Any) -> dict[str, list[list[Claim]]]:
    return {"texts": texts(answer), "random": random(answer), "effect": effect(answer)}


def texts(answer: Answer) -> list[list[Claim]]:
    fields = answer.fields
    now, plain = (fields["texts"][fields[name]]["text"] for name in ("at", "without"))
    begin = says("At strength {strength:tick} the model writes", strength=fields["strength"])
    if now == plain:
        told = says("what it writes without it: {text}.", text=quoted(now))
    else:
        template = "{now}, and without the direction {plain}."
        told = says(template, now=quoted(now), plain=quoted(plain))
    return [[begin, told], [*about(fields), *repeating(answer)]]


def about(fields: dict) -> list[Claim]:
    if fields["direction"] == "token":
        template = "The direction is the embedding of the token {token:token}."
        return [says(template, token=fields["wanted"][0])]
    ends = {"toward": quoted(fields["toward"]), "away": quoted(fields["away"])}
    if fields["direction"] == "difference":
        return [
            says(
                "The direction is the mean of the stream over {toward} after layer {layer} minus"
                " the mean over {away}.",
                layer=fields["layer"],
                **ends,
            )
        ]
    return [
        says(
            "The direction is that of a linear probe that tells the positions of {toward} and"
            " {away} apart after layer {layer}. It is right at {right:%} of them, each of which is"
            " left out of its fitting. That is {better} than a guess of the larger input,"
            " {chance:%}.",
            layer=fields["layer"],
            better="better" if fields["right"] > fields["chance"] else "no better",
            right=fields["right"],
            chance=fields["chance"],
            **ends,
        )
    ]


def repeating(answer: Answer) -> list[Claim]:
    distinct = of(answer, "distinct")
    broken = [
        strength
        for strength, share in zip(answer.axes["strength"].values, distinct, strict=True)
        if strength > 0 and share < 0.3
    ]
    if not broken:
        return [says("No text above strength 0 repeats itself all the time.")]
    return [
        says(
            "At strength {strength:tick} the text repeats itself: fewer than 30 % of its tokens are"
            " distinct. Such a text is unlike those that the model was trained on.",
            strength=min(broken),
        )
    ]


def random(answer: Answer) -> list[list[Claim]]:
    fields = answer.fields
    now = fields["random_texts"][fields["at"]]["text"]
    plain = fields["texts"][fields["without"]]["text"]
    begin = says(
        "At strength {strength:tick} a random direction of the same length changes",
        strength=fields["strength"],
    )
    if now == plain:
        told = says("nothing: the model writes {text}.", text=quoted(now))
    else:
        template = "the text, too: {now} in the place of {plain}."
        told = says(template, now=quoted(now), plain=quoted(plain))
    more = "Any vector changes the text if it is long enough, whatever its direction is."
    return [[begin, told], [says(more)]]


def effect(answer: Answer) -> list[list[Claim]]:
    fields = answer.fields
    strength = f"{fields['strength']:g}"
    share = of(answer, "share", strength=strength)
    drawn = of(answer, "random.share", strength=strength)
    names = [f"“{seen(token)}”" for token in fields["wanted"]]
    others = f" and {len(names) - 6} others" if len(names) > 6 else ""
    so = (
        "more for them than any of these"
        if share > drawn.max()
        else "less for them than any of these"
        if share < drawn.min()
        else "no more for them than random directions do"
    )
    return [
        [
            says(
                "At strength {strength:tick} the tokens {names}{others} get {share:%} of the"
                " probability. Without the direction they get {plain:%}, and with {draws}"
                " random directions of the same length {low:%} to {high:%}. So this"
                " direction does {so}.",
                strength=fields["strength"],
                names=", ".join(names[:6]),
                others=others,
                share=float(share),
                plain=float(of(answer, "share", strength="0")),
                draws=answer.axes["draw"].size,
                low=float(np.min(drawn)),
                high=float(np.max(drawn)),
                so=so,
            )
        ],
        [
            says(
                "The model without the direction gives this text a loss of {now:number} nats a"
                " token, and its own text {plain:number}. The higher the loss, the less the model"
                " itself would write this text. A text that repeats one token may have a low loss,"
                " because the model expects a repetition to go on.",
                now=float(of(answer, "surprise", strength=strength)),
                plain=float(of(answer, "surprise", strength="0")),
            )
        ],
    ]


def choices(answer: Answer, _: dict) -> dict[str, list[tuple[str, str]]]:
    return {"layer": [("", "middle"), *((str(i), str(i)) for i in range(answer.fields["layers"]))]}


def chosen(answer: Answer, question: dict) -> dict[str, str]:
    return {"layer": str(question.get("layer", ""))}


def links(answer: Answer, question: dict) -> list[tuple[str, dict, str]]:
    given = {"model": "shakespeare", "text": "to be"}
    return [
        ("/generate", given, "How each token is chosen without a direction"),
        ("/residual", given, "The stream that the direction is added to"),
        ("/probes", {}, "Clinic: what linear probes read"),
    ]
