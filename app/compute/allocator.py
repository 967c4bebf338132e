"""How a process keeps memory. Its collector leaves alone what stays. In the worker, what one
computation has freed, the next one uses, and what is much more goes back to the system.

glibc gives large blocks back to the kernel as soon as they are freed, and the kernel fills new ones
with zeros, page by page. A trace holds hundreds of such blocks, and took 1.6 to 2 times as long as
the same pass without one; with its memory kept it takes 1.02 to 1.2 times as long.
"""

import ctypes
import gc
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8  # malloc.h
MIB = 1 << 20
MUCH, GROWN = 512 * MIB, 64 * MIB
PAGE, STATM = os.sysconf("SC_PAGE_SIZE"), Path("/proc/self/statm")


def keep_freed_memory() -> None:
    """Blocks below 32 MiB come from one heap for all threads, which keeps up to 256 MiB that are
    free. Where the C library is another than glibc, nothing is changed.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_ARENA_MAX, 1)
        mallopt(M_MMAP_THRESHOLD, 32 * MIB)
        mallopt(M_TRIM_THRESHOLD, 256 * MIB)


def give_large_blocks_back() -> None:
    """Blocks of 1 MiB and more go back to the system as soon as they are freed, and so does the end
    of the heap. Otherwise glibc moves its thresholds up to the largest block that it has seen.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_ARENA_MAX, 1)
        mallopt(M_MMAP_THRESHOLD, MIB)
        mallopt(M_TRIM_THRESHOLD, MIB)


@contextmanager
def loading() -> Generator[None]:
    """While a process loads, its garbage collector waits, and it never again looks through what is
    there afterwards: hundreds of thousands of objects, hardly one of which ever goes.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


class Heap(ctypes.Structure):
    """What glibc says of its heap, in bytes (malloc.h: struct mallinfo2)."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


def free_bytes() -> int:
    """Bytes of the heap that nothing uses; 0 where the C library is another than glibc."""
    mallinfo = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if mallinfo is None:
        return 0
    mallinfo.restype = Heap
    return mallinfo().fordblks


def resident_bytes() -> int:
    """Bytes of memory that the process takes; 0 where the system does not say so in /proc."""
    try:
        return int(STATM.read_text().split()[1]) * PAGE
    except FileNotFoundError:
        return 0


class GivingBack:
    """Gives free memory back to the system where there is much of it. glibc by itself gives back
    only what is free at the end of the heap, and one small block that is kept there holds it all.

    To count what is free takes glibc as long as a small answer takes (5 to 16 ms), so that it is
    counted only where the process has grown since the last count.
    """

    def __init__(self) -> None:
        self.counted_at = 0

    def __call__(self) -> None:
        if resident_bytes() > self.counted_at + GROWN:
            if free_bytes() > MUCH:
                ctypes.CDLL(None).malloc_trim(0)
            self.counted_at = resident_bytes()


give_much_back = GivingBack()
