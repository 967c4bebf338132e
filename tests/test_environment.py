"""The tests bring their own surroundings, whatever the machine or the caller has set."""

import locale
import subprocess
import sys
import time

import torch

TELL = """
import locale, time, torch
print(time.tzname[0], locale.getencoding().lower(), torch.get_num_threads())
"""


def test_a_computation_takes_one_thread():
    assert torch.get_num_threads() == 1


def test_the_time_zone_and_the_encoding_are_the_same_everywhere():
    assert time.tzname[0] == "UTC"
    assert locale.getencoding().lower() == "utf-8"


def test_a_process_that_a_test_begins_has_the_same_surroundings():
    child = subprocess.run([sys.executable, "-c", TELL], capture_output=True, text=True, check=True)
    assert child.stdout.split() == ["UTC", "utf-8", "1"]
