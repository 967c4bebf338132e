"""Writes down what figures show and say now: `python -m tests.app.drawn scaling norms`.

Without a word it writes all. Read the difference before you commit it: each line is held from then
on.
"""

import sys

from tests.app.drawn.answers import DRAWN, drawn
from tests.app.drawn.stated import write

for word in sys.argv[1:] or DRAWN:
    write(word, {name: lines for name, (_, lines) in drawn(word).items()})
    sys.stdout.write(f"{word}\n")
