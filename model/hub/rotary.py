"""Rotary positions in a config.json: their base, the fraction of a head's channels that they
rotate, and how much more slowly they rotate for texts longer than in training. Other kinds of
scaling are rejected by name.
"""

from typing import Any

from model.errors import NotRead
from model.hub.keys import Fields, Key, Keys, Unread
from model.layers.position_parameters import BASE

KNOWN = {"rope_type", "type", "rope_theta", "partial_rotary_factor", None}
KINDS = {
    "default": {},
    "linear": {"factor": "rope_factor"},
    "llama3": {
        "factor": "rope_factor",
        "low_freq_factor": "rope_low",
        "high_freq_factor": "rope_high",
    },
}
"""The kinds of rotary positions, each with the names of its numbers and ours."""
TRAINED = "original_max_position_embeddings"


def slowing(stated: dict[str, Any], keys: Keys) -> Fields:
    """How much more slowly pairs of channels rotate, from the `stated` parameters of rotary
    positions. Raises NotRead for an unsupported kind.
    """
    kind = stated.get("rope_type", stated.get("type", "default"))
    if kind not in KINDS:
        read = ", ".join(KINDS)
        raise Unread("kind-of-positions-not-read", kind=repr(kind), known=read)
    names = KINDS[kind]
    for name in stated.keys() - KNOWN - names.keys() - {TRAINED}:
        raise Unread("part-of-positions-unknown", name=repr(name))
    for name in names.keys() - stated.keys():
        raise Unread("part-of-positions-missing", name=repr(name), kind=repr(kind))
    fields: Fields = {ours: float(stated[name]) for name, ours in names.items()}
    if kind == "llama3":
        fields["rope_trained"] = stated.get(TRAINED, keys.get("max_position_embeddings", 2048))
    return fields


def rotary_keys(base: str = "rope_theta", share: str = "", default: float = 1.0) -> dict[str, Key]:
    """The keys of rotary positions. Current files have `rope_parameters`; older ones have `base`
    and `share`, which is `default` if missing.
    """

    def says(value: Any, keys: Keys) -> Fields:
        stated = value or {}
        part = stated.get("partial_rotary_factor", keys.get(share, default) if share else default)
        fields = {"rope_base": float(stated.get("rope_theta", keys.get(base, BASE)))}
        fields |= slowing(stated, keys)
        if part == 1:
            return fields
        channels = int(part * (keys["hidden_size"] // keys["num_attention_heads"]))
        if channels < 2 or channels % 2:
            raise NotRead("odd-channels-turned", turned=channels)
        return fields | {"rotary_dim": channels}

    def older(value: Any, keys: Keys) -> Fields:
        return slowing(value or {}, keys)

    names = [base, *([share] if share else [])]
    read_along = {name: Key(lambda value, keys: {}, None) for name in names}
    return {"rope_parameters": Key(says, None), "rope_scaling": Key(older, None), **read_along}
