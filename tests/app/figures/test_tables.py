"""The figures of /tables that say more than the numbers of the answer."""

import httpx2

from tests.rounding import PRINTED, near

HARDEST = {"model": "penguins-saint", "row": "hardest"}


def meta(client: httpx2.Client, name: str, **more: str | int) -> dict:
    answer = client.get(f"/api/v1/tables/figures/{name}", params={**HARDEST, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()["layout"]["meta"]


def test_the_change_without_a_value_is_that_of_the_likeliest_class(client: httpx2.Client):
    answer = client.get("/api/v1/tables", params=HARDEST).json()
    says, tensors = answer["says"], answer["tensors"]
    best = answer["axes"]["class"]["labels"].index(says["class"])
    without = meta(client, "chances")["without"]
    for column, chances in zip(
        answer["axes"]["cleared"]["labels"], tensors["without"]["data"], strict=True
    ):
        change = chances[best] - says["probability"]
        near(float(without[column]["text"].replace("−", "-")), change, PRINTED, abs=0.006)
        assert without[column]["much"] == (abs(change) >= 0.1)


def test_a_place_that_there_is_not_is_the_last_that_there_is(client: httpx2.Client):
    assert meta(client, "map", layer=11, head=11)["title"] == "Layer 1, head 3"
    assert meta(client, "map")["title"] == "Layer 1, head 0"
