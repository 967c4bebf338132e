"""The figure of /models: its numbers are the cards'."""

import httpx2

from app.captions.text import number


def test_every_model_stands_at_its_parameters_and_is_chosen_by_a_click(client: httpx2.Client):
    cards = client.get("/api/v1/models").json()["models"]
    figure = client.get("/api/v1/models/figures/sizes").json()
    bars = {
        model: (parameters, trace["name"], row, label.split(", ")[-1])
        for trace in figure["data"]
        for model, parameters, row, label in zip(
            trace["meta"]["pick"]["model"],
            trace["x"],
            trace["y"],
            trace["customdata"],
            strict=True,
        )
    }
    assert bars == {
        card["id"]: (card["parameters"], card["family"], i, f"trained for {minutes} minutes")
        for i, card in enumerate(cards)
        for minutes in [number(card["training"]["minutes"])]
    }
    low, high = (10**end for end in figure["layout"]["xaxis"]["range"])
    assert low < min(card["parameters"] for card in cards)
    assert high > max(card["parameters"] for card in cards)
