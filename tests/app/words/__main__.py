"""Writes down what pages say now: `python -m tests.app.words scaling norms`. Read the difference
before you commit it: each text is held from then on.
"""

import sys

from tests.app.words.approved import write

for word in sys.argv[1:]:
    write(word)
    sys.stdout.write(f"{word}\n")
