"""What a notebook shows of a case: the script of its figures, once, and pages in a frame."""

import subprocess
import sys
import webbrowser
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from vitrine import command
from vitrine.errors import CaseError, ending
from vitrine.server import program

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
    own = case.server is not None
    script = case.connection.get("/notebook.js").decode() if own else script_of_package()
    until = ", until this kernel ends" if case.server else ""
    words = f"<p>The pages are at {link(case.address)}{until}.</p>"
    return {"text/plain": repr(case), "text/html": f"<script>{script}</script>{words}"}


@cache
def script_of_package() -> str:
    """The script as this installation makes it: one of another server would run in the notebook.
    A process of its own makes it within a second. Raises CaseError.
    """
    with ending("The case, which was about to open,"):
        made = subprocess.run(program("notebook"), capture_output=True, encoding="utf-8")
    if made.returncode:
        raise CaseError("The script of the figures could not be made: install Vitrine again.")
    return made.stdout


def main(_: list[str]) -> int:
    """Prints the script."""
    sys.path.insert(0, str(command.ROOT))
    from app.site.assets import Assets
    from app.site.notebook import notebook_script

    sys.stdout.buffer.write(notebook_script(Assets()))
    return 0


def link(address: str) -> str:
    shown = escape(address)
    return f'<a href="{shown}" target="_blank" rel="noopener">{shown}</a>'


def show_page(case: "Case", address: str, policy: str, height: int) -> None:
    """Shows a page in the cell that asks for it, or outside of a notebook in a browser. `policy` is
    the one that the page came with. Raises CaseError.
    """
    if in_notebook():
        from IPython.display import display

        display(frame(case, address, policy, height), raw=True)
    elif not webbrowser.open(address):
        raise CaseError(f"No browser was found on this machine; the page is at {address}.")


def frame(case: "Case", address: str, policy: str, height: int) -> dict[str, Any]:
    """A page in a frame, while its server runs and lets the notebook frame it; else a sentence."""
    runs = "this kernel" if case.server else "its server"
    told = {
        "address": address,
        "server": case.address,
        "frames": " ".join(framing(policy)),
        "height": height,
        "gone": "No server answers there now."
        + (" Run this notebook again to see the page." if case.server else ""),
        "refused": "Its server does not let pages of ORIGIN show it in a frame. It does when it is"
        " started with --embed ORIGIN, or with VITRINE_EMBED=ORIGIN in its environment.",
    }
    data = " ".join(f'data-{name}="{escape(str(value))}"' for name, value in told.items())
    words = f"<p>While {runs} runs, a trusted notebook shows this page here: {link(address)}</p>"
    return {
        "text/plain": f"The page is at {address}",
        "text/html": f'<vitrine-page style="display:block" {data}>{words}</vitrine-page>',
    }


def framing(policy: str) -> list[str]:
    """Which origins a policy lets show the page in a frame."""
    for rule in policy.split(";"):
        name, *sources = rule.split() or [""]
        if name == "frame-ancestors":
            return [source for source in sources if source != "'self'"]
    return ["*"]
