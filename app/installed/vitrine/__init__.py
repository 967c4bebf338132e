"""What an installation adds to an environment: this package. It holds a checkout's app/, model/,
static/ and templates/ in `_bundle`, and only Vitrine's own processes have that folder on their
path, so no other project's `app` or `model` is met or overwritten.

`from vitrine import Case` opens a glass case in a notebook or a program.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vitrine.answers import Answer, Tensor
    from vitrine.case import Case
    from vitrine.errors import CaseError, InvalidQuestion

__all__ = ["Answer", "Case", "CaseError", "InvalidQuestion", "Tensor"]

LIES_IN = {
    "Answer": "answers",
    "Case": "case",
    "CaseError": "errors",
    "InvalidQuestion": "errors",
    "Tensor": "answers",
}


def __getattr__(name: str) -> Any:
    """Imported when it is asked for: the server, which is started from this package as well, needs
    no NumPy.
    """
    if name not in LIES_IN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"vitrine.{LIES_IN[name]}"), name)


def __dir__() -> list[str]:
    return __all__
