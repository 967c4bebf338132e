"""Figures of clinics: what no record of one answer has, as scales, bounds, sums and edges."""

import itertools
from itertools import product

import numpy as np
import pytest
import torch

from app.captions.text import percent
from app.experiments.decoding import heights, prefixes
from app.experiments.learned_positions import LATER
from app.experiments.memory import LINE, fires
from app.experiments.performer import off_scale
from app.figures.axis_scales import rounded
from app.worker.figures import draw
from model.answers.answer import Answer, Axis, Labelled
from tests.model.clinics import every_clinic
from tests.rounding import SINGLE, is_same, same

AMPLIFICATION = {"depths": "2,4,8", "d_model": 16, "seeds": 1}


def test_both_axes_span_the_same_ratio_and_hold_every_number(ask):
    spans = []
    for name in ("change", "constant"):
        figure = ask(f"amplification/figures/{name}", **AMPLIFICATION)
        low, high = figure["layout"]["yaxis"]["range"]
        spans.append(high - low)
        values = np.log10(np.concatenate([trace["y"] for trace in figure["data"]]))
        assert low < values.min()
        assert values.max() < high
    same(*spans)


def test_each_point_names_its_position_and_its_channel(ask):
    answer = ask("basis")
    figure = ask("basis/figures/stream")
    before, after = (np.array(state) for state in answer["tensors"]["stream"]["data"])
    (cloud,) = figure["data"]
    at = cloud["customdata"].index("position 2, channel 17")
    assert cloud["x"][at] == before[2, 17]
    assert cloud["y"][at] == after[2, 17]
    assert len(cloud["x"]) == before.size


def test_no_change_is_the_diagonal_of_a_square(ask):
    layout = ask("basis/figures/hidden")["layout"]
    assert layout["xaxis"]["range"] == layout["yaxis"]["range"]
    assert layout["yaxis"]["scaleanchor"] == "x"
    (diagonal,) = layout["shapes"]
    assert (diagonal["x0"], diagonal["x1"]) == (diagonal["y0"], diagonal["y1"])


TEXTS = ["".join(letters) for letters in product("abc", repeat=3)]


def test_a_prefix_is_as_probable_as_all_its_texts():
    start = np.array([0.5, 0.4, 0.1])
    after = np.array([[0.4, 0.3, 0.3], [0.05, 0.05, 0.9], [0.3, 0.3, 0.4]])
    texts = start[:, None, None] * after[:, :, None] * after[None]
    sums = prefixes(TEXTS, texts.ravel())
    same(sums[""], 1, SINGLE)
    for i, first in enumerate("abc"):
        same(sums[first], start[i], SINGLE)
        for j, second in enumerate("abc"):
            same(sums[first + second], start[i] * after[i, j], SINGLE)


def test_a_prefix_stands_in_the_middle_of_its_texts():
    levels = heights(TEXTS)
    for prefix, level in levels.items():
        rows = [row for row, text in enumerate(TEXTS) if text.startswith(prefix)]
        assert level == np.mean(rows)
    assert [levels[text] for text in TEXTS] == list(range(len(TEXTS)))


DECODING = {"length": 2, "seeds": 2}


def shares(figure: dict) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities after and before, as they are drawn."""
    return tuple(
        np.array(next(trace["y"] for trace in figure["data"] if trace["name"] == name))
        for name in ("after temperature and filters", "before")
    )


@pytest.mark.parametrize("temperature", [0.2, 1, 3])
def test_all_others_are_what_the_likeliest_tokens_leave(ask, temperature):
    figure = ask("decoding/figures/filter", temperature=temperature, **DECODING)
    answer = ask("decoding", temperature=temperature, **DECODING)
    assert figure["layout"]["xaxis"]["ticktext"][-1] == "all others"
    for bars, name in zip(shares(figure), ("after", "before"), strict=True):
        same(bars[:-1], answer["tensors"][name]["data"], SINGLE)
        same(bars.sum(), 1, SINGLE)


def test_a_high_temperature_gives_the_probability_to_the_others_and_a_filter_takes_it_all(ask):
    hot, cold = shares(ask("decoding/figures/filter", temperature=3, **DECODING))
    assert hot[-1] > 0.9
    assert cold[-1] < 0.5
    filtered, _ = shares(ask("decoding/figures/filter", temperature=3, top_k=3, **DECODING))
    same(filtered[-1], 0, SINGLE, scale=1)
    assert (filtered[3:] == 0).sum() >= 13


def test_a_crowded_column_names_the_letters_of_the_greedy_and_the_best_text_alone(ask):
    query = {"chain": "drawn", "vocabulary": 4, "length": 4, "seeds": 1}
    answer, figure = ask("decoding", **query), ask("decoding/figures/tree", **query)
    beam = {answer["greedy"][:3], answer["best"][:3]}
    layout = figure["layout"]
    notes = zip(layout["annotations"], layout["meta"]["notes"], strict=True)
    named = [note for note, style in notes if style["kind"] == "fit"]
    columns = sorted({note["x"] for note in named})
    assert [sum(note["x"] == x for note in named) for x in columns] == [4, 16, len(beam)]


DEPENDENCY = {"layers": 2, "d_model": 32, "seeds": 4}


def test_the_places_of_every_map_are_marked_in_the_middle_of_its_cells(ask):
    figure = ask("dependency/figures/maps", **DEPENDENCY)
    (maps,) = figure["data"]
    x, y = figure["layout"]["xaxis"], figure["layout"]["yaxis"]
    columns, rows = np.array(maps["x"]), np.array(maps["y"])
    for places, axis, edges in ((x["tickvals"], x, columns), (y["tickvals"], y, rows)):
        middles = (edges[:-1] + edges[1:]) / 2
        for place, name in zip(places, axis["ticktext"], strict=True):
            assert any(is_same(middle, place, SINGLE) for middle in middles), name
    assert x["ticktext"] == ["1", "2", "3", "4"] * 3
    assert y["ticktext"] == ["1", "2", "3", "4"]


def test_the_other_placements_have_the_mean_of_both_sub_layers_of_each_layer(ask):
    question = {**DEPENDENCY, "placement": "pre"}
    answer = ask("dependency", **question)
    curves = lines(ask("dependency/figures/newest", **question))
    post = answer["tensors"]["dependency.all"]["data"][0]
    means = [(post[0] + post[1]) / 2, (post[2] + post[3]) / 2]
    same(curves["Post-LN"]["y"], means, SINGLE)
    assert "Pre-LN" not in curves


GRADIENTS = {"depths": "2,4,8", "d_model": 8, "seeds": 2}


def lines(figure: dict) -> dict[str, dict]:
    return {trace["name"]: trace for trace in figure["data"]}


def test_the_guide_falls_with_the_root_of_the_depth_from_the_first_pre_ln_gradient(ask):
    curves = lines(ask("gradients/figures/last", **GRADIENTS))
    guide, pre = curves["1/√L"], curves["Pre-LN"]
    same(guide["y"][0], pre["y"][0], SINGLE)
    same(guide["y"][2], guide["y"][0] / 2, SINGLE)


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_the_stack_asked_for_is_drawn_and_the_placement_asked_for_has_dots_and_seeds(ask, stack):
    question = {**GRADIENTS, "stack": stack, "placement": "b2t"}
    curves = lines(ask("gradients/figures/parameter", **question))
    tensor = ask("gradients", **question)["tensors"]["parameter"]["data"]
    expected = tensor[["encoder", "decoder"].index(stack)]
    means = {name: trace for name, trace in curves.items() if "seed" not in name}
    assert list(means) == ["Post-LN", "Pre-LN", "B2T"]
    for row, trace in zip(expected, means.values(), strict=True):
        same(trace["y"], row, SINGLE)
    assert [name for name, trace in means.items() if "markers" in trace["mode"]] == ["B2T"]
    assert curves.keys() - means.keys() == {f"B2T, seed {seed}" for seed in range(2)}


@pytest.mark.parametrize("way", ["with", "without"])
def test_a_cell_says_whether_its_keys_and_values_are_computed_or_read(way: str):
    answer = every_clinic.ask("kv_cache", seeds=1)
    (trace,) = draw("kv-cache", way, answer, {})["data"]
    for step, (words, letters) in enumerate(zip(trace["customdata"], trace["text"], strict=True)):
        for token, (label, letter) in enumerate(zip(words, letters, strict=True)):
            again = token == step or way == "without"
            wanted = "" if token > step else "computed" if again else "read from the cache"
            assert label == wanted, (
                f"at step {step + 1} token {token + 1} is {label!r}, {way} a cache"
            )
            assert letter == wanted[:1].upper()


def test_a_ratio_is_the_perplexity_of_its_member_over_that_of_the_sinusoidal_one():
    answer = every_clinic.ask("learned_positions")
    names = answer.axes["member"].labels or []
    losses = answer.tensors["loss.by_seed"].data.numpy()[:, :, LATER:]
    perplexities = np.exp(losses)
    ratio = draw("learned-positions", "ratio", answer, {})
    curves = {trace["name"]: trace["y"] for trace in ratio["data"]}
    base = perplexities[:, names.index("sinusoidal")]
    for i, name in enumerate(names):
        each = perplexities[:, i] / base
        mean = each.prod(0) ** (1 / len(each))
        wrong = f"the ratio of “{name}” ends at {curves[name][-1]:.4f}, and it is {mean[-1]:.4f}"
        same(curves[name], mean, SINGLE, what=wrong)
        for seed, row in enumerate(each):
            same(curves[f"{name}, seed {seed}"], row, SINGLE)


SENTENCES = [["<s>", *["word"] * 12, "."], ["<s>", "short", "."]]
LONGEST = max(map(len, SENTENCES))


def answer() -> Answer:
    values = torch.full((len(SENTENCES), LONGEST), -torch.inf)
    for row, sentence in enumerate(SENTENCES):
        values[row, : len(sentence)] = 0
        values[row, len(sentence) - 1] = row + 1.5
    axes = {"sentence": Axis("step", len(SENTENCES)), "position": Axis("position", LONGEST)}
    tensors = {"fires": Labelled(("sentence", "position"), values, "m", masked=True)}
    chosen = {"neuron": 3, "rank": 1, "firing": 2.5}
    return Answer("trained", axes, tensors, {"chosen": chosen, "sentences": SENTENCES})


def test_each_token_says_how_strongly_the_key_fires_at_it():
    silent, firing = fires(answer(), {})["data"]
    assert sum(map(len, (silent["x"], firing["x"]))) == sum(map(len, SENTENCES))
    assert [m for *_, m in silent["customdata"]] == [0] * len(silent["x"])
    assert list(firing["marker"]["color"]) == [m for *_, m in firing["customdata"]] == [1.5, 2.5]


def test_no_token_covers_another_or_reaches_beyond_its_line():
    lines: dict[float, list[tuple[float, float]]] = {}
    for trace in fires(answer(), {})["data"]:
        for start, width, level in zip(trace["base"], trace["x"], trace["y"], strict=True):
            lines.setdefault(level, []).append((start, start + width))
    assert len(lines) == 3, "the first sentence takes two lines"
    for spans in lines.values():
        spans.sort()
        assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))
        assert spans[-1][1] <= LINE


NORMS = {"depth": 12, "d_model": 8, "seeds": 2}


def test_the_bounds_of_lemma_2_stand_where_a_layer_ends(ask):
    curves = lines(ask("norms/figures/stream", placement="pre", **NORMS))
    layer = np.arange(1, 7)
    for name, slope in (("lower bound", 1 / 2), ("upper bound", 3 / 2)):
        np.testing.assert_array_equal(curves[name]["x"], 2 * layer)
        same(curves[name]["y"], np.sqrt((1 + slope * layer) * NORMS["d_model"]), SINGLE)


def test_the_bounds_of_a_decoder_stand_where_its_layers_of_three_sub_layers_end(ask):
    curves = lines(ask("norms/figures/stream", placement="pre", stack="decoder", **NORMS))
    layer = np.arange(1, 5)
    for name, slope in (("lower bound", 1 / 2), ("upper bound", 5 / 2)):
        np.testing.assert_array_equal(curves[name]["x"], 3 * layer)
        same(curves[name]["y"], np.sqrt((1 + slope * layer) * NORMS["d_model"]), SINGLE)


@pytest.mark.parametrize("shortcut", [0.9, 1.1])
def test_the_lemma_is_about_plain_shortcuts_and_drawn_over_no_others(ask, shortcut):
    assert "lower bound" not in lines(ask("norms/figures/stream", shortcut=shortcut, **NORMS))


@pytest.mark.parametrize(("placement", "is_drawn"), [("none", True), ("pre", False)])
def test_a_stack_without_a_norm_is_drawn_where_it_is_asked_for(ask, placement, is_drawn):
    curves = lines(ask("norms/figures/stream", placement=placement, **NORMS))
    assert ("no norm" in curves) == is_drawn


def test_a_short_axis_of_logarithms_is_marked_at_1_2_and_5_and_a_long_one_at_powers_of_ten():
    assert rounded("length", [3, 41]).ticks == [2, 5, 10, 20, 50]
    assert rounded("length", [0.5, 60]).ticks == [0.1, 1, 10, 100]
    assert rounded("length", [7, 7]).ticks == [5, 10]


PERFORMER = {"length": 8, "features": 16, "seeds": 1}


@pytest.mark.parametrize("kernel", ["positive", "trigonometric"])
@pytest.mark.parametrize("norm", [0.5, 2])
def test_both_maps_have_the_scale_of_the_exact_one(ask, kernel, norm):
    query = {"kernel": kernel, "norm": norm, **PERFORMER}
    exact, estimated = (
        np.array(ask("performer", **query)["tensors"][name]["data"])
        for name in ("exact", "approximate")
    )
    (trace,) = ask("performer/figures/maps", **query)["data"]
    same(trace["zmax"], exact.max(), SINGLE)
    same(trace["zmin"], -exact.max() if estimated.min() < 0 else 0, SINGLE)
    cells = np.array(trace["z"], dtype=float)
    (height, width), places = trace["meta"]["size"], [at for _, *at in trace["meta"]["tiles"]]
    for (top, left), values in zip(places, (exact, estimated), strict=True):
        same(cells[top : top + height, left : left + width], values, SINGLE)


def test_what_is_off_the_scale_is_counted_on_both_sides_of_zero():
    exact = np.array([[0.3, 0.1], [0.2, 0.2]])
    assert off_scale(exact, np.array([[0.1, -0.2], [0.3, 0.0]])) == (0, 0)
    assert off_scale(exact, np.array([[0.1, -0.2], [0.4, 0.0]])) == (0.25, 0.4)
    assert off_scale(exact, np.array([[0.1, -4.5], [2.0, 0.0]])) == (0.5, -4.5)


def test_the_count_stands_over_the_estimated_map_and_in_a_sentence(ask):
    query = {"length": 16, "features": 4, "seeds": 1}
    tensors = ask("performer", **query)["tensors"]
    exact, estimated = (np.array(tensors[name]["data"]) for name in ("exact", "approximate"))
    share = percent((np.abs(estimated) > exact.max()).mean())
    assert share != "0%"
    answer = ask("performer/figures", figures="maps", **query)
    notes = answer["figures"]["maps"]["layout"]["annotations"]
    assert any(note["text"].replace("\u00a0", " ").startswith(f"{share} off") for note in notes)
    assert (
        f"Of the estimated weights, {share} lie outside this scale" in answer["words"]["look_for"]
    )


WARMUP = {"layers": 1, "seeds": 2, "steps": 6, "warmup_steps": 3}


def test_the_rate_with_warm_up_grows_evenly_to_that_of_the_others_and_both_fall(ask):
    curves = lines(ask("warmup/figures/rate", peak=0.03, **WARMUP))
    falls = [0.03 * (3 / step) ** 0.5 for step in (4, 5, 6)]
    same(curves["Post-LN with warm-up"]["y"], [0.01, 0.02, 0.03, *falls], SINGLE)
    same(curves["without warm-up"]["y"], [0.03] * 3 + falls, SINGLE)


@pytest.mark.parametrize(("until", "last"), [({}, 6), ({"until": 40}, 40)])
def test_the_axis_has_room_for_the_steps_that_are_still_to_come(ask, until, last):
    figure = ask("warmup/figures/loss", **WARMUP, **until)
    assert figure["layout"]["xaxis"]["range"] == [1, last]
    assert len(lines(figure)["Pre-LN"]["x"]) == 6
