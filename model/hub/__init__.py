"""Models of somebody else: folders as Hugging Face writes them, read exactly or refused.

A folder is read when every key of its config.json is known and every tensor of its weights has its
place in one of our parts. Anything else is a NotRead with one sentence: a model that is nearly the
right one would show numbers that are wrong. `families/` has a file for each family of models, with
two tables: what its keys say in terms of Config, and which of our parameters its tensors are.
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
    """What is known of the model in `folder`, from its config.json and the headers of its weights;
    the weights themselves are not read. Raises NotRead.

    `head` is "next word", "masked word", "classes", or "none" of a model that gives streams alone.
    `left_aside` has for every tensor that nothing here reads the reason, and `precision` is that of
    the file: half precision is read into single.
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
    """The model in `folder` in single precision, ready to run. `separator` is the id between the
    two texts of a pair, which its tokenizer knows. Raises NotRead before any weight is read where a
    name or a shape does not fit, so that nothing is loaded by half.
    """
    checkpoint, config, places, _ = examined(folder)
    config = replace(config, embedding=replace(config.embedding, separator=separator))
    transformer = Transformer(config)
    fill(transformer, checkpoint, config, places)
    return config, transformer.eval().requires_grad_(False)


def examined(folder: Path) -> tuple[Checkpoint, Config, Places, dict[str, str]]:
    """The folder, our configuration of it, the place of each of its tensors, and those that are
    left aside, each with its reason. Raises NotRead.
    """
    checkpoint = Checkpoint.read(folder)
    family, head = family_of(checkpoint.keys)
    config = family.config(checkpoint.keys, head, checkpoint.tensors)
    try:
        with torch.device("meta"):  # shapes alone, without memory
            expected = {name: value.shape for name, value in Transformer(config).named_parameters()}
    except (RuntimeError, TypeError) as error:
        raise NotRead("sizes-of-no-tensor") from error
    places, aside = placed(checkpoint, family.rules(head), family.prefix, config, expected)
    return checkpoint, config, places, aside
