"""What is written as JSON is read again, and a person can read it too."""

import json

from hypothesis import given
from hypothesis import strategies as st

from model.zoo.files import WIDTH, record_a_line, write_json

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=40
)


@given(VALUES)
def test_what_is_written_is_read_again_in_its_order(value):
    read = json.loads(record_a_line(value))
    assert read == value
    assert json.dumps(read) == json.dumps(value)


def test_a_record_takes_a_line_and_a_list_of_numbers_too(tmp_path):
    records = [{"name": "a" * 30, "value": i} for i in range(9)]
    numbers = [i / 7 for i in range(90)]
    write_json(tmp_path / "card.json", {"records": records, "numbers": numbers})
    first, *lines, last, of_numbers, end = (tmp_path / "card.json").read_text().splitlines()
    assert (first, lines.pop(0), last, end) == ("{", ' "records": [', " ],", "}")
    assert [json.loads(line.rstrip(",")) for line in lines] == records
    assert all(len(line) < WIDTH for line in lines)
    assert json.loads(f"{{{of_numbers}}}") == {"numbers": numbers}
