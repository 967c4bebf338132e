"""The pages: one template each, found in templates/pages; its first line says in which room it stands, and which inputs it is about."""

import hashlib
import json
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from latex2mathml.converter import convert
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.assets import Assets
from app.notes import GLOSSARY, QUESTIONS
from app.paths import folder, weights
from app.settings import Settings

ROOMS = ("Run", "Parts", "Laws", "Family", "Notes")
FIRST_LINE = re.compile(
    r"\{#\s*room:\s*(?P<room>\w+),\s*order:\s*(?P<order>\d+),\s*title:\s*(?P<title>.+?)(?:,\s*reads:\s*(?P<reads>\w+))?\s*#\}"
)
FRONT_PAGE = "overview"
TEMPLATES = folder("templates")


@dataclass(frozen=True, order=True)
class Page:
    """A page in the navigation; `order` is its place in the room, `reads` the encoding of the models it is about, None if of all."""

    order: int
    word: str
    title: str
    room: str
    reads: str | None = None

    @property
    def path(self) -> str:
        return "/" if self.word == FRONT_PAGE else f"/{self.word}"

    def fits(self, card: dict) -> bool:
        return self.reads in (None, card["encoding"])


def find_pages() -> list[Page]:
    """Every template whose first line names a room."""
    found = []
    for path in sorted((TEMPLATES / "pages").glob("*.html")):
        with path.open(encoding="utf-8") as file:
            if match := FIRST_LINE.match(file.readline()):
                found.append(Page(int(match["order"]), path.stem, match["title"], match["room"], match["reads"]))
    return sorted(found)


def cards() -> list[dict]:
    """What each shipped model says of itself, read without torch, in the order of `order.txt`; the first is the one that pages open on."""
    found = sorted(path.parent.name for path in weights().glob("*/card.json"))
    stated = (weights() / "order.txt").read_text(encoding="utf-8").split()
    return [card(weights() / name) for name in dict.fromkeys([*stated, *found]) if name in found]


def card(folder: Path) -> dict:
    return json.loads((folder / "card.json").read_text(encoding="utf-8")) | {"bytes": (folder / "model.safetensors").stat().st_size}


@lru_cache(maxsize=512)
def tex(formula: str, block: bool = False) -> Markup:
    """A formula as MathML, which browsers draw without scripts or fonts."""
    return Markup(convert(formula, display="block" if block else "inline"))


class Pages:
    """Renders templates with what every page needs."""

    def __init__(self, settings: Settings, assets: Assets):
        self.settings, self.assets = settings, assets
        self.environment = Environment(
            loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, auto_reload=settings.reload, trim_blocks=True
        )
        self.environment.globals |= {
            "asset": assets.address,
            "modules": assets.modules,
            "tex": tex,
            "notes": {"glossary": GLOSSARY, "questions": QUESTIONS},
            "limits": {row["name"]: row["value"] for row in settings.limits()},
        }
        self.read()

    def read(self) -> None:
        pages = find_pages()
        rooms = [{"name": room, "pages": [page for page in pages if page.room == room]} for room in ROOMS]
        self.by_word = {page.word: page for page in pages}
        self.models = cards()
        self.environment.globals |= {"rooms": [room for room in rooms if room["pages"]], "models": self.models}

    def render(self, request: Request, template: str, page: Page, status: int = 200, **more: object) -> Response:
        """The page about the model that the address names; about the first that fits where it names none there is.

        Asked for about a model whose input it cannot show, it sends the reader to itself: so the bar and the address name what is shown.
        """
        if self.settings.reload:
            self.assets.refresh()
            self.read()
        asked = next((card for card in self.models if card["id"] == request.query_params.get("model")), None)
        if asked and not page.fits(asked):
            return RedirectResponse(page.path, 307)
        fitting = [card for card in self.models if page.fits(card)]
        html = self.environment.get_template(template).render(page=page, card=asked or fitting[0], fitting=fitting, **more).encode()
        etag = f'W/"{hashlib.sha256(html).hexdigest()[:24]}"'
        if status == 200 and request.headers.get("if-none-match") == etag:
            return Response(status_code=304, headers={"etag": etag, "cache-control": "no-cache"})
        return Response(html, status, {"etag": etag, "cache-control": "no-cache"}, "text/html")

    def page(self, request: Request, word: str) -> Response:
        if word not in self.by_word or request.url.path != self.by_word[word].path:
            raise HTTPException(404)
        return self.render(request, f"pages/{word}.html", self.by_word[word])

    def missing(self, request: Request) -> Response:
        return self.render(request, "404.html", Page(0, "missing", "Not found", ""), 404, path=request.url.path)
