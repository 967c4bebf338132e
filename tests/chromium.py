"""The browser of the tests: Debian's Chromium without its window, which starts and draws faster."""

import shutil

PROGRAMS = ("chromium-headless-shell", "chromium")
SENTENCE = "The browser tests need Chromium: sudo apt-get install chromium-headless-shell"


def chromium() -> str:
    """The path of the program; raises FileNotFoundError with what to install."""
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        raise FileNotFoundError(SENTENCE)
    return found
