"""The server of a case: a separate process, which ends with the process that started it.

The parent holds the other end of the server's standard input. However the parent ends, the system
closes the input, and the server ends too. The server also waits for its parent's end directly,
because forked processes may keep the input open; and once a second it checks for models added with
`vitrine add`.

Its addresses begin with a random path that serves as a password: other users of the machine, and
pages of other servers in a browser, can reach the port but do not know the path.
"""

import fcntl
import os
import re
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO

from vitrine_lab import command
from vitrine_lab.errors import CaseError, ending

BEGIN = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("vitrine_lab", sys.argv.pop(1))
sys.modules["vitrine_lab"] = module_from_spec(spec)
spec.loader.exec_module(sys.modules["vitrine_lab"])
from vitrine_lab.{module} import main
sys.exit(main(sys.argv[1:]))
"""
"""The code run by a new interpreter: it imports this package from where this process found it."""
BAR = "%|"
"""Contained in every state of a progress bar, but in no sentence."""
OPTION = re.compile(r"--([a-z]+)(?: ('[^']*'|[a-z0-9-]*[a-z0-9]))?")
UNBUFFERED = {"PYTHONUNBUFFERED": "1", "TQDM_MININTERVAL": "1"}
ANNOUNCED = "Vitrine is at "
PREFIX, HELD = "vitrine-", "held"
ANOTHER = " It belonged to this case. Create another with Case()."
LEAVING_SECONDS = 10
NOTEBOOKS = [
    f"{scheme}://{name}:*" for scheme in ("http", "https") for name in ("localhost", "127.0.0.1")
]
"""The possible origins of a notebook on this machine."""


class Server:
    """A server on a free port of this machine, and `folder`, which is deleted with it. `address`
    has its secret path and no trailing slash. A question may cost `work_seconds` of a core.
    """

    def __init__(self, work_seconds: float | None = None) -> None:
        delete_forgotten()
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self.held = hold(self.folder)
        (self.folder / "models").mkdir()
        self.path = f"/{secrets.token_urlsafe(16)}"
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 (closed with this object)
        work = {} if work_seconds is None else {"VITRINE_WORK_SECONDS": str(work_seconds)}
        with ending("The server, which was about to start,"), ExitStack() as undone:
            undone.callback(shutil.rmtree, self.folder, ignore_errors=True)
            self.process = subprocess.Popen(
                program("server", str(self.folder)),
                env=os.environ | work | {"VITRINE_ROOT_PATH": self.path},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.log,
                text=True,
                # Interrupting a notebook ends a question, not the server.
                start_new_session=True,
            )
            self.close = weakref.finalize(
                self, end, self.process, self.folder, (self.log, self.held), os.getpid()
            )
            undone.callback(self.close)
            self.address = self.announced()
            undone.pop_all()

    def announced(self) -> str:
        """The address that it prints when it is listening. Raises CaseError if it ends instead."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.startswith(ANNOUNCED):
            self.process.wait(LEAVING_SECONDS)
            raise CaseError(f"The server did not start: {self.last_words()}")
        return line.removeprefix(ANNOUNCED).split()[0].rstrip("/") + self.path

    def last_words(self) -> str:
        """The last line of its log, without the program name."""
        self.log.seek(0)
        lines = self.log.read().decode(errors="replace").split("\n")
        messages = [line for line in lines if line.strip()]
        return messages[-1].removeprefix("vitrine: ") if messages else "it printed nothing."

    def run(self, *arguments: str, tell: Callable[[str], None] | None = None) -> str:
        """Runs a `vitrine` command on only the models of this server, and returns its output.
        `tell` is called with each line and each state of its progress bar. Raises CaseError with
        the command's error.
        """
        if self.process.poll() is not None:
            raise CaseError("The server of this case has stopped. Create another with Case().")
        output, wrong = list[str](), list[str]()
        with ending(f"vitrine {arguments[0]}"), ExitStack() as undone:
            running = subprocess.Popen(
                program("command", *arguments),
                env=os.environ | UNBUFFERED | {"VITRINE_MODELS": str(self.folder / "models")},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            undone.enter_context(running)
            assert running.stdout is not None
            aside = threading.Thread(target=follow, args=(running.stderr, wrong, tell, BAR))
            aside.start()
            undone.callback(aside.join)
            undone.callback(running.kill)  # does nothing if it has ended
            follow(running.stdout, output, tell)
            running.wait()
        if running.returncode:
            raise CaseError(in_python(wrong) or f"vitrine {arguments[0]} failed.")
        return "".join(output)


def hold(folder: Path) -> IO[bytes]:
    """A file in the folder, locked until it is closed or this process ends."""
    held = (folder / "new").open("wb")
    fcntl.flock(held, fcntl.LOCK_EX)
    (folder / "new").rename(folder / HELD)
    return held


def delete_forgotten() -> None:
    """Deletes the folders of servers that were killed together with their owners."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError), (folder / HELD).open("rb") as held:  # others' files
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)


def follow(
    lines: Iterable[str], output: list[str], tell: Callable[[str], None] | None, part: str = ""
) -> None:
    """Stores the lines that a command prints; those containing `part` are passed on."""
    for line in lines:
        output.append(line)
        if tell and part in line:
            tell(line)


def in_python(wrong: list[str]) -> str:
    """The last line of a command's output, with its options as Python arguments."""
    last = wrong[-1].strip().removeprefix("vitrine: ") if wrong else ""
    removed = re.sub(r"run vitrine remove (\S+)", r"case.remove('\1')", last)
    return OPTION.sub(lambda found: f"{found[1]}={argument(found[2] or '')}", removed)


def argument(value: str) -> str:
    """The value of an option in Python's notation."""
    return repr(value) if value and value[0] != "'" and not value.isdecimal() else value


def program(module: str, *arguments: str) -> list[str]:
    """The command line that runs a module's `main` in a separate process."""
    package = str(Path(__file__).with_name("__init__.py"))
    return [sys.executable, "-P", "-c", BEGIN.format(module=module), package, *arguments]


def end(
    process: subprocess.Popen[str], folder: Path, files: Iterable[IO[bytes]], owner: int
) -> None:
    """Stops a server and deletes its folder. A forked process does nothing."""
    if os.getpid() != owner:
        return
    for pipe in (process.stdin, process.stdout, *files):
        assert pipe is not None
        pipe.close()
    process.terminate()
    try:
        process.wait(LEAVING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    shutil.rmtree(folder, ignore_errors=True)


def environment(folder: Path) -> Mapping[str, str]:
    """The settings of a temporary server whose pages notebooks on this machine can frame."""
    embed = os.environ.get("VITRINE_EMBED", "")
    return {
        "TMPDIR": str(folder),  # deleted with the folder, even if the server is killed
        "VITRINE_EMBED": " ".join([embed, *NOTEBOOKS]),
        "VITRINE_MODELS": str(folder / "models"),
        "VITRINE_ROOT_PATH_ONLY": "true",
        "VITRINE_RUNS": str(folder / "runs"),
        # A notebook user asks immediately, without first loading a page.
        "VITRINE_OPENINGS": os.environ.get("VITRINE_OPENINGS", "false"),
    }


def own_models() -> Path | None:
    """Where `vitrine add` puts models; None if a setting is invalid, which the server reports."""
    from app.settings import Settings
    from app.startup import CannotStart, settings_from

    try:
        return settings_from(Settings, {}).models
    except CannotStart:
        return None


def show_own_models(models: Path | None, folder: Path) -> None:
    """Links the models that were added with the command, so that deleting the folder removes only
    the links. Names used in this case take precedence.
    """
    with suppress(OSError):  # it is retried in a second
        for entry in models.iterdir() if models and models.is_dir() else ():
            here = folder / "models" / entry.name
            if not (here.exists() or here.is_symlink()):
                here.symlink_to(entry.resolve())


def stay(parent: int, models: Path | None, folder: Path) -> None:
    """Waits for the end of the parent process, then ends this one gracefully."""
    watched: list[IO[str] | int] = [sys.stdin]
    if hasattr(os, "pidfd_open"):  # Linux; elsewhere, checked every second
        with suppress(OSError):
            watched.append(os.pidfd_open(parent))
    while os.getppid() == parent:
        show_own_models(models, folder)
        ready, _, _ = select.select(watched, [], [], 1)
        if sys.stdin in ready and not os.read(sys.stdin.fileno(), 1024):
            break
    os.kill(os.getpid(), signal.SIGTERM)


def main(arguments: list[str]) -> int:
    parent, folder = os.getppid(), Path(arguments[0])
    sys.path.insert(0, str(command.ROOT))
    models = own_models()
    show_own_models(models, folder)
    os.environ.update(environment(folder))
    threading.Thread(target=stay, args=(parent, models, folder), daemon=True).start()
    try:
        return command.main(["serve", "--host", "127.0.0.1", "--port", "0"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
