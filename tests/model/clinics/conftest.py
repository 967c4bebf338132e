"""What tests of laws share."""

from collections.abc import Iterator

import jaxtyping
import pytest


@pytest.fixture
def shapes_on_trust() -> Iterator[None]:
    """For laws over many seeds: a check of every shape takes five times as long as the arithmetic, and one seed is checked beside them."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
