"""From an answer to the figures of its word, each with its provenance."""

from dataclasses import replace
from html import escape
from typing import Any
from urllib.parse import urlencode

import orjson

from app.captions import verdicts
from app.captions.arrangement import changes
from app.captions.clinic import captions_of
from app.captions.page import views
from app.compute import messages, wire
from app.compute.messages import DisplayFields, Representation
from app.experiment import Figure
from app.experiments import experiment
from app.figures import theme
from app.figures.build import build
from app.figures.difference import difference
from app.figures.edits import marked
from app.figures.labelled import labelled
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
from model.labels import label
from model.words import LANGUAGE
from model.zoo.cards import read_card


def source_question(word: str, question: dict[str, Any]) -> dict[str, Any]:
    """The question whose answer a word's figures are drawn from: the given one, except for the
    fields that its experiment sets in `source_fields`.
    """
    changed = experiment(word).source_fields
    fields = {name: value for name, value in question.items() if name not in changed}
    return fields | {name: value for name, value in changed.items() if value is not None}


def figures_of(word: str, answer: Answer) -> dict[str, Figure]:
    """The figures of a word that this answer has the numbers for. Times, for instance, are only
    measured on request.
    """
    names = {*answer.fields, *answer.tensors}
    return {
        name: experiment(word).with_words(name)
        for name, figure in experiment(word).figures.items()
        if tensor_of(figure) in (None, *answer.tensors)
        and (figure.has in names if isinstance(figure.has, str) else figure.has(answer))
    }


def marks_edits(word: str, question: dict[str, Any], form: Representation) -> bool:
    """Whether a figure marks changes of edits. Another arrangement has other cells."""
    known = experiment(word).figures
    match form:
        case messages.Figures(names=names):
            wanted = names or tuple(known)
        case messages.Figure(name=name) | messages.Standalone(name=name):
            wanted = (name,)
        case _:
            return False
    return (
        bool(question.get("edits"))
        and not any(question.get(field) for field in ARRANGING)
        and any(known[name].marks_edits for name in wanted if name in known)
    )


def tensor_of(figure: Figure) -> str | None:
    """The name of the tensor whose formula and shape are shown under a figure, if there is one. A
    mark with a fallback needs none.
    """
    tensor = "" if getattr(figure.mark, "otherwise", None) else getattr(figure.mark, "tensor", "")
    return figure.tensor or tensor or None


def plotted(figure: Figure, answer: Answer, question: dict[str, Any]) -> Plot:
    """The figure of an answer, made by its mark or by its own function."""
    drawing = figure.mark if isinstance(figure.mark, Mark) else figure.mark(answer, question)
    if isinstance(drawing, Mark):
        drawing = build(drawing, figure.description, answer, question)
    elif callable(figure.description):
        drawing["layout"]["meta"]["description"] = figure.description(answer, question)
    return with_meta(drawing, **figure.meta(answer, question))


def draw_difference(
    word: str,
    name: str,
    both: tuple[Answer, Answer],
    question: dict[str, Any],
    display: DisplayFields = (),
) -> Plot:
    """One figure of the answer about an edited run minus that without edits, token by token. Its
    call returns both. Raises UnknownName as `draw` does, and InvalidInput for padding, which the
    run without edits does not have.
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
    """One figure of an answer, with its provenance in `layout.meta`. `display` selects the part of
    the answer, and is passed to the figure with the question. Raises UnknownName for a figure that
    the word does not have, or whose tensor is not in this answer.
    """
    known = figures_of(word, answer)
    if name not in known:
        raise UnknownName("unknown-figure", name, known)
    fields = {**question, **dict(display)}
    plot = plotted(known[name], answer, fields)
    meta, caption = plot["layout"]["meta"], experiment(word).captions
    if caption and not meta["description"]:
        meta["description"] = caption(answer, fields)["views"][name]["see"]
    offered = switches(plot)
    plot["layout"]["meta"] = {
        **provenance(word, known[name], answer, question),
        **({"switches": offered} if offered else {}),
        **meta,
    }
    return plot


AXES = {"sublayer": "sub-layer", "unit": "part"}
"""The axes that pages call otherwise than the API does."""


def provenance(
    word: str, figure: Figure, answer: Answer, question: dict[str, Any]
) -> dict[str, Any]:
    """Title, kind, formula, shape, source, model and its weights, seed, and the call that returns
    the same numbers. Missing entries are omitted.
    """
    tensor = answer.tensors.get(tensor_of(figure) or "")
    fields = {
        "title": figure.title,
        "kind": figure.kind or answer.kind,
        "formula": tensor and tensor.formula,
        "axes": tensor and [AXES.get(name, name) for name in tensor.axes],
        "shape": tensor and list(tensor.data.shape),
        "source": answer.fields.get("source"),
        "model": answer.model,
        "weights_sha256": read_card(answer.model)["weights_sha256"] if answer.model else None,
        "input": answer.input,
        "edited": changes(question, next(iter(answer.input or ()), "")) or None,
        "seed": question.get("seed"),
        "call": f"/api/v1/{word}?{urlencode(query_fields(source_question(word, question)))}",
    }
    return {name: value for name, value in fields.items() if value is not None}


def query_fields(question: dict[str, Any]) -> dict[str, Any]:
    """The question as a query string has it. Without edits, `beside` is omitted."""
    fields = {name: wire.query_value(value) for name, value in question.items()}
    return {name: value for name, value in fields.items() if (name, value) != ("beside", "false")}


def render(
    word: str,
    answer: Answer,
    question: dict[str, Any],
    form: Representation,
    most: int | None = None,
    without: Answer | None = None,
) -> bytes:
    """The figures of an answer in the requested form. `without`, the answer without edits, is given
    if their difference is shown or differences are marked. Raises UnknownName for a figure that the
    word does not have, and AnswerTooLarge above `most` bytes.
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
    def draw_one(name: str, display: DisplayFields) -> Plot:
        if without is None:
            return draw(word, name, answer, question, display)
        if getattr(form, "shows", "") == "difference":
            return draw_difference(word, name, (answer, without), question, display)
        edited = draw(word, name, answer, question, display)
        if not experiment(word).figures[name].marks_edits:
            return edited
        return marked(edited, draw(word, name, without, without_edits(question), display))

    match form:
        case messages.Figure(name, encoding, display):
            return dumps(labelled(draw_one(name, display), answer), encoding)
        case messages.Figures(encoding, names, display):
            chosen = names or tuple(figures_of(word, answer))
            plots = {name: labelled(draw_one(name, display), answer) for name in chosen}
            fields = {**question, **dict(display), "figures": chosen}
            body = {"figures": plots, **captions(word, answer, fields)}
            return dumps(wire.with_fields(answer, encoding, question, body), encoding)
        case messages.Standalone(name, display):
            return standalone_page(labelled(draw_one(name, display), answer)).encode()
        case _:
            raise TypeError(f"{form} is no form of figures.")


STANDALONE_PAGE = """<!doctype html>
<html lang="{language}">
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


def standalone_page(figure: Plot) -> str:
    """The figure as an HTML file with its provenance, and a placeholder for Plotly's script."""
    from plotly.io import to_html  # only needed for a file, which most workers never write

    meta = figure["layout"]["meta"]
    return STANDALONE_PAGE.format(
        language=LANGUAGE.get(),
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
    """The page's text about an answer of a clinic, or of a word that computes its own captions.
    `question` also has the names of the `figures` shown.
    """
    spec = experiment(word)
    if spec.captions:
        texts = spec.words and views(spec.words, figures_of(word, answer), answer, question)
        return {"words": {**({"views": texts} if texts else {}), **spec.captions(answer, question)}}
    if spec.exercise is None:
        return {}
    words = verdicts.fill(captions_of(spec), answer, question)
    titles = {
        finding.name: finding.title and label(finding.title)
        for finding in answer.fields["findings"]
    }
    return {"words": words, "reading": words["reading"], "finding_titles": titles}
