"""What one must know of a figure to read it elsewhere, in a line, from its `layout["meta"]`."""

import re
import unicodedata
from typing import Any

from app.captions.sentences import of_drawings
from model.labels import label

LONGEST = 40  # letters of a file's name that tell the input


def provenance(meta: dict[str, Any]) -> str:
    """The model with its weights, the kind of the numbers, the input, the edits and the seed."""
    model, digest, seed = (meta.get(name) for name in ("model", "weights_sha256", "seed"))
    parts = [
        *(
            [of_drawings("weights", model=model, digest=digest[:12]) if digest else model]
            if model
            else []
        ),
        label(meta["kind"]),
        *input_texts(meta.get("input")),
        *([of_drawings("edited", edits="; ".join(meta["edited"]))] if "edited" in meta else []),
        *([] if seed is None else [of_drawings("seed", seed=seed)]),
    ]
    return " · ".join(parts)


def input_texts(read: dict[str, Any] | None) -> list[str]:
    """source “i am cold”"""
    return [
        of_drawings("input", name=label(name), value=value) for name, value in (read or {}).items()
    ]


def file_name(*parts: str | None) -> str:
    """A name for a file in plain letters, digits and hyphens, of what is given of these parts."""
    return "-".join(["vitrine", *filter(None, (slug(part or "") for part in parts))])


def slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:LONGEST].strip("-")
