"""What a notebook shows of a case: the script of its figures, once."""

import sys
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vitrine.case import Case


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    if "ipykernel" not in sys.modules:
        return False
    from IPython import get_ipython

    return hasattr(get_ipython(), "kernel")


def show_script(case: "Case") -> None:
    """Shows the script in the cell that makes the case, and the address of the pages."""
    from IPython.display import display

    display(bundle(case), raw=True)


def bundle(case: "Case") -> dict[str, Any]:
    """The script and the address, for a notebook and for an export of it."""
    script = case.connection.get("/notebook.js").decode()
    address = escape(case.address)
    until = ", until this kernel ends" if case.server else ""
    link = f'<a href="{address}" target="_blank" rel="noopener">{address}</a>'
    return {
        "text/plain": repr(case),
        "text/html": f"<script>{script}</script><p>The pages are at {link}{until}.</p>",
    }
