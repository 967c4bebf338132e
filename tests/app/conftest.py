"""Servers shared by the tests: one with the real analyses, one whose analyses do as they are told."""

from collections.abc import Iterator

import httpx2
import pytest

from tests.app.serving import Running, running


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The real thing, warm."""
    with running(tmp_path_factory.mktemp("house"), "model.analyses") as server:
        yield server.until_ready()


@pytest.fixture(scope="session")
def fakes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Fast to start and to kill."""
    with running(tmp_path_factory.mktemp("fakes"), deadline_seconds=3, header_seconds=1, body_seconds=1, keep_alive_seconds=2) as server:
        yield server.until_ready()


@pytest.fixture
def client(house: Running) -> Iterator[httpx2.Client]:
    with house.client() as client:
        yield client


@pytest.fixture
def fake(fakes: Running) -> Iterator[httpx2.Client]:
    with fakes.until_ready().client() as client:
        yield client
