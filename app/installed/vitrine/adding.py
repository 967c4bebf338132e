"""A model out of memory becomes one of a case: it is written as Hugging Face writes it, and read as
`vitrine add` reads every folder.
"""

import re
import shutil
import tempfile
import warnings
from contextlib import redirect_stderr
from io import StringIO
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vitrine.errors import CaseError, InvalidQuestion
from vitrine.server import Server

if TYPE_CHECKING:
    from vitrine.case import Case

ROUNDING = 1e-3


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


def compare(case: "Case", name: str, model: Any, tokenizer: Any) -> None:
    """Runs a model of texts in memory, in evaluation, beside its copy in a case, on the first of
    its examples. Raises CaseError where the logits, or without a head the last stream, differ by
    more than rounding: a thousandth of the largest, in half precision twenty of its steps. Warns of
    a tokenizer that looks like that of another model.
    """
    card = next(one for one in case.models().models if one["id"] == name)
    if card["modality"] != "text":
        return
    tokens, embedded = len(tokenizer), card["config"]["vocabulary_size"]
    if 2 * tokens < embedded:
        said = f"The tokenizer has {tokens:,} tokens, and the model embeds {embedded:,}."
        warnings.warn(said, stacklevel=3)
    read = card["examples"][0]["input"]
    text = next(iter(read.values()))
    asked = {"model": name, **read, **({"target": text} if "source" in read else {})}
    try:
        if card["head"] == "none":
            what, last = (
                "the numbers of its last stream",
                case.activations(**asked).activations[-1]["name"],
            )
            answer = case.activations(**asked, names=last)
        else:
            what, last = "its logits", "logits"
            answer = case.logits(**asked, full=True, names=last)
    except InvalidQuestion as error:
        warnings.warn(f"The model was not run beside its copy: {error}", stacklevel=3)
        return
    ours = np.asarray(answer.tensors[last])
    theirs, step = run(model, [axis["ids"] for axis in answer.axes.values() if "ids" in axis])
    if theirs.ndim < ours.ndim:  # the classes of a text are read at its first position
        ours = ours[0]
    theirs = theirs[..., : ours.shape[-1]]
    by, largest = np.abs(ours - theirs).max(), np.abs(theirs).max()
    allowed = largest * max(ROUNDING, 20 * step if step > 1e-6 else 0)
    if not by <= allowed:
        raise CaseError(
            f"This model computes something else than its weights say: on {text!r} {what}"
            f" differ by {by:.2g}, where {allowed:.1g} would be rounding. Is a hook left on it?"
        )


def run(model: Any, ids: list[list[int]]) -> tuple[np.ndarray, float]:
    """What a model says of tokens, and the step of its precision at 1. Its parts are in training
    afterwards as they were before. Raises CaseError.
    """
    import torch

    names = ("input_ids", "decoder_input_ids")
    training = [(part, part.training) for part in model.modules()]
    try:
        with torch.no_grad():
            read = {
                name: torch.tensor([one], device=model.device)
                for name, one in zip(names, ids, strict=False)
            }
            said = model.eval()(**read)
    except Exception as error:  # whatever its hooks or its own forward say
        why = str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
        raise CaseError(f"The model cannot be run: {why}.") from None
    finally:
        for part, before in training:
            part.training = before
    found = getattr(said, "logits", None)
    if found is None:
        found = said.last_hidden_state
    return found[0].float().cpu().numpy(), torch.finfo(model.dtype).eps
