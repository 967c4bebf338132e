"""What is asked: hostile texts in a browser, and inputs that nobody would give."""

import asyncio
import html
import json
import os
import random
from pathlib import Path
from urllib.parse import quote

from app.api.endpoint import endpoints
from tests.app.serving import Running
from tests.chromium import chromium
from tests.storm.client import JSON, Answer, Connection, Request
from tests.storm.ground import REAL, Ground
from tests.storm.judge import Judge, forget_peak, resident
from tests.storm.load import load
from tests.storm.report import Report, Scenario

HOSTILE = (
    "<b>x</b>", "<a href=javascript:alert(1)>x</a>", "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>", "'\"><svg onload=alert(1)>", "<br>",
    "</s>", "<sub>2</sub>", "&lt;b&gt;", "&amp;", "{{7*7}}", "${7*7}",
    "javascript:alert(1)", "%3Cb%3E", "`x`", "$x^2$", "=1+1", "\\u003cb\\u003e",
    "\u202eabc\u202c", "\u200bx\ufeff", "\u00a0x\u2028", "\u0007x\u0085",
)  # fmt: skip
ODD = {"addresses": 1_200, "bodies": 1_200, "bytes": 2_600}


def tokens(report: Report, ground: Ground) -> None:
    """Each is typed into the address of a page; the field and the picture show it as it is."""
    from playwright.sync_api import sync_playwright

    server = ground.shared(REAL)
    wrong: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        round_trips = labelled = 0
        for token in HOSTILE:
            page.goto(f"{server.address}/attention?source={quote(token)}")
            page.locator("body[data-state=drawn]").wait_for()
            plot = page.locator("#map .plot")
            plot.wait_for()
            round_trips += page.locator('input[name="source"]').input_value() == token
            ticks = plot.evaluate("plot => plot.layout.xaxis.ticktext")
            query = {"model": "translator", "source": token}
            answer = page.request.get(f"{server.address}/api/v1/attention", params=query).json()
            labels = answer["axes"]["source"]["labels"]
            labelled += bool(ticks) and {html.unescape(tick) for tick in ticks} <= set(labels)
            if any(sign in tick for tick in ticks for sign in "<>\u202e\u200b"):
                wrong.append(f"a label is markup or invisible: {ticks}")
            if page.locator("main :is(b.x, img, script, svg[onload], a[href^=javascript])").count():
                wrong.append(f"an element was made of {token}")
        browser.close()
    report.equal("tokens that come back as typed", round_trips, len(HOSTILE))
    report.equal("pictures whose labels are the tokens", labelled, len(HOSTILE))
    report.equal("links, scripts, dialogs, violations of the policy", len(wrong), 0)
    for line in wrong[:3]:
        report.note("wrong", line[:150])


def fuzz(report: Report, ground: Ground) -> None:
    """Other questions in every run; VITRINE_FUZZ_SEED asks the same again."""
    os.environ.setdefault("VITRINE_FUZZ_SEED", str(random.randrange(10**6)))
    from tests.app.questions import in_address
    from tests.app.test_fuzz import ODD_JSON, ODD_VALUES, odd_question

    seed = os.environ["VITRINE_FUZZ_SEED"]
    chance, words, server = random.Random(seed), endpoints(), ground.shared(REAL)
    requests = []
    for _ in range(ODD["addresses"]):
        path, fields = odd_question(chance, ODD_VALUES)
        requests.append(Request(f"{path}?{in_address(fields)}"))
    for _ in range(ODD["bodies"]):
        path, fields = odd_question(chance, ODD_JSON + ODD_VALUES)
        body = json.dumps(fields).encode("utf-8", "surrogatepass")
        requests.append(Request(path, "POST", body, (JSON,)))
    for _ in range(ODD["bytes"]):
        fields = json.dumps(odd_question(chance, ODD_JSON)[1]).encode()
        body = bytearray(fields if chance.random() < 0.7 else chance.randbytes(200))
        for _ in range(chance.randint(1, 4)):
            body[chance.randrange(len(body))] = chance.randrange(256)
        requests.append(Request(chance.choice(words).address, "POST", bytes(body), (JSON,)))
    chance.shuffle(requests)
    replaced = load(server)["workers_replaced"]
    judge = Judge(refusals=(400, 404, 413, 415, 422, 431))

    async def ask() -> None:
        connection = Connection(server.port)
        for request in requests:
            judge.answers.append(await connection.ask(request))
        connection.close()

    asyncio.run(ask())
    report.note("seed", seed)
    report.equal("inputs", len(judge.answers), sum(ODD.values()))
    bad = [answer for answer in judge.answers if answer.status >= 500]
    report.equal("answers of 500 and above", len(bad), 0)
    for answer in bad[:3]:
        report.note(str(answer.status), f"{answer.request.path[:90]} {answer.body[:120]!r}")
    report.equal("workers replaced", load(server)["workers_replaced"] - replaced, 0)
    judge.report(report)


def bombs(report: Report, ground: Ground) -> None:
    """Images and rows that say they are large: scenes and rows with huge numbers, thousands of
    columns.
    """
    server = ground.shared(REAL)
    images = [
        "A" * 200_000,
        "9" * 2_000, ",".join(["1"] * 1_000), ",".join(["1e999"] * 64), "1," * 999,
        "circle red 1e300 1e300 1e300 1e300", "circle red .5 .5 1e9 1e9;" * 60,
        ";" * 1_999, "circle red 0.5 0.5 -1 -1", "square blue nan nan nan nan",
    ]  # fmt: skip
    rows = [
        "=" * 1_999, ",".join(f"c{i}=1" for i in range(300)), "body_mass=" + "9" * 1_900,
        "species=" + "x" * 1_900, ",,,,", "bill_length=1e400", "island=" + "\u202e" * 600,
    ]  # fmt: skip
    by_model = {"digits": images, "shapes": images, "penguins-ft": rows, "penguins-saint": rows}
    requests = [
        body("attention", model=model, **{"image" if values is images else "row": value})
        for model, values in by_model.items()
        for value in values
    ]
    requests += [body("tables", model="penguins-ft", row=row) for row in rows]
    asyncio.run(ask_each(server, requests[:4]))
    forget_peak(server)
    before, workers = resident(server), worker_memory(server)
    judge = Judge(refusals=(404, 413, 422))
    judge.answers = asyncio.run(ask_each(server, requests))
    report.note("bombs", len(requests))
    refused = sum(answer.status in (404, 413, 422) for answer in judge.answers)
    report.note("of these refused", refused)
    report.at_most(
        "web process, more memory at its peak",
        (resident(server, "VmHWM") - before) / 1e6,
        10,
        " MB",
    )
    report.at_most("worker, more memory", 100 * (worker_memory(server) / workers - 1), 10, " %")
    judge.report(report)


def body(word: str, **fields: str) -> Request:
    return Request(f"/api/v1/{word}", "POST", json.dumps(fields).encode(), (JSON,))


async def ask_each(server: Running, requests: list[Request]) -> list[Answer]:
    connection = Connection(server.port)
    answers = [await connection.ask(request) for request in requests]
    connection.close()
    return answers


def worker_memory(server: Running) -> int:
    status = Path(f"/proc/{server.worker()}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


SCENARIOS = (
    Scenario(
        "tokens",
        "Markup in tokens",
        f"{len(HOSTILE)} hostile tokens are typed in a browser.",
        "each is shown as typed; no link, script, or policy violation.",
        tokens,
        most=120,
    ),
    Scenario(
        "fuzz",
        "Odd numbers and texts",
        f"{sum(ODD.values())} odd addresses, bodies and bytes.",
        "no 5xx.",
        fuzz,
        most=180,
    ),
    Scenario(
        "bombs",
        "Image and table bombs",
        "Long images, huge numbers, thousands of columns.",
        "an answer or a refusal; memory stays flat.",
        bombs,
        most=60,
    ),
)
