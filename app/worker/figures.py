"""From an answer to the figures of its word, each with what one must know to read it elsewhere."""

from dataclasses import replace
from html import escape
from typing import Any
from urllib.parse import urlencode

import orjson

from app.captions import verdicts
from app.captions.arrangement import changes
from app.captions.clinic import captions_of
from app.captions.page import views
from app.compute import representations, wire
from app.compute.representations import DisplayFields, Representation
from app.experiment import Figure
from app.experiments import experiment
from app.figures import theme
from app.figures.build import build
from app.figures.difference import difference
from app.figures.edit_marks import marked
from app.figures.marks import Mark
from app.figures.plot import Plot, dumps, with_meta
from app.figures.provenance import provenance as provenance_line
from app.figures.switches import switches
from model.analyses import followed_axis, without_edits
from model.answers.answer import Answer
from model.arrangement.alignment import places_of
from model.arrangement.arrangement import FIELDS as ARRANGING
from model.arrangement.same_token import in_place_of, unedited_position
from model.errors import UnknownName
from model.zoo.cards import read_card


def source_question(word: str, question: dict[str, Any]) -> dict[str, Any]:
    """The question whose answer the figures of a word are drawn from: the one that was asked, but
    for the fields that its experiment sets in `source_fields`.
    """
    changed = experiment(word).source_fields
    kept = {name: value for name, value in question.items() if name not in changed}
    return kept | {name: value for name, value in changed.items() if value is not None}


def figures_of(word: str, answer: Answer) -> dict[str, Figure]:
    """The figures of a word that this answer has the numbers for. Times, for instance, are measured
    only where they are asked for.
    """
    return {
        name: experiment(word).with_words(name)
        for name, figure in experiment(word).figures.items()
        if tensor_of(figure) in (None, *answer.tensors) and figure.has(answer)
    }


def marks_edits(word: str, question: dict[str, Any], form: Representation) -> bool:
    """Whether a figure that is asked for marks what edits changed. A run that reads its input in
    another way has other cells.
    """
    known = experiment(word).figures
    match form:
        case representations.Figures(names=names):
            asked = names or tuple(known)
        case representations.Figure(name=name) | representations.Standalone(name=name):
            asked = (name,)
        case _:
            return False
    return (
        bool(question.get("edits"))
        and not any(question.get(field) for field in ARRANGING)
        and any(known[name].marks_edits for name in asked if name in known)
    )


def tensor_of(figure: Figure) -> str | None:
    """The name of the tensor whose formula and shape stand under a figure, where there is one. A
    mark that has another in its place needs none.
    """
    drawn = "" if getattr(figure.mark, "otherwise", None) else getattr(figure.mark, "tensor", "")
    return figure.tensor or drawn or None


def plotted(figure: Figure, answer: Answer, question: dict[str, Any]) -> Plot:
    """The figure of an answer, made by its mark or by its own function."""
    made = figure.mark if isinstance(figure.mark, Mark) else figure.mark(answer, question)
    if isinstance(made, Mark):
        made = build(made, figure.description, answer, question)
    elif callable(figure.description):
        made["layout"]["meta"]["description"] = figure.description(answer, question)
    return with_meta(made, **figure.meta(answer, question))


def draw_difference(
    word: str,
    name: str,
    both: tuple[Answer, Answer],
    question: dict[str, Any],
    display: DisplayFields = (),
) -> Plot:
    """One figure of the answer about an edited run minus that of the answer about the run without
    edits, each token minus itself. Its call returns both. Raises UnknownName as `draw` does, and
    InvalidInput for a pad, which the run without edits does not have.
    """
    edited, plain = both
    axis = followed_axis(edited)
    figure = draw(word, name, edited, {**question, "beside": True}, display)
    places, position = places_of(edited).get(axis), figure["layout"]["meta"].get("position")
    if places and position is not None:
        unedited_position([*places], position, "position")
    placed = {name: edited.tensors[name] for name in experiment(word).figures[name].placed_by}
    axes = {name: edited.axes[name] for tensor in placed.values() for name in tensor.axes}
    moved = in_place_of(edited, plain, axis)
    moved = replace(
        moved,
        axes=moved.axes | axes,
        tensors=moved.tensors | placed,
        inputs=[*moved.axes, *axes],
    )
    return difference(figure, draw(word, name, moved, without_edits(question), display))


def draw(
    word: str, name: str, answer: Answer, question: dict[str, Any], display: DisplayFields = ()
) -> Plot:
    """One figure of an answer, with its provenance in `layout.meta`. `display` says which part of
    the answer is drawn, and comes to the figure with the question. Raises UnknownName for a name
    that the word has not, and for a figure of a tensor that this answer has not.
    """
    known = figures_of(word, answer)
    if name not in known:
        raise UnknownName("figure", name, known)
    shown = {**question, **dict(display)}
    plot = plotted(known[name], answer, shown)
    meta, caption = plot["layout"]["meta"], experiment(word).captions
    if caption and not meta["description"]:
        meta["description"] = caption(answer, shown)["views"][name]["see"]
    offered = switches(plot)
    plot["layout"]["meta"] = {
        **provenance(word, known[name], answer, question),
        **({"switches": offered} if offered else {}),
        **meta,
    }
    return plot


def provenance(
    word: str, figure: Figure, answer: Answer, question: dict[str, Any]
) -> dict[str, Any]:
    """Title, kind, formula, shape, source, model and its weights, seed, and the call that returns
    the same numbers. What an answer has not is left out.
    """
    tensor = answer.tensors.get(tensor_of(figure) or "")
    told = {
        "title": figure.title,
        "kind": figure.kind or answer.kind,
        "formula": tensor and tensor.formula,
        "axes": tensor and list(tensor.axes),
        "shape": tensor and list(tensor.data.shape),
        "source": answer.fields.get("source"),
        "model": answer.model,
        "weights_sha256": read_card(answer.model)["weights_sha256"] if answer.model else None,
        "input": answer.input,
        "edited": changes(question, next(iter(answer.input or ()), "")) or None,
        "seed": question.get("seed"),
        "call": f"/api/v1/{word}?{urlencode(query_fields(source_question(word, question)))}",
    }
    return {name: value for name, value in told.items() if value is not None}


def query_fields(question: dict[str, Any]) -> dict[str, Any]:
    """The question as an address says it. Where nothing is edited, nothing stands beside it."""
    told = {name: wire.query_value(value) for name, value in question.items()}
    return {name: value for name, value in told.items() if (name, value) != ("beside", "false")}


def render(
    word: str,
    answer: Answer,
    question: dict[str, Any],
    form: Representation,
    most: int | None = None,
    without: Answer | None = None,
) -> bytes:
    """The figures of an answer in the form that was asked for. `without`, the answer without edits,
    is given where their difference is shown, or what differs is marked. Raises UnknownName for a
    figure that the word has not, and AnswerTooLarge where there are more than `most` bytes.
    """
    content = encode(word, answer, question, form, without)
    if most is not None and len(content) > most:
        raise wire.AnswerTooLarge(len(content), most)
    return content


def encode(
    word: str,
    answer: Answer,
    question: dict[str, Any],
    form: Representation,
    without: Answer | None = None,
) -> bytes:
    def one(name: str, display: DisplayFields) -> Plot:
        if without is None:
            return draw(word, name, answer, question, display)
        if getattr(form, "shows", "") == "difference":
            return draw_difference(word, name, (answer, without), question, display)
        edited = draw(word, name, answer, question, display)
        if not experiment(word).figures[name].marks_edits:
            return edited
        return marked(edited, draw(word, name, without, without_edits(question), display))

    match form:
        case representations.Figure(name, encoding, display):
            return dumps(one(name, display), encoding)
        case representations.Figures(encoding, names, display):
            shown = names or tuple(figures_of(word, answer))
            drawn = {name: one(name, display) for name in shown}
            told = {**question, **dict(display), "figures": shown}
            body = {"figures": drawn, **captions(word, answer, told)}
            return dumps(wire.with_fields(answer, encoding, question, body), encoding)
        case representations.Standalone(name, display):
            return alone(one(name, display)).encode()
        case _:
            raise TypeError(f"{form} is no form of figures.")


ALONE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Vitrine</title>
<style>
body {{ margin: 1em; background: {paper}; color: {ink}; font: 13px sans-serif; }}
h1 {{ font: 600 20px serif; margin: 0; }}
p {{ margin: 0; overflow-wrap: anywhere; }}
</style>
</head>
<body>
<h1>{title}</h1>
{figure}
<p>Vitrine · {provenance}</p>
<p>GET {call}</p>
</body>
</html>
"""


def alone(figure: Plot) -> str:
    """The figure as a file of HTML with its title and its provenance, and with a tag in the place
    of Plotly's script.
    """
    from plotly.io import to_html  # a file alone needs it, and most workers never write one

    meta = figure["layout"]["meta"]
    return ALONE.format(
        title=escape(meta["title"]),
        provenance=escape(provenance_line(meta)),
        call=escape(meta["call"]),
        paper=theme.colour("paper"),
        ink=theme.colour("ink"),
        figure=to_html(
            orjson.loads(dumps(figure, "base64")),
            include_plotlyjs="directory",
            full_html=False,
            default_height="75vh",
            validate=False,
        ),
    )


def captions(word: str, answer: Answer, question: dict[str, Any]) -> dict[str, Any]:
    """What a page says about an answer: that of a clinic, and that of a word that computes its own
    captions. `question` has the names of the `figures` that are shown too.
    """
    one = experiment(word)
    if one.captions:
        seen = one.words and views(one.words, figures_of(word, answer), answer, question)
        return {"words": {**({"views": seen} if seen else {}), **one.captions(answer, question)}}
    if one.exercise is None:
        return {}
    said = verdicts.fill(captions_of(one), answer, question)
    titles = {one.name: one.title for one in answer.fields["findings"]}
    return {"words": said, "reading": said["reading"], "finding_titles": titles}
