"""What clients once held that was everybody's: bytes on their way, memory, connections, answers
that are kept, and the time of one question.
"""

import asyncio
import json
import time
from dataclasses import dataclass, field

from tests.app.serving import Running, wait_for
from tests.app.test_notes import ANSWERS
from tests.app.test_server import is_cut_off, unread
from tests.storm.client import DEADLINE, JSON, MARGIN, Answer, Connection, Request, watched
from tests.storm.ground import REAL, Ground, fetch
from tests.storm.judge import Base, Judge
from tests.storm.load import Browser, fake, load
from tests.storm.report import Report, Scenario

SECONDS_TO_WRITE = 4
SIPPING, SIP = 16, 2_000  # clients, and bytes that each takes in half a second
SENDING, OF_ONE = 100_000_000, 25_000_000
LARGE, LARGEST = 12, 24  # megabytes
LARGE_ANSWERS = 12
CROWD, OF_CROWD = 1_000, ("127.0.0.2", "127.0.0.3", "127.0.0.4")
FILES = 16
SCRIPT, LECTERN = "127.0.0.5", "127.0.0.6"
ROOMS, COOKIES, EACH, PHONES = 100, 100, 8, 20


def measured(report: Report, ground: Ground) -> None:
    """The numbers of all rows are asked until they are there."""
    with ground.server(REAL) as server:
        answers = []
        while not answers or (answers[-1].status == 504 and len(answers) < 5):
            answers.append(fetch(server, Request("/api/v1/notes?measured=true")))
        last = max(answer.seconds for answer in answers)
        report.at_most("the longest wait (before: 15.9 s)", last, DEADLINE + MARGIN, " s")
        report.equal("answered in the end", answers[-1].status, 200)
        report.note("times that it was asked", len(answers))
        computed = load(server)["answered_by_worker"]
        report.equal("computations", computed, len(ANSWERS))
        Judge(refusals=(504,), answers=answers).report(report)


def sipping(report: Report, ground: Ground) -> None:
    limits = {"sending_bytes": SENDING, "sending_bytes_per_client": OF_ONE}
    with ground.server(write_seconds=SECONDS_TO_WRITE, **limits) as server:
        large = fake(f"megabytes {LARGE}")
        body = fetch(server, Request(large)).body
        clients = unread(server, SIPPING, large.encode())
        judge, most, begun = Judge(refusals=(429,)), 0, time.monotonic()
        wait_for(lambda: load(server)["sending_bytes"])
        while (sending := load(server)["sending_bytes"]) and time.monotonic() - begun < 30:
            most = max(most, sending)
            for client in clients:
                client.settimeout(0.01)
                try:
                    client.recv(SIP)
                except OSError:
                    continue
            judge.answers.append(fetch(server, Request(large)))
            time.sleep(0.5)
        held = time.monotonic() - begun
        report.at_most("bytes that each address held (before: all)", most / 2, OF_ONE + len(body))
        report.at_most("for (before: hours)", held, 2 * SECONDS_TO_WRITE + 2.0, " s")
        wait_for(lambda: all(map(is_cut_off, clients)))  # their systems have more to give them
        refused = sum(answer.status != 200 for answer in judge.answers)
        report.equal("large answers of others refused meanwhile", refused, 0)
        for client in clients:
            client.close()
        judge.report(report)


def memory(report: Report, ground: Ground) -> None:
    """None of them is kept. The worker's pool holds the latest answer until there is another."""
    with ground.server(cache_bytes=1_000_000) as server:
        fetch(server, Request(fake("megabytes 1")))
        base = Base.of(server)
        paths = [fake(f"megabytes {LARGEST} {number}") for number in range(LARGE_ANSWERS)]
        paths.append(fake("short"))
        judge = Judge(answers=[fetch(server, Request(path)) for path in paths])
        judge.report(report)
        base.report(report, server)


def crowd(report: Report, ground: Ground) -> None:
    with ground.server(connections=CROWD, connections_per_client=700) as server:
        asyncio.run(beside_crowd(report, server))


async def beside_crowd(report: Report, server: Running) -> None:
    """The crowd opens what it can and asks on each connection, again and again."""
    requests = [0]

    async def ask(number: int) -> None:
        connection = Connection(server.port, source=OF_CROWD[number % len(OF_CROWD)])
        while True:
            requests[0] += not (await connection.ask(Request("/healthz"))).trouble
            await asyncio.sleep(1)

    members = [asyncio.ensure_future(ask(number)) for number in range(CROWD)]
    while requests[0] < CROWD // 2:
        await asyncio.sleep(0.1)
    judge: list[Answer] = []
    async with watched(server.port) as health:
        for number in range(30):
            other = Connection(server.port, source=f"127.0.1.{number}")
            judge.append(await other.ask(Request("/healthz")))
            other.close()
            await asyncio.sleep(0.3)
    for member in members:
        member.cancel()
    await asyncio.gather(*members, return_exceptions=True)
    others = [*judge, *health]
    refused = sum(answer.status != 200 for answer in others)
    report.note("others asked", len(others))
    report.equal("others refused (before: all)", refused, 0)
    Judge(refusals=(), answers=others).report(report)


def attachments(report: Report, ground: Ground) -> None:
    server = ground.shared(REAL)
    query = Request("/api/v1/attention/figures/heads?model=translator&source=the+class+asks+this")
    file = "/api/v1/attention/figures/heads?standalone=true&model=translator&source=mine"
    first = fetch(server, query)
    cached = load(server)["cache_bytes"]
    files = [fetch(server, Request(f"{file}+{number}")) for number in range(FILES)]
    again = fetch(server, query)
    grown = (load(server)["cache_bytes"] - cached) / 1e6
    report.at_most("megabytes kept of them (before: 60)", grown, 2)
    report.holds("the answer of others is still kept", b'cache;desc="kept"' in again.head)
    report.note("megabytes of each file", len(files[0].body) / 1e6)
    Judge(refusals=(), answers=[first, *files, again]).report(report)


@dataclass
class Hand(Browser):
    """A browser that opens rooms and has windows of them."""

    windows: list["Hand"] = field(default_factory=list)

    async def opens(self, talk: str = "attention") -> tuple[Answer, dict[str, str]]:
        answer = await self.posts(talk=talk)
        body = json.loads(answer.body)
        room = {"code": body["room"]["code"], "token": body["token"]} if "token" in body else {}
        return answer, room

    async def posts(self, accept: str = "*/*", **body: object) -> Answer:
        headers = (JSON, ("Accept", accept), *self.cookie)
        return await self.ask(
            Request("/api/v1/rooms", "POST", json.dumps(body).encode(), headers), 30
        )

    async def follows(self, **room: str) -> int:
        """The status of a window that stays open; its connection is its own."""
        window = Hand(self.port, self.source)
        self.windows.append(window)
        await window.open()
        events = ("Accept", "text/event-stream")
        body = json.dumps(room).encode() if "token" in room else b""
        path = "/api/v1/rooms" if body else f"/api/v1/rooms?code={room['code']}"
        headers = (JSON, events, *self.cookie) if body else (events, *self.cookie)
        window.writer.write(Request(path, "POST" if body else "GET", body, headers).raw())
        head = await window.reader.readuntil(b"\r\n\r\n")
        return int(head[9:12])

    def leave(self) -> None:
        for window in (self, *self.windows):
            window.close()


def rooms(report: Report, ground: Ground) -> None:
    with ground.server() as server:
        asyncio.run(beside_a_room_script(report, server))


async def beside_a_room_script(report: Report, server: Running) -> None:
    """One address opens and leads rooms without end, with and without cookies, then takes windows
    of its own and of the lecturer's room.
    """
    lecturer = await Hand(server.port, LECTERN).enter()
    _, unseen = await lecturer.opens()
    scripts = [await Hand(server.port, SCRIPT).enter() for _ in range(COOKIES)]
    rooms = []
    nobody = Hand(server.port, SCRIPT)
    for hand in [*scripts[: ROOMS // 2], *[nobody] * (ROOMS // 2)]:
        _, room = await hand.opens()
        if room:
            await hand.posts(**room, scene=0)
            rooms.append(room)
    still = await lecturer.posts(**unseen)
    report.equal("the room of a lecturer who has not begun (before: 404)", still.status, 200)
    answer, room = await lecturer.opens()
    report.equal("another room of the lecturer (before: 503)", answer.status, 200)
    statuses = await asyncio.gather(*(lecturer.follows(**room) for _ in range(2)))
    for hand in scripts:
        await asyncio.gather(*(hand.follows(code=rooms[-1]["code"]) for _ in range(EACH)))
    statuses += await asyncio.gather(*(lecturer.follows(**room) for _ in range(2)))
    report.equal("windows of the lecturer refused", len(statuses) - statuses.count(200), 0)
    hall = [await Hand(server.port, LECTERN).enter() for _ in range(PHONES)]
    near = [await Hand(server.port, SCRIPT).enter() for _ in range(PHONES)]
    phones = await asyncio.gather(*(hand.follows(code=room["code"]) for hand in (*hall, *near)))
    report.equal("phones refused (before: all), half of the script's address", phones.count(503), 0)
    step = await lecturer.posts(**room, step=1)
    report.equal("a step", step.status, 200)
    report.at_most("within", step.seconds, 0.5, " s")
    for hand in (lecturer, *scripts, *hall, *near):
        hand.leave()


SCENARIOS = (
    Scenario(
        "rooms",
        "One address takes rooms and windows",
        f"A script opens {ROOMS} rooms, half of them with cookies, leads each, and opens"
        f" {COOKIES * EACH} windows; then {2 * PHONES} phones follow a lecturer.",
        "the lecturer's rooms stay, its windows and all phones are let in, and steps are quick.",
        rooms,
        most=90,
    ),
    Scenario(
        "measured",
        "All numbers of the notes",
        f"The {len(ANSWERS)} answers that they need are asked for at once.",
        "an answer or 504 by the deadline; nothing is computed twice.",
        measured,
        most=120,
    ),
    Scenario(
        "sipping",
        "Clients that take large answers by sips",
        f"{SIPPING} clients of two addresses ask for {LARGE} MB, and take {2 * SIP:,} bytes a"
        " second.",
        "they are cut off, and others get large answers meanwhile.",
        sipping,
        most=90,
    ),
    Scenario(
        "memory",
        "Large answers, one after another",
        f"{LARGE_ANSWERS} of {LARGEST} MB.",
        "the web process gives their memory back.",
        memory,
        most=180,
    ),
    Scenario(
        "crowd",
        "A crowd of few addresses",
        f"{CROWD:,} connections of {len(OF_CROWD)} addresses ask for the health, again and again.",
        "an address with few connections is served.",
        crowd,
        most=90,
    ),
    Scenario(
        "attachments",
        "Figures as files",
        f"{FILES} files of 4.8 MB each.",
        "they take no room from the answers of others.",
        attachments,
        most=90,
    ),
)
