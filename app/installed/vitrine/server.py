"""The server of a case: a process of its own, which ends when the process that started it does.

The one that starts it holds the other end of its standard input. When that process ends, however it
does, the system closes the input, and the server ends too. It waits for the end of its parent as
well, because a process that was forked holds the input open; and it looks once a second which
models `vitrine add` has put on the user's shelf meanwhile.

Its addresses begin with a path that is drawn for it, as a password: other users of the machine, and
pages of other servers in a browser, reach the port and do not know the path.
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

from vitrine import command
from vitrine.errors import CaseError, ending

BEGIN = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("vitrine", sys.argv.pop(1))
sys.modules["vitrine"] = module_from_spec(spec)
spec.loader.exec_module(sys.modules["vitrine"])
from vitrine.{module} import main
sys.exit(main(sys.argv[1:]))
"""
"""What an interpreter of ours runs: it takes this package, wherever this process has found it."""
BAR = "%|"
"""What every state of a bar of progress has, and no sentence."""
OPTION = re.compile(r"--([a-z]+)(?: ('[^']*'|[a-z0-9-]*[a-z0-9]))?")
UNBUFFERED = {"PYTHONUNBUFFERED": "1", "TQDM_MININTERVAL": "1"}
ANNOUNCED = "Vitrine is at "
PREFIX, HELD = "vitrine-", "held"
ANOTHER = " It was this case’s own: make another with Case()."
LEAVING_SECONDS = 10
NOTEBOOKS = [
    f"{scheme}://{name}:*" for scheme in ("http", "https") for name in ("localhost", "127.0.0.1")
]
"""Where a notebook of this machine may come from."""


class Server:
    """A server on a free port of this machine, and `folder`, which is deleted with it. `address`
    has its secret path and no slash at its end. A question may cost `work_seconds` of a core.
    """

    def __init__(self, work_seconds: float | None = None) -> None:
        delete_forgotten()
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self.held = hold(self.folder)
        (self.folder / "models").mkdir()
        self.path = f"/{secrets.token_urlsafe(16)}"
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 (it goes when this object goes)
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
                # The interrupt of a notebook ends a question, not the server.
                start_new_session=True,
            )
            self.close = weakref.finalize(
                self, end, self.process, self.folder, (self.log, self.held), os.getpid()
            )
            undone.callback(self.close)
            self.address = self.announced()
            undone.pop_all()

    def announced(self) -> str:
        """The address that it says when it listens. Raises CaseError where it ends instead."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.startswith(ANNOUNCED):
            self.process.wait(LEAVING_SECONDS)
            raise CaseError(f"The server did not start: {self.last_words()}")
        return line.removeprefix(ANNOUNCED).split()[0].rstrip("/") + self.path

    def last_words(self) -> str:
        """The last line of its log, without the name of the program."""
        self.log.seek(0)
        lines = self.log.read().decode(errors="replace").split("\n")
        said = [line for line in lines if line.strip()]
        return said[-1].removeprefix("vitrine: ") if said else "it said nothing."

    def run(self, *arguments: str, tell: Callable[[str], None] | None = None) -> str:
        """Runs a command of `vitrine` about the models of this server alone, and returns what it
        prints. `tell` is told each line, and each state of its bar, as they come. Raises CaseError
        with what the command says where it refuses.
        """
        if self.process.poll() is not None:
            raise CaseError("The server of this case has ended: make another with Case().")
        said, wrong = list[str](), list[str]()
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
            undone.callback(running.kill)  # of one that has ended nothing
            follow(running.stdout, said, tell)
            running.wait()
        if running.returncode:
            raise CaseError(in_python(wrong) or f"vitrine {arguments[0]} failed.")
        return "".join(said)


def hold(folder: Path) -> IO[bytes]:
    """A file in the folder that is locked as long as it is open, which it is no longer when this
    process has ended, however it has.
    """
    held = (folder / "new").open("wb")
    fcntl.flock(held, fcntl.LOCK_EX)
    (folder / "new").rename(folder / HELD)
    return held


def delete_forgotten() -> None:
    """Deletes the folders of servers that were killed with those who held them."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError), (folder / HELD).open("rb") as held:  # others' cannot be read
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)


def follow(
    lines: Iterable[str], kept: list[str], tell: Callable[[str], None] | None, part: str = ""
) -> None:
    """Keeps the lines that a command prints; those that have `part` in them are told."""
    for line in lines:
        kept.append(line)
        if tell and part in line:
            tell(line)


def in_python(wrong: list[str]) -> str:
    """The last line of what a command says, with its options as arguments."""
    last = wrong[-1].strip().removeprefix("vitrine: ") if wrong else ""
    removed = re.sub(r"run vitrine remove (\S+)", r"case.remove('\1')", last)
    return OPTION.sub(lambda found: f"{found[1]}={argument(found[2] or '')}", removed)


def argument(given: str) -> str:
    """The value of an option as Python writes it."""
    return repr(given) if given and given[0] != "'" and not given.isdecimal() else given


def program(module: str, *arguments: str) -> list[str]:
    """How `main` of a module of this package is run in a process of its own."""
    package = str(Path(__file__).with_name("__init__.py"))
    return [sys.executable, "-P", "-c", BEGIN.format(module=module), package, *arguments]


def end(
    process: subprocess.Popen[str], folder: Path, files: Iterable[IO[bytes]], owner: int
) -> None:
    """Ends a server and deletes its folder. A process that was forked ends nothing."""
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
    """The settings of a server that keeps nothing beyond its end, and whose pages notebooks of this
    machine show in a frame.
    """
    embed = os.environ.get("VITRINE_EMBED", "")
    return {
        "TMPDIR": str(folder),  # what a server that is killed leaves is deleted with it
        "VITRINE_EMBED": " ".join([embed, *NOTEBOOKS]),
        "VITRINE_MODELS": str(folder / "models"),
        "VITRINE_ROOT_PATH_ONLY": "true",
        "VITRINE_RUNS": str(folder / "runs"),
        # A reader of a notebook asks at once, and not for what pages show first.
        "VITRINE_OPENINGS": os.environ.get("VITRINE_OPENINGS", "false"),
    }


def own_models() -> Path | None:
    """Where `vitrine add` puts models; None where a setting is wrong, which the server says."""
    from app.settings import Settings
    from app.startup import CannotStart, settings_from

    try:
        return settings_from(Settings, {}).models
    except CannotStart:
        return None


def show_own_models(models: Path | None, folder: Path) -> None:
    """The models that were added by the command are there too: as links, so that those of this case
    end with it and no others do. A name that this case has given stays its own.
    """
    with suppress(OSError):  # another looks again in a second
        for one in models.iterdir() if models and models.is_dir() else ():
            here = folder / "models" / one.name
            if not (here.exists() or here.is_symlink()):
                here.symlink_to(one.resolve())


def stay(parent: int, models: Path | None, folder: Path) -> None:
    """Waits for the end of the process that started this one, and then ends this one in peace."""
    watched: list[IO[str] | int] = [sys.stdin]
    if hasattr(os, "pidfd_open"):  # on Linux; elsewhere it is seen within a second
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
