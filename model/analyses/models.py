"""Models: the cards of the zoo, and of one model its modules and the names its runs record."""

from torch import nn

from model.activations.catalogue import activations, size_names
from model.answers.answer import Answer
from model.errors import UnknownName
from model.zoo.models import ids, load_model, read_card


def models(*, id: str | None = None, fields: str | None = None) -> Answer:
    """Without `id` every card; with it the card, `modules` (a tree with parameter shapes) and
    `activations` (name, axes, shape).

    `fields` narrows what is sent to the fields it lists, comma separated; one that there is not is
    an UnknownName.
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
            raise UnknownName("field", name, whole)
    return Answer(model.kind, fields={name: whole[name] for name in wanted}, model=model.id)


def modules(name: str, module: nn.Module) -> dict:
    """A module's own parameters with their shapes, how many numbers it holds in all, and its
    parts.
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
