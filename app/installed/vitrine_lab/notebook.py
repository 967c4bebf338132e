"""Notebook output of a case: the script of its figures, once, and pages in a frame."""

import subprocess
import sys
import webbrowser
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from vitrine_lab import command
from vitrine_lab.errors import CaseError, ending
from vitrine_lab.server import program

if TYPE_CHECKING:
    from vitrine_lab.case import Case


def in_notebook() -> bool:
    """Whether this process is a notebook kernel."""
    if "ipykernel" not in sys.modules:
        return False
    from IPython import get_ipython

    return hasattr(get_ipython(), "kernel")


def show_script(case: "Case") -> None:
    """Shows the script in the cell that creates the case, and the address of the pages."""
    from IPython.display import display

    display(bundle(case), raw=True)


def bundle(case: "Case") -> dict[str, Any]:
    """The script and the address, for a notebook and its exports."""
    has_server = case.server is not None
    script = case.connection.get("/notebook.js").decode() if has_server else script_of_package()
    until = ", until this kernel stops" if case.server else ""
    words = f"<p>The pages are at {link(case.address)}{until}.</p>"
    return {"text/plain": repr(case), "text/html": f"<script>{script}</script>{words}"}


@cache
def script_of_package() -> str:
    """The script of this installation: another server's would run in the notebook. A separate
    process builds it within a second. Raises CaseError.
    """
    with ending("The case, which was about to open,"):
        process = subprocess.run(program("notebook"), capture_output=True, encoding="utf-8")
    if process.returncode:
        raise CaseError("The figure script could not be built. Please reinstall Vitrine.")
    return process.stdout


def main(_: list[str]) -> int:
    """Prints the script."""
    sys.path.insert(0, str(command.ROOT))
    from app.site.assets import Assets
    from app.site.notebook import notebook_script

    sys.stdout.buffer.write(notebook_script(Assets()))
    return 0


def link(address: str) -> str:
    text = escape(address)
    return f'<a href="{text}" target="_blank" rel="noopener">{text}</a>'


def show_page(case: "Case", address: str, policy: str, height: int) -> None:
    """Shows a page in the current cell, or outside a notebook in a browser. `policy` is the page's
    content security policy. Raises CaseError.
    """
    if in_notebook():
        from IPython.display import display

        display(frame(case, address, policy, height), raw=True)
    elif not webbrowser.open(address):
        raise CaseError(f"No browser was found on this machine; the page is at {address}.")


def frame(case: "Case", address: str, policy: str, height: int) -> dict[str, Any]:
    """A page in a frame, or a sentence where no server runs that allows the notebook to."""
    runs = "this kernel" if case.server else "its server"
    fields = {
        "address": address,
        "server": case.address,
        "frames": " ".join(framing(policy)),
        "height": height,
        "gone": "No server is running there now."
        + (" Run this notebook again to see the page." if case.server else ""),
        "refused": "Its server doesn’t allow frames on ORIGIN. Start it with --embed ORIGIN, or set"
        " VITRINE_EMBED=ORIGIN.",
    }
    data = " ".join(f'data-{name}="{escape(str(value))}"' for name, value in fields.items())
    words = f"<p>While {runs} runs, a trusted notebook shows this page here: {link(address)}</p>"
    return {
        "text/plain": f"The page is at {address}",
        "text/html": f'<vitrine-page style="display:block" {data}>{words}</vitrine-page>',
    }


def framing(policy: str) -> list[str]:
    """The origins that a policy allows to frame the page."""
    for rule in policy.split(";"):
        name, *sources = rule.split() or [""]
        if name == "frame-ancestors":
            return [source for source in sources if source != "'self'"]
    return ["*"]
