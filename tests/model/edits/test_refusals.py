"""An edit that cannot be made is refused in one sentence, which names the field to change."""

import pytest

from model.edits.edit import read_edits
from model.errors import InvalidInput, UnknownName
from model.inputs.input import Input
from model.runs.run_model import run_model
from tests.model.support.runs import small_model

Z = "decoder.0.attention.z"
PAIR = Input(source="the cat sees the dog .", target="le chat voit")
WRONG = [
    ({"op": "remove", "at": Z}, "op", "unknown operation"),
    ({"op": "zero", "at": Z, "value": 1}, "value", "leave out `value`"),
    ({"op": "scale", "at": Z}, "value", "`value` is missing"),
    ({"op": "zero", "at": Z, "where": {"neuron": [0]}}, "where", "has no axis 'neuron'"),
    (
        {"op": "zero", "at": "encoder.0.attention.pattern", "where": {"source": [0]}},
        "where",
        "head, query, key",
    ),
    ({"op": "zero", "at": Z, "where": {"head": [4]}}, "where", "between 0 and 3"),
    ({"op": "zero", "at": Z, "where": {"head": [-1]}}, "where", "between 0 and 3"),
    ({"op": "zero", "at": Z, "where": {"head": []}}, "where", "at least one head"),
    ({"op": "zero", "at": Z, "where": {"head": [1, 1]}}, "where", "only once"),
    ({"op": "set", "at": Z, "value": [1.0, 2.0]}, "value", "the value has shape 2, but the cells"),
    (
        {"op": "set", "at": Z, "value": [[1.0], [1.0, 2.0]]},
        "value",
        "the value is not a table of numbers: give rows of equal",
    ),
    ({"op": "scale", "at": "logits", "value": 1e39}, "value", "infinite"),
    ({"op": "mask", "at": Z}, "at", "can’t be masked"),
    ({"op": "mask", "at": "decoder.0.attention.*"}, "at", "can’t be masked"),
    ({"op": "swap", "at": Z, "where": {"head": [0]}}, "where", "two indices"),
    ({"op": "swap", "at": Z, "where": {"head": [0, 1], "query": [0, 1]}}, "where", "two indices"),
    (
        {"op": "patch", "at": Z, "from": {"source": "i am cold ."}},
        "positions",
        "use inputs of equal length, or give `positions`",
    ),
    (
        {
            "op": "patch",
            "at": Z,
            "from": {"source": "i am cold .", "target": "le"},
            "positions": [[9, 0]],
        },
        "positions",
        "query of the other input 9 does not exist",
    ),
    (
        {"op": "patch", "at": Z, "from": vars(PAIR), "positions": [[0, 99]]},
        "positions",
        "query 99 does not exist",
    ),
    (
        {
            "op": "patch",
            "at": Z,
            "from": vars(PAIR),
            "positions": [[0, 0]],
            "where": {"query": [0]},
        },
        "positions",
        "not in both",
    ),
    ({"op": "patch", "at": Z, "from": {"sentence": "i"}}, "from", "no field 'sentence'"),
    ({"op": "patch", "at": Z, "from": [vars(PAIR)] * 2}, "from", "one input"),
    (
        {
            "op": "mean",
            "at": "decoder.0.cross_attention.pattern",
            "from": {"source": "i", "target": "le"},
        },
        "from",
        "only query may differ",
    ),
]


@pytest.mark.parametrize(("edit", "field", "says"), WRONG, ids=[says for *_, says in WRONG])
def test_an_edit_that_cannot_be_made_is_refused_with_the_field_to_change(edit, field, says):
    fine = {"op": "scale", "at": "logits", "value": 2}
    with pytest.raises(InvalidInput) as refused:
        run_model(small_model(), PAIR, read_edits([fine, edit]))
    assert refused.value.field == f"edits/1/{field}"
    assert says in str(refused.value)
    assert str(refused.value).endswith(".")


def test_a_name_that_names_nothing_is_unknown_and_the_nearest_are_told():
    with pytest.raises(UnknownName) as refused:
        run_model(small_model(), PAIR, read_edits([{"op": "zero", "at": "decoder.0.atention.z"}]))
    assert Z in refused.value.nearest


def test_a_division_by_zero_later_in_the_network_is_refused_with_its_name():
    edit = {"op": "zero", "at": "decoder.0.norm1.scale"}
    with pytest.raises(InvalidInput, match=r"decoder\.0\.norm1\.out infinite or undefined"):
        run_model(small_model(), PAIR, read_edits([edit]))


def test_the_other_input_is_refused_like_any_input():
    edit = {"op": "patch", "at": Z, "from": {"text": "the cat"}}
    with pytest.raises(InvalidInput):
        run_model(small_model(), PAIR, read_edits([edit]))
