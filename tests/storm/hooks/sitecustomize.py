"""Read by every Python process of a server under test before its own code: faults at exact places.

STORM_CRASH="PLACE STEP" kills a training and its server there. STORM_OPENED=FILE notes every file
that is opened. STORM_OFFLINE=FILE refuses every address but this machine's own, and notes it.
"""

import os
import signal
import sys

LOG, CHECKPOINT = "steps.jsonl", "checkpoint.safetensors"
fsync, replace, unlink = os.fsync, os.replace, os.unlink


def crash() -> None:
    """The server that began this process, and this process."""
    os.kill(os.getppid(), signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def crash_at(place: str, step: int) -> None:
    def lines(descriptor: int) -> int:
        with open(f"/proc/self/fd/{descriptor}", "rb") as file:
            return file.read().count(b"\n")

    def crashing_fsync(descriptor: int) -> None:
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        size = os.fstat(descriptor).st_size
        late = path.endswith(LOG) and lines(descriptor) >= step
        if late and place == "half-a-step":
            os.ftruncate(descriptor, size - 20)
            crash()
        fsync(descriptor)
        if late and place == "a-step-not-said":
            crash()
        if path.endswith(".part") and place == "half-a-checkpoint":
            os.ftruncate(descriptor, size // 2)
            crash()

    def crashing_replace(source: str, target: str) -> None:
        ours = str(target).endswith(CHECKPOINT)
        if ours and place == "a-checkpoint-not-named":
            crash()
        replace(source, target)
        if ours and place == "a-checkpoint-named":
            crash()

    def crashing_unlink(path: str) -> None:
        if str(path).endswith(CHECKPOINT) and place == "the-end-not-noted":
            crash()
        unlink(path)

    os.fsync, os.replace, os.unlink = crashing_fsync, crashing_replace, crashing_unlink


def note_opened(log: str) -> None:
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def opened(event: str, arguments: tuple) -> None:
        if event == "open" and isinstance(arguments[0], str | bytes):
            os.write(descriptor, os.fsencode(arguments[0]) + b"\n")

    sys.addaudithook(opened)


def cut_off(log: str) -> None:
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    local = ("127.", "::1", "localhost")

    def connecting(event: str, arguments: tuple) -> None:
        if event == "socket.connect":
            address = arguments[1]
        elif event == "socket.getaddrinfo":
            address = arguments[:1]
        else:
            return
        if isinstance(address, tuple) and not str(address[0]).startswith(local):
            os.write(descriptor, f"{event} {address}\n".encode())
            raise OSError(101, "Network is unreachable")

    sys.addaudithook(connecting)


if "STORM_CRASH" in os.environ and "model.processes.live_warmup" in sys.orig_argv:
    place, step = os.environ["STORM_CRASH"].split()
    crash_at(place, int(step))
if "STORM_OPENED" in os.environ:
    note_opened(os.environ["STORM_OPENED"])
if "STORM_OFFLINE" in os.environ:
    cut_off(os.environ["STORM_OFFLINE"])
