"""What a notebook shows of a case: the script of its figures, once."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vitrine.case import Case


def show_script(case: "Case") -> None:
    """Shows the script in the cell that makes the case, where this is a notebook."""
    if "ipykernel" not in sys.modules:
        return
