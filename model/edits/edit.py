"""`Edit`: one change of a run, and how edits are read from the JSON values of a question.

{"op": "zero", "at": "decoder.2.cross_attention.z", "where": {"head": [1]}}
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from model.errors import InvalidInput
from model.inputs.input import Input

Value = float | int | tuple
"""A number, or numbers in nested tuples with the shape of the cells."""

TAKES = {
    "zero": (),
    "mean": ("axis", "from"),
    "scale": ("value",),
    "set": ("value",),
    "add": ("value",),
    "patch": ("from", "positions"),
    "mask": (),
    "swap": ("axis",),
}
"""The fields that each operation takes in addition to `op`, `at`, and `where`."""

NEEDS = {"scale": "value", "set": "value", "add": "value"}
"""The field that an operation requires."""


OF_ANY_LENGTH = {"head", "kv_head", "head_channel", "channel", "hidden", "feature", "vocabulary"}
"""The roles of axes whose size does not depend on the input."""


@dataclass(frozen=True)
class Edit:
    """One change. `op` is one of OPERATIONS, and `at` the name of an activation or a glob of names,
    or several of them separated by commas. `where` holds pairs of an axis name and indices along
    it; other axes are changed as a whole. `number` is the edit's index in its list, for messages.

    `value` is that of scale, set, and add. `axis` is the axis that `mean` averages over, or along
    which `swap` exchanges two indices. `inputs` are other inputs of the same model: the one that
    `patch` copies from, or those that `mean` averages over. A patch without an input copies from
    the unedited run of the same input, which freezes the values. `positions` are pairs of a
    position in the other input and the position in this one that it is copied to.
    """

    op: str
    at: str
    where: tuple[tuple[str, tuple[int, ...]], ...] = ()
    value: Value | None = None
    axis: str | None = None
    inputs: tuple[Input, ...] = ()
    positions: tuple[tuple[int, int], ...] = ()
    number: int = 0

    @property
    def fits_any_length(self) -> bool:
        """Whether the edit works for inputs of any length: it names no positions, and has neither a
        list of numbers nor another input with a value per position.
        """
        roles = {name for name, _ in self.where}
        return roles <= OF_ANY_LENGTH and not (
            self.positions or self.inputs or isinstance(self.value, tuple)
        )

    def refusal(self, message: str, field: str, **values: Any) -> InvalidInput:
        """The error for this edit because of its field `field`; the message begins with a
        description of the edit.
        """
        place = f"edits/{self.number}" + (f"/{field}" if field else "")
        return InvalidInput(message, field=place, op=self.op, at=self.at[:80], **values)


Edits = tuple[Edit, ...]


def read_edits(listed: Sequence[Mapping[str, Any]]) -> Edits:
    """The edits listed in a question, in order. Raises InvalidInput for an unknown operation, and
    for a field that an operation does not take or lacks.
    """
    return tuple(read_edit(edit, number) for number, edit in enumerate(listed))


def read_edit(payload: Mapping[str, Any], number: int = 0) -> Edit:
    """The edit that the JSON object `payload` describes."""
    rest = dict(payload)
    op, at = str(rest.pop("op", "")), str(rest.pop("at", ""))
    named = Edit(op, at, number=number)
    if op not in TAKES:
        raise named.refusal("no-such-operation", "op", operations=TAKES)
    where = rest.pop("where", None) or {}
    for name in rest:
        if name not in TAKES[op]:
            taken = [f"`{field}`" for field in TAKES[op]]
            raise named.refusal(
                "operation-takes-no", name, name=name[:40], n=len(taken), taken=taken
            )
    if op in NEEDS and NEEDS[op] not in rest:
        raise named.refusal("operation-needs", NEEDS[op], needed=NEEDS[op])
    return Edit(
        op,
        at,
        tuple((axis, tuple(indices)) for axis, indices in where.items()),
        frozen(rest.get("value")),
        rest.get("axis"),
        read_inputs(named, rest.get("from")),
        tuple((there, here) for there, here in rest.get("positions") or ()),
        number,
    )


def read_inputs(edit: Edit, inputs: Mapping[str, str] | Sequence[Mapping] | None) -> tuple:
    """The other inputs of an edit, from `from`: one, or a list for `mean`."""
    if inputs is None:
        return ()
    if isinstance(inputs, Mapping):
        inputs = [inputs]
    if edit.op == "patch" and len(inputs) != 1:
        raise edit.refusal("one-input-to-patch", "from")
    known = [field.name for field in fields(Input)]
    for input in inputs:
        for name in input:
            if name not in known:
                raise edit.refusal("input-has-no-field", "from", name=name[:40], known=known)
    return tuple(Input(**input) for input in inputs)


def frozen(value: Any) -> Any:
    """Nested lists as nested tuples, so that an edit can be a cache key."""
    return tuple(map(frozen, value)) if isinstance(value, list | tuple) else value
