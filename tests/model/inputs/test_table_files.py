"""Tables of one's own: what is read, which kinds its columns are of, and what is refused, each in
one sentence that says what to do.
"""

import csv
import math
from pathlib import Path

import pytest

from model.errors import InvalidInput, UnknownName, VitrineError
from model.inputs import table_files
from model.inputs.column_kinds import (
    OTHER,
    category_column,
    find_classes,
    find_kinds,
    number_column,
    option_of,
)
from model.inputs.table_files import Table, plain, read_csv, read_frame
from model.inputs.written_numbers import read_numbers
from tests.rounding import same

ROWS = [(f"{n}", f"{n / 7:.2f}", "abc"[n % 3], "yes" if n % 2 else "no") for n in range(60)]
HEAD = "place,size,kind,bought"


def write_table(folder: Path, *lines: str, encoding: str = "utf-8") -> Path:
    path = folder / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding=encoding)
    return path


def table(**columns: list[str]) -> Table:
    return Table(columns)


@pytest.mark.parametrize("delimiter", ",;\t")
def test_a_file_is_read_cell_by_cell_and_what_is_missing_is_empty(tmp_path, delimiter):
    lines = [
        delimiter.join(("name", "a size", "", "kind")),
        delimiter.join((" Anna ", "1.5", "x", '"b, =c"')),
        "",
        delimiter.join(("NA", "", "?", "NaN")),
    ]
    read = read_csv(write_table(tmp_path, "\ufeff" + lines[0], *lines[1:]))
    assert read.columns == {
        "name": ["Anna", ""],
        "a size": ["1.5", ""],
        "column 3": ["x", ""],
        "kind": ["b, =c", ""],
    }
    assert plain("b, =c") == "b; :c"


def test_rows_are_drawn_by_the_seed_each_as_likely(tmp_path):
    path = write_table(tmp_path, "n", *map(str, range(50)))
    samples = [tuple(read_csv(path, sample=10, seed=seed).columns["n"]) for seed in range(400)]
    assert samples[0] == tuple(read_csv(path, sample=10, seed=0).columns["n"]) != samples[1]
    counts = [sum(str(n) in sample for sample in samples) for n in range(50)]
    assert all(len(set(sample)) == 10 for sample in samples)
    assert all(abs(count - 80) < 4 * math.sqrt(400 * 0.2 * 0.8) for count in counts)


def test_a_frame_and_a_dict_of_columns_are_read_like_the_file(tmp_path):
    class Frame(dict):
        columns = property(list)

    class NeitherNor:
        """As pandas.NA."""

        def __ne__(self, other: object) -> bool:
            raise TypeError

        __hash__ = None

    columns = {"x": [1.0, math.nan, 2.5], "n": [1, 2, NeitherNor()], "c": ["a", None, " b "]}
    expected = {"x": ["1", "", "2.5"], "n": ["1", "2", ""], "c": ["a", "", "b"]}
    assert read_frame(Frame(columns)).columns == read_frame(columns).columns == expected


def test_kinds_are_found_and_what_says_nothing_is_left_out(tmp_path):
    lines = [",".join((*row, "one", "", f"person {row[0]}", "2013-01-01")) for row in ROWS]
    read = read_csv(write_table(tmp_path, f"{HEAD},same,none,who,when", *lines))
    found = find_kinds(read, "bought", drop=("when",))
    assert (found.numbers, found.categories) == (("size",), ("kind",))
    assert found.left_out == {
        "when": "as asked",
        "place": "it counts the rows",
        "same": "it has one value",
        "none": "it has no value",
        "who": "nearly every row has a text of its own",
    }
    chosen = find_kinds(read, "bought", ("when", "place"), categories=("size",), group="kind")
    assert (chosen.numbers, chosen.categories) == ((), ("size",))
    assert chosen.left_out["kind"] == "it splits the rows"


def test_numbers_are_described_by_numpy_and_rare_or_unseen_categories_are_one_option():
    column = number_column("x", [1.0, 2.0, 6.0])
    assert (column.mean, column.least, column.most) == (3.0, 1.0, 6.0)
    same(column.deviation, math.sqrt(14 / 3))
    assert number_column("x", [4.0, 4.0]).deviation == number_column("x", []).deviation == 1.0
    many = category_column("c", [*"10" * 5, *"9" * 5, "2", "x", ""])
    assert many.options == ("0", "1", "9", OTHER)
    assert [option_of(many, cell) for cell in ("9", "x", "new", "")] == ["9", OTHER, OTHER, None]
    plain_ones = category_column("c", [*"a" * 5, *"b" * 5])
    assert option_of(plain_ones, "new") is None


def test_classes_are_in_order_and_numbers_by_their_size():
    assert find_classes(table(y=["10", "9", ""] * 10), "y", 10) == ("9", "10")
    assert find_classes(table(y=["no", "yes"] * 10), "y", 10) == ("no", "yes")


def numbered(n: int) -> list[str]:
    return [str(i) for i in range(n)]


UNREADABLE = {
    "empty": (b"", "table.csv is empty; its first line must name the columns"),
    "blank": (b"\n\n", "is empty"),
    "latin-1": (
        "ort\nKöln\n".encode("latin-1"),
        "name its encoding, for example --encoding latin-1",
    ),
    "twice": (b"a,b,a\n1,2,3\n", "has the column 'a' 2 times"),
    "short row": (b"a,b\n1,2\n3\n", "Row 3 of table.csv has 1 cells; the header has 2"),
    "long row": (b"a,b\n1,2,3\n", "Row 2 of table.csv has 3 cells; the header has 2"),
    "UTF-16 without a mark": (
        "a,b\n1,2\n".encode("utf-16-le"),
        "contains null characters: name its encoding, for example",
    ),
    "no cells": (b"a\n" + b"x" * 200_000, "table.csv is not a CSV file"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_file_that_is_no_table_is_refused_in_a_sentence(tmp_path, name):
    content, sentence = UNREADABLE[name]
    (tmp_path / "table.csv").write_bytes(content)
    with pytest.raises(InvalidInput) as refused:
        read_csv(tmp_path / "table.csv")
    assert sentence in str(refused.value)
    assert str(refused.value).count("\n") == 0


def test_another_encoding_is_read_by_its_name_and_one_that_there_is_not_is_refused(tmp_path):
    path = write_table(tmp_path, "Ort", "Köln", encoding="latin-1")
    assert read_csv(path, "latin-1").columns == {"Ort": ["Köln"]}
    with pytest.raises(InvalidInput, match="no encoding named 'latin-111'"):
        read_csv(path, "latin-111")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_an_encoding_is_seen_by_its_mark(tmp_path, encoding):
    text = ("\ufeff" if encoding.endswith("be") else "") + "Ort\nKöln\n"
    (tmp_path / "table.csv").write_bytes(text.encode(encoding))
    assert read_csv(tmp_path / "table.csv").columns == {"Ort": ["Köln"]}


OTHERS = {"by a point": ["0.5", "1.25"], "by a comma": ["0,5", "1,25"], "": ["a", "b"]}
"""Other columns of the table, which say its decimal mark or do not."""
COLUMNS = {
    "decimal comma": ("-0,948 2", ";", "", "-0.948 2", "decimal comma"),
    "a comma and thousands": ("1.234,5 -7", ";", "", "1234.5 -7", "decimal comma"),
    "thousands and a point": ("1,234.5 20", ";", "", "1234.5 20", "1,234.5 is 1234.5"),
    "two thousands": ("1,234,567 20", ";", "", "1234567 20", "1,234,567 is 1234567"),
    "either, by commas": ("5,739 11,217", ",", "", "5739 11217", "5,739 is 5739"),
    "either, by semicolons": ("5,739 11,217", ";", "", "5.739 11.217", "decimal comma"),
    "either, beside points": ("5,739 7", "\t", "by a point", "5739 7", "5,739 is 5739"),
    "either, beside commas": ("5,739 7", ",", "by a comma", "5.739 7", "decimal comma"),
    "points, beside commas": ("5.739 7", ";", "by a comma", "5739 7", "5.739 is 5739"),
    "points alone": ("5.739 7", ";", "", "5.739 7", None),
    "points and decimals": ("5.739 7.5", ";", "by a comma", "5.739 7.5", None),
    "percent": ("12.3% -4%", ",", "", "12.3 -4", "in %"),
    "euros": ("€_12 €_1.200,50", ";", "", "12 1200.50", "decimal comma, in €"),
    "dollars": ("$1,200 -$5.5", ",", "", "1200 -5.5", "1,200 is 1200, in $"),
    "francs": ("1'234.50_CHF 7_CHF", ",", "", "1234.50 7", "1'234.50 is 1234.50, in CHF"),
    "blanks": ("1_234 12\u202f345,5", ";", "", "1234 12345.5", "decimal comma"),
    "a minus of print": ("−5 7", ",", "", "-5 7", None),
    "several units": ("$5 €7", ",", "", "$5 €7", None),
    "percent or not": ("5% 7", ",", "", "5% 7", None),
    "dates": ("01.02.2020 03.04.2021", ";", "", "01.02.2020 03.04.2021", None),
    "versions": ("1.2.3 1,2,3", ";", "", "1.2.3 1,2,3", None),
    "ranges": ("5-7 8-9", ";", "", "5-7 8-9", None),
    "codes": ("030,123 040,124", "\t", "", "030.123 040.124", "decimal comma"),
    "true and false": ("true false", ",", "", "true false", None),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_numbers_are_read_as_they_are_written_where_the_column_agrees(tmp_path, name):
    """`_` stands for a blank in a cell, and a blank parts the cells."""
    values, delimiter, others, expected, note = COLUMNS[name]
    cells = [cell.replace("_", " ") for cell in values.split(" ")]
    with (tmp_path / "table.csv").open("w", newline="", encoding="utf-8") as file:
        columns = ["x", *cells, ""], ["kept", "1,5", "5%", "1,5"], ["z", *OTHERS[others], ""]
        csv.writer(file, delimiter=delimiter).writerows(zip(*columns, strict=True))
    read, notes, units = read_numbers(read_csv(tmp_path / "table.csv"), ("kept",))
    assert read.columns["x"] == [*expected.replace("_", " ").split(" "), ""]
    assert read.columns["kept"] == ["1,5", "5%", "1,5"]
    assert notes.get("x") == note
    assert units.get("x", "") == ("" if note is None or "in " not in note else note.split("in ")[1])


def test_numbers_that_may_be_two_are_refused():
    with pytest.raises(InvalidInput, match="Use a decimal point without thousands separators, or"):
        read_numbers(table(x=["5,739", "7"]), ())


def test_too_many_rows_are_refused_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(table_files, "MAX_ROWS", 40)
    path = write_table(tmp_path, "n", *numbered(41))
    with pytest.raises(InvalidInput, match=r"more than 40 rows; use fewer.*--rows"):
        read_csv(path)
    assert len(read_csv(path, sample=40)) == 40
    with pytest.raises(InvalidInput, match="The data frame has more than 40 rows"):
        read_frame({"n": numbered(41)})


REFUSED = {
    "dates": (
        table(y=["a", "b"] * 30, t=["2013-01-02 10:00", "2013-02-01 11:00"] * 30),
        "turn them into columns such as month, or use --drop",
    ),
    "mixed": (
        table(y=["a", "b"] * 30, x=["1", "2", "about 3"] * 20),
        "write NA for missing values, or use --categories",
    ),
    "many categories": (
        table(y=["a", "b"] * 20_000, c=[f"c{n % 10_000}" for n in range(40_000)]),
        "Column c has 10,000 categories; the limit is",
    ),
    "nothing to learn from": (table(y=["a", "b"] * 30), "There are 0 columns to learn from"),
    "many columns": (
        Table({"y": ["a", "b"], **{f"x{n}": ["2", "5"] for n in range(41)}}),
        "There are 41 columns to learn from; a model takes 1 to",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_columns_that_cannot_be_learned_from_are_refused_in_a_sentence(name):
    data, sentence = REFUSED[name]
    with pytest.raises(VitrineError) as refused:
        find_kinds(data, "y")
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        (numbered(400), "Group them into classes such as low and high."),
        ([f"name {n}" for n in range(40)], "Target y has 40 classes"),
        (["yes"] * 30, "at least two are needed."),
        (["", ""], "has no classes"),
        (["yes"], "only the class"),
        (["yes"] * 30 + ["no"], "Class 'no' of y has 1 row; at least 10 are needed"),
    ],
)
def test_a_target_that_is_no_class_is_refused_in_a_sentence(cells, sentence):
    with pytest.raises(InvalidInput) as refused:
        find_classes(table(y=cells), "y", 10)
    assert sentence in str(refused.value)


def test_a_column_that_there_is_not_is_refused_with_the_nearest():
    with pytest.raises(UnknownName, match=r"no column named 'boght'. Did you mean bought"):
        find_classes(table(bought=["a"], x=["1"]), "boght", 10)
    with pytest.raises(UnknownName, match="no column named 'y'"):
        find_kinds(table(bought=["a"], x=["1"]), "bought", drop=("y",))


def test_a_row_written_by_csv_is_read_back(tmp_path):
    with (tmp_path / "table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([HEAD.split(","), *ROWS])
    read = read_csv(tmp_path / "table.csv")
    assert list(zip(*read.columns.values(), strict=True)) == ROWS
