"""Models: the cards of all models, or the modules and activation names of one."""

from torch import nn

from model.activations.catalogue import activations, size_names
from model.answers.answer import Answer
from model.errors import UnknownName
from model.zoo.models import ids, load_model, read_card


def models(*, id: str | None = None, fields: str | None = None) -> Answer:
    """Every card, or with `id` one card, `modules` (a tree with parameter shapes), and
    `activations` (name, axes, shape). `fields` selects fields, separated by commas. Raises
    UnknownName for a field or a model that does not exist.
    """
    if id is None:
        return Answer("trained", fields={"models": [read_card(name) for name in ids()]})
    model = load_model(id)
    tree = modules("", model.transformer)
    rows = [
        {
            "name": row.name,
            "axes": list(row.axes),
            "shape": size_names(row),
            "formula": row.formula,
            "sentence": row.sentence,
        }
        for row in activations(model.config).values()
    ]
    whole = {**model.card, "modules": tree, "activations": rows}
    wanted = list(whole) if fields is None else [name.strip() for name in fields.split(",")]
    for name in wanted:
        if name not in whole:
            raise UnknownName("unknown-field", name, whole)
    return Answer(model.kind, fields={name: whole[name] for name in wanted}, model=model.id)


def modules(name: str, module: nn.Module) -> dict:
    """The tree of `module`: the shapes of its own parameters, its total number of parameters, and
    its submodules.
    """
    return {
        "name": name,
        "type": type(module).__name__,
        "parameters": {
            key: list(value.shape) for key, value in module.named_parameters(recurse=False)
        },
        "count": sum(value.numel() for value in module.parameters()),
        "modules": [
            modules(f"{name}.{key}".lstrip("."), child) for key, child in module.named_children()
        ],
    }
