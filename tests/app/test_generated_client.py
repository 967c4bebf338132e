"""A client that a program wrote from the OpenAPI document: its answers have types."""

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import httpx2
import pytest

from app.api.endpoint import endpoints
from tests.app.serving import Running
from tests.app.test_openapi import ALL_FORMS

# A case in Python is a client made from the same document, and `make test` asks it.
pytestmark = pytest.mark.thorough

POSTED = ("/api/v1/attention", "/api/v1/amplification")


def of_every_word(api: dict) -> dict:
    """The paths of every word by GET, and those of one in every form and by both methods."""
    words = {word.address: {"get": api["paths"][word.address]["get"]} for word in endpoints()}
    return words | {
        path: operations for path, operations in api["paths"].items() if path.startswith(ALL_FORMS)
    }


@pytest.fixture(scope="module")
def generated(
    house: Running, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[ModuleType, object]]:
    """The generated package, and its client for the running server."""
    folder = tmp_path_factory.mktemp("generated")
    with house.client() as client:
        api = client.get("/openapi.json").json()
    paths = of_every_word(api) | {path: api["paths"][path] for path in POSTED}
    (folder / "openapi.json").write_text(json.dumps({**api, "paths": paths}))
    # Nothing is to be done to the files after they are written.
    (folder / "config.json").write_text(json.dumps({"post_hooks": []}))
    command = ["--path", "openapi.json", "--config", "config.json", "--fail-on-warning"]
    command += ["--meta", "none", "--output-path", "vitrine_client"]
    result = subprocess.run(
        [Path(sys.executable).with_name("openapi-python-client"), "generate", *command],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    sys.path.insert(0, str(folder))
    package = importlib.import_module("vitrine_client")
    with package.Client(base_url=house.address) as client:
        yield package, client
    sys.path.remove(str(folder))


def operation(word: str, name: str) -> ModuleType:
    return importlib.import_module(f"vitrine_client.api.{word}.{name}")


def test_an_answer_has_tensors_by_name_a_question_and_findings(generated, client: httpx2.Client):
    _, api_client = generated
    answer = operation("scaling", "get_scaling").sync(client=api_client, d_head=64, pairs=2000)
    plain = client.get("/api/v1/scaling?d_head=64&pairs=2000").json()
    assert answer.tensors["products"].data == plain["tensors"]["products"]["data"]
    assert answer.tensors["products"].axes == plain["tensors"]["products"]["axes"]
    assert answer.axes["seed"].size == 4
    assert (answer.question.d_head, answer.question.seed, answer.question.seeds) == (64, 0, 4)
    assert [finding.name for finding in answer.findings] == [
        finding["name"] for finding in plain["findings"]
    ]


def test_a_question_about_a_model_is_posted_with_its_type(generated):
    _, api_client = generated
    models = importlib.import_module("vitrine_client.models")
    body = models.Attention(model="translator", source="i am cold", layer=2)
    answer = operation("attention", "post_attention").sync(client=api_client, body=body)
    tensor = answer.tensors["decoder.2.cross_attention.pattern"]
    assert (tensor.axes, tensor.shape) == (["head", "target", "source"], [4, 4, 5])
    assert len(tensor.data) == 4
    assert answer.input_["source"] == "i am cold"
    assert answer.question.stage.value == "pattern"
    body = models.Amplification(depths=[2, 4, 8], d_model=8, seeds=1)
    answer = operation("amplification", "post_amplification").sync(client=api_client, body=body)
    assert answer.question.depths == [2, 4, 8]


def test_a_failure_is_a_problem(generated):
    _, api_client = generated
    tokens = operation("tokens", "get_tokens")
    problem = tokens.sync(client=api_client, model="translater", source="a")
    assert (problem.status, problem.nearest[0]) == (404, "translator")
