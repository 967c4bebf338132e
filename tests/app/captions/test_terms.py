"""Terms of the field are explained where a reader meets them first, on every page, and the
explanation is the glossary's. Pages are read with the parser of the standard library.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser

import httpx2
import pytest

from app.captions.terms import MOST, WORDS, explained, explained_texts
from app.site.pages import cards, find_pages
from model.notes import Term, terms
from model.words import LANGUAGE

BY_NAME = {term.name: term for term in terms()}
TIP = re.compile(
    r'<dfn tabindex="0">([^<]+)<span>([^<]+) <a href="([^"]+)">Glossary</a></span></dfn>'
)
NEVER_IN = {"a", "button", "code", "dl", "h1", "h2", "kbd", "label", "math", "nav", "summary"}
IN_SOME_VIEWS = {"hidden", "data-for", "data-found", "data-scheme", "data-show", "data-view"}
EMPTY = {"br", "hr", "img", "input", "link", "meta"}
TEXTS = {"aside", "section", "details"}
CARDS = cards()
ADDRESSES = sorted(
    page.path if page.model else f"{page.path}?model={card['id']}"
    for page in find_pages()
    for card in CARDS
    if page.fits(card) and (not page.model or card == CARDS[0])
)


def endings(form: str) -> list[str]:
    """The form and its plural."""
    if form.endswith(("query", "dependency")):
        return [form, f"{form[:-1]}ies"]
    return [form, f"{form}es" if form.endswith(("ch", "ss", "x")) else f"{form}s"]


def capital(form: str) -> set[str]:
    """The form, and as it begins a sentence."""
    return {form, form[0].upper() + form[1:]}


FORMS = {
    words: term
    for term in terms()
    for form in term.forms
    for number in endings(form)
    for words in capital(number)
}
USES = "|".join(sorted(map(re.escape, FORMS), key=len, reverse=True))
USE = re.compile(rf"(?<![\w“-])(?:{USES})(?![\w-])")


@dataclass
class Prose:
    """One text: what is said in it, with each term that is explained between the words, which of
    them are explained `elsewhere`, in what is not always shown, and the text around it.
    """

    around: "Prose | None" = None
    parts: list[str | Term] = field(default_factory=list)
    elsewhere: set[Term] = field(default_factory=set)
    words: int = 0

    def explains(self) -> list[Term]:
        return [part for part in self.parts if isinstance(part, Term)]

    def known(self) -> set[Term]:
        return {*self.explains(), *(self.around.known() if self.around else ())}


class Reader(HTMLParser):
    """Reads what stands beside the figures and behind the curtain, in every view."""

    def __init__(self, html: str):
        super().__init__()
        self.open: list[tuple[str, Prose | None, bool, bool]] = []
        self.texts: list[Prose] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in EMPTY:
            return
        attributes = dict(attrs)
        _, text, quiet, sometimes = self.open[-1] if self.open else ("", None, False, False)
        if tag in TEXTS and (text or tag == "aside" or attributes.get("class") == "curtain"):
            text, sometimes = Prose(text), False
            self.texts.append(text)
        else:
            sometimes |= bool(IN_SOME_VIEWS & attributes.keys())
        quiet |= (
            tag in NEVER_IN
            or "data-verbatim" in attributes
            or (tag == "span" and "id" in attributes)
        )
        self.open.append((tag, text, quiet, sometimes))

    def handle_endtag(self, tag: str) -> None:
        if any(tag == element for element, *_ in self.open):
            while self.open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        element, text, quiet, sometimes = self.open[-1] if self.open else ("", None, True, False)
        in_a_tip = element != "dfn" and any(each == "dfn" for each, *_ in self.open)
        if text is None or quiet or in_a_tip:
            return
        text.words += len(data.split())
        part = FORMS[" ".join(data.split())] if element == "dfn" else data
        if not sometimes:
            text.parts.append(part)
        elif isinstance(part, Term):
            text.elsewhere.add(part)


def unexplained(text: Prose) -> set[Term]:
    """The terms that a text uses and does not explain. Fails where it explains one too late."""
    known = text.around.known() if text.around else set()
    missed: set[Term] = set()
    for part in text.parts:
        if isinstance(part, Term):
            assert part not in missed, f"{part.name} is used before it is explained"
            assert part not in known, f"{part.name} is explained twice"
            known = known | {part}
        else:
            missed |= {FORMS[" ".join(use.split())] for use in USE.findall(part)} - known
    return missed


@pytest.fixture(scope="module")
def places(house) -> set[str]:
    """The places on the page of the glossary."""
    with house.client() as client:
        return set(re.findall(r'class="entry" id="([^"]+)"', client.get("/glossary").text))


@pytest.mark.parametrize("path", sorted({address.partition("?")[0] for address in ADDRESSES}))
def test_every_page_explains_its_terms_in_the_words_of_the_glossary(
    client: httpx2.Client, places: set[str], path: str
):
    """For every model that it may be about."""
    for address in ADDRESSES:
        if address.partition("?")[0] == path:
            html = client.get(address).text
            check_first_uses(html, address)
            check_tips(html, places, address)
            assert not QUIET.search(html), f"{address} explains a term where none is read"


QUIET = re.compile(rf"<({'|'.join(sorted(NEVER_IN))})\b[^>]*>(?:(?!</\1>).)*?<dfn", re.DOTALL)
"""A tip in a heading, a link, a control, code or a formula."""


def check_first_uses(html: str, address: str) -> None:
    """All terms are explained, or as many as a text bears; and then none that every page has goes
    before one that few have.
    """
    for text in Reader(html).texts:
        explains, missed = {*text.explains(), *text.elsewhere}, unexplained(text)
        most = max(MOST, text.words // WORDS)
        assert len(explains) <= most, address
        if missed:
            assert len(explains) >= MOST, address
            rare = {term.name for term in missed if not term.common}
            assert not rare or len(explains) >= most, (address, rare)
            assert not rare or not any(term.common for term in explains), (address, rare)


def check_tips(html: str, places: set[str], address: str) -> None:
    """Each has the glossary's sentence and leads to its place."""
    tips = TIP.findall(html)
    assert html.count("<dfn") == len(tips), f"A tip of {address} holds another."
    for words, sentence, href in tips:
        term = FORMS[" ".join(words.split())]
        assert unescape(sentence) == term.sentence, address
        assert unescape(href) == f"/glossary#{term.place}", address
        assert term.place in places, address


def test_terms_without_a_form_of_their_own_are_found_under_their_names():
    assert FORMS["linear map"] is FORMS["Linear maps"] is BY_NAME["Linear map"]
    assert FORMS["patches"] is BY_NAME["Patch"]
    assert FORMS["queries"] is BY_NAME["Query"]
    counted = Counter(form for term in terms() for form in term.forms)
    assert counted.most_common(1)[0][1] == 1, "no form stands for two terms"


def test_the_first_use_is_explained_and_the_longer_term_goes_first():
    html = explained("<h1>A softmax</h1><p>The softmax of scores, the\nsoftmax.</p>")
    assert html.startswith("<h1>A softmax</h1><p>The <dfn")
    assert [words for words, _, _ in TIP.findall(html)] == ["softmax", "scores"]
    words = [words for words, _, _ in TIP.findall(explained("Cross-attention is attention."))]
    assert words == ["Cross-attention", "attention"]
    assert explained("<p>self-made tokenisers, choose “mask”, ADAM</p>").count("<dfn") == 0
    (words, _, _) = TIP.findall(explained("one residual\n  connection"))[0]
    assert words == "residual\n  connection"


def test_a_french_text_is_explained_in_french_but_not_the_name_of_a_control():
    before = LANGUAGE.set("fr")
    try:
        html = explained("<p>Les têtes de « masque » et les masques causaux ; un réseau.</p>")
        assert len({term.name for term in terms()}) == len(BY_NAME)
        words = {form for term in terms() for form in term.forms}
        assert len(words) == sum(len(term.forms) for term in terms()), "no form is of two terms"
    finally:
        LANGUAGE.reset(before)
    assert re.findall(r'0">([^<]+)<span>', html) == ["têtes", "masques causaux"]
    assert 'précèdent. <a href="/glossary#causal-mask">Glossaire</a>' in html


def test_what_stands_in_one_view_only_explains_nothing_for_the_others():
    html = explained('<p data-for="a">a token</p><p data-for="b">a token</p><p>a token, token</p>')
    assert html.count("<dfn") == 3
    html = explained("<p>a token</p><section>a token</section><details>a logit</details>")
    assert html.count("<dfn") == 2, "a section and a fold know what was said before them"


def test_a_text_explains_few_terms_and_rare_ones_first():
    common, rare = "token, head, query, key, values", "RNN, LSTM, GRU, Adam, ReLU, nat"
    explains = [words for words, _, _ in TIP.findall(explained(f"<p>{common}, {rare}</p>"))]
    assert explains == ["RNN", "LSTM", "GRU", "Adam", "ReLU"]
    long = f"<p>{common}, {rare} {'and so on ' * 40}</p>"
    assert [words for words, _, _ in TIP.findall(explained(long))] == rare.split(", ")


def test_a_sentence_of_an_answer_keeps_what_was_typed_and_shares_its_terms():
    first, second = explained_texts("The token “<b>” & a logit.", "A token.")
    assert first.startswith("The <dfn")
    assert "“&lt;b&gt;” &amp; a <dfn" in first
    assert second == "A token."
    assert unescape(TIP.sub(r"\1", first)) == "The token “<b>” & a logit."
    assert explained_texts("") == [""]
    rare = "RNN, LSTM, GRU, Adam, ReLU"
    assert [text.count("<dfn") for text in explained_texts(rare, f"{rare}, nat")] == [5, 1]
