"""Static files and Plotly's script. Each is read once, compressed once, and served under an address
that holds the hash of its content, so that browsers may keep it for ever.
"""

import asyncio
import gzip
import hashlib
import mimetypes
import os
import posixpath
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

import brotli
from platformdirs import user_cache_path
from starlette.requests import Request
from starlette.responses import Response

from app.paths import folder
from app.responses import SlicedResponse, accepted

FOREVER = "public, max-age=31536000, immutable"
LARGE = (
    262_144  # compressing more than this takes long enough to be worth a file in the cache folder
)
TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
SHARED = ("tokens", "base", "header", "controls", "page", "figure", "player", "presenter", "edits")
"""The style sheets of every page. They come as one, `css/shared.css`: one request, and smaller."""
COMMENTS = {
    ".css": re.compile(rb"/\*.*?\*/", re.DOTALL),
    # Those that begin a line, as the types do that only tests read.
    ".js": re.compile(rb"^[ \t]*/\*\*.*?\*/", re.DOTALL | re.MULTILINE),
}
"""What is for whoever reads the files, and does not travel."""
COMPRESSED_TYPES = ("text/", "image/svg+xml", "application/json")

# In the order of preference; for Plotly's 4.8 MB a level that takes about a second.
ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "br": lambda content: brotli.compress(
        content, quality=9 if len(content) >= LARGE else 11, lgwin=22
    ),
    "gzip": lambda content: gzip.compress(content, compresslevel=9, mtime=0),
}

IMPORT = re.compile(
    r"""^(?:import|(?:import|export)\b[^"'();]*\bfrom)\s*["'](\.[^"']+\.js)["']""", re.MULTILINE
)


@dataclass
class Asset:
    """One file. Its address holds `version`. Its compressed forms, `variants`, are made when they
    are first asked for.
    """

    content: bytes
    type: str
    version: str
    variants: dict[str, bytes] = field(default_factory=dict)
    making: asyncio.Lock = field(default_factory=asyncio.Lock)

    @cached_property
    def imports(self) -> list[str]:
        """What a script imports directly, as it says it."""
        return IMPORT.findall(self.content.decode())

    async def variant(self, encoding: str) -> bytes:
        async with self.making:
            if encoding not in self.variants:
                self.variants[encoding] = await asyncio.to_thread(
                    compressed, self.content, encoding
                )
        return self.variants[encoding]


class Assets:
    """The table of all static files. Only these are served, and no path of a request reaches the
    file system.
    """

    def __init__(self) -> None:
        self.table: dict[str, Asset] = {}
        self.stamp: object = None
        self.refresh()

    def refresh(self) -> None:
        """Reads the folder again if a file in it has changed."""
        files = {
            path.relative_to(STATIC).as_posix(): path
            for path in sorted(STATIC.rglob("*"))
            if path.is_file()
        }
        stamp = [(name, path.stat().st_mtime_ns) for name, path in files.items()]
        if stamp == self.stamp:
            return
        contents = {name: path.read_bytes() for name, path in files.items()}
        for name, content in contents.items():
            if comment := COMMENTS.get(Path(name).suffix):
                contents[name] = comment.sub(line_feeds, content)
        sheets = (contents.get(f"css/{name}.css", b"") for name in SHARED)
        contents["css/shared.css"] = b"\n".join(sheets)
        # One version for the whole tree, so that modules may import each other by relative
        # addresses.
        version = digest(
            *(part for name, content in contents.items() for part in (name.encode(), content))
        )
        self.table = {
            name: Asset(content, media_type(name), version) for name, content in contents.items()
        }
        script = plotly_script()
        self.table["plotly.min.js"] = Asset(script, TYPES[".js"], digest(script))
        self.stamp = stamp

    def address(self, name: str) -> str:
        """Returns the path under which a page finds the file, never with a host."""
        asset = self.table.get(name)
        return f"/static/{asset.version if asset else 'missing'}/{name}"

    async def prepare(self) -> None:
        """Compresses all files, the small ones first, because browsers ask for these first."""
        best = next(iter(ENCODINGS))
        for asset in sorted(self.table.values(), key=lambda asset: len(asset.content)):
            if asset.type.startswith(COMPRESSED_TYPES):
                await asset.variant(best)

    def modules(self, name: str) -> list[str]:
        """Returns the names of all modules that a script imports, directly or through others. A
        page names them, so that the browser loads them at once.
        """
        found = [name] if name in self.table else []
        for importer in found:  # grows while it is read
            names = [
                posixpath.normpath(posixpath.join(posixpath.dirname(importer), imported))
                for imported in self.table[importer].imports
            ]
            found += [module for module in names if module not in found]
        return found[1:]

    async def response(self, request: Request, version: str, name: str) -> Response | None:
        """Returns the file, or None if there is none. Under the address of another version it
        returns the present file, which browsers must not keep.
        """
        asset = self.table.get(name)
        if asset is None:
            return None
        headers = {
            "cache-control": FOREVER if version == asset.version else "no-cache",
            "vary": "Accept-Encoding",
        }
        header = request.headers.get("accept-encoding", "")
        compresses = asset.type.startswith(COMPRESSED_TYPES)
        encoding = accepted(header, ENCODINGS) if compresses else None
        headers["content-encoding"] = encoding or "identity"
        body = asset.content if encoding is None else await asset.variant(encoding)
        return SlicedResponse(body, headers=headers, media_type=asset.type)


STATIC = folder("static")


def line_feeds(found: re.Match[bytes]) -> bytes:
    """As many as were found, so that lines keep their numbers."""
    return b"\n" * found[0].count(b"\n")


def digest(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def media_type(name: str) -> str:
    return (
        TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    )


def plotly_script() -> bytes:
    """Reads Plotly's script from the installed package, without importing it."""
    package = find_spec("plotly")
    assert package is not None, "plotly is one of the dependencies"
    assert package.origin is not None, "plotly is a package with an __init__.py"
    return (Path(package.origin).parent / "package_data" / "plotly.min.js").read_bytes()


def compressed(content: bytes, encoding: str) -> bytes:
    """Returns the compressed content, from the user's cache folder if it is there. If that folder
    cannot be written to, the next start takes a second longer.
    """
    if len(content) < LARGE:
        return ENCODINGS[encoding](content)
    cached = user_cache_path("vitrine") / f"{digest(content)}.{encoding}"
    try:
        return cached.read_bytes()
    except OSError:
        smaller = ENCODINGS[encoding](content)
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=cached.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(smaller)
        os.replace(temporary, cached)
    except OSError:
        pass
    return smaller
