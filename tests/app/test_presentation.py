"""An answer in every form, as a notebook asks for it: no server, no worker, nothing kept."""

import json

import pytest

from app.compute.messages import Drawing, Figure, Figures, Numbers, Representation
from app.compute.wire import AnswerTooLarge
from app.worker.presentation import present
from model import analyses
from tests.app.questions import Worker

MAP = {"model": "induction-2", "text": "abcabc", "layer": 0, "head": 0}
EDITED = {**MAP, "edits": [{"at": "decoder.0.attention.pattern", "op": "zero"}]}
STREAMS = {"model": "induction-2", "text": "abc"}
ROOM = Drawing((("width", 60), ("height", 40), ("table", "parts")), theme="light")
FORMS = {
    "numbers": ("attention", MAP, Numbers("base64")),
    "figures": ("attention", MAP, Figures(names=("map",))),
    "a figure": ("attention", MAP, Figure("map")),
    "a figure of the run": ("attention", EDITED, Figure("map", shows="run")),
    "a difference": ("attention", EDITED, Figure("map", shows="difference")),
    "a drawing": ("architecture", STREAMS, ROOM),
}


@pytest.mark.parametrize(("word", "question", "form"), FORMS.values(), ids=FORMS)
def test_a_notebook_is_shown_what_a_page_is_shown(word: str, question: dict, form: Representation):
    body = present(word, question, form, analyses.answer)
    assert body == Worker.answer(word, question, form)


def test_the_forms_of_an_edited_run_differ():
    forms = (Figure("map", shows=shows) for shows in ("edited", "run", "difference"))
    bodies = [json.loads(present("attention", EDITED, form, analyses.answer)) for form in forms]
    assert len({json.dumps(figure["data"]) for figure in bodies}) == 3


@pytest.mark.parametrize("name", ["numbers", "a figure", "a drawing"])
def test_more_bytes_than_may_be_are_refused(name: str):
    with pytest.raises(AnswerTooLarge):
        present(*FORMS[name], analyses.answer, most=100)
