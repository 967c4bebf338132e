"""The interrupt of a kernel ends what a case does, and the case goes on."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty
from types import SimpleNamespace

import pytest
from jupyter_client import BlockingKernelClient, KernelManager
from jupyter_client.manager import start_new_kernel

from tests.app.serving import Running, wait_for

pytestmark = pytest.mark.thorough  # a kernel and a server; that a client is gone, servers test
PACKAGES = Path(__file__).parents[2] / "app" / "installed"


class Kernel:
    """A kernel, what it runs, and what it says of it."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient):
        self.manager, self.client = manager, client
        self.pid: int = manager.provisioner.pid

    def run(self, code: str, interrupted: Callable[[], bool] | None = None) -> str:
        """The sentence of the error, or else what is shown. The kernel is interrupted once that is
        so.
        """
        request, text = self.client.execute(code), ""
        while True:
            if interrupted and interrupted():
                self.manager.interrupt_kernel()
                interrupted = None
            try:
                message = self.client.get_iopub_msg(timeout=0.05)
            except Empty:
                continue
            if message["parent_header"].get("msg_id") != request:
                continue
            content = message["content"]
            if message["msg_type"] == "error":
                text = "\n".join(content["traceback"])
            elif message["msg_type"] == "execute_result":
                text = content["data"]["text/plain"]
            elif content.get("execution_state") == "idle":
                return text

    def runs(self, module: str) -> list[int]:
        """The processes of a case that it has started: `server` or `command`."""
        return begun(self.pid, f"from vitrine_lab.{module} import main")


def begun(pid: int, program: str) -> list[int]:
    """The processes that a process has started, and whose command line holds `program`."""
    return Running(SimpleNamespace(pid=pid), "http://127.0.0.1:0", PACKAGES).children(
        program.encode()
    )


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    paths = [str(PACKAGES), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    manager, client = start_new_kernel(kernel_name="python3", env=environment)
    kernel = Kernel(manager, client)
    assert kernel.run("from vitrine_lab import Case") == ""
    yield kernel
    client.stop_channels()
    manager.shutdown_kernel()


def test_while_a_server_starts_no_server_and_no_folder_stays(kernel: Kernel):
    kernel.run("import tempfile; tempfile.tempdir = tempfile.mkdtemp()")
    sentence = kernel.run("Case()", lambda: bool(kernel.runs("server")))
    assert sentence == "Interrupted: The server, which was about to start, has ended."
    wait_for(lambda: not kernel.runs("server"))
    assert kernel.run("import os; os.listdir(tempfile.gettempdir())") == "[]"
    kernel.run("os.rmdir(tempfile.tempdir); tempfile.tempdir = None")


def test_a_question_ends_and_the_next_is_answered(kernel: Kernel):
    assert kernel.run("case = Case(); case.masks().kind") == "'analytic'"
    (server,) = kernel.runs("server")
    workers = Running(SimpleNamespace(pid=server), "http://127.0.0.1:0", PACKAGES).workers()
    for pid in workers:
        os.kill(pid, signal.SIGSTOP)
    polls = iter(range(10))
    sentence = kernel.run("case.tokens('it is late')", lambda: next(polls) > 5)
    for pid in workers:
        os.kill(pid, signal.SIGCONT)
    assert sentence == "Interrupted: The question has ended."
    assert kernel.run("case.tokens('it is late').kind") == "'trained'"


def test_a_model_is_not_added_and_nothing_reads_it_any_more(kernel: Kernel, tmp_path: Path):
    os.mkfifo(tmp_path / "config.json")  # whoever reads it waits
    sentence = kernel.run(f"case.add({str(tmp_path)!r})", lambda: bool(kernel.runs("command")))
    assert sentence == "Interrupted: vitrine add has ended."
    wait_for(lambda: not kernel.runs("command"))
    assert kernel.run("case.masks().kind") == "'analytic'"
