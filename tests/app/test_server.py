"""The server on its socket: slow, idle and broken connections, and the way it stops."""

import itertools
import json
import os
import re
import resource
import select
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from unittest.mock import MagicMock, Mock

import h11
import httpx2
import pytest
import uvicorn
from uvicorn.server import ServerState

from app.errors import Problem
from app.http.protocol import Connection, Protocol
from app.http.server import allow_connections
from app.responses import SLICE, BytesInFlight
from app.settings import Settings
from app.site.assets import Assets
from app.startup import listen
from tests.app.problems import assert_problem
from tests.app.serving import Running, audit, running, wait_for
from tests.app.test_streams import events, stream

HEAD = b"POST /api/v1/limits HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that soon gives up what does not come or is not taken."""
    folder = tmp_path_factory.mktemp("hurried")
    with running(folder, header_seconds=1, body_seconds=1, write_seconds=3) as server:
        yield server.until_ready()


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of few connections, of which one address may have half; the last four are for those
    that have eight at most.
    """
    limits = {"connections": 20, "connections_per_client": 10, "few_connections": 8}
    limits["write_seconds"] = 5
    with running(tmp_path_factory.mktemp("narrow"), **limits) as server:
        yield server.until_ready()


def all_received(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(65536), b""))


def parsed(raw: bytes) -> httpx2.Response:
    """An answer read from a bare socket."""
    head, _, body = raw.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = [tuple(line.split(": ", 1)) for line in lines]
    request = httpx2.Request("GET", "http://localhost/")
    response = httpx2.Response(
        int(status.split()[1]), headers=headers, content=body, request=request
    )
    audit(response)
    return response


@pytest.mark.parametrize(
    "sent",
    [b"nonsense\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01", b"GET  /\x00 HTTP/1.1\r\n\r\n"],
)
def test_what_is_not_http_gets_the_same_shape(fakes: Running, sent: bytes):
    with fakes.socket() as connection:
        connection.sendall(sent)
        assert_problem(parsed(all_received(connection)), 400, "bad_request")


def test_a_head_over_the_limit_gets_its_own_status(fakes: Running):
    with fakes.socket() as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 70_000)
        assert_problem(parsed(all_received(connection)), 431, "head_too_large")


def test_a_head_that_does_not_come_is_given_up(hurried: Running):
    with hurried.socket() as connection:
        connection.sendall(b"GET /healthz HTT")
        assert_problem(parsed(all_received(connection)), 408, "slow")


def test_a_body_that_does_not_come_is_given_up(hurried: Running):
    with hurried.socket() as connection:
        connection.sendall(HEAD + b"Content-Length: 20\r\n\r\n{")
        assert_problem(parsed(all_received(connection)), 408, "slow")


def test_a_body_that_trickles_does_not_move_its_deadline(hurried: Running):
    with hurried.socket() as connection:
        connection.sendall(HEAD + b"Content-Length: 1000\r\n\r\n")
        stop = threading.Event()

        def trickle() -> None:
            while not stop.wait(0.05):
                try:
                    connection.sendall(b" ")
                except OSError:
                    return

        trickling = threading.Thread(target=trickle)
        trickling.start()
        try:
            assert connection.recv(12) == b"HTTP/1.1 408"
        finally:
            stop.set()
            trickling.join()


def test_a_slow_client_is_not_cut_off_while_it_waits_for_its_answer(hurried: Running):
    with hurried.client() as client:
        assert (
            client.get("/api/v1/attention", params={"model": "m", "source": "sleep 2"}).status_code
            == 200
        )


def test_two_requests_sent_at_once_are_answered_in_order(fakes: Running):
    with fakes.socket() as connection:
        head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
        connection.sendall(
            head + b"\r\n" + head.replace(b"healthz", b"nothing") + b"Connection: close\r\n\r\n"
        )
        received = all_received(connection)
    assert received.index(b"HTTP/1.1 200") < received.index(b"HTTP/1.1 404")


def test_an_answer_is_sent_whole_without_waiting_for_the_acknowledgement_of_its_head():
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_three_hundred_slow_and_three_hundred_idle_sockets_disturb_nobody(hurried: Running):
    slow = [hurried.socket() for _ in range(300)]
    idle = [hurried.socket() for _ in range(300)]
    try:
        for connection in slow:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHo")
        with hurried.client() as client:
            for i in range(20):
                assert client.get("/healthz").status_code == 200
                assert (
                    client.get(
                        "/api/v1/tokens", params={"model": "m", "source": f"among {i}"}
                    ).status_code
                    == 200
                )
        assert all(connection.recv(12) == b"HTTP/1.1 408" for connection in slow + idle)
    finally:
        for connection in slow + idle:
            connection.close()


def test_a_client_that_leaves_takes_its_questions_back(fakes: Running, tmp_path: Path):
    go = tmp_path / "go"
    with fakes.socket() as first:
        first.sendall(
            b"GET /api/v1/attention?model=m&source=held+%b HTTP/1.1\r\nHost: localhost\r\n\r\n"
            % bytes(go)
        )
        wait_for(lambda: fakes.begun(f"held {go}"))
        leaving = [fakes.socket() for _ in range(50)]
        for i, connection in enumerate(leaving):
            connection.sendall(
                b"GET /api/v1/attention?model=m&source=gone+%d HTTP/1.1\r\nHost: localhost\r\n\r\n"
                % i
            )
        with fakes.client() as client:
            wait_for(lambda: client.get("/api/v1/limits").json()["load"]["waiting"] == 50)
            for connection in leaving:
                connection.close()
            wait_for(lambda: client.get("/api/v1/limits").json()["load"]["waiting"] == 0)
        go.touch()
        assert first.recv(12) == b"HTTP/1.1 200"
    assert not fakes.begun("gone")


def replaced(client: httpx2.Client) -> int:
    return client.get("/api/v1/limits").json()["load"]["workers_replaced"]


def test_a_worker_killed_under_load_costs_only_503s_until_it_is_back(fakes: Running):
    statuses: set[int] = set()
    killed = threading.Event()

    def load(client_number: int) -> None:
        with fakes.client() as client:
            for i in itertools.takewhile(lambda _: not killed.is_set(), itertools.count()):
                response = client.get(
                    "/api/v1/attention",
                    params={"model": "m", "source": f"sleep 0.01 load {client_number} {i}"},
                )
                statuses.add(response.status_code)
                if response.status_code != 200:
                    assert_problem(response, 503)

    with ThreadPoolExecutor(4) as pool, fakes.client() as client:
        loads = [pool.submit(load, number) for number in range(4)]
        try:
            for _ in range(2):
                before = replaced(client)
                os.kill(fakes.until_ready().worker(), signal.SIGKILL)
                assert client.get("/healthz").status_code == 200
                wait_for(lambda before=before: replaced(client) > before)
        finally:
            killed.set()
        for done in loads:
            done.result()
    assert statuses <= {200, 503}
    fakes.until_ready()
    with fakes.client() as client:
        assert (
            client.get("/api/v1/attention", params={"model": "m", "source": "back"}).status_code
            == 200
        )


def test_told_to_stop_it_answers_what_is_asked_closes_streams_and_exits_with_0(tmp_path: Path):
    with running(tmp_path, drain_seconds=120) as server:
        server.until_ready()
        answers: list[httpx2.Response] = []

        def ask() -> None:
            with server.client() as client:
                answers.append(
                    client.get("/api/v1/attention", params={"model": "m", "source": "sleep 1"})
                )

        asking = threading.Thread(target=ask)
        with server.client() as client, stream(client, "sleep 0.1", max_new_tokens=64) as response:
            following = events(response.iter_lines())
            next(following)
            asking.start()
            wait_for(lambda: server.begun("attention sleep 1"))
            server.process.send_signal(signal.SIGTERM)
            *_, last = following
        asking.join()
        assert server.process.wait(120) == 0
    assert answers[0].status_code == 200
    assert last["event"] == "problem"
    assert json.loads(last["data"])["detail"] == "The server is stopping."
    lines = (tmp_path / "log").read_text().splitlines()
    assert [line.split()[2] for line in lines] == ["INFO"] * len(lines), "no trouble"


def test_told_to_stop_while_the_worker_hangs_it_still_exits(tmp_path: Path):
    with running(tmp_path, drain_seconds=1) as server:
        server.until_ready()
        with server.socket() as connection:
            connection.sendall(
                b"GET /api/v1/attention?model=m&source=hang HTTP/1.1\r\nHost: localhost\r\n\r\n"
            )
            wait_for(lambda: server.begun("attention hang"))
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(120) == 0


CONCERNED = b"GET %s HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: identity\r\n\r\n"
ASSETS = Assets()
SCRIPT = ASSETS.address("plotly.min.js").encode()


def unread(server: Running, number: int, address: bytes = SCRIPT) -> list[socket.socket]:
    """Clients that ask for 4.8 MB and take no more than their system does for them; each eight have
    an address of their own.
    """
    clients = []
    for each in range(number):
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.bind((f"127.0.0.{11 + each // 8}", 0))
        client.connect(("127.0.0.1", server.port))
        client.sendall(CONCERNED % address)
        clients.append(client)
    return clients


def is_cut_off(client: socket.socket) -> bool:
    """Whether the server has ended the connection before the whole answer was taken."""
    client.settimeout(0)
    try:
        while client.recv(1 << 20):
            pass
    except BlockingIOError:
        return False
    except ConnectionError:
        pass
    return True


def test_clients_that_do_not_read_are_cut_off_and_others_are_served_again(narrow: Running):
    with narrow.client() as client:
        for name in ASSETS.table:  # compressed now, not while the memory is watched
            client.get(ASSETS.address(name), headers={"accept-encoding": "br"})
    idle = memory(narrow)
    clients = unread(narrow, 30)
    wait_for(lambda: refused(narrow, "127.0.0.1"))
    wait_for(lambda: not refused(narrow, "127.0.0.1"))
    wait_for(lambda: memory(narrow) < 1.1 * idle + 4_000_000)
    for client in clients:
        client.close()


def memory(server: Running) -> int:
    """Resident bytes of the web process."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return 1024 * int(re.search(r"VmRSS:\s+(\d+) kB", status)[1])


def test_a_slow_client_that_still_reads_gets_its_whole_answer(hurried: Running):
    (client,) = unread(hurried, 1)
    began, received = time.monotonic(), 0
    with client:
        client.settimeout(120)
        while time.monotonic() - began < 7:  # more than two deadlines, a little in each
            received += len(client.recv(20_000))
            select.select([], [], [], 0.2)
        while piece := client.recv(1 << 20):
            received += len(piece)
            if received > 4_000_000:
                break
    assert received > 4_000_000


class Clock:
    """A loop whose time the test moves."""

    def __init__(self) -> None:
        self.now, self.timers = 0.0, []

    def time(self) -> float:
        return self.now

    def call_later(self, seconds: float, call: Callable, *arguments: object) -> Mock:
        timer = Mock(at=self.now + seconds, call=partial(call, *arguments))
        timer.cancel = lambda: self.timers.remove(timer)
        self.timers.append(timer)
        return timer

    def move(self, seconds: float) -> None:
        end = self.now + seconds
        while due := [timer for timer in self.timers if timer.at <= end]:
            first = min(due, key=lambda timer: timer.at)
            self.now = first.at
            self.timers.remove(first)
            first.call()
        self.now = end


def left_of_slice(clock: Clock, begun: float, rate: int) -> float:
    return max(0.0, SLICE - rate * (clock.now - begun))


@pytest.mark.parametrize("sends_large", [True, False])
@pytest.mark.parametrize("rate", [17_000, 15_000, 100, 0])
def test_a_client_that_takes_a_large_answer_too_slowly_is_cut_off(sends_large: bool, rate: int):
    """Each slice is taken before the 20 s are over in which the client may take nothing; the time
    that is waited for all of them counts.
    """
    clock, transport = Clock(), MagicMock()
    transport.is_closing.return_value = False
    config = uvicorn.Config(Mock(), log_config=None)
    options = {"settings": Settings(), "clients": Counter(), "_loop": clock}
    protocol = Protocol(config, ServerState(), {}, **options)
    protocol.connection_made(transport)
    protocol.disarm()
    protocol.sends_large = sends_large
    for _ in range(20):
        protocol.bytes_untaken = partial(left_of_slice, clock, clock.now, rate)
        protocol.pause_writing()
        clock.move(min(60, SLICE / rate if rate else 60))
        if transport.abort.called:
            break
        protocol.resume_writing()
    assert transport.abort.called == (rate < (16_000 if sends_large else 1))


def test_one_address_may_have_only_so_many_bytes_on_their_way():
    """The rest of the limit is for others. What is sent no longer counts."""
    flying = BytesInFlight(100, 40)
    first, other = ({"client": (host, 1)} for host in ("10.0.0.1", "10.0.0.2"))
    with flying.counted(first, 30), flying.counted(other, 50):
        with pytest.raises(Problem, match="30 bytes of large answers") as refused:
            flying.counted(first, 11).__enter__()
        assert refused.value.code == "too_many"
        with flying.counted(first, 10):
            assert flying.bytes == 90
            with pytest.raises(Problem, match="too many large answers"):
                flying.counted({"client": ("10.0.0.3", 1)}, 11).__enter__()
    assert (flying.bytes, len(flying.of_client)) == (0, 0)
    with flying.counted(first, 200):
        assert flying.bytes == 200, "one alone may be of any size"


def test_an_address_that_takes_nothing_is_told_to_and_others_get_their_answers(fakes: Running):
    large, small = (b"/api/v1/attention?model=m&source=megabytes+%d" % size for size in (12, 1))
    (held,) = unread(fakes, 1, large)
    with held, fakes.client() as client:
        wait_for(lambda: client.get("/api/v1/limits").json()["load"]["sending_bytes"] > 0)
        for source, status in (("127.0.0.11", 429), ("127.0.0.12", 200)):
            with connected(fakes, source) as connection:
                request = CONCERNED.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n") % small
                connection.sendall(request)
                assert parsed(all_received(connection)).status_code == status
    with fakes.client() as client:
        wait_for(lambda: client.get("/api/v1/limits").json()["load"]["sending_bytes"] == 0)


def test_one_address_may_have_only_so_many_connections_and_another_is_still_served(
    narrow: Running,
):
    held = [narrow.socket() for _ in range(10)]
    wait_for(lambda: refused(narrow, "127.0.0.1"))
    assert not refused(narrow, "127.0.0.2")
    for connection in held:
        connection.close()
    wait_for(lambda: not refused(narrow, "127.0.0.1"))


def test_addresses_with_many_connections_leave_some_for_those_that_have_few(narrow: Running):
    """Two addresses, which may have ten each, could take all twenty."""
    held = [connected(narrow, f"127.0.0.{2 + number % 2}") for number in range(20)]
    wait_for(lambda: refused(narrow, "127.0.0.2"))
    served = not refused(narrow, "127.0.0.4")
    for connection in held:
        connection.close()
    assert served
    wait_for(lambda: not refused(narrow, "127.0.0.2"))


def connected(server: Running, source: str) -> socket.socket:
    address = ("127.0.0.1", server.port)
    return socket.create_connection(address, 120, source_address=(source, 0))


def refused(server: Running, source: str) -> bool:
    """Whether a connection from this address of the machine gets a 503."""
    with connected(server, source) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        try:
            return b" 503 " in connection.recv(64)
        except ConnectionError:  # refused before it could ask
            return True


@pytest.mark.parametrize("length", [b"Content-Length: 30000000", b"Transfer-Encoding: chunked"])
def test_a_refusal_reaches_a_client_that_is_still_sending(fakes: Running, length: bytes):
    """A client that reads only after it has sent everything, and asks to close, as urllib does."""
    with fakes.socket() as connection:
        connection.sendall(HEAD + b"Connection: close\r\n" + length + b"\r\n\r\n")
        chunk = b"x" * 100_000
        framed = chunk if b"Length" in length else b"%x\r\n%s\r\n" % (len(chunk), chunk)
        for _ in range(300):
            connection.sendall(framed)
        assert_problem(parsed(all_received(connection)), 413, "too_large")


def test_no_more_chunks_of_a_body_are_read_than_the_limit_says():
    """Each costs the event loop as much as kilobytes do. The next body has as many again."""
    connection, head = Connection(10, 65_536), HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    connection.receive_data(head + b"1\r\n \r\n" * 10 + b"0\r\n\r\n")
    first = [connection.next_event() for _ in range(12)]
    assert isinstance(first[-1], h11.EndOfMessage)
    for event in (h11.Response(status_code=200, headers=[]), h11.EndOfMessage()):
        connection.send(event)
    connection.start_next_cycle()
    connection.receive_data(head + b"1\r\n \r\n" * 260_000)
    read = [connection.next_event() for _ in range(11)]
    assert [type(event) for event in read] == [h11.Request, *[h11.Data] * 10]
    with pytest.raises(h11.RemoteProtocolError, match="Send larger ones"):
        connection.next_event()


def test_a_body_of_too_many_chunks_is_refused(fakes: Running):
    with fakes.socket() as connection:
        head = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
        connection.sendall(head + b"1\r\n \r\n" * 5_000 + b"2\r\n{}\r\n0\r\n\r\n")
        problem = parsed(all_received(connection))
    assert_problem(problem, 413, "too_large")
    assert "4096 chunks" in problem.json()["detail"]


def test_a_body_whose_length_is_said_in_two_ways_is_refused(fakes: Running):
    """A proxy that believes the other one would take the rest of the body for a request. It is so
    for the first request of a connection and for a later one.
    """
    first = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    both = HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    with fakes.socket() as connection:
        connection.sendall(both + first)
        problem = parsed(all_received(connection))
    assert_problem(problem, 400, "bad_request")
    assert problem.json()["detail"].startswith(
        "Send either Content-Length or Transfer-Encoding, not both."
    )
    with fakes.socket() as connection:
        connection.sendall(first + both + first)
        assert re.findall(rb"HTTP/1.1 (\d+)", all_received(connection)) == [b"200", b"400"]


@pytest.mark.parametrize(
    ("target", "status"),
    [
        (b"http://localhost:%d/api/v1/tokens?model=m&source=a", 200),
        (b"HTTP://LOCALHOST:%d/healthz", 200),
        (b"http://localhost:%d", 200),
        (b"http://localhost:%d?model=m", 200),
        (b"http://evil.example:%d/healthz", 400),
        (b"http://localhost@evil.example:%d/healthz", 400),
    ],
)
def test_a_whole_address_is_read_and_its_host_is_the_one_that_counts(
    fakes: Running, target: bytes, status: int
):
    for host in (b"localhost", b"evil.example"):
        with fakes.socket() as connection:
            head = b"GET %b HTTP/1.1\r\nHost: %b\r\nConnection: close\r\n\r\n"
            connection.sendall(head % (target % fakes.port, host))
            assert parsed(all_received(connection)).status_code == status


def test_an_upgrade_is_not_made_and_writes_no_line_of_the_log(fakes: Running):
    upgrade = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
    with fakes.socket() as connection:
        connection.sendall(upgrade + b"Connection: Upgrade, close\r\n\r\n")
        assert parsed(all_received(connection)).status_code == 200
    assert "pgrade" not in (fakes.calls.parent / "log").read_text()


def test_a_large_answer_never_stops_the_others(fakes: Running, fake: httpx2.Client):
    """It is compressed once, beside the event loop, and kept with its compressed form."""
    params = {"model": "m", "source": "megabytes 12"}
    fake.get("/api/v1/attention", params=params, headers={"accept-encoding": "identity"})
    before = processor_time(fakes)
    for _ in range(5):
        answer = fake.get("/api/v1/attention", params=params, headers={"accept-encoding": "br"})
        assert answer.headers["content-encoding"] == "br"
    whole = processor_time(fakes) - before
    begun = processor_time(fakes)
    fake.get("/api/v1/attention", params=params, headers={"accept-encoding": "br"})
    assert processor_time(fakes) - begun < whole / 2, "the first of the five compressed it"


def processor_time(server: Running) -> float:
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_as_many_connections_may_be_open_as_the_settings_say():
    """Many systems allow 1,024 files, or 256, until a process asks for more."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        allow_connections(500)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 500
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
