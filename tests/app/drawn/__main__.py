"""Writes down what figures show and say now: `python -m tests.app.drawn scaling norms`.

Without a word it writes all. Read the difference before you commit it: each line is held from then
on.
"""

import sys

from tests.app.drawn.answers import ENDPOINTS, figures_with_lines
from tests.app.drawn.stated import write

for word in sys.argv[1:] or ENDPOINTS:
    write(word, {name: lines for name, (_, lines) in figures_with_lines(word).items()})
    sys.stdout.write(f"{word}\n")
