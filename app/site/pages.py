"""The pages. Each is a template in templates/pages, and its first line says to which subject it
belongs and which inputs it is about.
"""

import asyncio
import re
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

import orjson
from cachetools import LRUCache
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from latex2mathml.converter import convert
from markupsafe import Markup, escape
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.captions import arrangement, edited
from app.captions.arrangement import first_field, in_order, without_frame
from app.captions.clinic import captions_of
from app.captions.terms import explained
from app.captions.text import grouped, percent
from app.drawings import averages, placement
from app.errors import Problem
from app.experiments import experiment, words
from app.figures.provenance import provenance
from app.limits import SharedLimits
from app.parameters import MASKS, SCHEMES
from app.paths import folder
from app.responses import Document, conditional
from app.schema.bounds import query_model
from app.schema.controls import RenderedControl, controls
from app.site import (
    derivation,
    model_cards,
    model_comparison,
    notes_service,
    search,
)
from app.site.assets import Assets
from app.site.edit_effect import before_and_after, predictions
from app.site.edit_menu import menu
from app.site.manual import Manual
from app.site.notebook import notebook_script
from app.site.prose import prose_in
from app.site.trail import Answer, Place, crumbs, ending
from model import display_limits
from model.labels import label, table
from model.layers.choice_names import MASK_NAMES, SCHEME_NAMES
from model.words import LANGUAGE, languages
from model.zoo.cards import ids, read_card, shelf_version

if TYPE_CHECKING:
    from app.settings import Settings

SUBJECTS = (
    "Start",
    "Tokens and positions",
    "Attention",
    "Residual stream and norms",
    "Feed-forward",
    "Text generation",
    "Training",
    "Looking inside",
    "Beyond text",
    "Reference",
)
"""The subjects in the order in which one learns, as the first lines of templates name them."""
FIRST_LINE = re.compile(
    r"\{# subject: (?P<subject>[\w -]+), order: (?P<order>\d+), title: (?P<title>.+?)"
    r"(?:, reads: (?P<reads>[\w|]+))?(?:, model: (?P<model>[\w-]+))?"
    r"(?:, minutes: (?P<minutes>\d+))?(?:, shows: (?P<shows>\w+))? #\}"
)
WORDS_A_MINUTE = 130
"""What is read of an explanation with formulas; a figure takes a minute more."""
TAGS = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}|<[^>]*>", re.DOTALL)
FIGURES = re.compile(r"[{%] (?:call )?figure\(")
DESCRIPTION = re.compile(r"\{% block description %\}([^{]*)\{% endblock %\}")
FRONT_PAGE = "overview"
LANGUAGES = {"en": "English", "fr": "Français"}
NOT_EMBEDDED = ("", "0", "false", "no", "off")
"""What `embed` says where a page is not for a frame; any other word is a yes."""
PAGES_KEPT = 256
BYTES_KEPT = 262_144  # of one page
SHOWN_ON = {"logits": "residual"}  # words that have no page of their own
GLOSSARY = 'href="/glossary#'
WORD_IN_TEX = re.compile(r"(?<!d_\{)(\\text\{ *)([^{}]*[^{} ])")
"""The words of a formula, but not the subscript of a width: that is a name."""
TEMPLATES = folder("templates")


@dataclass(frozen=True, order=True)
class Page:
    """A page of the navigation. `place` counts the subjects, and `order` the pages of each. `reads`
    are the encodings of the models that it is about, with | between them, or None for all. `model`
    is None where the reader chooses the model and its input, "none" where no model takes part, and
    else the one that the page is about. `shows_a_run` where its figures are of a run, which edits
    may change; `has_claim` where it puts one law to the test. `minutes` is how long a reader stays.
    """

    place: int
    order: int
    word: str
    title: str
    reads: str | None = None
    model: str | None = None
    shows_a_run: bool = False
    has_claim: bool = False
    sentence: str = ""
    minutes: int = 0

    @property
    def path(self) -> str:
        return "/" if self.word == FRONT_PAGE else f"/{self.word}"

    @property
    def subject(self) -> str:
        return SUBJECTS[self.place]

    def fits(self, card: dict) -> bool:
        return self.reads is None or card["encoding"] in self.reads.split("|")

    def read(self) -> "Page":
        """The page as its title and its sentence are read in the language of who asks."""
        return replace(self, title=label(self.title), sentence=label(self.sentence))


DOCS = Page(
    SUBJECTS.index("Reference"),
    8,
    "docs",
    "The REST API",
    model="none",
    sentence="Every number and figure, available to your own programs.",
)
SEARCH = replace(
    DOCS, order=9, word="search", title="Search", sentence="Find pages, models, terms and notes."
)
MANUAL = replace(
    DOCS,
    order=7,
    word="manual",
    title="Manual",
    sentence="How to run Vitrine, teach with it, and give it your own models and data.",
)
LECTURE = replace(
    DOCS,
    place=SUBJECTS.index("Start"),
    order=9,
    word="lecture",
    title="Lectures",
    sentence="Ready-made talks to project; students follow and vote on their phones.",
)
"""Pages that stand beside the words of the API, and have routes of their own."""


def find_pages() -> list[Page]:
    """A page for every template whose first line names a subject, in the order of learning."""
    found = []
    for path in sorted((TEMPLATES / "pages").glob("*.html")):
        text = path.read_text(encoding="utf-8")
        if match := FIRST_LINE.match(text):
            sentence = DESCRIPTION.search(text)
            found.append(
                Page(
                    SUBJECTS.index(match["subject"]),
                    int(match["order"]),
                    path.stem,
                    match["title"],
                    match["reads"],
                    match["model"],
                    match["shows"] == "run",
                    '{% extends "clinic.html" %}' in text,
                    sentence[1] if sentence else "",
                    int(match["minutes"] or minutes(text)),
                )
            )
    return sorted(found)


def minutes(template: str) -> int:
    """How long a reader stays, from the words and the figures of a template."""
    words = len(TAGS.sub(" ", template).split())
    return ceil(words / WORDS_A_MINUTE + len(FIGURES.findall(template)))


def chips(question: Mapping[str, Any], card: dict, answer: dict | None = None) -> dict[str, Any]:
    """What the row of edits has chips for. An answer about the edited run knows the tokens."""
    read = first_field(card)
    tokens = without_frame(in_order(answer, read)) if answer else None
    return {
        "chips": edited.chips(question.get("edits")),
        "arranged": arrangement.chips(question, read, tokens),
    }


def cards() -> list[dict]:
    """Returns the cards of all models, read without torch: the shipped ones in the order of
    `order.txt`, of which pages open on the first, and then one's own.
    """
    return [read_card(id) for id in ids()]


def tex(formula: str, block: bool = False) -> Markup:
    """A formula as MathML, which browsers draw without scripts or fonts. Names of functions stand
    upright, single letters in italics, and words are in the reader's language.
    """
    return mathml(WORD_IN_TEX.sub(lambda found: found[1] + label(found[2]), formula), block)


@lru_cache(maxsize=512)
def mathml(formula: str, block: bool) -> Markup:
    """A formula as MathML, with its words as they stand."""
    elements = convert(formula, display="block" if block else "inline")
    return Markup(re.sub("<mi>([a-z]{2,})</mi>", r'<mi mathvariant="normal">\1</mi>', elements))


def marked(text: str) -> Markup:
    """A sentence whose names between back quotes are shown as code."""
    return Markup(re.sub("`(.+?)`", r"<code>\1</code>", str(escape(text))))


def controls_of(word: str) -> dict[str, RenderedControl]:
    """The controls that an experiment declares beside its fields; none of another word."""
    if word not in words():
        return {}
    spec = experiment(word)
    return controls(spec.figure_query or spec.question)


def at_setting(word: str, address: Mapping[str, str], limits: SharedLimits) -> dict[str, Any]:
    """The question that the page of a clinic asks at an address; what the address leaves out is as
    the page opens. Raises ValidationError.
    """
    question = experiment(word).question
    opening = {name: control.opens for name, control in controls_of(word).items()}
    values = {**opening, **address}
    fields: Any = {name: values[name] for name in question.model_fields if values.get(name)}
    return query_model(question, limits)(**fields).arguments()


class Pages:
    """Renders the templates, with what every page needs."""

    def __init__(self, settings: "Settings", assets: Assets):
        self.settings, self.assets = settings, assets
        # Pages as they were sent, so that each is compressed once.
        self.documents: LRUCache[str, Document] = LRUCache(PAGES_KEPT)
        self.environments = {language: self.environment_of(language) for language in languages()}
        self.script: Document | None = None
        self.know(
            url=self.url,
            asset=lambda name: self.url(assets.address(name)),
            modules=assets.modules,
            tex=tex,
            marked=marked,
            model_cards=model_cards,
            model_comparison=model_comparison,
            notes_service=notes_service,
            search=search,
            title_of=self.title_of,
            grouped=grouped,
            percent=percent,
            drawings={"placement": placement, "averages": averages},
            parameters={
                "masks": MASKS,
                "patterns": MASK_NAMES,
                "schemes": SCHEMES,
                "names": SCHEME_NAMES,
            },
            captions=lambda word: captions_of(experiment(word)),
            controls_of=self.controls_at,
            asks=self.asks,
            embed=settings.embed,
            shown=display_limits,
            language=LANGUAGE.get,
            languages=LANGUAGES,
            scripts_say=lambda: table(LANGUAGE.get(), "scripts"),
            _=label,
            limits={row["name"]: row["value"] for row in settings.limits()},
            edited=[],
        )
        self.read()

    def environment_of(self, language: str) -> Environment:
        """The templates in a language."""
        environment = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            auto_reload=self.settings.reload,
            trim_blocks=True,
            extensions=[prose_in(language)] if language != "en" else [],
        )
        environment.filters |= {"explained": self.explained, "shelf": model_cards.shelf}
        return environment

    @property
    def environment(self) -> Environment:
        """The templates in the language of who asks."""
        return self.environments[LANGUAGE.get()]

    def controls_at(self, word: str, address: Mapping[str, str]) -> dict[str, RenderedControl]:
        """The controls with every value of an address that may be asked: a page shows what its
        address says, and not what is near it.
        """
        found = controls_of(word)
        for name, control in found.items():
            value = address.get(name, "")
            offered = not value or value in control.options or not control.options
            if not offered and self.may_be(word, name, value):
                found[name] = replace(control, options={**control.options, value: value})
        return found

    def may_be(self, word: str, name: str, value: str) -> bool:
        """Whether a field of the figures of a word may have a value."""
        spec = experiment(word)
        values: Any = {name: value}
        try:
            query_model(spec.figure_query or spec.question, self.settings)(**values)
        except ValidationError:
            return False
        return True

    def exercise_sentence(self, word: str, address: Mapping[str, str]) -> str:
        """What the page of a clinic asks at an address. Raises ValidationError."""
        question = at_setting(word, address, self.settings)
        return captions_of(experiment(word)).exercise.sentence(question)

    def asks(self, word: str, address: Mapping[str, str]) -> str:
        """The same; a page whose address cannot be answered asks as it opens."""
        try:
            return self.exercise_sentence(word, address)
        except ValidationError:
            return self.exercise_sentence(word, {})

    @property
    def known(self) -> MutableMapping[str, Any]:
        """What every template knows in the language of who asks; jinja2 declares only the kinds of
        what is in it at first.
        """
        return cast(MutableMapping[str, Any], self.environment.globals)

    def know(self, **more: object) -> None:
        """What every template knows in all languages besides."""
        for environment in self.environments.values():
            cast(MutableMapping[str, Any], environment.globals).update(more)

    def read(self) -> None:
        pages = find_pages()
        menus = sorted([*pages, LECTURE, MANUAL, DOCS, SEARCH])
        self.manual = Manual(self.url, {page.path for page in menus})
        self.by_word = {page.word: page for page in pages}
        self.know(words_a_minute=WORDS_A_MINUTE, manual=self.manual)
        self.menus = menus
        self.read_cards()

    def read_cards(self) -> None:
        self.models, self.models_read = cards(), shelf_version()
        pages = sorted([*self.by_word.values(), LECTURE, MANUAL, DOCS])
        for language in self.environments:
            previous = LANGUAGE.set(language)
            models = list(map(model_cards.in_words, self.models))
            self.known.update(
                models=models,
                finder=search.Search(pages, self.models, self.manual),
                navigation=[
                    (label(name), [page.read() for page in some])
                    for name, some in groupby(self.menus, lambda page: page.subject)
                ],
            )
            LANGUAGE.reset(previous)

    def look_at_cards(self) -> None:
        """Reads the cards again where a model was added, has changed or was removed."""
        if shelf_version() != self.models_read:
            self.read_cards()

    async def render(
        self, request: Request, template: str, page: Page, status: int = 200, **more: object
    ) -> Response:
        """Renders a page about the model that the address names, or about the first model that
        fits.

        If the page cannot show that model's input, the reader is sent to the page without a model,
        so that the bar and the address name the model that is shown. Presenter mode goes along.
        """
        if self.settings.reload:
            self.assets.refresh()
            self.read()
        self.look_at_cards()
        models: list[dict] = self.known["models"]
        selected = next(
            (card for card in models if card["id"] == request.query_params.get("model")), None
        )
        if selected and not page.fits(selected):
            hall = "?present=1" if request.query_params.get("present") else ""
            return RedirectResponse(self.url(page.path) + hall, 307)
        fitting = [card for card in models if page.fits(card)]
        embedded = request.query_params.get("embed", "").lower() not in NOT_EMBEDDED
        covered = bool(request.query_params.get("curtain"))
        before, following = self.neighbours(page)
        html = self.environment.get_template(template).render(
            page=page.read(),
            before=before and before.read(),
            following=following and following.read(),
            card=selected or fitting[0],
            fitting=fitting,
            embedded=embedded,
            query=request.query_params,
            covered=covered,
            **chips(request.query_params, selected or fitting[0]),
            **more,
        )
        return await self.sent(request, html, status=status)

    def neighbours(self, page: Page) -> tuple[Page | None, Page | None]:
        """The pages before and after this one, in the order in which one learns."""
        pages = list(self.by_word.values())
        if page not in pages:
            return None, None
        at = pages.index(page)
        return (pages[at - 1] if at else None), next(iter(pages[at + 1 :]), None)

    async def sent(
        self,
        request: Request,
        html: str,
        headers: Mapping[str, str] | None = None,
        status: int = 200,
    ) -> Response:
        document = Document(html.encode(), "text/html")
        if len(document) <= BYTES_KEPT:
            document = self.documents.setdefault(document.etag, document)
        return await conditional(request, document, headers, status)

    async def figure(
        self,
        request: Request,
        word: str,
        name: str,
        query: Sequence[tuple[str, str]],
        figure: bytes,
        theme: str | None,
        headers: Mapping[str, str],
    ) -> Response:
        """Renders a figure, JSON, as a page of its own for a frame, with a link to the page that
        shows it. `asked` are the fields of its question.
        """
        meta = orjson.loads(figure)["layout"]["meta"]
        html = self.environment.get_template("figure.html").render(
            title=meta["title"],
            description=meta["description"],
            provenance=provenance(meta),
            whole=self.where(word, name, query),
            figure=Markup(figure.replace(b"<", b"\\u003c").decode()),
            theme=theme,
        )
        return await self.sent(request, html, headers)

    async def notebook(self, request: Request) -> Response:
        """The script that a notebook holds once, for all its figures."""
        if self.script is None or self.settings.reload:
            content = await asyncio.to_thread(notebook_script, self.assets)
            self.script = Document(content, "text/javascript")
        return await conditional(request, self.script, {"cache-control": "no-cache"})

    def trail(
        self,
        model: str,
        way: Sequence[Place],
        answers: Sequence[Answer | None],
        steps: Sequence[Answer],
        refused: str,
    ) -> dict[str, Any]:
        """A derivation as its panel shows it: the numbers on the way to its last one, and the steps
        and tables of that. `answers` and `steps` are those of /explain, `refused` why there is
        none. `place` is the last number that /explain answers about.
        """
        template = self.environment.get_template
        panels = [template("_partials/step.html").render(derivation.step(step)) for step in steps]
        explained = [place for place, answer in zip(way, answers, strict=True) if answer] or way[
            -1:
        ]
        return {
            "crumbs": template("_partials/trail.html").render(crumbs=crumbs(way, answers)),
            "html": template("_partials/steps.html").render(
                end=ending(way, answers),
                steps=list(map(Markup, panels)),
                refused=refused,
                kind=self.card(model)["kind"],
            ),
            "tables": [derivation.table(step) for step in steps],
            "kind": next((answer["kind"] for answer in reversed(answers) if answer), None),
            "place": {"name": explained[-1].name, "at": explained[-1].indices},
        }

    def edits_row(
        self, question: dict[str, Any], plain: dict, changed: dict, generated: dict | Problem | None
    ) -> dict[str, Any]:
        """The row of edits as HTML: a chip for each, and what the model answers without and with
        them; and the prediction by what figures show. `asked` is the question, its edits as JSON,
        and `written` what it writes with the edits, or why it cannot.
        """
        card = self.card(question["model"])
        writes = "generate" in self.known["edited"] and card["family"] != "encoder-only"
        query = {
            name: value for name, value in question.items() if name != "beside" and value != "[]"
        }
        query |= {"show": "text", "step": "end"}
        generate = f"/generate?{urlencode(query)}" if writes and card["encoding"] != "scene" else ""
        effect = before_and_after(card, plain, changed, generated)
        row = self.row_of_edits(
            chips(question, card, changed), {"effect": effect, "generate": generate}
        )
        return row | {"predictions": predictions(plain, changed, generated)}

    def edits_refused(
        self, question: dict[str, Any], plain: dict, problem: Problem
    ) -> dict[str, Any]:
        """The row of edits of which one is refused: its chip is marked."""
        more = edited.refused(question["edits"], problem.detail, problem.errors)
        row = self.row_of_edits(chips(question, self.card(question["model"])), more)
        return row | {"predictions": predictions(plain, {}, None)}

    def row_of_edits(self, chips: dict, more: dict) -> dict[str, Any]:
        template = self.environment.get_template("_partials/edited.html")
        return {"html": template.render(**chips, **more)}

    def edit_menu(
        self, question: dict[str, Any], plain: dict, chosen: dict[str, str]
    ) -> dict[str, Any]:
        """The menu of edits as HTML after the choices of a reader, and the edit that they make, or
        the fields of the address that say how the input is read.
        """
        card = self.card(question["model"])
        edit_form = menu(card, plain["axes"], chosen, in_order(plain, first_field(card)))
        html = self.environment.get_template("_partials/edit_menu.html").render(menu=edit_form)
        return {"html": html, "edit": edit_form.edit, "state": edit_form.state}

    def card(self, model: str) -> dict:
        self.look_at_cards()
        return next(card for card in self.models if card["id"] == model)

    async def refused(
        self, request: Request, problem: Problem, template: str = "refused.html", **more: object
    ) -> Response:
        """Renders why something is not there: a figure of a frame, or by another template. What
        may be there later is asked again.
        """
        wait = problem.headers.get("Retry-After") or (5 if problem.code == "too_slow" else None)
        known = {"problem": problem, "wait": wait, **more}
        html = self.environment.get_template(template).render(known)
        headers = {"cache-control": "no-store", "vary": "Accept", **problem.headers}
        return await self.sent(request, html, headers, problem.status)

    def where(self, word: str, figure: str, query: Sequence[tuple[str, str]]) -> str:
        """Returns the address of the page that shows a figure of a word. If a control of that page
        chooses among figures, the address chooses this one.
        """
        page = self.by_word.get(SHOWN_ON.get(word, word))
        if page is None:
            return "/"
        template = (TEMPLATES / "pages" / f"{page.word}.html").read_text(encoding="utf-8")
        parts = "|".join(map(re.escape, figure.split(".")))
        chosen = re.findall(rf'name="(\w+)" value="({parts})"', template)
        fields = urlencode({**dict(query), **dict(chosen)})
        return f"{page.path}?{fields}" if fields else page.path

    def title_of(self, address: str) -> str:
        """Returns the title of the page that an address leads to."""
        word = address.partition("?")[0].partition("#")[0].strip("/") or FRONT_PAGE
        return self.by_word[word].read().title if word in self.by_word else word

    def url(self, address: str) -> str:
        """An address of this product as the browser must ask for it, below the path of a proxy."""
        return self.settings.root_path + address

    def explained(self, html: str) -> Markup:
        """Returns a text whose terms are explained where they first stand, with links to them."""
        return Markup(explained(str(html)).replace(GLOSSARY, f'href="{self.url("/glossary#")}'))

    async def page(self, request: Request, word: str) -> Response:
        if word not in self.by_word or request.url.path != self.by_word[word].path:
            raise HTTPException(404)
        return await self.render(request, f"pages/{word}.html", self.by_word[word])

    async def missing(self, request: Request) -> Response:
        page = Page(0, 0, "missing", "Not found")
        return await self.render(request, "404.html", page, 404, path=request.url.path)
