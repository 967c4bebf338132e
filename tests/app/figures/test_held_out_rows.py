"""The figures of all held-out rows draw what the card says, and of the class that the row is said
to have.
"""

import httpx2
import numpy as np
import pytest

from model.zoo.models import read_card
from tests.rounding import SINGLE, same

HARDEST = {"model": "flights-ft", "row": "hardest"}
HELD_OUT = read_card("flights-ft")["held_out"]


def figure_of(client: httpx2.Client, name: str, **more: str | int) -> dict:
    answer = client.get(f"/api/v1/tables/figures/{name}", params={**HARDEST, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def named(figure: dict, name: str) -> dict:
    return next(trace for trace in figure["data"] if trace["name"] == name)


def test_each_bin_is_a_dot_and_the_row_stands_at_its_own_probability(client: httpx2.Client):
    answer = client.get("/api/v1/tables", params=HARDEST).json()
    says = answer["says"]
    place = answer["axes"]["class"]["labels"].index(says["class"])
    figure = figure_of(client, "reliability")
    for name, of in (("this model", "model"), ("boosted trees", "boosting")):
        bins = HELD_OUT["reliability"][of][place]
        assert named(figure, name)["x"] == [bin["believed"] for bin in bins]
        assert named(figure, name)["y"] == [bin["happened"] for bin in bins]
    same(figure["layout"]["shapes"][0]["x0"], says["probability"], SINGLE)
    assert says["class"] in figure["layout"]["meta"]["beside"]["calibrated"]


def test_columns_stand_in_the_order_of_what_they_are_worth(client: httpx2.Client):
    figure = figure_of(client, "worth", layer=0)
    columns = sorted(
        HELD_OUT["worth"]["columns"], key=lambda column_fields: -column_fields["shuffled"][0]
    )
    assert figure["layout"]["yaxis"]["ticktext"] == [column["name"] for column in columns]
    rise = named(figure, "shuffled across rows")["x"]
    assert rise == [column["shuffled"][0] for column in columns]
    read = HELD_OUT["worth"]["attention"][0]
    weights = dict(zip(read["columns"], read["mean"], strict=True))
    assert named(figure, "weight")["x"] == [weights[column["name"]] for column in columns]


@pytest.mark.parametrize(("column", "count"), [("carrier", 16), ("destination", 104)])
def test_categories_of_the_chosen_column_lie_where_the_answer_puts_them(client, column, count):
    answer = client.get("/api/v1/tables", params=HARDEST).json()
    figure = figure_of(client, "categories", column=column)
    labels = answer["axes"]["category"]["labels"]
    at = [i for i, name in enumerate(labels) if name.startswith(f"{column}: ")]
    assert len(at) == count
    x = [value for trace in figure["data"] for value in trace["x"]]
    expected = np.array(answer["tensors"]["places"]["data"])[at, 0]
    same(sorted(x), np.sort(expected), SINGLE, scale=1)
    value = next(
        column_fields["value"]
        for column_fields in answer["columns"]
        if column_fields["name"] == column
    )
    same(
        named(figure, "of this row")["x"],
        [expected[[labels[i] for i in at].index(f"{column}: {value}")]],
        SINGLE,
        scale=1,
    )
    assert len(figure["layout"]["annotations"]) < 41


def test_a_model_whose_card_measured_nothing_has_no_such_figure(client: httpx2.Client):
    for name in ("reliability", "worth", "categories"):
        answer = client.get(f"/api/v1/tables/figures/{name}", params={"model": "penguins-ft"})
        assert answer.status_code in (404, 422)
