"""Whether the page of an address offers what the address sets."""

from urllib.parse import parse_qsl, urlsplit

import httpx2

from app.api.endpoint import Endpoint, endpoints
from app.lecture.offered import Offered

WORDS = {word.name: word for word in endpoints() if not word.path}


def accepts(word: Endpoint | None, name: str, value: str) -> bool:
    """Whether the question of a word has that field and takes the value; a wrong one raises."""
    if word is None or name not in word.question.model_fields:
        return False
    word.question.model_validate({**dict(parse_qsl(word.example)), name: value})
    return True


def check_landing(client: httpx2.Client, address: str) -> None:
    """Fails unless the page of an address exists and knows every parameter and value given."""
    page = client.get(address)
    assert page.status_code == 200, "the page exists, and shows the model that it is asked for"
    split = urlsplit(address)
    offered = Offered(page.text).controls
    word = WORDS.get(split.path.strip("/"))
    for name, value in parse_qsl(split.query, strict_parsing=True):
        assert name in offered, f"{split.path} has no control {name!r}"
        values = offered[name]
        if not accepts(word, name, value):
            assert values is None or value in values, f"{split.path} does not offer {value!r}"
