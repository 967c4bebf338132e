"""From an answer to the drawing of its word, with what one must know to read it elsewhere."""

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any
from urllib.parse import unquote_plus, urlencode

from app.captions.arrangement import changes
from app.captions.sentences import of_drawings
from app.compute import wire
from app.compute.messages import Drawing
from app.drawings.svg import Svg
from app.figures.provenance import input_texts
from model.answers.answer import Answer
from model.arrangement.arrangement import FIELDS as ARRANGING
from model.labels import label
from model.zoo.cards import read_card

INPUT = ("model", "source", "target", "text", "image", "row")


@dataclass(frozen=True)
class DrawingResult:
    """A drawing, the fields that it adds to the answer, and further ones of its query."""

    svg: Svg
    fields: dict[str, Any]
    query: dict[str, Any] = field(default_factory=dict)


def render(word: str, answer: Answer, question: dict[str, Any], form: Drawing, most: int) -> bytes:
    """The answer with the drawing in the place of its tensors, or with a theme the drawing alone.
    Raises AnswerTooLarge where there are more than `most` bytes.
    """
    drawing: DrawingResult = import_module(f"app.drawings.{word.replace('-', '_')}").drawing(
        answer, question, form
    )
    if form.theme is not None:
        notes = provenance(word, answer, question, drawing.query)
        content = drawing.svg.as_file(form.theme, notes).encode()
    else:
        fields = {**question, **dict(form.display_fields)}
        body = {"svg": str(drawing.svg), **drawing.fields}
        content = wire.dumps(wire.with_fields(answer, "json", fields, body))
    if len(content) > most:
        raise wire.AnswerTooLarge(len(content), most)
    return content


def provenance(
    word: str, answer: Answer, question: dict[str, Any], query: dict[str, Any]
) -> list[str]:
    """What one must know of the drawing elsewhere: model, weights, input, edits, and the call."""
    assert answer.model is not None, "a drawing is of a model"
    digest = read_card(answer.model)["weights_sha256"][:12]
    read = answer.input or {}
    texts = input_texts(read)
    if edited := changes(question, next(iter(read), "")):
        texts.append(of_drawings("edited", edits="; ".join(edited)))
    weights = of_drawings("weights", model=answer.model, digest=digest)
    model = f"{weights}, {label(answer.kind)}"
    run = (*INPUT, "edits", *ARRANGING)
    call = {name: wire.query_value(question[name]) for name in run if question.get(name)} | query
    return [
        " · ".join(["Vitrine", model, *texts]),
        f"GET /api/v1/{word}?{unquote_plus(urlencode(call))}",
    ]
