"""Memory that one traced pass has freed, the next one uses."""

import subprocess
import sys

import pytest

from tests.app.serving import ROOT

SCRIPT = """
import ctypes, resource, sys, threading
from app.compute.heap import keep_freed_memory

if not hasattr(ctypes.CDLL(None), "mallopt"):
    sys.exit("no glibc")
if sys.argv[1] == "kept":
    keep_freed_memory()
import torch
from model.trace import Recorder
from tests.benchmarks.tracing import decoder

@torch.inference_mode()
def run():
    forward = decoder(256)
    for _ in range(12):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        forward(Recorder())
        print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)

thread = threading.Thread(target=run)
thread.start()
thread.join()
"""


def page_faults(how: str) -> int:
    """Page faults of the last six of twelve passes over 256 tokens, in a thread, as in the worker:
    by then the heap has found its size.
    """
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, how], cwd=ROOT, capture_output=True, text=True
    )
    if ended.stderr.startswith("no glibc"):
        pytest.skip("The C library is not glibc.")
    assert ended.returncode == 0, ended.stderr
    return sum([int(number) for number in ended.stdout.split()][-6:])


def test_a_traced_pass_finds_the_memory_of_the_one_before():
    assert page_faults("kept") < 2_000


def test_without_it_the_kernel_is_asked_for_every_block_again():
    assert page_faults("given back") > 8_000
