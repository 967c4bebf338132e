"""How large a tokenizer may be, looked at before one is made: the library reserves memory for each
number up to the largest, and for each letter of the tokens.
"""

from collections.abc import Mapping
from typing import Any

from model.errors import NotRead

MAX_TOKENS, MAX_LETTERS = 2**20, 2**23
"""The most tokens, or merges, and the letters of all tokens together. XLM-V has 901,629 tokens,
and Gemma 514,906 merges: no published model that is read has more.
"""


def check_tokenizer_size(whole: Mapping[str, Any], name: str) -> None:
    """Raises NotRead where the content of a tokenizer.json makes a tokenizer that is too large.
    `name` is that of the folder. What has a form that it should not have is left to the library.
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
    """The value, if it is a list of some kind."""
    return value if isinstance(value, (list, dict)) else []
