"""The search: pages, models, systems, terms and rows of the notes are found by what students type,
and the pages themselves say what a system is called.
"""

import re
from html import unescape

import httpx2
import pytest

from app.site.manual import Manual
from app.site.pages import DOCS, LECTURE, cards, find_pages
from app.site.ranking import Ranking, Text, Vocabulary, stem
from app.site.search import Search, names_of, systems, uncovered, word_of
from model.notes import rows, terms
from tests.app.searched import MORE, TITLES_OF_THREADS, TYPED

GROUPS = ["Pages", "Models", "Systems", "Terms", "Manual", "Notes"]
MIN_FOUND = 0.89
"""Of the titles of threads, the share that finds its page."""


def found(fake: httpx2.Client, words: str) -> dict[str, list[str]]:
    """What the page lists under each of its headings."""
    html = fake.get("/search", params={"find": words}).text
    entries = html[html.index('id="entries"') : html.index("</main>")]
    parts = re.split(r"<h2>(.+?)</h2>", entries)[1:]
    return {
        title: re.findall(r'class="text"><a href="[^>]+>([^<]+)</a>', text)
        for title, text in zip(parts[::2], parts[1::2], strict=True)
    }


def first_pages(fake: httpx2.Client, typed: str) -> list[str]:
    """The words of the first three pages that are listed."""
    html = fake.get("/search", params={"find": typed}).text
    _, _, after = html.partition("<h2>Pages</h2>")
    listed = re.findall(r'class="text"><a href="([^"]+)"', after.partition("<h2>")[0])
    return [word_of(address) for address in listed[:3]]


@pytest.mark.parametrize(("typed", "page"), [*TYPED.items(), *MORE.items()])
def test_what_people_type_finds_the_page_that_a_lecturer_would_name(
    fake: httpx2.Client, typed: str, page: str
):
    assert page in first_pages(fake, typed)


def test_questions_of_strangers_find_their_pages_too(fake: httpx2.Client):
    missed = {
        typed: pages
        for typed, page in TITLES_OF_THREADS.items()
        if page not in (pages := first_pages(fake, typed))
    }
    assert len(missed) <= (1 - MIN_FOUND) * len(TITLES_OF_THREADS), missed


UNCOVERED = {
    "LoRA": "LoRA",
    "flash attention": "FlashAttention",
    "Mamba": "Mamba",
    "speculative decoding": "speculative decoding",
    "what is a sparse autoencoder?": "sparse autoencoders",
    "ChatGPT": "ChatGPT",
    "BPE": "byte pair encoding",
    "Llama": "Llama",
    "GQA": "grouped-query attention",
    "mixture of experts": "mixture of experts",
    "tuned lens": "tuned lens",
    "superposition": "superposition",
    "quantisation": "quantization",
    "µP": "µP",
}


@pytest.mark.parametrize(("typed", "name"), UNCOVERED.items())
def test_of_a_subject_that_no_page_has_the_search_says_so_and_lists_the_nearest_alone(
    fake: httpx2.Client, typed: str, name: str
):
    html = unescape(fake.get("/search", params={"find": typed}).text)
    assert f"Vitrine does not cover {name}." in html
    (subject,) = (subject_row for subject_row in uncovered() if subject_row.names[0] == name)
    assert first_pages(fake, typed) == list(subject.nearest)
    assert "warmup" in first_pages(fake, f"{typed} warm-up"), "what is covered is found too"


LONG_FORMS = {
    "BPTT": "gradient",
    "CNN": "convolution",
    "FAQ": "question",
    "FLOPs": "operation",
    "LLM": "transformer",
    "MHA": "heads",
    "MLM": "mask",
    "MLP": "feed-forward",
    "NumPy": "Python",
    "RoFormer": "RoPE",
    "XAI": "attribution",
    "seq2seq": "recurrent",
}
"""Names of what pages are about that stand on them in other words, and one of these."""


@pytest.mark.thorough
def test_a_page_holds_the_names_by_which_it_is_found_and_none_of_what_no_page_has(
    fake: httpx2.Client,
):
    pages, shelf, missing = [*find_pages(), LECTURE, DOCS], [], []
    for page in pages:
        rows_and_terms = [
            *(row.searched_text for row in rows() if word_of(row.page) == page.word),
            *(
                f"{term.name} {term.sentence}"
                for term in terms()
                if word_of(term.page) == page.word
            ),
            *(
                system.name + system.title
                for system in systems()
                if page.word in map(word_of, system.pages)
            ),
        ]
        shelf.append(" ".join([fake.get(page.path).text, *rows_and_terms]).casefold())
        for name in names_of(page.word):
            if re.fullmatch(r"\w+[A-Z0-9]\w*", name):
                held = LONG_FORMS.get(name, name).casefold()
                missing += [(page.word, name)] if held not in shelf[-1] else []
    assert not missing
    for name in (name for subject in uncovered() for name in subject.names):
        whole = rf"(?<![\w-]){re.escape(name.casefold())}(?![\w-])"
        assert not re.search(whole, " ".join(shelf)), name
    assert {word for row in uncovered() for word in row.nearest} <= {page.word for page in pages}


@pytest.mark.parametrize("typed", ["attention", "warm-up", "detr", "penguins"])
def test_pages_come_first_and_the_notes_last(fake: httpx2.Client, typed: str):
    titles = list(found(fake, typed))
    assert titles == [title for title in GROUPS if title in titles]
    assert titles[0] == "Pages"


def test_the_first_page_has_the_focus_so_that_enter_opens_it(fake: httpx2.Client):
    html = fake.get("/search", params={"find": "layernorm"}).text
    assert re.findall(r'href="([^"]+)" autofocus', html) == ["/norms"]
    for typed in ("python", "numpy", "notebook", "download numbers"):
        html = fake.get("/search", params={"find": typed}).text
        assert re.findall(r'href="([^"]+)" autofocus', html) == ["/docs"], typed
    assert "autofocus" not in fake.get("/search", params={"find": "zeppelin"}).text


def test_a_typing_error_is_read_over_and_the_page_says_how(fake: httpx2.Client):
    html = unescape(fake.get("/search", params={"find": "atention"}).text)
    assert "Searching for: attention." in html
    assert "Read as" not in fake.get("/search", params={"find": "attention"}).text


def test_spellings_and_endings_of_a_word_are_one():
    assert stem("normalization") == stem("normalised") == stem("normalising")
    assert stem("caching") == stem("caches") == stem("cache")
    assert stem("embedded") == stem("embedding") == stem("embeddings")
    assert stem("loss") == "loss"


def test_a_rare_word_counts_more_than_a_common_one_and_a_name_more_than_a_mention():
    texts = [
        Text([(4.0, ["mask", "token"])]),
        Text([(4.0, ["token"]), (1.0, ["mask"])]),
        Text([(4.0, ["token"])]),
    ]
    nearest = Ranking(texts).nearest(["mask", "token"])
    assert [entry.index for entry in nearest] == [0, 1, 2]
    assert [entry.share == 1 for entry in nearest] == [True, True, False]
    assert Ranking(texts).rarity("mask") > Ranking(texts).rarity("token")


def test_two_words_in_one_are_found_by_both_and_a_phrase_comes_before_its_words_apart():
    apart, phrase = Text([(4.0, ["layer", "norm"])]), Text([(4.0, ["layer norm"])])
    assert Ranking([apart, phrase]).nearest(["layernorm"])[0].index == 1
    as_written = Text([(4.0, ["LayerNorm"])])
    assert Ranking([apart, as_written]).nearest(["layer", "norm"])[1].share == 1


def test_a_word_is_read_as_the_name_that_it_begins_or_is_most_like():
    vocabulary = Vocabulary([Text([(4.0, ["detection", "softmax"]), (1.0, ["softly"])])])
    assert vocabulary.meant("detec") == "detection"
    assert vocabulary.meant("sofmax") == "softmax"
    assert vocabulary.meant("softly") == "softly"
    assert vocabulary.meant("zeppelin") == "zeppelin"


def test_french_is_found_without_accents_and_in_its_forms_and_english_names_are_too(fake):
    def listed(typed: str) -> str:
        html = fake.get("/search", params={"find": typed}, headers={"accept-language": "fr"}).text
        return unescape(html[html.index('id="entries"') : html.index("</main>")])

    for typed in ("tête", "tetes", "heads", "désactiver d’une tête"):
        assert 'href="/heads"' in listed(typed), typed
    for typed in ("masque causal", "masques causaux", "causal mask", "masqe causal"):
        assert '<a href="/glossary#causal-mask">Masque causal</a>' in listed(typed), typed
    assert "Recherche\u00a0: détection." in listed("detction")
    assert "sur ce sujet\u00a0: lois d’échelle." in listed("lois d'échelle")


def test_nothing_that_is_typed_breaks_the_search():
    search = Search(find_pages(), cards(), Manual(str, ()))
    for typed in ("?", "the of", "√", "日本語", "-inf", "a" * 200, "x " * 100, "%00", "'\";--"):
        assert all(group.hits for group in search.found(typed).groups), typed


@pytest.mark.parametrize("system", systems(), ids=lambda system: system.name)
def test_a_system_is_found_by_its_name_with_its_page_and_its_term(fake: httpx2.Client, system):
    groups = found(fake, system.name.lower())
    assert groups["Systems"][0] == system.name
    assert groups["Pages"]
    assert groups["Terms"]
    if system.models:
        assert groups["Models"]


@pytest.mark.parametrize("system", systems(), ids=lambda system: system.name)
def test_the_pages_of_a_system_name_it_and_say_what_differs_from_the_paper(
    fake: httpx2.Client, system
):
    for address in system.pages:
        path, _, _ = address.partition("?")
        model = {"model": system.models[0]} if system.models else {}
        html = fake.get(path, params=model, follow_redirects=True).text
        assert f"{system.name}: differences from the paper" in html, address
    for model in system.models:
        gallery = fake.get("/models", params={"model": model}).text
        named = f"<strong>{system.name}</strong>" in gallery
        assert named != system.method_only, "a model of another system that uses its method"
        assert f"{system.name}: differences from the paper" in gallery


def test_words_are_held_in_any_case_and_order(fake: httpx2.Client):
    assert "DETR" in found(fake, "TRANSFORMER detection")["Systems"]


def test_where_nothing_has_all_words_the_nearest_are_shown_and_it_says_so(fake: httpx2.Client):
    assert found(fake, "detr zeppelin")["Pages"][0] == "Detection: DETR"
    assert "The closest results" in fake.get("/search", params={"find": "detr zeppelin"}).text
    assert "The closest results" not in fake.get("/search", params={"find": "detr"}).text


def test_where_nothing_is_near_or_typed_the_page_says_where_to_begin(fake: httpx2.Client):
    for words, message in (("", "Type a word"), ("   ", "Type a word"), ("zeppelin", "Try one")):
        assert message in fake.get("/search", params={"find": words}).text
        begun = found(fake, words)
        assert list(begun) == ["Pages"]
        assert "Journey of a token" in begun["Pages"]


def test_what_is_typed_is_shown_and_never_read_as_html(fake: httpx2.Client):
    html = fake.get("/search", params={"find": '"><script>alert(1)</script>'}).text
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert" in html


def test_every_page_has_the_field_and_a_link_to_the_documentation(fake: httpx2.Client):
    for page in find_pages():
        html = fake.get(page.path).text
        assert 'action="/search"' in html
        assert '<a href="/docs"' in html


def test_a_page_without_a_model_says_so_and_keeps_the_readers_choice_hidden(fake: httpx2.Client):
    for page in find_pages():
        html = fake.get(page.path).text
        form = re.search(r'<form class="input"[^>]*>', html)[0]
        assert (" hidden" in form) == (page.model is not None), page.word
        strip = re.search(r'<div class="input-strip"[^>]*>', html)[0]
        assert (" hidden" in strip) == (page.model == "none"), page.word
