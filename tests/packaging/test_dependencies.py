"""What is imported is declared."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

from tests.packaging.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OPTIONAL = {
    "huggingface_hub": "hub",
    "rapidfuzz": "train",
    "ray": "cluster",
    "sacrebleu": "train",
    "sklearn": "train",
}
NOT_IMPORTED = {
    "plotly"
}  # its script is served from the installed package, which is looked up by name


OF_THE_USER = {"IPython", "pandas", "xarray"}
"""What the user of a notebook may have, which is named where it is missing."""


def imported() -> set[str]:
    """First names of every absolute import in app/ and model/, also those inside functions."""
    names = set()
    for path in [*ROOT.glob("app/**/*.py"), *ROOT.glob("model/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names - OF_THE_USER - {"app", "model", "vitrine_lab"}


def normal(name: str) -> str:
    """The name of a package as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(requirements: list[str]) -> set[str]:
    return {normal(re.split(r"[<>=\[ ]", requirement)[0]) for requirement in requirements}


def test_every_import_of_the_product_is_declared_and_every_declared_package_is_used():
    distributions = packages_distributions()
    used = {normal(distributions[name][0]) for name in imported() - OPTIONAL.keys()}
    assert used | NOT_IMPORTED == declared(PROJECT["dependencies"])


def test_what_only_some_commands_import_is_in_its_extra():
    distributions = {"ray": ["ray"]} | packages_distributions()  # which the tests do without
    for name in imported() & OPTIONAL.keys():
        assert normal(distributions[name][0]) in declared(
            PROJECT["optional-dependencies"][OPTIONAL[name]]
        )


def test_torch_is_pinned_where_the_programs_install_from():
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert re.search(r"^torch==\d", pins, re.MULTILINE)
