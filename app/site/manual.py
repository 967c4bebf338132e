"""The manual: a Markdown file a subject in templates/manual. It reads the same on a code host and
at /manual. Its README.md is the index, which lists the others in their order.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from app.paths import folder

FOLDER = folder("templates") / "manual"
INDEX = "README"
LISTED = re.compile(r"^- \[.+?\]\((.+?)\.md\)", re.MULTILINE)
PLACE = re.compile(r"(?P<subject>[\w-]+)\.md(?P<place>#[\w-]+)?")
"""A link to a subject, as a code host follows it."""
PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass
class Section:
    """A heading with the text below it. `place` names it in an address as code hosts do."""

    level: int
    title: str
    place: str
    paragraphs: list[str]

    @property
    def text(self) -> str:
        return " ".join(self.paragraphs)


@dataclass(frozen=True)
class Subject:
    """A page of the manual. `name` is that of its file, empty for the index."""

    name: str
    html: Markup
    sections: Sequence[Section]

    @property
    def title(self) -> str:
        return self.sections[0].title

    @property
    def lead(self) -> str:
        """The first paragraph."""
        return self.sections[0].paragraphs[0]

    @property
    def path(self) -> str:
        return path_of(self.name)


class Manual:
    """All subjects in their order, the index first. `url` makes the address that a browser asks
    for. Code that is an address among `linked` becomes a link.
    """

    def __init__(self, url: Callable[[str], str], linked: Collection[str]):
        self.url, self.linked = url, linked

    @cached_property
    def subjects(self) -> dict[str, Subject]:
        listed = LISTED.findall((FOLDER / f"{INDEX}.md").read_text(encoding="utf-8"))
        found = [self.read(INDEX), *map(self.read, listed)]
        return {subject.name: subject for subject in found}

    def read(self, name: str) -> Subject:
        tokens = PARSER.parse((FOLDER / f"{name}.md").read_text(encoding="utf-8"))
        found = sections(tokens)
        html = PARSER.renderer.render(list(self.served(tokens, found)), PARSER.options, {})
        return Subject("" if name == INDEX else name, Markup(html), found)

    def neighbours(self, subject: Subject) -> tuple[Subject | None, Subject | None]:
        """The subjects before and after one."""
        listed = list(self.subjects.values())
        at = listed.index(subject)
        return (listed[at - 1] if at else None), next(iter(listed[at + 1 :]), None)

    def served(self, tokens: Sequence[Token], found: Sequence[Section]) -> Iterator[Token]:
        """The tokens of a file as /manual shows them: headings with their places, tables and code
        that scroll in a box of their own, and links that lead below the path of the server.
        """
        headings, title = iter(found), ""
        for token in tokens:
            match token.type:
                case "heading_open":
                    section = next(headings)
                    title = section.title
                    token.attrSet("id", section.place)
                case "th_open":
                    token.attrSet("scope", "col")
                case "inline":
                    token.children = list(self.linked_inside(token.children or []))
                case "table_open":
                    yield raw(
                        f'<div class="table-wrap" role="region" aria-label="{escape(title)}"'
                        ' tabindex="0">'
                    )
                case "fence":
                    code = f'<pre tabindex="0"><code>{escape(token.content)}</code></pre>'
                    yield raw(f'<div class="code">{code}</div>\n')
                    continue
            yield token
            if token.type == "table_close":
                yield raw("</div>\n")

    def linked_inside(self, tokens: Sequence[Token]) -> Iterator[Token]:
        """What stands in a line. A link to a file that is not served is only its words."""
        inside, served = False, True
        for token in tokens:
            match token.type:
                case "link_open":
                    inside, address = True, self.address(str(token.attrGet("href")))
                    token.attrSet("href", address)
                    served = bool(address)
                case "link_close":
                    inside = False
                case "code_inline" if not inside and token.content.partition("?")[0] in self.linked:
                    yield raw(f'<a href="{escape(self.url(token.content))}">')
                    yield token
                    yield raw("</a>")
                    continue
            if served or token.type not in ("link_open", "link_close"):
                yield token
            served = served or token.type == "link_close"

    def address(self, reference: str) -> str:
        """Where a link leads, or nothing if the server does not have that file."""
        if found := PLACE.fullmatch(reference):
            name = found["subject"]
            return self.url(path_of("" if name == INDEX else name)) + (found["place"] or "")
        return reference if re.match(r"https?://|#", reference) else ""


def path_of(name: str) -> str:
    return f"/manual/{name}" if name else "/manual"


def sections(tokens: Sequence[Token]) -> list[Section]:
    """The headings of a file, each with its paragraphs, list items and cells as plain text."""
    found: list[Section] = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type != "inline":
            continue
        text = plain(token.children or [])
        if before is not None and before.type == "heading_open":
            found.append(Section(int(before.tag[1]), text, place(text), []))
        elif found:
            found[-1].paragraphs.append(text)
    return found


def plain(tokens: Sequence[Token]) -> str:
    """A line without its marks."""
    read_types = {"text", "code_inline", "softbreak"}
    return "".join(token.content or " " for token in tokens if token.type in read_types)


def place(title: str) -> str:
    """The place of a heading, as code hosts make it from its words."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def raw(html: str) -> Token:
    return Token("html_block", "", 0, content=html)
