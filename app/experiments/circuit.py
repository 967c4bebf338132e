"""/circuit: what the weights of heads say without a run, and the paths between heads."""

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from app.captions import Question, fields
from app.captions.axes import labels
from app.captions.fields import Condition, answered, choice, stated, whether
from app.captions.page import choices, chosen, indices, link, run_fields
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures import circuit
from app.figures.circuit_paths import EVERY, OVER_TRAINING, address_of, paths
from app.schema.answers import Difference, Fact, PageWords, RunAnswer, StrictModel, optional
from app.schema.bounds import up_to
from app.schema.model_sizes import sizes_of
from app.schema.questions import AboutModel, Head, Layer, Model, Names, Seed
from model.display_limits import SCANNED
from model.labels import label

if TYPE_CHECKING:
    from model.answers.answer import Answer

KEPT_LAYERS = (1, 2)
"""How many layers of attention alone the models have of whose training every step is kept."""
MUCH = 0.5
"""Where the paths add less than this to a logit, no share of it is given."""


class Circuit(AboutModel):
    model: Model = "induction-2"
    part: Literal["weights", "composition", "paths"] | None = None
    attention: Literal["encoder", "decoder", "cross"] | None = None
    layer: Layer | None = None
    head: Head | None = None
    step: Annotated[int, Field(ge=0), up_to("kept_step")] | None = None
    top: Annotated[int, Field(ge=1), up_to("top")] = 12
    without: Names = ""
    factors: bool = False
    seed: Seed = 0

    def sizes(self) -> dict[str, float]:
        """With a large vocabulary, the pairs of tokens in one head dominate (at most SCANNED rows);
        in a large model, the sum over all tokens, the heads’ eigenvalues, and the pairs of heads.
        Paths are computed at all stored steps.
        """
        model = sizes_of(self.model)
        attention_only = 0 if model.feed_forwards else model.sublayers
        sizes: dict[str, dict[str, float]] = {
            "weights": {
                "weights": 1,
                "token_pairs": model.vocabulary * min(model.vocabulary, SCANNED),
                "summed_products": model.vocabulary * model.d_model**2,
                "eigenvalues": model.heads * model.d_model,
            },
            "composition": {
                "composition": 1,
                "drawn_products": model.d_model * model.d_head,
                "head_pairs": model.heads**2,
                "head_products": model.heads**2 * model.d_model**2,
            },
            "paths": {f"paths_of_{n}_layers": attention_only == n for n in KEPT_LAYERS},
        }
        parts = [sizes[self.part]] if self.part else sizes.values()
        return {name: size for part in parts for name, size in part.items()}


class CircuitFigures(Circuit):
    display_fields: ClassVar = ("composition",)

    composition: Literal["q", "k", "v"] = "k"


class Row(StrictModel):
    """A row of a circuit: a token, and the tokens of its largest numbers."""

    token: str
    id: int
    words: list[str]


class Rows(StrictModel):
    """The rows of a circuit with the largest numbers."""

    rows: list[Row]
    own: float
    scanned: int = optional()


class Circuits(StrictModel):
    ov: Rows
    qk: Rows
    ov_of_input: list[Row]


class Pairs(StrictModel):
    """How many pairs of heads lie beyond all of their random rotations."""

    pairs: int
    compose: int
    avoid: int
    by_chance: float


class PairsByRead(StrictModel):
    q: Pairs
    k: Pairs
    v: Pairs


class Predicted(StrictModel):
    """How well repeated letters are predicted."""

    loss: float
    accuracy: float


class Case(Predicted):
    without: list[str]


class Given(Predicted):
    paths: str


class CircuitAnswer(RunAnswer):
    source: str
    parts: list[str]
    expandable: bool
    steps: list[int]
    step: int | None
    facts: list[Fact]
    attention: str = optional()
    attentions: list[str] = optional()
    layer: int = optional()
    head: int = optional()
    layers: int = optional()
    heads: int = optional()
    vocabulary: int = optional()
    circuits: Circuits = optional()
    of_positions: bool = optional()
    rotated: bool = optional()
    normed: bool = optional()
    pairs: PairsByRead = optional()
    expected: float = optional()
    draws: int = optional()
    paths: list[str] = optional()
    groups: dict[str, list[str]] = optional()
    removed: list[str] = optional()
    previous: str | None = None
    cases: dict[str, Case] = optional()
    whole: Predicted = optional()
    remaining: Predicted = optional()
    greedy: list[Given] = optional()
    chance: float = optional()
    texts: int = optional()
    letters: int = optional()
    largest_difference: Difference = optional()


def first_number(tensor: str) -> fields.Field:
    """The first number of a circuit, which is its largest."""
    return fields.Field(lambda answer, _: answer.tensors[tensor].data[0, 0].item(), "number")


def of_input(answer: "Answer") -> dict[str, Any]:
    """The row with the largest number among those of the input."""
    rows = answer.tensors["ov.input"].data[:, 0]
    return answer.fields["circuits"]["ov_of_input"][int(rows.argmax())]


def favourite(answer: "Answer") -> tuple[int, float]:
    """The offset at which the highest score of a row lies most often, and in which share of rows.
    The first row of a causal attention has no choice.
    """
    scores = answer.tensors["qk.positions"].data.numpy()
    offsets = [int(row.argmax()) - i for i, row in enumerate(scores) if np.isfinite(row).sum() > 1]
    best = max(sorted(set(offsets), key=abs), key=offsets.count)
    return best, offsets.count(best) / len(offsets)


def place(answer: "Answer", _: Question) -> str:
    """Where the highest score of a row lies most often."""
    offset = favourite(answer)[0]
    far = "far_before" if offset < 0 else "far_ahead"
    return {0: "itself", -1: "before", 1: "next"}.get(offset, far)


def placed(answer: "Answer", _: Question) -> str:
    """How positions enter the scores."""
    if answer.fields["of_positions"]:
        return "vectors"
    return "rotated" if answer.fields["rotated"] else "apart"


def most_copying(answer: "Answer", axis: int) -> int:
    """The layer or the head that copies most."""
    data = answer.tensors["ov.copying"].data
    return divmod(int(data.argmax()), data.shape[1])[axis]


def pairs(part: str, kind: str) -> fields.Field:
    """How many pairs of heads are so, of those that are shown."""
    return fields.Field(
        lambda answer, question: answer.fields["pairs"][question["composition"]][part],
        kind,
        measured=False,
    )


def called(head: str) -> str:
    """The head 0.1 as sentences call it: L0H1."""
    return "L{}H{}".format(*head.split(".")) if "." in head else head


def head_of_pair(axis: int) -> fields.Field:
    """The reader or the writer in the pair that composes most: L0H1 (encoder)."""

    def name(answer: "Answer", question: Question) -> str:
        scores, names = compositions(answer, question), labels(answer, "reader")
        part = circuit.short(names[divmod(int(scores.argmax()), len(scores.T))[axis]], names)
        kind, _, head = part.replace("cross", "cross-attention").rpartition(" ")
        return f"{head} ({label(kind)})" if kind else head

    return fields.Field(name, "name", measured=False)


def compositions(answer: "Answer", question: Question) -> Any:
    return answer.cut("composition", composition=question["composition"]).data


def most_composed(answer: "Answer", question: Question) -> float | None:
    """The largest score of a pair, where there is any."""
    most = compositions(answer, question).max().item()
    return most if math.isfinite(most) else None


def share_left(case: str) -> fields.Field:
    """The share of the accuracy that is left in a case."""

    def of(answer: "Answer", _: Question) -> float:
        cases = answer.fields["cases"]
        return cases[case]["accuracy"] / cases["whole"]["accuracy"]

    return fields.Field(of, "percent")


def two(answer: "Answer", _: Question) -> bool:
    """Whether there are paths from head to head."""
    return "path_alone" in answer.fields["cases"]


def textbook(answer: "Answer", _: Question) -> bool:
    """Whether the path from the head before to the keys is needed and enough."""
    holds = {fact.name: fact.holds for fact in answer.fields["facts"]}
    return holds["path_alone"] and holds["without_path"]


def given_back(answer: "Answer") -> Iterator[dict[str, Any]]:
    """The paths into the scores of layer 1 that are given back, one after another."""
    for step in answer.fields["greedy"]:
        head, _, path = step["paths"].partition("-")
        reader, _, end = path.rpartition(".")
        to_all = "yes" if reader == EVERY else "no"
        yield {
            "from_head": called(head),
            "to_head": called(reader),
            "into": end,
            "to_all": to_all,
        }


def of_given_back(part: str) -> Callable[["Answer", Question], str]:
    """What the first of these is."""
    return lambda answer, _: next(given_back(answer), {})[part]


def sentence(answer: "Answer", question: Question) -> str:
    """All of them in a row."""
    return ", ".join(WORDS("given_back", answer, question, path) for path in given_back(answer))


def sums(answer: "Answer") -> np.ndarray:
    """What all paths add to the logit of the right letter, at each kept step."""
    return answer.tensors["contribution_by_kind"].data.numpy().sum(1)


def added(answer: "Answer", kind: str) -> np.ndarray:
    """What the paths of a kind add to it."""
    return answer.cut("contribution_by_kind", kind=kind).data.numpy()


def virtual(answer: "Answer") -> np.ndarray:
    """The share that goes through the values of two heads, at each step at which there is much."""
    total = sums(answer)
    return added(answer, "both") / np.where(total > MUCH, total, math.inf)


WORDS = Words(
    "circuit",
    fields={
        **stated("whole", "layer", "head", "texts"),
        **stated("count", "vocabulary", "draws", "letters", scanned_rows="circuits.ov.scanned"),
        **stated(
            "token",
            **{
                f"{name}_{part}": f"circuits.{name}.rows.0.{path}"
                for name in ("ov", "qk")
                for part, path in (("token", "token"), ("word", "words.0"))
            },
        ),
        **stated("fraction", ov_own="circuits.ov.own", qk_own="circuits.qk.own"),
        **stated("fraction", "whole.accuracy", "remaining.accuracy"),
        **stated("number", "whole.loss", "remaining.loss", "expected", "largest_difference.value"),
        "previous": fields.Field(
            lambda answer, _: called(answer.fields["previous"] or ""), "text", measured=False
        ),
        **{f"{name}_by": first_number(name) for name in ("ov", "qk")},
        "rows": fields.Field(
            lambda answer, _: len(answer.fields["circuits"]["ov"]["rows"]), "count", measured=False
        ),
        "chance": fields.Field(
            lambda answer, _: 1 / answer.fields["vocabulary"], "fraction", measured=False
        ),
        "input_token": fields.Field(lambda answer, _: of_input(answer)["token"], "token"),
        "input_word": fields.Field(lambda answer, _: of_input(answer)["words"][0], "token"),
        "favourite_share": fields.Field(lambda answer, _: favourite(answer)[1], "fraction"),
        "distance": fields.Field(
            lambda answer, _: abs(favourite(answer)[0]), "whole", measured=False
        ),
        **{
            f"copying_{axis}": fields.Field(
                lambda answer, _, at=at: most_copying(answer, at), "whole", measured=False
            )
            for at, axis in enumerate(("layer", "head"))
        },
        "copying_most": fields.Field(
            lambda answer, _: answer.tensors["ov.copying"].data.max().item(), "number"
        ),
        "pairs": pairs("pairs", "count"),
        "compose": pairs("compose", "count"),
        "avoid": pairs("avoid", "count"),
        "by_chance": pairs("by_chance", "number"),
        "composition_most": fields.Field(most_composed, "number"),
        "reader": head_of_pair(0),
        "writer": head_of_pair(1),
        "removed_count": fields.Field(
            lambda answer, _: len(answer.fields["removed"]), "count", measured=False
        ),
        **{
            f"{case}_share": share_left(case)
            for case in ("path_alone", "without_path", "without_head")
        },
        "given_back": fields.Field(sentence, "text", measured=False),
        **{
            part: fields.Field(of_given_back(part), "text", measured=False)
            for part in ("from_head", "to_head")
        },
        "sum": fields.Field(lambda answer, _: sums(answer)[-1].item(), "number"),
        "alone": fields.Field(lambda answer, _: added(answer, "layer 1")[-1].item(), "number"),
        "peak": fields.Field(
            lambda answer, _: labels(answer, "step")[int(virtual(answer).argmax())],
            "text",
            measured=False,
        ),
        "peak_share": fields.Field(lambda answer, _: virtual(answer).max().item(), "percent"),
        "end_share": fields.Field(
            lambda answer, _: (added(answer, "both")[-1] / sums(answer)[-1]).item(), "percent"
        ),
    },
    conditions={
        **answered("attention", "encoder", "decoder", "cross"),
        **answered("normed"),
        **answered("rotated"),
        **answered("removed"),
        **choice("composition", "q", "k", "v"),
        **whether("scanned", lambda answer, _: "scanned" in answer.fields["circuits"]["ov"]),
        **whether(
            "encoder",
            lambda answer, _: (
                answer.fields["attention"] == "encoder" and "decoder" in answer.fields["attentions"]
            ),
        ),
        "placed": Condition(placed, ("vectors", "rotated", "apart")),
        "favourite": Condition(place, ("itself", "before", "next", "far_before", "far_ahead")),
        **whether("paired", lambda answer, _: answer.fields["pairs"]["k"]["pairs"] > 0),
        **whether("two", two),
        **whether("textbook", textbook),
        **whether("several", lambda answer, _: len(answer.fields["greedy"]) > 1),
        "into": Condition(of_given_back("into"), ("q", "k")),
        "to_all": Condition(of_given_back("to_all"), ("yes", "no")),
    },
)


def captions(answer: "Answer", question: Question) -> dict[str, Any]:
    """What the controls offer, and where the page leads on: to states of it that are worth a visit,
    and to other pages.
    """
    parts, run = answer.fields["parts"], run_fields(question, ("model", "source", "target", "text"))
    offered = {}
    if "weights" in parts:
        for name in ("layer", "head"):
            offered[name] = choices(WORDS("usual.head"), indices(answer.fields[f"{name}s"]))
    if steps := answer.fields["steps"]:
        offered["step"] = choices(WORDS("usual.step"), ((step, str(step)) for step in steps))
    links = []
    if "paths" in parts and two(answer, question):
        links += removals(answer, run)
    if answer.fields["expandable"]:
        links.append(link("/training", {}, WORDS("links.training")))
        links.append(link("/circuits-theory", {"weights": "trained"}, WORDS("links.clinic")))
    elif "weights" in parts:
        attention = answer.fields["attention"]
        of = {"kind": "cross"} if attention == "cross" else {"kind": "self", "stack": attention}
        head = {name: answer.fields[name] for name in ("layer", "head")}
        links.append(link("/attention", {**run, **of, **head}, WORDS("links.attention")))
    return {
        "choices": offered,
        "chosen": chosen(question, "layer", "head", "step"),
        "links": links,
    }


def removals(answer: "Answer", run: dict[str, Any]) -> Iterator[dict[str, str]]:
    """The states in which the paths of a case are taken away."""
    for case, text in {
        "path_alone": WORDS("links.path_alone", answer),
        "without_path": WORDS("links.without_path"),
        "without_head": WORDS("links.without_head", answer),
        "scores_alone": WORDS("links.scores_alone"),
        "whole": WORDS("links.whole"),
    }.items():
        without = address_of(answer.fields, answer.fields["cases"][case]["without"])
        state = {**run, "show": "paths", **({"without": without} if without else {})}
        yield link("/circuit", state, text)


EXPERIMENT = Experiment(
    question=Circuit,
    answer=CircuitAnswer,
    figure_query=CircuitFigures,
    example="model=induction-2&text=qvmtzkdbqvmtzkdbqvmt",
    figures={
        "ov": in_words(circuit.OV),
        "input": in_words(circuit.OV_OF_INPUT),
        "qk": in_words(circuit.QK),
        "positions": in_words(circuit.POSITIONS),
        "copying": in_words(circuit.COPYING),
        "composition": in_words(circuit.COMPOSITION),
        "paths": in_words(paths, tensor="killed.change"),
        "training": in_words(OVER_TRAINING, tensor="contribution_by_kind"),
    },
    captions=captions,
    captions_type=PageWords,
    words=WORDS,
)
