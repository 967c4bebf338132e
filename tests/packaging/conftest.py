"""The wheel, built once, and an environment that holds it and nothing of the checkout."""

import os
import signal
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.serving import Running, wait_for
from tests.model.support.own_models import shelf  # noqa: F401
from tests.packaging.serving import PATIENCE, served

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `vitrine` of a fresh environment in which another project has an `app` and a `model`. Its
    dependencies are this environment's, found as plain modules: the checkout is not.
    """
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--no-compile",
    ]
    subprocess.run([*pip, wheel], check=True, capture_output=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    for name in ("app", "model"):
        others = packages / name / "__init__.py"
        assert not others.parent.exists(), "the wheel has put something where others may have it"
        others.parent.mkdir()
        others.write_text("OF = 'another'")
    return folder / "bin" / "vitrine"


@pytest.fixture(scope="session")
def vitrine(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The installed server, ready, in a folder with a model and an app of the user's own. Its page
    was up while torch could not be imported.
    """
    folder = tmp_path_factory.mktemp("of_the_user")
    for name in ("app", "model", "torch", "numpy"):
        (folder / f"{name}.py").write_text("raise SystemExit('This is the file of the user.')")
    with served(installed, folder) as vitrine:
        with vitrine.client() as client:
            (nursery,) = wait_for(vitrine.nurseries)
            os.kill(nursery, signal.SIGSTOP)
            assert "<html" in client.get("/").text
            assert client.get("/readyz").status_code == 503
            os.kill(nursery, signal.SIGCONT)
        yield vitrine.until_ready(PATIENCE)
