"""Files: what a path may reach, and what may stand in the place of weights."""

import asyncio
import random
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote

from app.paths import folder, weights
from app.site.assets import Assets
from app.site.pages import find_pages
from app.startup import CannotStart, check_weights, stated_digests
from tests.app.serving import ROOT, Running
from tests.storm.client import Connection, Request
from tests.storm.ground import Ground
from tests.storm.judge import Judge
from tests.storm.report import Report, Scenario

SIGNS = ["..", ".", "", "%2e%2e", "%2E.", "..%2f", "%2f", "%5c..", "\\", "%00", "%252e%252e", "~"]
NAMES = [
    "static", "x", "js", "css", "api.js", "app", "main.py", "settings.py", "pyproject.toml",
    "etc", "passwd", "proc", "self", "environ", "weights", "translator", "card.json", "api", "v1",
    "models", "templates", "base.html", "pages", "overview.html", "attention", "docs",
    "favicon.svg",
]  # fmt: skip
PATHS, FLIPS = 3_000, 100
HOSTILE_MODEL = """
import hashlib, json, pathlib, shutil, sys
from model.zoo.models import load_model
folder, shipped, ran = map(pathlib.Path, sys.argv[1:])
shutil.copytree(shipped / "induction-1", folder / "induction-1")
file, card = folder / "induction-1" / "model.safetensors", folder / "induction-1" / "card.json"
file.write_bytes(b"cpathlib\\nPath.touch\\n(cpathlib\\nPath\\n(V" + str(ran).encode() + b"\\ntRtR.")
about = json.loads(card.read_text())
about["weights_sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
card.write_text(json.dumps(about))
try:
    load_model("induction-1", folder)
except Exception as refusal:
    print(type(refusal).__name__, refusal)
"""


def paths(report: Report, ground: Ground) -> None:
    """The oracle knows every address there is; whatever else is asked must be a refusal."""
    chance, table = random.Random(4), Assets().table
    pages = {page.path for page in find_pages()} | {"/docs", "/metrics"}
    pages |= {"/healthz", "/readyz", "/openapi.json", "/favicon.ico"}
    pages |= {"/api/v1/attention", "/api/v1/models"}
    opened = ground.new_folder() / "opened"
    judge, leaks, wrong = Judge(refusals=(400, 404, 405, 415, 422)), 0, []

    def random_path() -> str:
        parts = [chance.choice(SIGNS if chance.random() < 0.4 else NAMES) for _ in range(9)]
        start = chance.choice(["/static/x", "/static", "", "/api/v1/models", "/api/v1"])
        return start + "/" + chance.choice(["/", "/", "%2f"]).join(parts[: chance.randint(1, 8)])

    async def ask(server: Running) -> int:
        connection, leaked = Connection(server.port), 0
        tried = [
            *(f"/static/x/{name}" for name in list(table)[:50]),
            *(random_path() for _ in range(PATHS)),
        ]
        for path in tried:
            answer = await connection.ask(Request(path))
            bare = unquote(path).rstrip("/")
            if answer.status == 307 and (bare in pages or bare.startswith("/api/v1/models")):
                continue  # to the address without the slash
            judge.answers.append(answer)
            parts = unquote(path.partition("?")[0]).split("/", 3)
            name = parts[3] if len(parts) == 4 and parts[1] == "static" and parts[2] else None
            if name in table:
                right = answer.status == 200 and answer.body == table[name].content
            elif unquote(path) in pages:
                right = answer.status == 200
            else:
                right = answer.status >= 400 or unquote(path).startswith("/api/v1/models/")
            if not right:
                wrong.append(f"{answer.status} {path}")
            leaked += b"root:x:0" in answer.body or b"[build-system]" in answer.body
        connection.close()
        return leaked

    with ground.server(hooks={"STORM_OPENED": str(opened)}) as server:
        asyncio.run(ask(server))  # modules and templates that are read at their first use
        judge.answers.clear()
        wrong.clear()
        before = opened.stat().st_size
        leaks = asyncio.run(ask(server))
        after = opened.read_bytes()[before:].decode().splitlines()
    inside = (*map(str, (folder("static"), folder("templates"), weights(), ground.folder)),)
    outside = sorted({path for path in after if not path.startswith((*inside, "/proc/"))})
    report.note("paths asked", len(judge.answers))
    report.equal("answers that the oracle did not expect", len(wrong), 0)
    report.equal("answers with what is in other files", leaks, 0)
    report.equal("files opened outside the data folders", len(outside), 0)
    for line in [*wrong, *outside][:3]:
        report.note("unexpected", line[:150])
    judge.report(report)


def bits(report: Report, ground: Ground) -> None:
    """One bit of a file of a shipped model, drawn by chance, as a server would find it."""
    chance, refused = random.Random(5), 0
    named = [
        file for card in sorted(weights().glob("*/card.json")) for file in stated_digests(card)
    ]
    sizes = [file.stat().st_size for file in named]
    for _ in range(FLIPS):
        (original,) = chance.choices(named, sizes)
        with TemporaryDirectory() as copy:
            model = Path(copy) / original.parent.name
            shutil.copytree(original.parent, model)
            damaged, bit = (
                bytearray(original.read_bytes()),
                chance.randrange(8 * original.stat().st_size),
            )
            damaged[bit // 8] ^= 1 << bit % 8
            (model / original.name).write_bytes(damaged)
            try:
                check_weights(Path(copy))
            except CannotStart as sentence:
                refused += f"The model {model.name} is damaged" in str(sentence)
    report.equal("flipped bits refused by name", refused, FLIPS)
    check_weights(weights())
    report.holds("the weights themselves are accepted", True)


def code(report: Report, ground: Ground) -> None:
    """The linter's rules against code that runs what it reads, and a pickle under a model's name,
    with a card that states its digest.
    """
    ruff = Path(sys.executable).with_name("ruff")
    rules = [
        ruff,
        "check",
        "--no-cache",
        "--select",
        "TID251,S102,S301,S302,S307",
        "app",
        "model",
    ]
    checked = subprocess.run(rules, cwd=ROOT, capture_output=True, text=True)
    report.equal("uses of pickle, torch.load, eval, exec", checked.returncode, 0)
    with TemporaryDirectory() as copy:
        ran = Path(copy) / "ran"
        command = [sys.executable, "-c", HOSTILE_MODEL, copy, str(weights()), str(ran)]
        tried = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        report.holds(
            "a pickle in the place of weights is refused",
            "CorruptWeights" in tried.stdout,
            tried.stdout.strip()[:80] or tried.stderr[-80:],
        )
        report.holds("and nothing of it runs", not ran.exists())


SCENARIOS = (
    Scenario(
        "paths",
        "Path traversal",
        f"{PATHS} paths of dots, slashes, their codes, and real file names.",
        "only known addresses answer; only files of the data folders are opened.",
        paths,
        most=60,
    ),
    Scenario(
        "bits",
        "Damaged weights",
        f"{FLIPS} times, one bit of an included file is flipped.",
        "each is refused with a message.",
        bits,
        most=60,
    ),
    Scenario(
        "code",
        "Pickles and outside code",
        "The linter reads app and model; a pickle replaces weights.",
        "nothing is unpickled or evaluated.",
        code,
        most=60,
    ),
)
