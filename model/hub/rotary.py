"""Rotary positions in a config.json: their base, and the share of a head's channels that they turn.
A scaling of positions, for texts that are longer than those of the training, is refused by name.
"""

from typing import Any

from model.errors import NotRead
from model.hub.keys import Fields, Key, Keys
from model.layers.position_parameters import BASE

KNOWN = {"rope_type", "type", "rope_theta", "partial_rotary_factor", None}


def unscaled(value: Any) -> dict[str, Any]:
    """The parameters of rotary positions, which may be left out. Raises NotRead for a scaling."""
    stated = value or {}
    kind = stated.get("rope_type", stated.get("type", "default"))
    if kind != "default":
        raise NotRead(f"{{key}} has the kind {kind!r}: scaled rotary positions are not read.")
    for name in stated.keys() - KNOWN:
        raise NotRead(f"{{key}} has {name!r}, which is not known here.")
    return stated


def rotary_keys(base: str = "rope_theta", share: str = "", default: float = 1.0) -> dict[str, Key]:
    """The keys of rotary positions. Files of today state `rope_parameters`; older ones state `base`
    and `share`, of which `default` is the share where none is stated.
    """

    def says(value: Any, keys: Keys) -> Fields:
        stated = unscaled(value)
        part = stated.get("partial_rotary_factor", keys.get(share, default) if share else default)
        fields = {"rope_base": float(stated.get("rope_theta", keys.get(base, BASE)))}
        if part == 1:
            return fields
        turned = int(part * (keys["hidden_size"] // keys["num_attention_heads"]))
        if turned < 2 or turned % 2:
            raise NotRead(f"Rotary positions turn {turned} channels of a head: they go in pairs.")
        return fields | {"rotary_dim": turned}

    def older(value: Any, keys: Keys) -> Fields:
        unscaled(value)
        return {}

    names = [base, *([share] if share else [])]
    read_along = {name: Key(lambda value, keys: {}, None) for name in names}
    return {"rope_parameters": Key(says, None), "rope_scaling": Key(older, None), **read_along}
