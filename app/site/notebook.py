"""The script of a notebook's figures: the pages' own scripts, style sheets and Plotly, packed. A
notebook holds it once, and needs no network and no server to show its figures again.
"""

import base64
import gzip
import posixpath
import re

import orjson
from jinja2 import Template

from app.paths import folder
from app.site.assets import Assets

SHEETS = ("css/shared.css", "css/embed.css")
ENTRIES = ("js/notebook-frame.js", "js/figures/interactive.js")
"""The script of one figure as a page, and what it imports after the first picture."""
IMPORTED = re.compile(r"""(\bfrom\s*|\bimport\s*\(?\s*)"(\.[^"]+\.js)\"""")


def notebook_script(assets: Assets) -> bytes:
    """`js/notebook.js` with what its frames hold. It takes a third of a second."""
    table = assets.table
    names = dict.fromkeys(name for module in ENTRIES for name in (module, *assets.modules(module)))
    style = b"\n".join(table[sheet].content for sheet in SHEETS).decode()
    page = Template((folder("templates") / "notebook.html").read_text(encoding="utf-8"))
    packed = orjson.dumps(
        {
            "html": page.render(style=style),
            "files": {
                "plotly": table["plotly.min.js"].content.decode(),
                **{f"vitrine/{name}": with_names(name, table[name].content) for name in names},
            },
        }
    )
    script = table["js/notebook.js"].content
    return script.replace(b"PACKED", base64.b64encode(gzip.compress(packed, 9, mtime=0)))


def with_names(name: str, content: bytes) -> str:
    """A module that imports others by their names, since it has no address in a notebook."""

    def named(found: re.Match[str]) -> str:
        whole = posixpath.normpath(posixpath.join(posixpath.dirname(name), found[2]))
        return f'{found[1]}"vitrine/{whole}"'

    return IMPORTED.sub(named, content.decode())
