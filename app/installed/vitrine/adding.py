"""A model out of memory becomes one of a case: it is written as Hugging Face writes it, and read as
`vitrine add` reads every folder.
"""

import re
import shutil
import tempfile
from contextlib import redirect_stderr
from io import StringIO
from itertools import chain, count
from pathlib import Path
from typing import Any

from vitrine.errors import CaseError, InvalidQuestion
from vitrine.server import Server

OPTIONS = {
    "architecture",
    "categories",
    "drop",
    "encoding",
    "group",
    "pretrain",
    "rows",
    "seed",
    "steps",
}
"""What `vitrine train table` takes besides."""


def add(server: Server, model: Any, tokenizer: Any, name: str | None) -> str:
    """Adds a model to the server of a case and returns its name. Raises CaseError."""
    if isinstance(model, (str, Path)):
        folder = str(model)
    else:
        name = name or free_name(server.folder / "models", type(model).__name__.lower())
        folder = save(server.folder, model, tokenizer, name)
    chosen = ["--name", name] if name else []
    said = server.run("add", folder, *chosen)
    return said.partition(" is added")[0]


def train_table(
    server: Server, table: Any, target: str, name: str | None, options: dict[str, Any]
) -> str:
    """Trains a model of a table for the server of a case and returns its name. Raises CaseError."""
    if unknown := sorted(options.keys() - OPTIONS):
        raise InvalidQuestion(
            f"train_table has no option {unknown[0]!r}. It has: {', '.join(sorted(OPTIONS))}."
        )
    file = str(table)
    if hasattr(table, "to_csv"):
        folder = Path(tempfile.mkdtemp(prefix="table-", dir=server.folder))
        file = str(folder / f"{name or 'table'}.csv")
        table.to_csv(file, index=False)
    given = options | {"target": target, "out": server.folder / "checkpoints"}
    if name:
        given["name"] = name
    flags = [part for key, value in given.items() for part in (f"--{key}", str(value))]
    return server.run("train", "table", file, *flags).rpartition("?model=")[2].strip()


def free_name(models: Path, name: str) -> str:
    """A name that no model has yet, with a number if it must be."""
    numbered = (f"{name}-{number}" for number in count(2))
    return next(one for one in chain([name], numbered) if not (models / one).exists())


def save(place: Path, model: Any, tokenizer: Any, name: str) -> str:
    """The folder into which a model and its tokenizer were written: the same for the same name, so
    that a cell may be run again. Raises CaseError.
    """
    for one, what in ((model, "model"), (tokenizer, "tokenizer")):
        if not hasattr(one, "save_pretrained"):
            given = "none" if one is None else f"one of type {type(one).__name__}"
            raise CaseError(
                f"A {what} of transformers is needed, and {given} was given:"
                " case.add(model, tokenizer)."
            )
    folder = tempfile.mkdtemp(prefix="written-", dir=place)
    try:
        with redirect_stderr(StringIO()):  # a bar of progress would stay in the notebook
            model.save_pretrained(folder)
            tokenizer.save_pretrained(folder)
    except Exception as error:  # whatever transformers or the disk say
        why = str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
        raise CaseError(f"transformers could not write the model: {why}.") from None
    kept = place / f"added-{re.sub(r'[^a-z0-9._-]', '_', name)}"
    shutil.rmtree(kept, ignore_errors=True)
    return str(Path(folder).rename(kept))
