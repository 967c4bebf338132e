"""The only package that an installation adds to an environment. It holds a checkout's app/, model/,
static/, and templates/ in `_bundle`; only Vitrine's own processes have that folder on their path,
so another project's `app` or `model` is neither imported nor overwritten.

`from vitrine_lab import Case` opens a glass case in a notebook or a program.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vitrine_lab.answers import Answer, Tensor
    from vitrine_lab.case import Case
    from vitrine_lab.errors import CaseError, InvalidQuestion

__all__ = ["Answer", "Case", "CaseError", "InvalidQuestion", "Tensor"]

LIES_IN = {
    "Answer": "answers",
    "Case": "case",
    "CaseError": "errors",
    "InvalidQuestion": "errors",
    "Tensor": "answers",
}


def __getattr__(name: str) -> Any:
    """Imported on first use: the server, started from this package too, does not need NumPy."""
    if name not in LIES_IN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"vitrine_lab.{LIES_IN[name]}"), name)


def __dir__() -> list[str]:
    return __all__
