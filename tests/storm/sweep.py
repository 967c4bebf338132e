"""Every combination of the controls of every page: all are estimated; of each page the one that
costs most and some drawn at random are asked as the page asks, while others ask as well.

What scripts fill in when a page opens, layers and heads of a model, is not swept: an answer costs
the same for each of them.
"""

import asyncio
import os
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import count, product
from pathlib import Path
from urllib.parse import urlencode

import httpx2
from pydantic import ValidationError

from app.api.endpoint import Endpoint, endpoints
from app.schema.bounds import query_model
from app.schema.questions import Question
from app.settings import Settings
from app.site.pages import cards, find_pages
from tests.app.problems import assert_problem
from tests.app.serving import Running
from tests.benchmarks.service import SAME, question_of
from tests.storm.client import MARGIN, Answer, Connection, Request
from tests.storm.ground import REAL, Ground
from tests.storm.judge import Judge, as_response
from tests.storm.load import load
from tests.storm.report import Report, Scenario, quantile

LIMITS = Settings()
SEED = int(os.environ.get("VITRINE_SWEEP_SEED", "0")) or random.SystemRandom().randrange(10**6)
SAMPLED = 2  # of each page, beside the one that costs most
CLIENTS, PAUSE = 3, 0.5  # of others, and seconds between the questions of each
PATIENCE = 0.3  # seconds after which a page follows the computation
TRIES = 6  # of a page that hears that the server is busy
REFUSED = (404, 406, 429, 503)  # of a stream: it says nothing of the answer
# A page asks for these fields where a control of another name says so.
TURNED = {("show", "board"): ("board", "true"), ("shown", "time"): ("measure", "1")}
RENAMED = {"sentence": "text", "letters": "text"}
NORMS = {"placement": "none", "depth": "64", "d_model": "128", "seeds": "16"}

Combination = tuple[tuple[str, str], ...]


@dataclass
class Control:
    """What a reader can set: its values, and beside which choices it is there (all, if none)."""

    name: str
    values: list[str] = field(default_factory=list)
    beside: frozenset[str] = frozenset()


class Controls(HTMLParser):
    """The named controls of a page. An empty value is one that is not asked."""

    def __init__(self, html: str):
        super().__init__()
        self.found: dict[tuple[str, frozenset[str]], Control] = {}
        self.beside: list[frozenset[str]] = []
        self.select: Control | None = None
        self.option: str | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag in ("label", "fieldset"):
            self.beside.append(frozenset(attributes.get("data-for", "").split()))
        elif tag == "select":
            self.select = self.control(attributes["name"]) if attributes.get("name") else None
        elif tag == "option":
            self.option = attributes.get("value")
            if self.select is not None and self.option is not None:
                self.select.values.append(self.option)
        elif tag == "input" and attributes.get("name"):
            name = RENAMED.get(attributes["name"], attributes["name"])
            self.control(name).values += values_of(attributes)

    def handle_data(self, text: str) -> None:
        """An option without a value has its text."""
        if self.lasttag == "option" and self.option is None and self.select is not None:
            self.select.values.append(text.strip())
            self.option = ""

    def handle_endtag(self, tag: str) -> None:
        if tag in ("label", "fieldset"):
            self.beside.pop()
        elif tag == "select":
            self.select = None

    def control(self, name: str) -> Control:
        beside = frozenset().union(*self.beside)
        return self.found.setdefault((name, beside), Control(name, [], beside))


def values_of(attributes: dict[str, str]) -> list[str]:
    """Smallest, opening and largest of a number; on and off; one radio button; what is hidden."""
    value = attributes.get("value", "")
    match attributes.get("type"):
        case "number" | "range":
            return [attributes["min"], value, attributes["max"]] if "max" in attributes else [value]
        case "checkbox":
            return ["", value]
    return [value]


def combinations(controls: list[Control], fields: dict[str, set[str]]) -> set[Combination]:
    """The product of all controls, as the questions that they ask; `fields` are those of the word,
    each with the values that its page has and the word refuses.
    """
    known = fields.keys() | {"show", "shown"}
    wanted = [control for control in controls if control.name in known]
    found: set[Combination] = set()
    for chosen in chosen_among([control for control in wanted if not control.beside]):
        names = {*chosen.values(), *(f"{name}-{value}" for name, value in chosen.items())}
        more = [control for control in wanted if control.beside & names]
        opened = [control.name for control in more if control.name in chosen]
        for others in chosen_among([Control(name, [chosen[name]]) for name in opened] + more):
            every = {**chosen, **others}
            turned = dict(TURNED[pair] for pair in every.items() if pair in TURNED)
            question = {**every, **{k: v for k, v in turned.items() if k in fields}}
            pairs = {k: v for k, v in question.items() if k in fields and v not in fields[k] | {""}}
            found.add(tuple(sorted(pairs.items())))
    return found


def chosen_among(controls: list[Control]) -> Iterator[dict[str, str]]:
    """One value for each name; a name may have several controls, such as radio buttons."""
    values: dict[str, dict[str, None]] = {}
    for control in controls:
        values.setdefault(control.name, {}).update(dict.fromkeys(control.values))
    for chosen in product(*values.values()):
        yield dict(zip(values, chosen, strict=True))


def refused_values(kind: type[Question], controls: list[Control]) -> dict[str, set[str]]:
    """Of each field, the words of the page that are none of the API's, such as "all"."""
    refused: dict[str, set[str]] = {name: set() for name in kind.model_fields}
    for control in controls:
        for value in control.values:
            try:
                if control.name in refused:
                    kind.model_validate({control.name: value})
            except ValidationError as wrong:
                if any(error["loc"][:1] == (control.name,) for error in wrong.errors()):
                    refused[control.name].add(value)
    return refused


@dataclass(frozen=True)
class Query:
    """One combination of a page, and what it is estimated to cost."""

    word: Endpoint
    combination: Combination
    work: float

    @property
    def path(self) -> str:
        return f"{self.word.address}?{urlencode(self.combination)}"


def of_page(client: httpx2.Client, word: Endpoint) -> list[Query]:
    """Every combination of a page, about every model that it can show."""
    (page,) = (page for page in find_pages() if page.word == word.name)
    kind = query_model(word.question, LIMITS)
    about_models = {"model", "target"} & {*word.question.model_fields}
    found: dict[Combination, float] = {}
    for card in cards() if about_models else cards()[:1]:
        if page.fits(card):
            html = client.get(page.path, params={"model": card["id"]}).text
            controls = [each for each in Controls(html).found.values() if each.name != "model"]
            fields = refused_values(kind, controls)
            needed = example_of(card, word) if about_models else {}
            for combination in sorted(combinations(controls, fields)):
                whole = {**needed, **dict(combination)}
                if whole.get("scheme") == "own":
                    del whole["scheme"]
                elif "scheme" in whole:
                    whole = dict(combination)  # of a scheme no model is asked
                question = tuple((name, str(value)) for name, value in whole.items())
                found[question] = kind(**dict(question)).estimated_seconds()
    return [Query(word, combination, work) for combination, work in found.items()]


def example_of(card: dict, word: Endpoint) -> dict[str, str]:
    """A model and what it reads when a page opens: words as they are, an image or a row by its
    id. What does not read for one model alone takes the words as `text`.
    """
    example, fields = card["examples"][0], word.question.model_fields
    named = {"image": example["id"], "row": example["id"]}
    read = {name: named.get(name, value) for name, value in example["input"].items()}
    if "source" in read and "source" not in fields:
        read["text"] = read.pop("source")
    every = {"model": card["id"], "text": "i am cold", **read}
    wanted = {"model", *example["input"]} | {n for n in fields if fields[n].is_required()}
    return {name: every[name] for name in sorted(wanted & {*fields}) if name in every}


@dataclass
class Trial:
    """How a page fared with one combination: in seconds what passed, what the worker used of the
    processor (also for others meanwhile), and how long it waited for a core of a busy machine.
    """

    query: Query
    plain: list[Answer] = field(default_factory=list)
    ended: str = ""
    seconds: float = 0.0
    cost: float = 0.0
    queued: float = 0.0

    @property
    def late(self) -> bool:
        """Whether a plain question waited longer than the deadline."""
        return any(answer.seconds > LIMITS.deadline_seconds + MARGIN for answer in self.plain)

    @property
    def held(self) -> bool:
        in_time = self.seconds - self.queued <= LIMITS.hard_seconds
        return in_time and self.ended in ("answered", "refused with what to change")

    def summary(self) -> str:
        times = f"{self.seconds:.1f} s, {self.cost:.1f} s of the processor"
        if self.queued > 1:
            times += f" ({self.queued:.1f} s it was ready and had no core)"
        return f"{self.ended} in {times}, estimated {self.query.work:.1f} s: {self.query.path}"


async def follow(server: Running, query: Query) -> Trial:
    """As static/js/following.js asks."""
    trial, begun = Trial(query), time.perf_counter()
    worker = server.worker()
    before = processor_seconds(worker)
    waits: dict[str, list[float]] = {}
    watching = asyncio.ensure_future(watch_queue(worker, waits))
    answered = asyncio.Event()
    following = asyncio.ensure_future(stream(server, query, answered))
    answer = await patiently(server, query, trial)
    if answer.status == 504:
        events = await following
        if events.status not in REFUSED and b"event: end" in events.body:
            answer = await patiently(server, query, trial)
    answered.set()
    await following
    trial.seconds = time.perf_counter() - begun
    trial.cost = processor_seconds(worker) - before
    watching.cancel()
    trial.queued = sum(times[-1] - times[0] for times in waits.values())
    trial.ended = ended(answer)
    return trial


async def patiently(server: Running, query: Query, trial: Trial) -> Answer:
    """Asks plainly, and again a few times while the server is busy."""
    connection = Connection(server.port)
    for _ in range(TRIES):
        answer = await connection.ask(Request(query.path), LIMITS.deadline_seconds)
        trial.plain.append(answer)
        if answer.status != 503:
            break
        after = as_response(answer).headers["retry-after"]
        await asyncio.sleep(min(float(after), 10))
    connection.close()
    return answer


async def stream(server: Running, query: Query, answered: asyncio.Event) -> Answer:
    """The events of a computation that takes long, until the page has its answer."""
    empty = Answer(Request(query.path, headers=(("Accept", "text/event-stream"),)))
    with suppress(TimeoutError):
        await asyncio.wait_for(answered.wait(), PATIENCE)
    if answered.is_set() or query.word.trains:  # a training is not how far an answer is
        return empty
    connection = Connection(server.port)
    events = asyncio.ensure_future(connection.ask(empty.request, 2 * LIMITS.hard_seconds))
    leaving = asyncio.ensure_future(answered.wait())
    await asyncio.wait({events, leaving}, return_when=asyncio.FIRST_COMPLETED)
    leaving.cancel()
    if not events.done():
        events.cancel()
        connection.close()
        return empty
    connection.close()
    return events.result()


def ended(answer: Answer) -> str:
    if answer.trouble or answer.status == 200:
        return answer.trouble or "answered"
    try:
        problem = assert_problem(as_response(answer), answer.status)
    except AssertionError as wrong:
        return f"not valid: {wrong}"
    hints = answer.status == 422 and problem["errors"] and all(e["hint"] for e in problem["errors"])
    return "refused with what to change" if hints else f"{answer.status} {problem['detail']}"


def processor_seconds(pid: int) -> float:
    """What a process has used of the processor; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


async def watch_queue(pid: int, waits: dict[str, list[float]]) -> None:
    """Writes down of each thread of a process how long it was ready to go on while no core was
    free, as long as nobody ends it: a computation has a thread of its own, which ends with it.
    """
    while True:
        for path in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            with suppress(OSError, IndexError):
                waits.setdefault(path.parent.name, []).append(seconds_queued(path))
        await asyncio.sleep(0.05)


def seconds_queued(path: Path) -> float:
    """The second number of schedstat, which is in nanoseconds."""
    return int(path.read_text().split()[1]) / 1e9


@asynccontextmanager
async def others(server: Running) -> AsyncIterator[list[Answer]]:
    """Clients that ask small questions all the time, every other of them a new one."""
    answers: list[Answer] = []
    numbers = count(10_000)

    async def ask() -> None:
        connection = Connection(server.port, source="127.0.0.6")
        for number in numbers:
            path = SAME if number % 2 else question_of(number)
            answers.append(await connection.ask(Request(path), LIMITS.deadline_seconds))
            await asyncio.sleep(PAUSE)

    asking = [asyncio.ensure_future(ask()) for _ in range(CLIENTS)]
    try:
        yield answers
    finally:
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)


def sweep(report: Report, ground: Ground) -> None:
    chance = random.Random(SEED)
    words = [word for word in endpoints() if word.name in {page.word for page in find_pages()}]
    words = [word for word in words if word.local is None and not word.path]
    with ground.server(REAL) as server:
        with server.client() as client:
            pages = {word.name: of_page(client, word) for word in words}
        chosen = [query for every in pages.values() for query in choose(every, chance)]
        every = [query for page in pages.values() for query in page]
        most = max(every, key=lambda query: query.work)
        report.note("pages that ask", len(words))
        report.note("combinations of their controls", len(every))
        report.note("the largest estimate", f"{most.work:.1f} s: {most.path}")
        over = Counter(query.word.name for query in every if query.work > LIMITS.work_seconds)
        listed = ", ".join(f"{number} of /{word}" for word, number in over.items())
        report.note("over the limit of work, unless they are kept", listed or "none")
        report.note("asked, drawn with VITRINE_SWEEP_SEED", f"{len(chosen)}, {SEED}")
        trials, small = asyncio.run(ask_in_turn(server, chosen))
        under_load(report, server, trials, small)
    worst = max(trials, key=lambda trial: trial.seconds)
    quiet = asyncio.run(follow(ground.quiet(REAL).server, worst.query))
    report.note("the slowest under load", worst.summary())
    report.note("the same alone", quiet.summary())


def choose(page: list[Query], chance: random.Random) -> list[Query]:
    """The combination that costs most, of those alike one drawn, and a few others."""
    chance.shuffle(page)
    dearest = max(page, key=lambda q: (q.work, NORMS.items() <= dict(q.combination).items()))
    return [dearest, *[query for query in page if query is not dearest][:SAMPLED]]


async def ask_in_turn(server: Running, chosen: list[Query]) -> tuple[list[Trial], list[Answer]]:
    async with others(server) as small:
        return [await follow(server, query) for query in chosen], small


def under_load(report: Report, server: Running, trials: list[Trial], small: list[Answer]) -> None:
    ends = Counter(trial.ended for trial in trials)
    report.note("how they ended", ", ".join(f"{n} x {end[:60]}" for end, n in ends.most_common()))
    refused = Counter(each.query.word.name for each in trials if each.ended.startswith("refused"))
    report.note("refused on", ", ".join(f"/{name}" for name in refused) or "no page")
    plain = [answer for trial in trials for answer in trial.plain]
    statuses = Counter(answer.status or answer.trouble for answer in plain)
    report.note("plain answers", ", ".join(f"{n} x {what}" for what, n in statuses.most_common()))
    report.equal("plain questions answered late", sum(trial.late for trial in trials), 0)
    Judge(refusals=(404, 422, 503, 504), answers=plain).report(report)
    report.equal("combinations without an answer in time", sum(not each.held for each in trials), 0)
    for trial in [trial for trial in trials if not trial.held][:5]:
        report.note("not held", trial.summary())
    norms = [trial for trial in trials if NORMS.items() <= dict(trial.query.combination).items()]
    report.equal("/norms at its most expensive", [norm.ended for norm in norms][:1], ["answered"])
    report.equal("workers replaced", load(server)["workers_replaced"], 0)
    Judge(refusals=(), answers=small).report(report)
    took = [answer.seconds for answer in small]
    report.note("small questions of others, 95 % within", f"{quantile(took, 0.95):.2f} s")
    answered = [trial for trial in trials if trial.query.work > 1 and trial.ended == "answered"]
    ratios = {trial.cost / trial.query.work: trial for trial in answered}
    report.note("cost / estimate, from 1 s on", f"{min(ratios):.2f} to {max(ratios):.2f}")
    for ratio in [ratio for ratio in sorted(ratios, reverse=True) if ratio > 1.5][:5]:
        report.note(f"{ratio:.2f} of its estimate", ratios[ratio].summary())


SCENARIOS = (
    Scenario(
        "sweep",
        "Expensive pages",
        "Of every combination of the controls of every page, the one that costs most and"
        f" {SAMPLED} drawn at random are asked, while {CLIENTS} others ask small questions.",
        "every plain question is answered within the deadline, every combination ends within"
        f" {LIMITS.hard_seconds:g} s, beside what the machine has no core free, with its answer or"
        " with what to change, and others get their answers.",
        sweep,
        most=600,
    ),
)
