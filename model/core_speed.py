"""The speed of this CPU core. Cost estimates are in seconds of a reference core."""

import time

import torch

USUAL = 0.0054  # processor seconds of `piece` on the reference core
TIMES = 3


def slowness() -> float:
    """How many times slower this core is than the reference core. Other programs can only slow a
    measurement down, so the fastest of a few is used.
    """
    return min(piece() for _ in range(TIMES)) / USUAL


@torch.inference_mode()
def piece() -> float:
    """Processor seconds of a fixed workload: one layer of a small model on 32 tokens, repeated,
    with half of the time spent in Python and half in matrix products.
    """
    x, w = torch.ones(32, 128), torch.eye(128)
    begun = time.thread_time()
    for _ in range(100):
        x = torch.nn.functional.layer_norm(x @ w, (128,))
        x = x + (x @ x.mT).softmax(-1) @ x
        x = x + (x @ w).relu() @ w
    return time.thread_time() - begun
