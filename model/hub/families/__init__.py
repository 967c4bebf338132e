"""The supported families: a file for each, with two tables. `KEYS` describes the keys of its
config.json in terms of Config, and `WEIGHTS` the parameters that its tensors map to.
"""

from model.errors import NotRead
from model.hub.families import bart, bert, distilbert, gpt2, gpt_neox, llama, t5, vit
from model.hub.family import Family, Head
from model.hub.keys import Keys

FAMILIES: dict[str, Family] = {
    **gpt2.FAMILIES,
    **llama.FAMILIES,
    **gpt_neox.FAMILIES,
    **bert.FAMILIES,
    **distilbert.FAMILIES,
    **vit.FAMILIES,
    **t5.FAMILIES,
    **bart.FAMILIES,
}
"""Every family, keyed by the `model_type` in its config.json."""


def family_of(keys: Keys) -> tuple[Family, Head]:
    """The family of a config.json, and the head of its architecture. Raises NotRead."""
    kind, named = keys.get("model_type"), keys.get("architectures")
    if not isinstance(kind, str) or kind not in FAMILIES:
        raise NotRead("model-type-not-read", kind=repr(kind), known=FAMILIES)
    family = FAMILIES[kind]
    names = [str(name) for name in named] if isinstance(named, list) else []
    if len(names) != 1 or names[0] not in family.heads:
        stated = ", ".join(names) or "not stated"
        raise NotRead(
            "architecture-not-read", architecture=stated, family=family.name, known=family.heads
        )
    return family, family.heads[names[0]]
