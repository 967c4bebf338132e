"""In the worker, memory that one traced pass has freed is used by the next one. In the web process,
what a large answer took goes back to the system.
"""

import subprocess
import sys

import pytest

from app.compute import allocator
from app.http import server
from app.settings import Settings
from app.startup import listen
from tests.app.serving import ROOT

SCRIPT = """
import ctypes, resource, sys, threading
from app.compute.allocator import keep_freed_memory

if not hasattr(ctypes.CDLL(None), "mallopt"):
    sys.exit("no glibc")
keep_freed_memory()
import torch
from model.trace import Recorder
from tests.benchmarks.tracing import decoder

@torch.inference_mode()
def run():
    forward = decoder(512)
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        forward(Recorder())
        print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)

thread = threading.Thread(target=run)
thread.start()
thread.join()
"""


def numbers_of(script: str) -> list[int]:
    """What a script prints in a process of its own."""
    ended = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    if ended.stderr.startswith("no glibc"):
        pytest.skip("The C library is not glibc.")
    assert ended.returncode == 0, ended.stderr
    return [int(number) for number in ended.stdout.split()]


def page_faults() -> int:
    """Page faults of the second to fifth pass over 512 tokens in a thread, as in the worker. Later
    ones say less: glibc raises its thresholds by itself, now and then.
    """
    return sum(numbers_of(SCRIPT)[1:])


@pytest.mark.thorough  # about speed alone
def test_a_traced_pass_finds_the_memory_of_the_one_before():
    assert page_faults() < 4_000, "26,000 without keep_freed_memory"


def test_free_memory_is_counted_only_when_the_process_has_grown(monkeypatch):
    sizes, counts = iter([600, 600, 610, 700, 700, 500]), []
    monkeypatch.setattr(allocator, "resident_bytes", lambda: next(sizes) * allocator.MIB)
    monkeypatch.setattr(allocator, "free_bytes", lambda: counts.append(1) or 0)
    give = allocator.GivingBack()
    give()
    assert len(counts) == 1
    give()
    assert len(counts) == 1, "10 MiB more"
    give()
    assert len(counts) == 2, "100 MiB more"
    give()
    assert len(counts) == 2


ANSWERS = """
import ctypes, sys
from app.compute.allocator import free_bytes, give_large_blocks_back

if not hasattr(ctypes.CDLL(None), "mallinfo2"):
    sys.exit("no glibc")
give_large_blocks_back()
for _ in range(3):
    answer = bytes(24_000_000)
    del answer
    print(free_bytes())
"""


def test_what_large_answers_took_goes_back_to_the_system():
    assert max(numbers_of(ANSWERS)) < 4_000_000, "24 MB without give_large_blocks_back"


def test_the_web_process_gives_large_blocks_back(monkeypatch: pytest.MonkeyPatch):
    done = []
    monkeypatch.setattr(server, "give_large_blocks_back", lambda: done.append("given back"))
    monkeypatch.setattr(server.Server, "run", lambda *_, sockets: done.append("run"))
    with listen("127.0.0.1", 0) as listener:
        server.serve(Settings(), listener)
    assert done == ["given back", "run"]
