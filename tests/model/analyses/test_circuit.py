"""The circuits of shipped models: what their weights say, which heads read which, and which paths
carry the repetition, with refusals in a sentence.
"""

import numpy as np
import pytest
import torch

from model import analyses, progress
from model.errors import InvalidInput, UnknownName
from model.zoo.models import load_model
from model.zoo.training_checkpoints import load_checkpoints
from tests.model.support.asked import answer
from tests.rounding import REMEASURED, SHIPPED, SINGLE, near, same
from tests.thorough import mostly

TRANSLATOR = {"model": "translator", "source": "i am cold", "target": "j' ai froid"}
DEEP = {"model": "induction-2", "text": "qvmtzkdbqvmtzkdbqvmt"}
SHALLOW = {**DEEP, "model": "induction-1"}


@pytest.fixture(scope="module")
def paths():
    return answer("circuit", {**DEEP, "part": "paths"})


@pytest.fixture(scope="module")
def dictionary():
    return answer("circuit", {**TRANSLATOR, "part": "weights"})


def numbers(result, name: str) -> np.ndarray:
    return result.tensors[name].data.double().numpy()


def ov_by_hand(id: str, part: str, layer: int, head: int, rows=slice(None)) -> np.ndarray:
    """E W_V W_O W_U of a head, the whole matrix or some rows, with the embedding as long as a model
    reads it.
    """
    network = load_model(id).transformer
    weights = {name: value.double().numpy() for name, value in network.state_dict().items()}
    d_head = network.config.d_head
    channels = slice(d_head * head, d_head * (head + 1))
    embedding = weights["embedding.token"]
    unembedding = weights.get("untied", embedding).T
    scope = f"{part.format(layer)}."
    value, output = weights[f"{scope}value.weight"], weights[f"{scope}output.weight"]
    scaled = embedding[rows] * np.sqrt(embedding.shape[1])
    return (scaled @ value[:, channels]) @ (output[channels] @ unembedding)


def test_the_rows_of_the_translator_are_the_largest_of_the_whole_matrix(dictionary):
    fields = dictionary.fields
    assert fields["attention"] == "cross"
    whole = ov_by_hand("translator", "decoder.{}.cross_attention", fields["layer"], fields["head"])
    best = np.argsort(-whole.max(1))[:12]
    rows = fields["circuits"]["ov"]["rows"]
    assert [row["id"] for row in rows] == best.tolist()
    top = np.argsort(-whole[best], axis=1)[:, :5]
    same(numbers(dictionary, "ov"), np.take_along_axis(whole[best], top, 1), SINGLE)
    label = load_model("translator").text_tokenizer.label
    assert [row["words"] for row in rows] == [[label(int(id)) for id in ids] for ids in top]
    share = (whole.argmax(1) == np.arange(len(whole))).mean()
    same(fields["circuits"]["ov"]["own"], share)


def test_the_head_that_is_shown_first_is_the_one_that_copies_most(dictionary):
    found = numbers(dictionary, "ov.copying")
    place = (dictionary.fields["layer"], dictionary.fields["head"])
    assert np.unravel_index(found.argmax(), found.shape) == place
    in_layer = answer("circuit", {**TRANSLATOR, "part": "weights", "layer": 0})
    assert in_layer.fields["layer"] == 0
    assert in_layer.fields["head"] == found[0].argmax()


def test_the_rows_of_the_input_are_its_own_tokens_each_once():
    result = answer(
        "circuit", {"model": "translator", "source": "i am what i am", "part": "weights"}
    )
    rows = [row["token"] for row in result.fields["circuits"]["ov_of_input"]]
    assert rows == ["<s>", "i", "am", "what", "</s>"]
    fields = result.fields
    part, ids = "decoder.{}.cross_attention", result.axes["ov.input.row"].ids
    whole = ov_by_hand("translator", part, fields["layer"], fields["head"], ids)
    same(numbers(result, "ov.input"), -np.sort(-whole, axis=1)[:, :5], SINGLE, n=SHIPPED, scale=1)


def test_the_thin_factors_give_the_rows_and_come_only_where_they_are_asked_for(dictionary):
    assert not {"ov.left", "qk.right"} & dictionary.tensors.keys()
    result = answer("circuit", {**DEEP, "part": "weights", "factors": True, "top": 29})
    for name in ("ov", "qk"):
        whole = numbers(result, f"{name}.left") @ numbers(result, f"{name}.right")
        rows = whole[result.axes[f"{name}.row"].ids]
        same(numbers(result, name), -np.sort(-rows, 1)[:, :5], SINGLE, scale=1)
        values = np.linalg.eigvals(whole)
        at = (result.fields["layer"], result.fields["head"])
        copying = values.real.sum() / np.abs(values).sum()
        same(numbers(result, f"{name}.copying")[at], copying, SINGLE, scale=1)


def test_the_scores_of_positions_are_those_of_their_table_in_numpy():
    question = {"part": "weights", "attention": "encoder", "layer": 1, "head": 2}
    result = answer("circuit", TRANSLATOR | question)
    at, channel = np.arange(32)[:, None], np.arange(0, 192, 2)
    angle = at / 10_000 ** (channel / 192)
    table = np.stack([np.sin(angle), np.cos(angle)], -1).reshape(32, 192)
    weights = load_model("translator").transformer.state_dict()
    q, k = (
        table @ weights[f"encoder.1.attention.{name}.weight"].double().numpy()[:, 96:144]
        for name in ("query", "key")
    )
    same(numbers(result, "qk.positions"), q @ k.T / np.sqrt(48), SINGLE, n=SHIPPED, scale=1)


def test_a_head_that_turns_its_queries_scores_a_position_by_its_distance_and_never_one_ahead():
    result = answer("circuit", {**DEEP, "part": "weights", "layer": 0, "head": 3})
    scores = numbers(result, "qk.positions")
    assert np.isneginf(scores[np.triu_indices(32, 1)]).all()
    for distance in range(5):
        along = np.diag(scores, -distance)
        same(along, along[0], SINGLE, n=SHIPPED, scale=1)
    # The previous-token head: its mean score is highest at the letter before.
    assert scores[20].argmax() == 19


def test_the_composition_of_the_trained_pairs_is_that_of_whole_matrices():
    result = answer("circuit", {**DEEP, "part": "composition"})
    weights = load_model("induction-2").transformer.state_dict()

    def side(layer: int, name: str, head: int) -> np.ndarray:
        matrix = weights[f"decoder.{layer}.attention.{name}.weight"].double().numpy()
        channels = slice(16 * head, 16 * head + 16)
        return matrix[channels] if name == "output" else matrix[:, channels]

    found = numbers(result, "composition")
    for reader in range(4):
        q, k, v, o = (side(1, name, reader) for name in ("query", "key", "value", "output"))
        for writer in range(4):
            w = side(0, "value", writer) @ side(0, "output", writer)
            for at, r in enumerate((q @ k.T, k @ q.T, v @ o)):
                score = np.linalg.norm(w @ r) / np.linalg.norm(w) / np.linalg.norm(r)
                same(found[at, 4 + reader, writer], score)
    assert np.isneginf(found[:, :4]).all()


def test_a_pair_composes_only_above_all_its_random_turns_and_the_counts_say_how_many():
    result = answer("circuit", {**DEEP, "part": "composition"})
    found, rank = numbers(result, "composition"), numbers(result, "quantile")
    low, high = numbers(result, "random")
    possible = np.isfinite(found)
    np.testing.assert_array_equal((rank == 1)[possible], (found > high)[possible])
    np.testing.assert_array_equal((rank == 0)[possible], (found <= low)[possible])
    for at, read in enumerate("qkv"):
        counts = result.fields["pairs"][read]
        assert counts["pairs"] == 16
        assert counts["compose"] == (rank[at][possible[at]] == 1).sum()
        assert counts["avoid"] == (rank[at][possible[at]] == 0).sum()
    same(numbers(result, "histogram").sum(-1), 1, scale=1)


def test_keys_compose_at_the_end_of_the_training_and_hardly_any_pair_does_before_it():
    before, after = (
        answer("circuit", {**DEEP, "part": "composition", "step": step}).fields["pairs"]
        for step in (0, 3000)
    )
    assert after["k"]["compose"] >= 12
    assert after["v"]["compose"] == 0
    assert sum(before[read]["compose"] for read in "qkv") <= 1


def test_the_single_path_of_the_textbook_is_measured_and_does_not_carry_all(paths):
    """Two routes have formed: by the keys, and by the queries with other heads in the keys. Either
    keeps most of the accuracy, and only without the head that both begin with is it lost.
    """
    cases = {case: row["accuracy"] for case, row in paths.fields["cases"].items()}
    held = {fact.name: fact for fact in paths.fields["facts"]}
    assert paths.fields["previous"] == "0.3"
    assert cases["whole"] > 0.98
    assert 0.75 < cases["path_alone"] < 0.9
    assert cases["without_path"] > 0.8
    assert cases["without_head"] < 0.25
    assert cases["scores_alone"] > 0.95
    same(held["path_alone"].value, cases["path_alone"] / cases["whole"])
    assert not held["path_alone"].holds
    assert not held["without_path"].holds
    assert held["sum_error"].holds


def test_the_paths_that_are_given_back_keep_what_is_said_of_them(paths):
    """Each is the best after those before it, which is asked for again here one by one."""
    greedy = paths.fields["greedy"]
    chosen = {"direct", *(f"1.{head}" for head in range(4))}
    for step in greedy:
        chosen |= set(paths.fields["groups"][step["paths"]])
    without = ",".join(name for name in paths.fields["paths"] if name not in chosen)
    result = answer("circuit", {**DEEP, "part": "paths", "without": without})
    same(result.fields["remaining"]["accuracy"], greedy[-1]["accuracy"])
    assert greedy[-1]["accuracy"] >= 0.95 * paths.fields["whole"]["accuracy"]
    same(greedy[0]["accuracy"], paths.fields["cases"]["path_alone"]["accuracy"])


def test_the_whole_model_is_as_good_as_its_card_says(paths):
    quality = load_model("induction-2").card["quality"]
    near(
        paths.fields["whole"]["accuracy"], quality["repeat_accuracy"]["value"], REMEASURED, abs=0.01
    )
    near(paths.fields["whole"]["loss"], quality["repeat_loss"]["value"], REMEASURED, abs=0.02)


def test_the_kinds_of_paths_add_up_to_the_logit_that_the_model_of_each_step_gives(paths):
    kinds, steps = numbers(paths, "contribution_by_kind"), paths.fields["steps"]
    by_path = numbers(paths, "contribution_by_step")
    same(kinds.sum(1), by_path.sum(1), SINGLE, scale=1)
    from model.analyses.circuit import held_out
    from model.training.recipes.induction import logits

    texts = held_out()
    whole = torch.cat([texts.ids, texts.following[:, -1:]], dim=1)
    for step in (0, 200, 3000):
        network = load_checkpoints("induction-2").models[step].transformer
        scores = logits(network, whole)[..., 3:].double()
        right = scores.gather(-1, (texts.following - 3)[..., None]).squeeze(-1)
        mean = (right - scores.mean(-1))[texts.repeated].mean().item()
        same(kinds[steps.index(step)].sum(), mean, SINGLE, n=SHIPPED, scale=1)


def test_paths_that_are_taken_away_already_change_nothing_when_they_are_taken_again():
    result = answer("circuit", {**DEEP, "part": "paths", "without": "0.3-1.?.k, direct"})
    change = dict(
        zip(result.axes["kill"].labels, numbers(result, "killed.change").tolist(), strict=True)
    )
    assert result.fields["removed"] == ["direct", *(f"0.3-1.{head}.k" for head in range(4))]
    for name in result.fields["removed"]:
        assert change[name] == 0
    assert change["0.3-1.?.q"] > 1


def test_one_layer_has_its_direct_path_and_one_for_each_head():
    result = answer("circuit", {**SHALLOW, "part": "paths"})
    assert result.fields["paths"] == ["direct", "0.0", "0.1", "0.2", "0.3"]
    assert result.fields["whole"]["accuracy"] < 0.3
    assert result.fields["previous"] is None
    assert [fact.name for fact in result.fields["facts"]] == ["sum_error"]


@pytest.mark.parametrize("model", mostly(["induction-1", "induction-2"], "induction-1"))
def test_an_untrained_step_guesses(model):
    question = {**DEEP, "model": model, "part": "paths"}
    before, after = answer("circuit", question | {"step": 0}), answer("circuit", question)
    assert before.fields["whole"]["accuracy"] < 0.1 < after.fields["whole"]["accuracy"]
    assert before.fields["step"] == 0
    assert after.fields["step"] == 3000


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"model": "digits", "image": "three"}, "has no token vocabulary: choose a text model."),
        ({**TRANSLATOR, "part": "paths"}, "can’t be split into paths: choose induction-1 or"),
        ({**TRANSLATOR, "without": "direct"}, "choose induction-1 or induction-2"),
        ({**TRANSLATOR, "step": 100}, "has no stored training steps: leave out `step`, or choose"),
        ({**DEEP, "step": 101}, "is not stored"),
        ({**DEEP, "layer": 2}, "Layer 2 does not exist; the decoder has layers 0 to 1."),
        ({**DEEP, "head": 4}, "Head 4 does not exist; induction-2 has heads 0 to 3."),
        (
            {**DEEP, "attention": "cross"},
            "induction-2 has no attention called cross; it has decoder",
        ),
        ({**DEEP, "part": "all"}, "part is 'all'; it must be one of weights, composition, paths."),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_a_model_has_not_is_refused_in_a_sentence(question: dict, sentence: str):
    with pytest.raises(InvalidInput) as refused:
        answer("circuit", question)
    assert sentence in str(refused.value)


def test_a_path_that_does_not_exist_is_refused_with_the_nearest():
    with pytest.raises(UnknownName, match=r"0\.9"):
        answer("circuit", {**DEEP, "part": "paths", "without": "0.9"})


def test_a_question_about_paths_can_be_cancelled_on_its_way():
    """The course of the training is kept once it is known; the paths are asked one by one."""

    class Enough(Exception):
        pass

    reports: list[int] = []

    def hook(done: int, of: int) -> None:
        reports.append(done)
        if done > 300:
            raise Enough

    with pytest.raises(Enough), progress.reporting(hook):
        analyses.answer("circuit", {**DEEP, "part": "paths"})
    assert reports == sorted(reports)
    assert len(reports) > 5
