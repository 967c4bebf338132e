"""What no file of ours does: run what it reads, or unpickle it; and the web process never imports torch."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted([*ROOT.glob("app/**/*.py"), *ROOT.glob("model/**/*.py")])
MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}
CALLS = {"eval", "exec", "compile", "__import__"}
TORCH_CALLS = {"load", "save", "hub"}


def forbidden(source: str) -> Iterator[str]:
    """Every use of a forbidden module, call or argument in a text of Python."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names if name.name.partition(".")[0] in MODULES)
            case ast.ImportFrom(module=str(module), names=names):
                if module.partition(".")[0] in MODULES:
                    yield module
                yield from (f"torch.{name.name}" for name in names if module == "torch" and name.name in TORCH_CALLS)
            case ast.Call(func=ast.Name(id=name)) if name in CALLS:
                yield name
            case ast.Attribute(value=ast.Name(id="torch"), attr=attribute) if attribute in TORCH_CALLS:
                yield f"torch.{attribute}"
            case ast.keyword(arg="trust_remote_code" | "allow_pickle"):
                yield node.arg


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_nothing_that_is_read_is_run(path: Path):
    assert list(forbidden(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from pickle import loads",
        "eval('1')",
        "torch.load(p)",
        "from torch import load",
        "np.load(p, allow_pickle=True)",
        "import dill.x",
    ],
)
def test_the_check_itself_sees_what_it_should(source: str):
    assert list(forbidden(source))


def test_the_web_process_imports_neither_torch_nor_the_model():
    code = "import sys, app.server; app.server.create_app(); print([n for n in sys.modules if n.partition('.')[0] in ('torch', 'plotly')])"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
