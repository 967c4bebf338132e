"""A server whose analyses do as they are told, and how the real one, `house`, is asked."""

from collections.abc import Callable, Iterator
from inspect import iscoroutinefunction
from pathlib import Path

import httpx2
import pytest

from tests.app import loop
from tests.app.fake_analyses import CALLS
from tests.app.serving import ROOT, Running, running
from tests.model.support.numpy_reading import Reading
from tests.model.support.own_models import shelf  # noqa: F401


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """A test that is a coroutine has an event loop of its own."""
    if iscoroutinefunction(test := pyfuncitem.obj):
        pyfuncitem.obj = lambda **fixtures: loop.run(test(**fixtures))
    return (yield)


@pytest.fixture(scope="session")
def fakes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Fast to start and to kill. One address may have few bytes on their way."""
    few = {"sending_bytes_per_client": 8_000_000}
    with running(tmp_path_factory.mktemp("fakes"), **few) as server:
        yield server.until_ready()


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """The analyses that the worker has begun."""
    monkeypatch.setenv(CALLS, str(tmp_path / "calls"))
    return lambda: (
        (tmp_path / "calls").read_text().splitlines() if (tmp_path / "calls").exists() else []
    )


@pytest.fixture
def client(house: Running) -> Iterator[httpx2.Client]:
    with house.client() as client:
        yield client


@pytest.fixture
def fake(fakes: Running) -> Iterator[httpx2.Client]:
    with fakes.until_ready().client() as client:
        yield client


@pytest.fixture
def ask(client: httpx2.Client) -> Callable[..., dict]:
    """A word and its question to the answer."""

    def ask(word: str, **question: object) -> dict:
        response = client.get(f"/api/v1/{word}", params=question)
        assert response.status_code == 200, response.text
        return response.json()

    return ask


@pytest.fixture(scope="session")
def reading() -> Reading:
    """The shipped weights as NumPy reads them."""
    return Reading(ROOT / "model" / "weights" / "translator")
