"""The helpers that make fields and conditions, each against its value computed by hand, and the
reader: what does not fit is refused with its place.
"""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from app.captions import fields
from app.captions.fields import Condition, printed
from app.captions.words import Words
from model import words
from model.answers.answer import Answer, Axis, Labelled
from model.words import LANGUAGE, WordsError, messages, preferred
from tests.rounding import SINGLE, same

YES_NO = ("yes", "no")
QUESTION = {"d_head": 16, "keys": 3, "figures": ("lines",), "network": "lstm", "score": "divided"}


@pytest.fixture
def answer() -> Answer:
    data = torch.tensor([[0.1, 0.9, 0.0], [0.3, 0.3, 0.4]])
    score, key = Axis("score", 2, ["plain", "divided"]), Axis("key", 3, values=[10, 20, 30])
    named = [
        SimpleNamespace(name="share.plain", number=0.25),
        SimpleNamespace(name="share.divided", number=0.75),
    ]
    return Answer(
        kind="random initialization",
        axes={"score": score, "key": key},
        tensors={
            "pattern": Labelled(("score", "key"), data, "p"),
            "bytes": Labelled(("key",), torch.tensor([5.0, 6.0, 7.0]), "b"),
        },
        fields={
            "findings": named,
            "steps": 120,
            "pair": [{"name": "k", "head": 3}, {"name": "q", "head": 7}],
            "second": 1,
        },
    )


VALUES = {
    "d_head": (fields.setting("whole", "keys", "d_head"), 16),
    "keys": (fields.setting("whole", "keys", "d_head"), 3),
    "d_head_count": (fields.counts("keys", "d_head"), 16),
    "d_head_root": (fields.roots("keys", "d_head"), 4.0),
    "share_divided": (fields.found("fraction", "share.plain", "share.divided"), 0.75),
    "share_plain": (fields.found("fraction", "share.plain", "share.divided"), 0.25),
    "choices": (fields.always("spelled", choices=6), 6),
    "steps": (fields.stated("count", "steps"), 120),
    "pair_1_head": (fields.stated("whole", "pair.0.head", "pair.1.head"), 7),
    "paired": (fields.stated("whole", paired="pair.{second}.head"), 7),
    "pair_k_head": (fields.stated("whole", "pair.k.head"), 3),
    "pattern_size": (fields.sizes("pattern"), 6),
    "key_length": (fields.lengths("score", "key"), 3),
    "key_last": (fields.lasts("whole", "key"), 30),
    "largest_plain": (fields.largest("fraction", "pattern", score=("plain", "divided")), 0.9),
    "pattern_divided": (
        fields.means("number", "pattern", {"key": "last"}, 10, score=("divided",)),
        0.04,
    ),
    "bytes_first": (fields.means("number", "bytes", key=("first", "last")), 5.0),
    "largest_divided": (fields.largest("fraction", "pattern", score=("plain", "divided")), 0.4),
    "pattern_plain": (fields.means("number", "pattern", score=("plain", "divided")), 1 / 3),
    "pattern_first": (
        fields.means("number", "pattern", {"score": "{score}"}, key=("first", "last")),
        0.3,
    ),
    "pattern_last": (fields.means("number", "pattern", {"key": "1"}, score=("first", "last")), 0.3),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_field_is_what_its_name_says(name: str, answer: Answer):
    declared, value = VALUES[name]
    same(declared[name].of(answer, QUESTION), value, SINGLE)
    assert declared[name].labels in ((), (name.rpartition("_")[2],))


def test_a_value_has_the_name_that_it_is_called_by():
    called = fields.named("network", {"rnn": "RNN", "lstm": "LSTM"})["network_name"]
    assert (called.of(None, QUESTION), called.kind, called.measured) == ("LSTM", "name", False)
    pair = fields.called("pair.1", {"a": "A"})["pair_1_name"]
    values = [pair.of(SimpleNamespace(fields={"pair": ["", letter]}), {}) for letter in ("a", "b")]
    assert (values, pair.kind, pair.measured) == (["A", "b"], "name", False)


def test_conditions_of_a_choice_and_of_what_is_shown():
    network = fields.choice("network", "rnn", "lstm")["network"]
    figure = fields.displayed("bars", "lines")["shown"]
    few = fields.where("few", lambda question: question["keys"] < 4)["few"]
    assert (few.of(None, {"keys": 3}), few.of(None, {"keys": 4})) == few.variants == ("yes", "no")
    assert (network.of(None, QUESTION), network.variants) == ("lstm", ("rnn", "lstm"))
    assert (figure.of(None, QUESTION), figure.variants) == ("lines", ("bars", "lines", "other"))
    assert figure.of(None, {"figures": ("else",)}) == "other"


def test_conditions_of_an_answer(answer: Answer):
    both = fields.answered("network", "lstm", "prefix_lm") | fields.answered("pair.0.head")
    many = fields.whether("many", lambda answer, question: answer.fields["steps"] > question["k"])
    whole = replace(answer, fields=answer.fields | {"network": "prefix-lm"}, inputs=answer.axes)
    assert both["network"].of(whole, {}) == both["network"].variants[1] == "prefix_lm"
    assert (both["pair_0_head"].of(whole, {}), both["pair_0_head"].variants) == ("yes", YES_NO)
    assert [many["many"].of(whole, {"k": k}) for k in (119, 120)] == ["yes", "no"]


def test_conditions_of_two_sides():
    sides = fields.sides(("bars", "a.map"), ("lines", "cells"))
    for figures, expected in {
        (): ("both", "bars", "lines"),
        ("cells", "a.map"): ("both", "a_map", "cells"),
        ("a.map",): ("left", "a_map", "lines"),
        ("cells",): ("right", "bars", "cells"),
    }.items():
        assert tuple(side.of(None, {"figures": figures}) for side in sides.values()) == expected


PRINTED = {
    ("count", 2240): "2,240",
    ("whole", 2240): "2240",
    ("spelled", 6): "six",
    ("Spelled", 6): "Six",
    ("spelled", 13): "13",
    ("fraction", 0.5959): "60%",
    ("percent", -1.25): "−125%",
    ("points", 0.281): "28",
    ("number", 0.59512): "0.595",
    ("decimals", 3.14159): "3.14",
    ("tenths", 3.14159): "3.1",
    ("thousandths", 3.14159): "3.142",
    ("ratio", 2.64159): "2.64",
    ("ratio", 1 / 190): "1/190",
    ("decimal", 0.5): "0.5",
    ("short", 1.2345): "1.23",
    ("nats", 1.5): "1.50 nats",
    ("token", " a\n"): "“␣a⏎”",
    ("text", "1.5"): "1.5",
    ("name", "no norm"): "no norm",
    ("names", ("no norm", "Pre-LN")): "no norm, Pre-LN",
    ("tick", -0.5): "−0.5",
    ("tokens", ("a", " b")): "“a”, “␣b”",
    ("excerpt", f"{'word ' * 20}\n\nend"): f"“{'word ' * 11}word …”",
    ("listed", ()): "",
    ("listed", ("a", "b", "c")): "a, b and c",
    ("Listed", ("a", "b")): "A and b",
    ("excerpt", "one\n\ntwo "): "“one / two␣”",
}


@pytest.mark.parametrize(("kind", "value"), PRINTED)
def test_a_value_is_printed_as_its_kind(kind: str, value: object):
    assert printed(kind, value, "en") == PRINTED[kind, value]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("token", " a", "« ␣a »"),
        ("tokens", ("a", "b"), "« a », « b »"),
        ("listed", ("a", "no norm", "c"), "a, sans norme et c"),
        ("Listed", ("no norm",), "Sans norme"),
        ("name", "no norm", "sans norme"),
        ("names", ("no norm", "Pre-LN"), "sans norme, Pre-LN"),
        ("text", "no norm", "no norm"),
        ("Spelled", 2, "Deux"),
        ("number", 0.25, "0.250"),
    ],
)
def test_french_has_its_quotation_marks_and_words_and_the_numbers_of_the_api(kind, value, expected):
    before = LANGUAGE.set("fr")
    assert printed(kind, value, "fr").replace("\u00a0", " ") == expected
    LANGUAGE.reset(before)


@pytest.fixture
def write_words(tmp_path, monkeypatch: pytest.MonkeyPatch):
    """Writes the words of a page in two languages of their own."""
    monkeypatch.setattr(words, "FOLDER", tmp_path)
    messages.cache_clear()
    words.languages.cache_clear()

    def write(english: str, french: str = "") -> Words:
        for language, text in (("en", english), ("fr", french)):
            (tmp_path / language).mkdir()
            (tmp_path / language / "page.ftl").write_text(text, "utf-8")
            (tmp_path / language / "parts.ftl").write_text("-law = π\n", "utf-8")
        sizes = fields.setting("count", "n") | fields.setting("decimal", "x")
        where = Condition(lambda _, question: question["where"], ("here", "there"))
        return Words("page", sizes, {"where": where})

    yield write
    messages.cache_clear()
    words.languages.cache_clear()


ENGLISH = """
# A page.
says = { $where ->
   *[here] Here { -law } is { $x }. { many }
    [there] There it is { says.part }.
}
    .part = not
many =
    { $n ->
        [one] One key.
       *[other] { $n } keys.
    }
"""
FRENCH = ENGLISH.replace("Here", "Ici").replace("One key", "Une clé").replace("is", "vaut")


def test_a_message_is_said_in_the_language_that_is_read(write_words):
    page = write_words(ENGLISH, FRENCH)
    assert page("says", None, {"where": "here", "x": 0.5, "n": 1}) == "Here π is 0.5. One key."
    assert page("says", None, {"where": "there"}) == "There it is not."
    assert page("says", values={"where": "here", "x": 2.0, "n": 0}) == "Here π is 2. 0 keys."
    assert "says.part" in page
    assert "other" not in page
    before = LANGUAGE.set("fr")
    assert page("says", None, {"where": "here", "x": 0.5, "n": 0}) == "Ici π vaut 0.5. Une clé."
    LANGUAGE.reset(before)


def test_what_does_not_fit_is_refused_with_its_line(write_words):
    page = write_words(ENGLISH + "bad = { $y }\nworse = { NUMBER($n) }\n")
    for name, question, pattern in (
        ("says", {"where": "elsewhere"}, r"en/page\.ftl:3: no variant \[elsewhere\] of \$where"),
        ("bad", {}, r"en/page\.ftl:13: no field or condition \$y"),
        ("worse", {"n": 1}, r"en/page\.ftl:14: NUMBER is no function"),
        ("none", {}, r"en/page\.ftl: no message none"),
    ):
        with pytest.raises(WordsError, match=pattern):
            page(name, None, question)


def test_a_file_that_is_no_fluent_is_refused(write_words):
    page = write_words("says = Here\n= nothing\n")
    with pytest.raises(WordsError, match=r"en/page\.ftl:2: "):
        page("says")


def test_the_language_is_the_first_of_ours_that_is_named(write_words):
    write_words("", "")
    assert preferred("de-CH, fr-CH;q=0.9, en;q=0.8") == "fr"
    assert preferred("de") == preferred("") == "en"
