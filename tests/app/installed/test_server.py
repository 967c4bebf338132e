"""The server of a case ends with the process that started it, however that ends."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import httpx2
import pytest
from vitrine_lab import CaseError, server
from vitrine_lab.notebook import framing
from vitrine_lab.server import Server, delete_forgotten, environment, hold, show_own_models

from app.http.security import security_headers
from app.settings import Settings
from tests.app.serving import Running, read, wait_for

PACKAGES = Path(__file__).parents[3] / "app" / "installed"
KERNEL = """
import os, signal, sys
from vitrine_lab.server import Server
server = Server()
if os.fork() == 0:  # a process that was forked holds the server's input open
    signal.pause()
print(server.process.pid, server.folder, server.address, flush=True)
signal.pause()
"""


def kernel(program: str) -> subprocess.Popen[str]:
    """A process of its own session, with those that it forks."""
    environment = os.environ | {"PYTHONPATH": str(PACKAGES)}
    return subprocess.Popen(
        [sys.executable, "-P", "-c", program],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def gone(pid: int) -> bool:
    """Whether a process has ended. What nobody has waited for yet has no command line."""
    return not read(Path(f"/proc/{pid}/cmdline"))


def test_nothing_runs_on_when_the_kernel_is_killed():
    process = kernel(KERNEL)
    pid, folder, address = process.stdout.readline().split()
    assert httpx2.get(f"{address}/healthz").status_code == 200
    bare, _, password = address.rpartition("/")
    for path in ("/", "/healthz", "/static/", f"/{password[:-1]}/healthz", f"//{password}/"):
        answered = httpx2.get(bare + path)  # by whoever has the port alone
        assert answered.status_code == 404
        assert password not in f"{answered.text} {answered.headers}"
    server = Running(SimpleNamespace(pid=int(pid)), "http://127.0.0.1:0", Path(folder))
    workers = wait_for(server.workers)
    process.kill()
    process.wait()
    try:
        wait_for(lambda: gone(int(pid)))
        wait_for(lambda: not Path(folder).exists())
        wait_for(lambda: all(map(gone, workers)))
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()


def test_notebooks_of_this_machine_may_show_its_pages_and_others_that_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("VITRINE_EMBED", "https://hub.example")
    allowed = Settings(embed=environment(tmp_path)["VITRINE_EMBED"]).embed
    assert framing(security_headers(allowed)["content-security-policy"]) == [
        "https://hub.example",
        *("http://localhost:*", "http://127.0.0.1:*", "https://localhost:*", "https://127.0.0.1:*"),
    ]


def test_a_model_that_is_added_meanwhile_is_seen_and_the_case_keeps_its_own(tmp_path: Path):
    shelf, folder = tmp_path / "shelf", tmp_path / "case"
    for folder_of_model in (shelf / "theirs", folder / "models" / "mine"):
        folder_of_model.mkdir(parents=True)
    show_own_models(shelf, folder)
    for later in ("later", "mine"):
        (shelf / later).mkdir()
        (shelf / later / "card.json").write_text("{}")
    show_own_models(shelf, folder)
    models = folder / "models"
    assert sorted(path.name for path in models.iterdir()) == ["later", "mine", "theirs"]
    assert (models / "later" / "card.json").read_text() == "{}"
    assert not (models / "mine").is_symlink()
    show_own_models(None, folder)


def test_what_a_killed_kernel_and_its_killed_server_left_is_deleted_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(server.tempfile, "tempdir", str(tmp_path))
    left, used, another = (tmp_path / name for name in ("vitrine-a", "vitrine-b", "vitrine-c"))
    for folder in (left, used, another):
        folder.mkdir()
    hold(left).close()
    with hold(used):
        delete_forgotten()
        assert set(tmp_path.iterdir()) == {used, another}


def test_a_server_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("VITRINE_DEADLINE_SECONDS", "soon")
    with pytest.raises(CaseError, match=r"^The server did not start: VITRINE_DEADLINE_SECONDS is"):
        Server()


COMMAND = """
import sys, time
print("numbers: a")
for state in ("0%| |", "100%|#|"):
    print(state, end="\\r", file=sys.stderr)
print("a warning\\nvitrine: It is --name 'so'.", file=sys.stderr)
sys.exit({code})
"""


def test_a_command_tells_its_lines_and_bars_as_they_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    served, lines = Server.__new__(Server), list[str]()
    served.folder, served.process = tmp_path, SimpleNamespace(poll=lambda: None)
    for code in (0, 2):
        command = [sys.executable, "-c", COMMAND.format(code=code)]
        monkeypatch.setattr(server, "program", lambda *_, command=command: command)
        if code:
            with pytest.raises(CaseError, match=r"^It is name='so'\.$"):
                served.run("train")
        else:
            assert served.run("train", tell=lines.append) == "numbers: a\n"
            assert sorted(lines) == ["0%| |\n", "100%|#|\n", "numbers: a\n"]
