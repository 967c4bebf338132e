"""What the API says of its fields: each sentence is of a field that there is, in every language."""

from collections.abc import Iterator

import pytest

from app.api.endpoint import endpoints
from app.schema.described import Described, file_of
from model.words import FOLDER, languages, messages


def described(model: type[Described] = Described) -> Iterator[type[Described]]:
    """The classes of questions and answers that modules declare."""
    for one in model.__subclasses__():
        yield one
        yield from described(one)


@pytest.mark.parametrize("language", languages())
def test_each_sentence_is_of_a_field_and_each_endpoint_says_what_it_answers(language: str):
    """In the file of the page beside whose declaration the class stands."""
    assert all(endpoint.sentence for endpoint in endpoints())
    fields = {
        (file_of(model.__module__), f"{model.__name__}.{field}")
        for model in described()
        for field in model.__annotations__
    }
    said = {
        (file, name)
        for path in (FOLDER / language).glob("*.ftl")
        for name, (file, _) in messages(path.stem, language).items()
        if file == path.stem and name[0].isupper()
    }
    assert len(said) > 700
    assert said <= fields
