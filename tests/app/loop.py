"""An event loop of its own for what a test asks of an asynchronous part."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """What the coroutine returns. Its loop runs in a thread of its own: in a process that has come
    to the browser's tests, the browser's driver keeps one running in the main thread.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
