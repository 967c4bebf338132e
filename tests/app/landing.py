"""What a page offers: the controls that an address may set, and whether it may set them so."""

from html.parser import HTMLParser
from urllib.parse import parse_qsl, urlsplit

import httpx2

from app.api.endpoint import Endpoint, endpoints

WORDS = {word.name: word for word in endpoints() if not word.path}


class Controls(HTMLParser):
    """The names of a page's controls, each with the values that it offers, None for any value."""

    def __init__(self, html: str):
        super().__init__()
        self.offered: dict[str, set[str] | None] = {}
        self.select = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]):
        given = dict(attrs)
        name, value = given.get("name") or "", given.get("value") or ""
        if tag == "select":
            self.select = name
            self.offered.setdefault(name, set())
        elif tag == "option" and self.select:
            self.offer(self.select, value)
        elif tag == "input" and given.get("type") in ("radio", "checkbox"):
            self.offer(name, value)
        elif tag in ("input", "textarea") and name:
            self.offered[name] = None

    def handle_data(self, data: str):
        """An option without a value has its text."""
        if self.select and data.strip():
            self.offer(self.select, data.strip())

    def handle_endtag(self, tag: str):
        if tag == "select":
            self.select = ""

    def offer(self, name: str, value: str):
        values = self.offered.setdefault(name, set())
        if values is not None:
            values.add(value)


def accepts(word: Endpoint | None, name: str, value: str) -> bool:
    """Whether the question of a word has that field and takes the value; a wrong one raises."""
    if word is None or name not in word.question.model_fields:
        return False
    word.question.model_validate({**dict(parse_qsl(word.example)), name: value})
    return True


def check_landing(client: httpx2.Client, address: str) -> None:
    """Fails unless the page of an address exists and knows every parameter and value given."""
    page = client.get(address)
    assert page.status_code == 200, "the page exists, and shows the model that it is asked for"
    split = urlsplit(address)
    offered = Controls(page.text).offered
    word = WORDS.get(split.path.strip("/"))
    for name, value in parse_qsl(split.query, strict_parsing=True):
        assert name in offered, f"{split.path} has no control {name!r}"
        values = offered[name]
        if not accepts(word, name, value):
            assert values is None or value in values, f"{split.path} does not offer {value!r}"
