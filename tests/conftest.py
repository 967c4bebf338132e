"""Every shape that the model's code states in its types is checked while the tests run."""

from pathlib import Path

import jaxtyping
import pytest

jaxtyping.install_import_hook("model", "beartype.beartype")


# A shared machine can stall a browser or a server for seconds. A second run is printed as one; what is wrong fails three times.
STALLED = ("tests/browser", "tests/app/test_server.py", "tests/app/test_streams.py", "tests/app/test_engine.py", "tests/packaging")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.path).relative_to(config.rootpath).as_posix().startswith(STALLED):
            item.add_marker(pytest.mark.flaky(reruns=2))
