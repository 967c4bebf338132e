"""What a language lacks of the English words, and what it has too much: `make words`."""

import re
from collections.abc import Iterator
from functools import cache

from app.compute.messages import Figures
from app.lecture.talks import talks
from app.site.pages import TEMPLATES, cards
from app.site.prose import LETTERS, keys
from app.worker.figures import encode, source_question
from model import labels as lookup
from model.labels import PLACE, patterns, table
from model.words import FOLDER, LANGUAGE, languages, messages
from tests.app.drawn.answers import ENDPOINTS, questions
from tests.app.questions import answer as answer_of

API = re.compile(r"[A-Z]|-answers$")
"""What the API says of its fields, which is in English as their names are."""
WHOLE = ("command-line", "errors", "errors-files", "errors-input")
"""The files of which every message is said to readers."""
ENGLISH_ONLY = ("api",)


@cache
def prose() -> dict[str, str]:
    """The passages of all templates, each with the first template that has it."""
    found: dict[str, str] = {}
    for path in sorted({*TEMPLATES.rglob("*.html")} - {TEMPLATES / "notebook.html"}):  # no prose
        for key in keys(path.read_text("utf-8")):
            found.setdefault(key, path.relative_to(TEMPLATES).as_posix())
    return found


@cache
def sentences() -> dict[str, str]:
    """The sentences of talks and of the cards of models, each with the talk or the model."""
    found: dict[str, str] = {}
    for talk in talks()[0]:
        spoken = [(scene.claim, scene.speech, scene.question) for scene in talk.scene]
        numbers = [(scene.number.name,) for scene in talk.scene if scene.number]
        for texts in [(talk.title,), *spoken, *numbers]:
            found |= {text: talk.id for text in texts if text}
    for card in cards():
        texts = [card[name] for name in ("name", "task", "data_notice")]
        texts += [example["look_for"] for example in card["examples"]]
        for measure in card["quality"].values():
            texts += [measure[name] for name in ("how", "where") if name in measure]
        found |= dict.fromkeys(texts, card["id"])
    return found


def has_label(text: str, language: str) -> bool:
    """Whether a language has this text, which it may say as English does."""
    return text in table(language) or any(key.fullmatch(text) for key, _ in patterns(language))


@cache
def labels(language: str) -> dict[str, str]:
    """What figures and their captions say that a language has not, each with the first word that
    says it; tokens and names of the reader's among them.
    """
    found: dict[str, str] = {}
    looked_up = lookup.in_language

    def noted(text: str, language: str) -> str:
        translation = looked_up(text, language)
        if translation == text and LETTERS.search(text) and not has_label(text, language):
            found.setdefault(text, word)
        return translation

    before = LANGUAGE.set(language)
    lookup.in_language = noted
    try:
        for word, endpoint in ENDPOINTS.items():
            for question in questions(word):
                taken = (endpoint.figure_query or endpoint.question).model_validate(question)
                fields, view = taken.arguments(), taken.displayed()
                form = Figures(display_fields=view, language=language)
                encode(word, answer_of(word, source_question(word, fields)), fields, form)
    finally:
        lookup.in_language = looked_up
        LANGUAGE.reset(before)
    return found


def names(file: str, language: str) -> set[str]:
    """The messages of a file that a language has to have."""
    if not (FOLDER / language / f"{file}.ftl").exists():
        return set()
    every = {name for name, (of, _) in messages(file, language).items() if of == file}
    return every if file in WHOLE else {name for name in every if not API.match(name)}


def lacking(language: str) -> Iterator[str]:
    """The messages, the passages of templates and the sentences of talks and models that a language
    lacks, and the messages that it has too much: a line each.
    """
    for path in sorted((FOLDER / "en").glob("*.ftl")):
        if (file := path.stem) not in ENGLISH_ONLY:
            english, foreign = names(file, "en"), names(file, language)
            yield from (f"{file}.ftl lacks {name}" for name in sorted(english - foreign))
            more = (key for key in sorted(foreign - english) if key[0] != "-")  # terms may be more
            yield from (f"{file}.ftl has {key} too much" for key in more)
    spoken = sentences().items()
    yield from (f"{of} lacks {key!r}" for key, of in prose().items() if key not in table(language))
    yield from (f"{of} lacks {key!r}" for key, of in spoken if not has_label(key, language))


def unsaid(language: str) -> Iterator[str]:
    """The labels of a language whose English stands nowhere in one piece, a line each: what code
    puts together, or what nobody says any more.
    """
    source = " ".join([*sources(), *prose()])
    source += source.replace("_", " ")  # names that are read word by word
    for english in table(language):
        parts = PLACE.sub("\0", english).split("\0")
        if not all(" ".join(part.split()) in source for part in parts):
            yield f"stands nowhere as it is written: {english!r}"


def sources() -> Iterator[str]:
    """All that English may stand in, each text in one line: strings that a line ends are joined."""
    for room, kinds in {"app": "py toml", "model": "py toml json", "static/js": "js"}.items():
        for kind in kinds.split():
            for path in sorted((TEMPLATES.parent / room).rglob(f"*.{kind}")):
                text = path.read_text("utf-8").replace("\\\n", " ").replace('\\"', '"')
                yield " ".join(re.sub(r'"\s*\n\s*[frb]*"', "", text).split())


def main() -> None:
    for language in languages():
        if language == "en":
            continue
        lines = [*lacking(language), *unsaid(language)]
        lines += [f"/{of} says {text!r}" for text, of in labels(language).items()]
        print(
            f"{language}: {len(table(language))} labels, {len(lines)} differences", *lines, sep="\n"
        )


if __name__ == "__main__":
    main()
