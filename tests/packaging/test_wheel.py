"""The wheel is the whole product, and it runs anywhere."""

import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.app.serving import Running
from tests.packaging.conftest import ROOT
from tests.packaging.serving import PATIENCE

PARTS = ("app", "model", "static", "templates")
OUTSIDE = "app/installed/vitrine_lab/"
"""What becomes the package itself; the rest lies inside it."""


def test_the_wheel_holds_every_file_of_the_product_and_nothing_else(wheel: Path):
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", *PARTS],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    files = {path for path in listed.splitlines() if (ROOT / path).is_file()}
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    package = {path for path in files if path.startswith(OUTSIDE)}
    assert held == {
        *(f"vitrine_lab/{path.removeprefix(OUTSIDE)}" for path in package),
        *(f"vitrine_lab/_bundle/{path}" for path in files - package),
    }
    assert "vitrine_lab/_bundle/model/weights/translator/model.safetensors" in held
    assert "vitrine_lab/_bundle/templates/base.html" in held


def test_it_neither_meets_nor_overwrites_an_app_and_a_model_of_another_project(
    installed: Path, vitrine: Running
):
    """They lie in the same environment, and a training's process starts there as well."""
    python = installed.with_name("python")
    program = "import app, model; print(app.OF, model.OF)"
    assert subprocess.check_output([python, "-I", "-c", program], text=True) == "another another\n"
    with vitrine.client() as client:
        assert client.get("/readyz").status_code == 200


CASE = """
import app, model
from vitrine_lab import Case
from vitrine_lab.notebook import script_of_package
from vitrine_lab.server import Server
server = Server()
print(app.OF, model.OF, server.address)
case = Case("{address}")
print(case.attention("i am cold", layer=2).kind, "app.cli" in sys.modules)
print("vitrine-figure" in script_of_package())
server.close()
"""


@pytest.mark.thorough  # a case is tested from a checkout, and the wheel without one
def test_a_case_of_an_installation_meets_no_app_and_model_of_another_project(
    installed: Path, vitrine: Running
):
    """Its own server begins as well, and its process has what the wheel brings."""
    program = "import sys\n" + CASE.format(address=vitrine.address)
    python = installed.with_name("python")
    lines = subprocess.check_output([python, "-I", "-c", program], text=True).splitlines()
    assert re.fullmatch(r"another another http://127\.0\.0\.1:\d+(/[\w-]+)?", lines[0])
    assert lines[1:] == ["trained False", "True"]


def test_vitrine_runs_in_a_folder_with_a_model_and_an_app_of_the_users_own(vitrine: Running):
    """The page is up while torch is still being imported, and its process never imports it."""
    with vitrine.client() as client:
        answer = client.get(
            "/api/v1/tokens", params={"model": "translator", "source": "i am cold"}
        ).json()
        assert answer["axes"]["source"]["labels"][0] == "<s>"
        assert client.get("/favicon.ico", follow_redirects=True).status_code == 200
        small = {"layers": 1, "seeds": 1, "steps": 5}
        with client.stream(
            "POST",
            "/api/v1/warmup",
            json=small,
            headers={"accept": "text/event-stream"},
            timeout=PATIENCE,
        ) as training:
            assert "id: 5" in list(training.iter_lines()), (
                "the training's own process starts here as well"
            )
        assert "libtorch" not in Path(f"/proc/{vitrine.process.pid}/maps").read_text()
        assert "libtorch" in Path(f"/proc/{vitrine.worker()}/maps").read_text()
        (nursery,) = vitrine.nurseries()
        assert "libtorch" in Path(f"/proc/{nursery}/maps").read_text(), "a new worker shares it"
        threads = list(Path(f"/proc/{nursery}/task").iterdir())
        assert len(threads) == 1, "a fork would not take the others along"
