"""Figures of /masks: open, hidden and reached cells are the answer's, and what is said of them."""

import httpx2
import numpy as np

PAINTED = "pattern=causal&length=4&flip=1.3&layers=3"
RUN = "pattern=causal&flip=1.3&model=translator&source=i+am+cold&stack=decoder&layer=1"
ON_A_GRID = "pattern=window_2d&length=24&layers=3"


def figure(client: httpx2.Client, name: str, question: str) -> dict:
    response = client.get(f"/api/v1/masks/figures/{name}?{question}")
    assert response.status_code == 200, response.text
    return response.json()


def numbers(client: httpx2.Client, question: str, tensor: str) -> np.ndarray:
    answer = client.get(f"/api/v1/masks?{question}").json()
    return np.array(answer["tensors"][tensor]["data"], float)


def cells(trace: dict) -> np.ndarray:
    return np.array(trace["z"], float)


def test_hidden_cells_are_gaps_and_those_that_are_reached_after_all_are_numbered(
    client: httpx2.Client,
):
    full, later = figure(client, "mask", PAINTED)["data"]
    allowed = numbers(client, PAINTED, "allowed").astype(bool)
    needed = numbers(client, PAINTED, "layers_needed")
    np.testing.assert_array_equal(np.isfinite(cells(full)), allowed)
    reached = ~allowed & (np.nan_to_num(needed, nan=np.inf) <= 3)
    np.testing.assert_array_equal(np.isfinite(cells(later)), reached)
    np.testing.assert_array_equal(cells(later)[reached], needed[reached])
    assert full["meta"]["said"] == allowed.astype(int).astype(str).tolist()
    for q, k in np.argwhere(reached):
        assert full["customdata"][q][k].endswith(f"through {needed[q, k]:.0f} layers")


def test_fewer_layers_reach_less(client: httpx2.Client):
    _, later = figure(client, "mask", PAINTED.replace("layers=3", "layers=1"))["data"]
    assert not np.isfinite(cells(later)).any()


def test_a_painted_cell_has_a_frame_and_the_count_says_it(client: httpx2.Client):
    layout = figure(client, "mask", PAINTED)["layout"]
    frames = [shape for shape in layout["shapes"] if shape["name"] in ("line ink",)]
    assert len(frames) == 1
    assert frames[0]["path"].startswith("M2.54,0.54")
    assert layout["meta"]["count"] == "11 of 16 cells are open; 1 was opened by hand."
    assert layout["meta"]["summary"].startswith("1 may now attend to 3.")


def test_a_row_that_sees_nothing_is_said_where_it_is(client: httpx2.Client):
    layout = figure(client, "mask", "pattern=causal&length=3&flip=0.0")["layout"]
    (note,) = layout["annotations"]
    assert note["y"] == 0
    assert "sees nothing" in note["text"]
    assert "1 row sees nothing" in layout["meta"]["count"]


def test_the_grid_is_the_row_of_its_query(client: httpx2.Client):
    plot = figure(client, "grid", f"{ON_A_GRID}&query=8")
    allowed = numbers(client, ON_A_GRID, "allowed")[8].reshape(4, 6)
    frame = next(shape for shape in plot["layout"]["shapes"] if shape["name"] == "line query")
    assert (frame["x0"], frame["y0"]) == (1.5, 0.5)
    sentences = plot["layout"]["meta"]["sentences"]
    assert len(sentences) == 24
    assert sentences[8].startswith(f"Query 8 sees {int(allowed.sum())} positions, ")


def test_a_query_beyond_the_last_is_the_last(client: httpx2.Client):
    assert (
        figure(client, "grid", f"{ON_A_GRID}&query=99")["data"]
        == (figure(client, "grid", f"{ON_A_GRID}&query=23")["data"])
    )


def test_of_a_head_beyond_the_last_the_row_sums_are_those_of_the_last(client: httpx2.Client):
    beyond, last = (
        [trace["y"] for trace in figure(client, "sums", f"{RUN}&head={head}")["data"]]
        for head in (9, 3)
    )
    assert beyond == last


def test_of_a_batch_one_sequence_is_drawn(client: httpx2.Client):
    question = "pattern=padding&length=6&lengths=6,2"
    full, _ = figure(client, "mask", f"{question}&sequence=1")["data"]
    allowed = numbers(client, question, "allowed")[1]
    np.testing.assert_array_equal(np.isfinite(cells(full)), allowed.astype(bool))


def test_figures_of_a_run_need_a_model(client: httpx2.Client):
    for name in ("leak", "weights", "loss", "sums", "grid"):
        assert client.get(f"/api/v1/masks/figures/{name}?{PAINTED}").status_code == 404
