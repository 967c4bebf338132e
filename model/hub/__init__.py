"""External models: Hugging Face folders, read exactly or rejected.

A folder is supported if every key of its config.json is known and every weight tensor maps to one
of our parts. Anything else raises NotRead with one sentence: an almost correct model would show
wrong numbers. `families/` has a file for each model family, with two tables: its keys in terms of
Config, and the parameters that its tensors map to.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from model.config import Config
from model.errors import NotRead
from model.hub.checkpoint import Checkpoint, licence_of
from model.hub.families import family_of
from model.hub.weights import Places, fill, placed
from model.transformer import Transformer


def describe(folder: Path) -> dict[str, Any]:
    """A description of the model in `folder`, from its config.json and the headers of its weights,
    without reading the weights. Raises NotRead.

    `head` is "next word", "masked word", "classes", or "none" for a model without a head.
    `left_aside` has the reason for every tensor that is not used, and `precision` is that of the
    file: half precision is converted to float32.
    """
    checkpoint, config, _, aside = examined(folder)
    family, head = family_of(checkpoint.keys)
    classes = family.classes(checkpoint.keys, config.n_logits) if head.kind == "classes" else []
    return {
        "family": family.name,
        "head": head.kind,
        "config": config.as_dict(),
        "vocabulary": config.vocabulary_size,
        "classes": classes,
        "source": str(checkpoint.folder),
        "bytes": checkpoint.bytes,
        "precision": checkpoint.precision,
        "licence": licence_of(checkpoint.folder),
        "left_aside": aside,
    }


def load(folder: Path, separator: int = 0) -> tuple[Config, Transformer]:
    """The model in `folder` in float32, ready to run. `separator` is the id between the two
    segments of a pair, which its tokenizer knows. Raises NotRead before any weight is read if a
    name or shape does not fit, so that nothing is loaded partially.
    """
    checkpoint, config, places, _ = examined(folder)
    config = replace(config, embedding=replace(config.embedding, separator=separator))
    transformer = Transformer(config)
    fill(transformer, checkpoint, config, places)
    return config, transformer.eval().requires_grad_(False)


def examined(folder: Path) -> tuple[Checkpoint, Config, Places, dict[str, str]]:
    """The folder, our configuration of it, the place of each of its tensors, and the unused ones
    with reasons. Raises NotRead.
    """
    checkpoint = Checkpoint.read(folder)
    family, head = family_of(checkpoint.keys)
    config = family.config(checkpoint.keys, head, checkpoint.tensors)
    try:
        with torch.device("meta"):  # shapes without memory
            expected = {name: value.shape for name, value in Transformer(config).named_parameters()}
    except (RuntimeError, TypeError) as error:
        raise NotRead("sizes-of-no-tensor") from error
    places, aside = placed(checkpoint, family.rules(head), family.prefix, config, expected)
    return checkpoint, config, places, aside
