"""Links of /circuit take away the paths that they name."""

import pytest

from app.captions.circuit import address_of
from model.interpretability.path_expansion import group_of, removed_paths

PATHS = [
    *("direct", "0.0", "0.3", "1.0", "1.1"),
    *(f"0.{i}-1.{j}{end}" for i in (0, 3) for j in (0, 1) for end in ("", ".k", ".q")),
]
FIELDS = {"paths": PATHS, "groups": group_of(PATHS)}


@pytest.mark.parametrize(
    ("without", "address"),
    [
        (["0.3-1.0.k", "0.3-1.1.k"], "0.3-1.?.k"),
        (["0.3-1.0.k"], "0.3-1.0.k"),
        (["1.0", "1.1", "0.0-1.1"], "1.?,0.0-1.1"),
        ([], ""),
    ],
)
def test_an_address_names_a_group_where_all_of_it_is_taken_away(without: list[str], address: str):
    assert address_of(FIELDS, without) == address
    assert set(removed_paths(address, PATHS)) == set(without)
