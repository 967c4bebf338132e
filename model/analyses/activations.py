"""Activations: the recorded tensors of a run by name."""

from model.activations.catalogue import matching
from model.activations.site import Site
from model.answers.answer import Answer, Labelled, numbered
from model.checks import check_head
from model.errors import InvalidInput
from model.runs.run import Run


def activations(
    run: Run, *, names: str | None = None, layer: int | None = None, head: int | None = None
) -> Answer:
    """The tensors whose names match one of the comma-separated globs in `names`. Without `names`, a
    manifest: name, axes, shape, bytes, and formula of every activation.

    `layer` selects the names of one layer and those without a layer; `head` selects one head of
    tensors with a head axis. Raises UnknownName for a glob without a match.
    """
    chosen = list(run.vocabulary if names is None else matching(run.config, names))
    if layer is not None:
        chosen = [name for name in chosen if Site.parse(name).layer in (None, layer)]
        if not any(Site.parse(name).layer == layer for name in chosen):
            raise InvalidInput("nothing-in-layer", field="layer", given=layer)
    if names is None:
        return run.answer({}, {"activations": [manifest(run, name) for name in chosen]})
    if head is None:
        return run.answer({name: run.tensor(name) for name in chosen})
    check_head(run.model.id, head, run.config.n_heads)
    tensors = {name: one_head(run.tensor(name), head) for name in chosen}
    return run.answer(tensors, axes={"head": numbered("head", [head], "head", ids=[head])})


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
