"""The maximum size of a tokenizer, checked before it is loaded: the library reserves memory for
each id up to the largest, and for each character of the tokens.
"""

from collections.abc import Mapping
from typing import Any

from model.errors import NotRead

MAX_TOKENS, MAX_LETTERS = 2**20, 2**23
"""The maximum number of tokens, or merges, and of characters in all tokens together. The largest
supported published models have 901,629 tokens (XLM-V) and 514,906 merges (Gemma).
"""


def check_tokenizer_size(whole: Mapping[str, Any], name: str) -> None:
    """Raises NotRead if the content of a tokenizer.json is too large. `name` is that of the folder.
    Malformed parts are left to the library.
    """
    model, added = whole.get("model"), whole.get("added_tokens")
    pieces, merges = (
        listed(model.get(name)) if isinstance(model, dict) else [] for name in ("vocab", "merges")
    )
    added = [token for token in listed(added) if isinstance(token, dict)]
    numbered = pieces.values() if isinstance(pieces, dict) else ()
    ids = [*numbered, *(token.get("id") for token in added)]
    numbers = [id for id in ids if isinstance(id, int)]
    most = max([len(pieces), len(merges), len(added), *numbers])
    if most > MAX_TOKENS:
        raise NotRead("too-many-tokens", name=name, count=most, most=MAX_TOKENS)
    named = [piece[0] if isinstance(piece, list) and piece else piece for piece in pieces]
    named += [token.get("content") for token in added]
    letters = sum(len(piece) for piece in named if isinstance(piece, str))
    if letters > MAX_LETTERS:
        raise NotRead("too-many-letters", name=name, letters=letters, most=MAX_LETTERS)


def listed(value: Any) -> list | dict:
    """The value, or an empty list if it is not a list."""
    return value if isinstance(value, (list, dict)) else []
