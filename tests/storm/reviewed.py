"""Five requests of ordinary looks that once froze, starved or killed the server: what each cost
before, and what it costs now.
"""

import asyncio
import json
import time
from itertools import chain

from tests.app.serving import Running, wait_for
from tests.app.test_server import SCRIPT, processor_time, unread
from tests.app.test_streams import EVENTS
from tests.storm.client import JSON, Answer, Connection, Request, watched
from tests.storm.ground import REAL, Ground, fetch
from tests.storm.judge import Judge, resident
from tests.storm.load import load
from tests.storm.report import Report, Scenario

SECONDS_TO_WRITE = 4
# The largest of four clinics; 30 s of a processor together.
LARGEST = (
    "/api/v1/norms?placement=none&depth=64&d_model=128&seeds=16",
    "/api/v1/amplification?depths=2,8,32,64&d_model=128&seeds=16",
    "/api/v1/gradients?depths=2,8,32&d_model=128&seeds=16",
    "/api/v1/complexity?lengths=16,64,256,1024&d_model=128&seeds=16",
)
LARGE = "/api/v1/logits?full=true&lens=true&attribution=true&top=50&model=shakespeare&text="
EVERYTHING = "/api/v1/activations?model=shakespeare&"
CROSS = (
    ("Origin", "http://evil.example"),
    ("Sec-Fetch-Site", "cross-site"),
    ("Sec-Fetch-Mode", "no-cors"),
)


async def while_watched(server: Running, requests: list[Request]) -> tuple[list, list[Answer]]:
    """The answers to the requests, one after another, and the health checks meanwhile."""
    connection = Connection(server.port)
    async with watched(server.port) as health:
        await asyncio.sleep(0.3)
        answers = [await connection.ask(request, 60) for request in requests]
        await asyncio.sleep(0.2)
    connection.close()
    return answers, health


def worst(answers: list[Answer]) -> float:
    return max(answer.seconds for answer in answers)


def repeated(report: Report, ground: Ground) -> None:
    server = ground.shared(REAL)
    names = [f'"{number:05d}":0' for number in range(25_000)]
    body = "{" + ",".join([*names, names[-1]]) + "}"
    cells = "[{" + ",".join([*names[:4_500], names[0]]) + "}]"
    cells = cells.replace('"', "%22")
    names = "{" + ",".join(f'"{number}":1' for number in range(24_000)) + "}"
    where = f'{{"op":"zero","at":"x","where":{names}}}'
    edited = '{"model":"translator","source":"a","edits":[%s]}'
    requests = [
        Request("/api/v1/limits", "POST", body.encode(), (JSON,)),
        Request(f"/api/v1/masks?cells={cells}"),
        *(
            Request("/api/v1/attention", "POST", (edited % edit).encode(), (JSON,))
            for edit in (names, where)
        ),
    ]
    before = processor_time(server)
    answers, health = asyncio.run(while_watched(server, requests))
    report.at_most("health, the worst (before: 28.7 s)", worst(health), 0.5, " s")
    spent = processor_time(server) - before
    report.at_most("processor time of the server (before: 11 s)", spent, 1.0, " s")
    Judge(refusals=(422,), answers=answers).report(report)


def largest(report: Report, ground: Ground) -> None:
    """Each is asked until it is answered; somebody else asks small questions meanwhile."""
    with ground.server(REAL) as server:
        finished, others = asyncio.run(large_and_small(server))
        report.equal(
            "workers killed by a question (before: 4)", load(server)["workers_replaced"], 0
        )
        answered = sum(answers[-1].status == 200 for answers in finished)
        report.equal("largest clinics answered (before: 1 of 14)", answered, len(LARGEST))
        report.note("times that each was asked", [len(answers) for answers in finished])
        small = [answer for answer in others if answer.status == 200]
        report.equal("others refused or failed", len(others) - len(small), 0)
        report.at_most("others answered, the last after", worst(others), 3.5, " s")
        judge = Judge(refusals=(503, 504), answers=[*chain.from_iterable(finished), *others])
        judge.report(report, ground.quiet(REAL))


async def large_and_small(server: Running) -> tuple[list[list[Answer]], list[Answer]]:
    async def until_answered(path: str) -> list[Answer]:
        connection, answers = Connection(server.port), []
        while not answers or answers[-1].status in (503, 504):
            if answers:
                await asyncio.sleep(1)
            answers.append(await connection.ask(Request(path)))
        connection.close()
        return answers

    large = asyncio.gather(*map(until_answered, LARGEST))
    connection, others = Connection(server.port, source="127.0.0.5"), []
    while not large.done():
        source = f"i+am+cold+{len(others)}"
        request = Request(f"/api/v1/tokens?model=translator&source={source}")
        others.append(await connection.ask(request))
        await asyncio.sleep(0.5)
    connection.close()
    return await large, others


def heavy(report: Report, ground: Ground) -> None:
    server = ground.shared(REAL)
    text = ("to be or not to be " * 14)[:255].replace(" ", "+")
    names = "*.0.**,*.1.**,*.2.**"  # the numbers of three layers: 11 MB
    compressed = (("Accept-Encoding", "br"),)
    requests = [
        Request(LARGE + text, headers=compressed),
        Request(f"{EVERYTHING}names=**&text={text}", headers=compressed),
        Request(f"{EVERYTHING}names={names}&text={text}", headers=compressed),
    ]
    first, first_health = asyncio.run(while_watched(server, requests))
    before = processor_time(server)
    answers, health = asyncio.run(while_watched(server, requests * 3))
    spent = processor_time(server) - before
    answers, health = [*first, *answers], [*first_health, *health]
    largest = max(len(answer.body) for answer in answers) / 1e6
    report.note("the largest answer on its way (before: 17.5 MB)", f"{largest:.2f} MB")
    report.at_most("health, the worst (before: 2.42 s)", worst(health), 0.5, " s")
    report.at_most("processor time, nine kept answers (before: 2.1 s each)", spent, 1.0, " s")
    Judge(refusals=(422,), answers=answers).report(report, ground.quiet(REAL))


def deaf(report: Report, ground: Ground) -> None:
    with ground.server(connections=20, write_seconds=SECONDS_TO_WRITE) as server:
        idle = resident(server)
        clients = unread(server, 20, SCRIPT)
        began = time.monotonic()
        wait_for(lambda: health(server) == 503)
        wait_for(lambda: health(server) == 200, 60)
        took = time.monotonic() - began
        report.at_most("served again (before: never)", took, 2 * SECONDS_TO_WRITE + 2.0, " s")
        grown = 100 * (resident(server) / idle - 1)
        report.at_most("memory more than before them", grown, 10, " %")
        for client in clients:
            client.close()
        wait_for(lambda: health(server) == 200)


def health(server: Running) -> int:
    return fetch(server, Request("/healthz")).status


def elsewhere(report: Report, ground: Ground) -> None:
    """A page of another site begins trainings, where only two finished ones are kept."""
    with ground.server(trainings_kept=2, trainings_unfinished=2) as server:
        events = tuple(EVENTS.items())
        small = {"layers": 1, "seeds": 1, "steps": 5}
        training = Request("/api/v1/warmup", "POST", json.dumps(small).encode(), (JSON, *events))
        whole = fetch(server, training)
        report.equal("steps of a training of our own", whole.body.count(b"event: step"), 6)
        address = "/api/v1/warmup?layers=8&seeds=2&steps=400&seed="
        tried = [
            fetch(server, Request(f"{address}{seed}", method, b"{}" * (method == "POST"), headers))
            for seed in range(4)
            for method, headers in (("GET", (*events, *CROSS)), ("POST", (JSON, *events, *CROSS)))
        ]
        report.equal("refused, of 8 tries (before: none)", [a.status for a in tried].count(403), 8)
        # A browser that says nothing of the site, as programs do: a GET begins nothing.
        quiet = fetch(server, Request(f"{address}9", headers=events))
        report.equal("a GET for a training that was not begun", quiet.status, 404)
        report.equal("trainings begun", load(server)["trainings"], 0)
        report.equal("processes that train", len(server.children(b"live_warmup")), 0)
        again = fetch(server, training)
        report.holds("our own is still there (before: deleted)", again.body == whole.body)
        Judge(refusals=(403, 404), answers=[*tried, quiet, again]).report(report)


SCENARIOS = (
    Scenario(
        "repeated",
        "A body of 25,000 names, one of them twice, and edits of 24,000",
        "Three POSTs of 250 kB, and a GET of 60 kB.",
        "they are refused, and nobody waits for them.",
        repeated,
        most=60,
    ),
    Scenario(
        "largest",
        "The largest clinics",
        f"{len(LARGEST)} of the largest are asked at once, until each is answered.",
        "no worker dies of a question, and others are answered meanwhile.",
        largest,
        most=240,
    ),
    Scenario(
        "heavy",
        "An answer of 44 MB",
        "It is asked with brotli, beside the largest that is sent, three times.",
        "no answer holds the others up.",
        heavy,
        most=90,
    ),
    Scenario(
        "deaf",
        "Clients that do not read",
        "20 clients, as many as may be, ask for 5 MB and read nothing; they may for"
        f" {SECONDS_TO_WRITE} s.",
        "they are cut off, and others are served.",
        deaf,
        most=90,
    ),
    Scenario(
        "elsewhere",
        "Another site begins trainings",
        "A page elsewhere asks for a training's stream by GET and by POST.",
        "no training begins, and none is deleted.",
        elsewhere,
        most=90,
    ),
)
