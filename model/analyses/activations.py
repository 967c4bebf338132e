"""Activations: anything a run recorded, by name."""

import fnmatch

from model.activations.site import Site
from model.answers.answer import Answer, Labelled, numbered
from model.checks import check_head
from model.errors import InvalidInput, UnknownName
from model.runs.run import Run


def activations(
    run: Run, *, names: str | None = None, layer: int | None = None, head: int | None = None
) -> Answer:
    """The tensors whose names fit one of the comma-separated globs; without `names` the manifest:
    name, axes, shape, bytes, formula.

    `layer` keeps the names of one layer and those of none; `head` narrows tensors that have a head
    axis to that head.
    """
    chosen = list(run.vocabulary) if names is None else matching(run, names)
    if layer is not None:
        chosen = [name for name in chosen if Site.parse(name).layer in (None, layer)]
        if not any(Site.parse(name).layer == layer for name in chosen):
            raise InvalidInput(
                f"Nothing asked for lies in layer {layer}.", field="layer", given=layer
            )
    if names is None:
        return run.answer({}, {"activations": [manifest(run, name) for name in chosen]})
    if head is None:
        return run.answer({name: run.tensor(name) for name in chosen})
    check_head(run.model.id, head, run.config.n_heads)
    tensors = {name: one_head(run.tensor(name), head) for name in chosen}
    return run.answer(tensors, axes={"head": numbered("head", [head], "head", ids=[head])})


def matching(run: Run, names: str) -> list[str]:
    """In the order of computation; a glob that fits nothing is an unknown name."""
    globs = [glob.strip() for glob in names.split(",")]
    for glob in globs:
        if not fnmatch.filter(run.vocabulary, glob):
            raise UnknownName("activation", glob, run.vocabulary)
    return [
        name for name in run.vocabulary if any(fnmatch.fnmatchcase(name, glob) for glob in globs)
    ]


def manifest(run: Run, name: str) -> dict:
    row, value = run.activation(name), run.trace[name]
    size = value.numel() * value.element_size()
    return {
        "name": name,
        "axes": list(row.axes),
        "shape": list(value.shape),
        "bytes": size,
        "formula": row.formula,
        "sentence": row.sentence,
    }


def one_head(tensor: Labelled, head: int) -> Labelled:
    if "head" not in tensor.axes:
        return tensor
    return Labelled(tensor.axes, tensor.data[head : head + 1], tensor.formula, tensor.masked)
