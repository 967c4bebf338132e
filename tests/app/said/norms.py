"""What /norms says of the length of a token's vector through the sub-layers."""

import numpy as np

from tests.app.said.answered import both, cut, found, measured, number, with_finding
from tests.app.said.sayings import Fields, Pages, Says, When, always, only, results
from tests.app.words.amplification import TITLES


def where(_, question) -> str:
    none = question["placement"] == "none"
    said = "Without a norm" if none else f"Under {TITLES[question['placement']]}"
    if question["stack"] == "decoder":
        return f"In a decoder {said.replace('W', 'w', 1) if none else said.replace('U', 'u', 1)}"
    return said


def path(_, question) -> bool:
    return "path" in question["figures"] or not {"singular", "leak"} & set(question["figures"])


def singular(answer, question) -> bool:
    return "singular" in question["figures"] and "path" not in question["figures"]


def leak(answer, question) -> bool:
    return question["figures"] == ("leak",)


def by_shortcut(sign: int) -> When:
    """Whether each shortcut makes the stream shorter, leaves it or makes it longer."""
    return lambda a, q: (
        path(a, q)
        and q["placement"] != "none"
        and (q["shortcut"] > 1) - (q["shortcut"] < 1) == sign
    )


def flat(answer, _) -> bool:
    """Whether the lines of what ends with a norm lie level at √d."""
    ends = [cut(answer, "stream.all", placement=name) for name in ("post", "admin", "b2t")]
    root = np.sqrt(answer.axes["channel"].size)
    return all(abs(end / root - 1).max() < 1e-3 for end in ends)


def grow_like_roots(answer, _) -> bool:
    """Whether Pre-LN and x + LN(f) grow as much as the root of the depth, within a third."""
    root = np.sqrt((answer.axes["sublayer"].size + 1) / 2)
    ends = [cut(answer, "stream.all", placement=name)[[0, -1]] for name in ("pre", "branch")]
    return all(2 / 3 < last / first / root < 3 / 2 for first, last in ends)


def fades_or_grows(sign: int) -> When:
    """Whether λⁿ falls or grows, on the path of the shortcuts alone."""

    def so(a, q) -> bool:
        path = cut(a, "path", scale=f"{q['shortcut']:g}")
        return by_shortcut(sign)(a, q) and bool((sign * np.diff(path) > 0).all())

    return so


def scaled(answer, question) -> bool:
    return by_shortcut(1)(answer, question) or by_shortcut(-1)(answer, question)


def has_power(answer, _) -> bool:
    return found(answer, "stream_exponent").verdict != "not applicable"


def stays(answer, _) -> bool:
    """Whether the last vector prints as long as the first."""
    first, last = (f"{cut(answer, 'stream')[at].item():.3g}" for at in (0, -1))
    return first == last


def moved(answer, question) -> bool:
    return not stays(answer, question)


def like_a_root(is_so: bool) -> When:
    return lambda a, q: has_power(a, q) and (0.4 <= measured(a, "stream_exponent") <= 0.6) is is_so


FIELDS: Fields = {
    "where": where,
    "first": lambda a, _: cut(a, "stream")[0].item(),
    "sublayers": lambda a, _: a.axes["sublayer"].size,
    "times": lambda a, _: (cut(a, "stream")[-1] / cut(a, "stream")[0]).item(),
    "shortcut": lambda _, q: q["shortcut"],
    "exponent": number("stream_exponent"),
}
SAYS: list[Says] = [
    *always(
        "Post-LN fixes the length of a token’s vector, Pre-LN lets it grow",
    ),
    *only(stays, "{where} a token’s vector keeps its length of {first:number} over {sublayers}"),
    *only(
        moved,
        "{where} a token’s vector is {times:number} times as long after the last sub-layer as at"
        " first",
    ),
    *results(
        both(by_shortcut(0), flat),
        "Left, the lines of Post-LN, Admin and B2T lie flat on one another at √d, because each of"
        " their sub-layers ends with a norm",
    ),
    *results(
        both(by_shortcut(0), grow_like_roots),
        "Pre-LN and x + LN(f) grow about like the root of the depth",
    ),
    *only(
        lambda a, q: path(a, q) and q["placement"] == "none",
        "Left, without a norm nothing keeps the length: after the last sub-layer a vector is"
        " {times:number} times as long as after the first",
        "Choose another placement, and compare how long its vectors are",
    ),
    *only(
        scaled,
        "Each shortcut multiplies the stream by λ = {shortcut:g}",
        "so under Pre-LN what a sub-layer wrote",
        "n shortcuts later it is λⁿ times as large",
    ),
    *results(both(scaled, flat), "Post-LN, Admin and B2T stay flat, because they end with a norm"),
    *results(fades_or_grows(-1), "wrote fades exponentially"),
    *results(fades_or_grows(1), "wrote grows exponentially"),
    *only(
        singular,
        "Right, each singular value says how much the norm stretches a small change of a token in"
        " one direction",
        "Times σ it is 1, except for",
    ),
    *only(
        both(singular, lambda _, q: q["norm"] == "layer"),
        "for two directions that are lost: along the vector, and all channels alike",
    ),
    *only(
        both(singular, lambda _, q: q["norm"] != "layer"),
        "for one direction that is lost, the one along the vector",
    ),
    *only(
        leak,
        "Right, each number says how much a token changes when what stands elsewhere is drawn anew",
        "LayerNorm reads one token alone, so its row is 0",
        "BatchNorm and InstanceNorm also average over other samples or other positions",
    ),
    *only(like_a_root(True), "about like the square root of the depth"),
    *only(like_a_root(False), "about like the depth to the power {exponent:2}"),
]
NAMES = (*TITLES.values(), "encoder", "decoder", "LayerNorm", "BatchNorm", "InstanceNorm")
CLAIMS = {"Post-LN fixes": ("stream.post", "lemma_2")}
QUESTIONS = (
    {"placement": "post"},
    {"placement": "none"},
    {"placement": "branch"},
    {"placement": "admin"},
    {"stack": "decoder"},
    {"stack": "decoder", "placement": "none"},
    {"norm": "rms"},
    {"shortcut": 0.9},
    {"shortcut": 1.1},
    {"shortcut": 1.5, "depth": 12},
    {"placement": "none", "shortcut": 0.5},
)
UNSAID = ("not applicable",)


def forced(pages: Pages) -> Pages:
    """Lengths that grow with the depth, stay or shrink."""
    for question, answer in pages:
        for exponent in (-0.31, -0.001, 0.001, 0.47):
            yield (
                question,
                with_finding(answer, "stream_exponent", mean=exponent, value=None, verdict="holds"),
            )
