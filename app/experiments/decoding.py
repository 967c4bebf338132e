"""Decoding: greedy, beam search and sampling where every text can be tried."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from app.captions import Question, axes, fields
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import Condition, choice, counts, lengths, setting, stated
from app.captions.findings import measured
from app.captions.text import label, percent, visible, weight
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures import theme
from app.figures.axis_scales import AxisScale
from app.figures.marks import Bar, Look, Records, Scale
from app.figures.meta import NoteLook
from app.figures.plot import Panel, Plot, changed, figure
from app.figures.traces import dots, fitting
from app.limits import Limit
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control, Slider
from app.schema.questions import AtMostOne, Clinic
from model import labels

if TYPE_CHECKING:
    from model.answers.answer import Answer

LETTERS = Limit(
    "chain_letters", 4, "letters", "The drawn chains of `/decoding` may have this many letters."
)
LENGTH = Limit("chain_length", 4, "letters", "A text of `/decoding`'s chains may be this long.")


class Decoding(Clinic):
    chain: Annotated[
        Literal["stated", "drawn"],
        Control({"stated": "fixed", "drawn": "random"}, within="searched"),
    ] = "stated"
    vocabulary: Annotated[
        int,
        Field(ge=2),
        up_to(LETTERS),
        COSTLY,
        Control((2, 3, 4), "letters", within="optional searched of-random"),
    ] = 3
    length: Annotated[
        int,
        Field(ge=2),
        up_to(LENGTH),
        COSTLY,
        Control((2, 3, 4), within="optional searched"),
    ] = 3
    beams: Annotated[
        int,
        Field(ge=1),
        up_to("beams"),
        COSTLY,
        Control((1, 2, 3, 4, 8), key="step", within="searched"),
    ] = 1
    temperature: Annotated[
        float,
        Field(ge=0),
        up_to("temperature"),
        Slider(0.2, 3, 0.2, within="sampled"),
    ] = 1.0
    top_k: Annotated[int, Field(ge=1), up_to("vocabulary")] | None = None
    top_p: Annotated[float, Field(ge=1e-9), AtMostOne] | None = None
    min_p: Annotated[float, Field(ge=0), AtMostOne] | None = None

    def sizes(self) -> dict[str, float]:
        letters = self.seeds * self.length
        return {
            "answer": 1,
            "letters": letters,
            "beams": letters * self.beams,
            "choices": letters * self.vocabulary,
            "texts": self.seeds * self.vocabulary**self.length,
        }


class DecodingAnswer(ClinicAnswer):
    best: str
    tried: int
    greedy: str
    beam: list[list[str]]


BRANCH, LETTER = 1.0, 1.9  # how long a branch is, and the space for the letter at its end
THICK = 14  # pixels of a branch that every text goes through
LEAST = 1  # and of one that no text does
BAR = 0.8  # how wide a bar is, as a share of the distance between two
MARGIN = 0.08  # before the first branch
RING = (
    0.25  # beyond the last branch, and RING_ROW beside the first and the last text, for the rings
)
RING_ROW = 0.8
MAX_NAMED = 27  # of the letters in a column; of more only those of the greedy and the best text


def tree(answer: "Answer", question: Question) -> Plot:
    """Every text as a path from the left: a branch is as thick as what begins with it is probable.
    Rings are what the beam kept; the greedy text and the best one have colours of their own.
    """
    texts = axes.labels(answer, "text")
    probabilities, sampled = (
        answer.tensors[name].data.numpy() for name in ("probability", "sampled")
    )
    depth, sums, levels = len(texts[0]), prefixes(texts, probabilities), heights(texts)
    paths = {"greedy": answer.fields["greedy"], "best": answer.fields["best"]}
    frequencies = dict(zip(texts, sampled, strict=True))
    in_beam = {prefix for step in answer.fields["beam"] for prefix in step}

    def found_by(prefix: str) -> str:
        return ", ".join(labels.label(name) for name, text in paths.items() if text == prefix)

    def role(prefix: str, other: str) -> str:
        if paths["best"].startswith(prefix):
            return "ink"
        return "head:5" if paths["greedy"].startswith(prefix) else other

    def often(prefix: str) -> str:
        if prefix in frequencies:
            return labels.label(f"{percent(frequencies[prefix])} of the samples")
        share = weight(sums[prefix] / sums[prefix[:-1]], 3)
        where = f"after the letters {prefix[:-1]}" if prefix[:-1] else "at the start"
        return labels.label(f"{share} {where}")

    def beam(prefix: str) -> str:
        return labels.label("kept in the beam") if prefix in in_beam else ""

    def arrives(n: int) -> float:
        return n * BRANCH + (n - 1) * LETTER

    begun = [prefix for prefix in sums if prefix]
    begun.sort(key=lambda prefix: role(prefix, "rule") != "rule")  # coloured branches lie on top
    shapes, notes = [], []
    for prefix in begun:
        n, before = len(prefix), prefix[:-1]
        leaves = arrives(n - 1) + LETTER if before else 0.0
        start, end = (leaves, levels[before]), (arrives(n), levels[prefix])
        shapes.append(branch(start, end, LEAST + THICK * sums[prefix], role(prefix, "rule")))
        share = f"{prefix[-1]} {weight(sums[prefix] / sums[before], 3)}"
        crowded = sum(len(other) == n for other in begun) > MAX_NAMED
        if n < depth and (not crowded or role(prefix, "") != ""):
            limit = arrives(n) + LETTER
            notes.append(note(fitting(limit, role(prefix, "ink")), end, share, 6))
    for text, probability in zip(texts, probabilities, strict=True):
        words = f"{text} {weight(probability, 3)} {found_by(text)}".strip()
        style = NoteLook(kind="end", role=role(text, "ink-soft"), spare=not found_by(text))
        notes.append(note(style, (arrives(depth), levels[text]), words, 8, bool(found_by(text))))
    customdata = [
        [
            labels.label("sequence" if len(prefix) == depth else "prefix"),
            label(prefix),
            sums[prefix],
            ", ".join(filter(None, [often(prefix), beam(prefix), found_by(prefix)])),
        ]
        for prefix in begun
    ]
    hover = "%{customdata[0]} %{customdata[1]}<br>probability <b>%{customdata[2]:.3g}</b>"
    hover += "<br>%{customdata[3]}"
    places = np.array([(arrives(len(prefix)), levels[prefix]) for prefix in begun])
    ends = dots(*places.T, "texts", "stream", hover, customdata=customdata)
    changed(ends, marker={"opacity": 0})
    ends["meta"] |= {"columns": ["", "text", "probability", "details"]}
    held = [i for i, prefix in enumerate(begun) if prefix in in_beam]
    held_data = [customdata[i] for i in held]
    rings = dots(*places[held].T, "kept in the beam", "ink", hover, customdata=held_data)
    changed(rings, marker={"symbol": "circle-open", "size": 11, "line": {"width": 1.5}})
    rings["meta"] |= {"columns": []}
    ticks = [arrives(n + 1) for n in range(depth)]
    x = AxisScale(
        "letter (○: kept in beam)",
        (-MARGIN, ticks[-1] + RING),
        ticks,
        [str(n + 1) for n in range(depth)],
        side="top",
        frameless=True,
    )
    y = AxisScale("sequence", (len(texts) - 1 + RING_ROW, -RING_ROW), [], [], frameless=True)
    return figure(Panel(x, y, [ends, rings], notes, shapes))


def prefixes(texts: list[str], probabilities: np.ndarray) -> dict[str, float]:
    """The probability of what begins with each prefix: the sum over its texts."""
    sums: dict[str, float] = {}
    for text, probability in zip(texts, probabilities, strict=True):
        for n in range(len(text) + 1):
            sums[text[:n]] = sums.get(text[:n], 0.0) + float(probability)
    return sums


def heights(texts: list[str]) -> dict[str, float]:
    """Where each prefix stands: in the middle between its first text and its last."""
    rows: dict[str, list[int]] = {}
    for row, text in enumerate(texts):
        for n in range(len(text) + 1):
            rows.setdefault(text[:n], []).append(row)
    return {prefix: (those[0] + those[-1]) / 2 for prefix, those in rows.items()}


Place = tuple[float, float]


def branch(start: Place, end: Place, width: float, role: str) -> dict[str, Any]:
    """A bent line from one place to another."""
    (x0, y0), (x1, y1) = start, end
    middle = (x0 + x1) / 2
    return {
        "type": "path",
        "path": f"M {x0:.6g},{y0:g} C {middle:.6g},{y0:g} {middle:.6g},{y1:g} {x1:.6g},{y1:g}",
        "line": {"color": theme.colour(role), "width": width},
        "layer": "below",
        "name": f"line {role}",
    }


def note(style: NoteLook, at: Place, text: str, shift: int, bold: bool = False) -> dict[str, Any]:
    """Words at the right of a place, in the colour of their role."""
    font = {"color": theme.colour(style["role"]), **({"weight": 700} if bold else {})}
    return {
        "x": at[0],
        "y": at[1],
        "xanchor": "left",
        "xshift": shift,
        "text": label(text),
        "font": font,
        "look": style,
        "showarrow": False,
    }


def shares(answer: "Answer") -> list[tuple[float, float]]:
    """How probable the likeliest next tokens are before temperature and filter, and after them; all
    others together are the last.
    """
    both = (answer.tensors[name].data.double().tolist() for name in ("before", "after"))
    return [*zip(*([*values, max(0.0, 1 - sum(values))] for values in both), strict=True)]


def filtered(answer: "Answer", question: Question) -> list[Bar]:
    """Bars are what temperature and filter leave of the tokens, strokes how probable they were."""
    names = [*axes.labels(answer, "token"), WORDS("-others")]
    series = "after temperature and filters"
    return [
        Bar(i, name, after, name, "stream", series, stroke=before)
        for i, (name, (before, after)) in enumerate(zip(names, shares(answer), strict=True))
    ]


def high(answer: "Answer") -> float:
    return 1.1 * max(map(max, shares(answer)))


FILTER = Records(
    filtered,
    places=lambda answer, _: f"most likely tokens ({int(measured(answer, 'kept'))} can be sampled)",
    lengths=lambda answer, _: Scale("probability", low=0, high=high(answer)),
    stroke=Look("before", "rule-strong", hover="%{x}<br>probability <b>%{y:.3g}</b> before"),
    notes=lambda answer, _: [
        note(
            fitting(i + 0.5, "ink-soft"),
            (i - BAR / 2, max(both) + 0.04 * high(answer)),
            short(both[1]),
            0,
        )
        for i, both in enumerate(shares(answer))
    ],
    hover="%{x}<br>probability <b>%{y:.3g}</b> after",
)


def short(share: float) -> str:
    """A probability over its bar: two digits, and at most four decimals."""
    return weight(share, 2 if share >= 0.1 or share == 0 else 3 if share >= 0.01 else 4)


def rests_on(answer: "Answer", question: Question) -> tuple[str, ...]:
    """The findings on which the heading rests."""
    return ("renormalised" if part(answer, question) == "filter" else "greedy_misses",)


def part(answer: "Answer | None", question: Question) -> str:
    """Whether the page shows sampling; what shows both speaks of search."""
    figures = question["figures"]
    return "filter" if "filter" in figures and "tree" not in figures else "search"


def search(answer: "Answer", question: Question) -> str:
    """Whether the beams, where there are several, find the most probable text."""
    if question["beams"] == 1:
        return "greedy"
    return "found" if last_beam(answer) == answer.fields["best"] else "missed"


def last_beam(answer: "Answer") -> str:
    """The text that the beams find."""
    return answer.fields["beam"][-1][0]


def first_miss(answer: "Answer", question: Question) -> str:
    """How the chain that is shown was found."""
    if question["chain"] == "stated":
        return "written"
    return "none" if answer.fields["greedy"] == answer.fields["best"] else "drawn"


def moved(answer: "Answer", question: Question) -> str:
    """Whether the tokens that are not shown by name gain or lose."""
    before, after = (held(when).of(answer, question) for when in ("before", "after"))
    return "stay" if before == after else "gain" if after < before else "lose"


def held(when: str) -> fields.Field:
    """The probability of the tokens that are shown by name, `before` or `after`."""
    return fields.Field(
        lambda answer, _: min(1.0, answer.tensors[when].data.double().sum().item()), "fraction"
    )


def probability(name: str) -> fields.Field:
    """The probability of the text that a field of the answer names."""
    return fields.Field(
        lambda answer, _: answer.cut("probability", text=answer.fields[name]).data.item(),
        "fraction",
    )


def tokens(answer: "Answer", question: Question) -> str:
    return ", ".join(map(visible, axes.labels(answer, "token")))


WORDS = Words(
    "decoding",
    fields={
        **setting("whole", "vocabulary", "length", "seed"),
        **counts("beams"),
        **lengths("text", "token"),
        **stated("text", "greedy", "best"),
        **stated("whole", "tried"),
        "beam": fields.Field(lambda answer, _: last_beam(answer), "text", measured=False),
        "greedy_probability": probability("greedy"),
        "best_probability": probability("best"),
        "kept": fields.Field(lambda answer, _: int(measured(answer, "kept")), "count"),
        "held_before": held("before"),
        "held_after": held("after"),
        "tokens": fields.Field(tokens, "text", measured=False),
    },
    conditions={
        **choice("chain", "stated", "drawn"),
        "shown": Condition(part, ("search", "filter")),
        "search": Condition(search, ("greedy", "found", "missed")),
        "first_miss": Condition(first_miss, ("written", "drawn", "none")),
        "moved": Condition(moved, ("gain", "lose", "stay")),
    },
)
EXPERIMENT = Experiment(
    question=Decoding,
    answer=DecodingAnswer,
    example="beams=2&top_p=0.9",
    figures={
        "tree": in_words(tree, tensor="probability"),
        "filter": in_words(FILTER, tensor="after", kind="trained"),
    },
    words=WORDS,
    opening={"shown": "search", "search": "greedy"},
    rests_on=rests_on,
    exercise=Exercise(
        ("no", "yes"),
        by_findings({"beam_over_best": (0.999999,)}),
        {"beams=2": "beams", "chain=drawn": "drawn", "chain=drawn&beams=8": "both"},
    ),
)
