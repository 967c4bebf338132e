"""What the API says of its fields: each sentence is of a field that there is."""

import subprocess
import sys
from collections.abc import Iterator

from app.api.endpoint import endpoints
from app.schema.described import Described, file_of
from model.words import FOLDER, messages


def described(model: type[Described] = Described) -> Iterator[type[Described]]:
    """The classes of questions and answers that modules declare."""
    for subclass in model.__subclasses__():
        yield subclass
        yield from described(subclass)


def test_who_asks_first_may_read_another_language():
    """The API's descriptions are English, also where a French question is what imports them."""
    program = (
        "from model.words import LANGUAGE; LANGUAGE.set('fr'); import app.api.routes;"
        "from app.api.endpoint import endpoints; assert all(one.sentence for one in endpoints())"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_each_sentence_is_of_a_field_and_each_endpoint_says_what_it_answers():
    """In the file of the page beside whose declaration the class stands."""
    assert all(endpoint.sentence for endpoint in endpoints())
    fields = {
        (file_of(model.__module__), f"{model.__name__}.{field}")
        for model in described()
        for field in model.__annotations__
    }
    sentences = {
        (file, name)
        for path in (FOLDER / "en").glob("*.ftl")
        for name, (file, _) in messages(path.stem, "en").items()
        if file == path.stem and name[0].isupper()
    }
    assert len(sentences) > 700
    assert sentences <= fields
