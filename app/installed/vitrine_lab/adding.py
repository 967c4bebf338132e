"""Adds a model in memory to a case: it is saved in the Hugging Face format, and read as `vitrine
add` reads every folder.
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

from vitrine_lab.errors import CaseError, InvalidQuestion
from vitrine_lab.server import Server

if TYPE_CHECKING:
    from vitrine_lab.case import Case

ROUNDING = 1e-3


def add(server: Server, model: Any, tokenizer: Any, name: str | None) -> str:
    """Adds a model to the server of a case and returns its name. Raises CaseError."""
    if isinstance(model, (str, Path)):
        folder = str(model)
    else:
        name = name or free_name(server.folder / "models", type(model).__name__.lower())
        folder = save(server.folder, model, tokenizer, name)
    chosen = ["--name", name] if name else []
    output = server.run("add", folder, *chosen)
    return output.partition(" is added")[0]


def free_name(models: Path, name: str) -> str:
    """A name that no model has yet, numbered if necessary."""
    numbered = (f"{name}-{number}" for number in count(2))
    return next(path for path in chain([name], numbered) if not (models / path).exists())


def save(place: Path, model: Any, tokenizer: Any, name: str) -> str:
    """The folder to which a model and its tokenizer were saved: the same for the same name, so that
    a cell can be run again. Raises CaseError.
    """
    for component, what in ((model, "model"), (tokenizer, "tokenizer")):
        if not hasattr(component, "save_pretrained"):
            kind = "none" if component is None else f"one of type {type(component).__name__}"
            raise CaseError(
                f"Pass a {what} from transformers, not {kind}: case.add(model, tokenizer)."
            )
    folder = tempfile.mkdtemp(prefix="written-", dir=place)
    try:
        with redirect_stderr(StringIO()):  # a progress bar would stay in the notebook
            model.save_pretrained(folder)
            tokenizer.save_pretrained(folder)
    except Exception as error:  # any error of transformers or the disk
        why = str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
        raise CaseError(f"transformers could not write the model: {why}.") from None
    destination = place / f"added-{re.sub(r'[^a-z0-9._-]', '_', name)}"
    shutil.rmtree(destination, ignore_errors=True)
    return str(Path(folder).rename(destination))


def compare(case: "Case", name: str, model: Any, tokenizer: Any) -> None:
    """Compares a text model in memory, in evaluation mode, with its copy in a case, on the first of
    its examples. Raises CaseError if the logits, or without a head the last stream, differ by more
    than rounding: a thousandth of the largest or, in half precision, twenty units of rounding.
    Warns if the tokenizer seems to belong to another model.
    """
    card = next(entry for entry in case.models().models if entry["id"] == name)
    if card["modality"] != "text":
        return
    tokens, embedded = len(tokenizer), card["config"]["vocabulary_size"]
    if 2 * tokens < embedded:
        warning = f"The tokenizer has {tokens:,} tokens, but the model has {embedded:,} embeddings."
        warnings.warn(warning, stacklevel=3)
    read = card["examples"][0]["input"]
    text = next(iter(read.values()))
    question = {"model": name, **read, **({"target": text} if "source" in read else {})}
    try:
        if card["head"] == "none":
            what, last = (
                "its final residual stream",
                case.activations(**question).activations[-1]["name"],
            )
            answer = case.activations(**question, names=last)
        else:
            what, last = "its logits", "logits"
            answer = case.logits(**question, full=True, names=last)
    except InvalidQuestion as error:
        warnings.warn(f"The model could not be compared with its copy: {error}", stacklevel=3)
        return
    ours = np.asarray(answer.tensors[last])
    theirs, step = run(model, [axis["ids"] for axis in answer.axes.values() if "ids" in axis])
    if theirs.ndim < ours.ndim:  # a text classifier predicts at its first position
        ours = ours[0]
    theirs = theirs[..., : ours.shape[-1]]
    by, largest = np.abs(ours - theirs).max(), np.abs(theirs).max()
    allowed = largest * max(ROUNDING, 20 * step if step > 1e-6 else 0)
    if not by <= allowed:
        raise CaseError(
            f"This model’s output doesn’t match its weights: on {text!r}, {what} differ by"
            f" {by:.2g} (rounding: {allowed:.1g}). Is a hook still attached?"
        )


def run(model: Any, ids: list[list[int]]) -> tuple[np.ndarray, float]:
    """A model's output for tokens, and the spacing of its precision at 1. Training mode is restored
    afterwards. Raises CaseError.
    """
    import torch

    names = ("input_ids", "decoder_input_ids")
    training = [(part, part.training) for part in model.modules()]
    try:
        with torch.no_grad():
            read = {
                name: torch.tensor([token_id], device=model.device)
                for name, token_id in zip(names, ids, strict=False)
            }
            output = model.eval()(**read)
    except Exception as error:  # any error of its hooks or its own forward
        why = str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
        raise CaseError(f"The model cannot be run: {why}.") from None
    finally:
        for part, before in training:
            part.training = before
    found = getattr(output, "logits", None)
    if found is None:
        found = output.last_hidden_state
    return found[0].float().cpu().numpy(), torch.finfo(model.dtype).eps
