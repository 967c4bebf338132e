"""What is drawn is held against the answer: every trace, note and tick of every figure names the
slice that it shows.

The answer comes with a number of its own in each cell (`tagging`), so each drawn number has one
origin (`slices`). What a figure says where that number stands becomes a template in which the
labels of the slice have their places (`naming`), and all of it a few lines (`ledger`). A caption, a
description or a read-out says with each number the cell that it is from (`in_full`). `stated` has
those lines for each word. A caption may be said in other words of the same meaning: only words of
`vocabulary` are held.
"""

from collections import Counter

from app.compute.messages import Figures
from app.experiments import experiments
from app.figures.marks import Mark
from app.worker.figures import encode, source_question
from model.words import LANGUAGE, languages
from tests.app.drawn.answers import ENDPOINTS, each_word, figures_with_lines, questions
from tests.app.drawn.stated import read
from tests.app.questions import answer as answer_of


@each_word
def test_every_figure_says_the_slice_that_it_shows(word: str):
    stated, actual = read(word), figures_with_lines(word)
    write_it = (
        f"`python -m tests.app.drawn {word}` writes what is drawn; read it before you keep it"
    )
    if not stated and only_marks(word):
        return
    assert stated, f"Nothing is stated of the figures of /{word}: {write_it}."
    assert actual.keys() == stated.keys(), f"/{word} has other figures than are stated: {write_it}."
    for name, (_, lines) in actual.items():
        new = list((Counter(lines) - Counter(stated[name])).elements())
        gone = list((Counter(stated[name]) - Counter(lines)).elements())
        assert not new + gone, difference(word, name, new, gone)


@each_word
def test_every_figure_is_drawn_and_captioned_in_every_language(word: str):
    for language in languages():
        before = LANGUAGE.set(language)
        endpoint = ENDPOINTS[word]
        for question in questions(word):
            taken = (endpoint.figure_query or endpoint.question).model_validate(question)
            fields, view = taken.arguments(), taken.displayed()
            answer = answer_of(word, source_question(word, fields))
            assert encode(word, answer, fields, Figures(display_fields=view, language=language))
        LANGUAGE.reset(before)


def only_marks(word: str) -> bool:
    """Whether all figures of a word are marks, which name the slices that they show themselves."""
    page = experiments().get(word)
    return page is not None and all(isinstance(each.mark, Mark) for each in page.figures.values())


def difference(word: str, name: str, new: list[str], gone: list[str]) -> str:
    """What is drawn that is not stated, the nearest pair of lines first, where they part."""
    first, other = (new or ["nothing"])[0], (gone or ["nothing"])[0]
    parts = [
        (new_part, old_part)
        for new_part, old_part in zip(first.split(" | "), other.split(" | "), strict=False)
        if new_part != old_part
    ]
    is_, was = parts[0] if parts else (first, other)
    return (
        f"The figure {name} of /{word} draws or says “{is_}” where “{was}” is stated."
        "\n" + "\n".join([*(f"+ {line}" for line in new), *(f"- {line}" for line in gone)])
    )
