"""Memory that one computation has freed, the next one uses."""

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

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    blocks = [torch.ones(1 << 20) for _ in range(16)]  # 4 MiB each
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

def run():
    first, *later = (faults() for _ in range(6))
    print(first, min(later))

thread = threading.Thread(target=run)
thread.start()
thread.join()
"""


def page_faults(how: str) -> list[int]:
    """Page faults of the same allocations in a thread: the first time, and the fewest of five times
    after it, because the heap finds its size only by and by.
    """
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, how], cwd=ROOT, capture_output=True, text=True
    )
    if ended.stderr.startswith("no glibc"):
        pytest.skip("The C library is not glibc.")
    assert ended.returncode == 0, ended.stderr
    return [int(number) for number in ended.stdout.split()]


def test_a_computation_finds_the_memory_of_those_before_it():
    first, again = page_faults("kept")
    assert first > 10_000
    assert again < 500


def test_without_it_every_page_is_fetched_again():
    first, again = page_faults("given back")
    assert again > first / 2
