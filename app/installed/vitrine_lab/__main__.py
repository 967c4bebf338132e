"""`python -m vitrine_lab`: the command, if another program has installed its own `vitrine`."""

import sys

from vitrine_lab.command import main

sys.exit(main())
