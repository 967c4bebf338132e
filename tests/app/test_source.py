"""No file of ours runs what it reads, or unpickles it: ruff forbids the modules and calls
(pyproject.toml), and this file what ruff has no rule for.
"""

import ast
import json
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec

import pytest

from tests.app.serving import ROOT
from tests.mutants.mutants import listed

NO_RULE = re.compile(r"(?<![\w.])(compile|__import__)\(|\b(trust_remote_code|allow_pickle)\b")
FORBIDDEN = {
    "import pickle": "TID251",
    "from pickle import loads": "TID251",
    "import dill.x": "TID251",
    "import torch; torch.load(p)": "TID251",
    "from torch import save": "TID251",
    "import torch.hub": "TID251",
    "eval('1')": "S307",
    "exec('1')": "S102",
    "import yaml; yaml.load(p)": "S506",
    "import os; os.system('ls')": "S605",
    "import subprocess; subprocess.run('ls', shell=True)": "S602",
}


def no_rule(source: str) -> list[str]:
    return [found[0] for found in NO_RULE.finditer(source)]


def test_nothing_that_is_read_is_run():
    sources = [*ROOT.glob("app/**/*.py"), *ROOT.glob("model/**/*.py")]
    assert len(sources) > 100
    found = {path: no_rule(path.read_text(encoding="utf-8")) for path in sources}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize("folder", ["benchmarks", "mutants", "storm"])
def test_what_is_run_by_hand_finds_what_it_imports_of_the_house(folder: str):
    """No test runs these programs."""
    missing = [
        f"{path.name}: {node.module}.{name.name}"
        for path in ROOT.glob(f"tests/{folder}/**/*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(("app", "model"))
        for name in node.names
        if not is_there(node.module, name.name)
    ]
    assert missing == []


def test_every_false_change_can_be_made_to_the_code_as_it_is():
    assert [why for mutant in listed() if (why := mutant.trouble(ROOT))] == []


def is_there(module: str, name: str) -> bool:
    found = import_module(module)
    return hasattr(found, name) or (
        hasattr(found, "__path__") and find_spec(f"{module}.{name}") is not None
    )


@pytest.mark.parametrize(
    "source", ["compile('1', '', 'eval')", "__import__(name)", "np.load(p, allow_pickle=True)"]
)
def test_this_check_sees_what_it_should(source: str):
    assert no_rule(source)


def test_ruff_refuses_what_it_should():
    """In a file of either package, with the project's own settings."""
    for path in ("app/compute/one.py", "model/one.py"):
        result = subprocess.run(
            [
                *(sys.executable, "-m", "ruff", "check", "--output-format=json"),
                *("--stdin-filename", path, "-"),
            ],
            cwd=ROOT,
            input="\n".join(FORBIDDEN),
            capture_output=True,
            text=True,
        )
        findings = [
            (finding["location"]["row"], finding["code"]) for finding in json.loads(result.stdout)
        ]
        for row, (source, code) in enumerate(FORBIDDEN.items(), 1):
            assert (row, code) in findings, source
