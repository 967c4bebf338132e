"""The rows of the notes: each section is whole, and no row stands without something that settles
it.
"""

import re
from collections import Counter

import pytest

from model.clinics.warmup import warmup
from model.notes import MEANINGS, SECTIONS, VERDICTS, holds_words, rows, select, terms

IN_THE_NOTES = {
    "formulas": ("F", 28),
    "systems": ("S", 35),
    "experiments": ("E", 29),
    "claims": ("C", 134),
    "questions": ("Q", 61),
    "lecture": ("L", 25),
    "readings": ("R", 62),
}
"""The letter of a section's rows and how many the notes have."""

every_section = pytest.mark.parametrize("section", SECTIONS)


@every_section
def test_a_section_has_every_row_of_the_notes_once(section: str):
    letter, many = IN_THE_NOTES[section]
    assert [row.item for row in select(section)] == [f"{letter}{i + 1}" for i in range(many)]


def is_whole(text: str) -> bool:
    """Whether a text is made of whole sentences."""
    begun, ended = re.match(r"[“`A-ZαβλQ]", text), re.search(r"[.?][”)]?$", text)
    return bool(begun and ended) and "  " not in text


@every_section
def test_a_row_is_told_in_whole_sentences_with_a_source(section: str):
    for row in select(section):
        assert is_whole(row.text), row.item
        assert is_whole(row.settled), row.item
        assert len(row.source) > 3, row.item
        assert not row.source.endswith("."), row.item
        assert row.page.startswith("/"), row.item


@every_section
def test_a_row_has_one_of_the_verdicts_of_its_section(section: str):
    assert [row.item for row in select(section) if row.verdict not in VERDICTS[section]] == []


def test_every_verdict_is_explained_and_some_row_has_it():
    possible = {verdict for verdicts in VERDICTS.values() for verdict in verdicts}
    assert set(MEANINGS) == possible == {row.verdict for row in rows()}
    assert all(meaning.endswith(".") for meaning in MEANINGS.values())


def test_what_is_only_cited_has_a_reason_and_no_measurement():
    for row in rows():
        if row.verdict == "cited only":
            assert row.settled, row.item
            assert not row.measured, row.item
        if row.verdict == "measured here":
            assert row.measured, row.item


def test_what_is_said_of_warm_up_names_the_layers_it_was_measured_on():
    """At another peak or depth the same network learns, or it does not."""
    sentences = {row.item: row.settled for row in rows()} | {t.name: t.sentence for t in terms()}
    for name, sentence in sentences.items():
        if re.search(r"(?s)(Post-LN|Admin).*(without warm-up|guessing|needs? )", sentence):
            assert re.search(r"(?i)\b(\d+|four|six|twelve)\b[^.]* layers", sentence), name


@pytest.mark.parametrize(
    ("changes", "arm", "least", "most"),
    [
        ({"peak": 0.03}, "post", 0.5, 2),
        ({"peak": 0.03}, "post_warmup", 0, 0.01),
        ({"peak": 0.005}, "post", 0, 0.01),
        ({"peak": 0.03}, "admin", 0, 0.01),
        ({"peak": 0.03, "layers": 6}, "admin", 0.2, 0.8),
    ],
)
def test_what_the_notes_say_of_warm_up_is_so_at_the_settings_that_they_name(
    changes: dict[str, float], arm: str, least: float, most: float
):
    found = warmup(**{"layers": 4, "steps": 300, **changes}).fields["findings"]
    assert least < next(finding.number for finding in found if finding.name == f"left.{arm}") < most


def test_a_question_is_asked_and_has_an_answer_or_is_said_to_be_open():
    verdicts = Counter(row.verdict for row in select("questions"))
    assert verdicts == {"answered": 54, "open": 7}
    for row in (*select("questions"), *select("lecture")):
        assert "?" in row.text or "plan" in row.text
        assert len(row.settled.split()) >= 5


def test_an_open_question_says_who_answers_what_or_who_alone_could():
    for row in select("questions", "open"):
        if re.search(r"\d{4}", row.source):
            authors = re.findall(r"(?:^|; )(\w+)", row.source)
            assert [name for name in authors if name not in row.settled] == [], row.item
        else:
            assert row.settled.startswith("Only"), row.item


def test_words_are_found_in_any_case_and_order():
    assert [row.item for row in select(find="NIECE rule")] == ["C97"]
    assert not select(find="niece zebra")
    assert holds_words("Soft attention", "")
    assert {row.verdict for row in select("claims", "wrong")} == {"wrong"}
    assert [row.item for row in select(items=" c57, F1,")] == ["F1", "C57"]
    assert not select(items="C999")


NAMES_OF_STUDENTS = """BERT; GPT; T5; ViT; DETR; Transformer-XL; Image Transformer; FT-Transformer;
TabTransformer; SAINT; Performer; Admin; B2T; RNN; LSTM; Patch; [CLS]; [MASK]; Object query;
Segment recurrence; Persistent memory; RMSNorm; BatchNorm; Residual connection; Dropout;
Vanishing gradient; Rank collapse; Induction head; Probe; Composition; Virtual weights;
Privileged basis; Temperature; Top-p; Entropy; Xavier initialization; Sequence to sequence;
Transduction; Deductive; Inductive; Volitional cue; Intra-attention"""


def test_the_glossary_has_the_names_under_which_students_look():
    names = [term.name for term in terms()]
    assert len(names) == len(set(names))
    missing = {name.strip() for name in NAMES_OF_STUDENTS.split(";")} - set(names)
    assert not missing


def test_a_link_from_before_a_name_changed_its_spelling_leads_to_the_term():
    places = {term.place: term.name for term in terms()}
    assert len(places) == len(terms())
    assert places["initialisation"] == "Initialization"
    assert places["xavier-initialisation"] == "Xavier initialization"


def test_a_term_is_explained_in_whole_sentences():
    for term in terms():
        assert re.match(r"[A-Z[]", term.sentence), term.name
        assert term.sentence.endswith("."), term.name
        assert len(term.sentence.split()) >= 6, term.name
        first, *others = re.split(r"(?<=\.) (?=[A-Z[])", term.sentence)
        assert len(first.split()) <= 25, f"{term.name}: what it is fits in 25 words"
        assert len(others) <= 2, term.name
        assert term.page.startswith("/"), term.name
