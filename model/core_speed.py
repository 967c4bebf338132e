"""How fast a core is: estimates of what an answer costs are seconds of a usual core."""

import time

import torch

USUAL = 0.0054  # processor seconds of `piece` on the core whose seconds the estimates count
TIMES = 3


def slowness() -> float:
    """How many seconds of this core do what one of the usual core does. What other programs do
    meanwhile only makes a piece longer, so the quickest of a few counts.
    """
    return min(piece() for _ in range(TIMES)) / USUAL


@torch.inference_mode()
def piece() -> float:
    """Processor seconds of a small piece of work that is always the same: what a layer of a small
    model computes for 32 tokens, so many times that half of it is Python's and half the products'.
    """
    x, w = torch.ones(32, 128), torch.eye(128)
    begun = time.thread_time()
    for _ in range(100):
        x = torch.nn.functional.layer_norm(x @ w, (128,))
        x = x + (x @ x.mT).softmax(-1) @ x
        x = x + (x @ w).relu() @ w
    return time.thread_time() - begun
