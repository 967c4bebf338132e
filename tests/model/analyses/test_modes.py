"""/modes: four ways to read one sentence, each with the numbers of its own run, and none where no
model is shipped.
"""

import numpy as np
import pytest
import torch

from model.analyses import modes as module
from model.analyses.modes import MODES, modes
from model.errors import InvalidInput, UnknownName
from model.inputs.input import Input
from model.runs.run_model import run_model
from tests.model.runs.test_prefix import allowed_by_hand
from tests.model.support.runs import small_model
from tests.rounding import same

TEXT = "the cat sees the dog ."
FAMILIES = ("encoder-only", "decoder-only", "encoder-decoder", "prefix")


def of_family(family: str):
    """Three layers in a decoder, two in the others: a model may have fewer."""
    return small_model(family, **({"n_decoder_layers": 3} if family == "decoder-only" else {}))


@pytest.fixture
def shipped(monkeypatch):
    """Ships a small random model of each of the families named."""

    def ship(*families: str, **cards: dict):
        configs = {
            family: {"config": of_family(family).config.as_dict()} for family in families
        } | cards

        def known(id: str) -> str:
            if id not in configs:
                raise UnknownName("unknown-model", id, configs)
            return id

        monkeypatch.setattr(module, "ids", lambda folder: list(configs))
        monkeypatch.setattr(module, "read_card", lambda id: configs[known(id)])
        monkeypatch.setattr(module, "load_model", lambda id: of_family(known(id)))

    return ship


def by_hand(family: str, n: int, m: int) -> np.ndarray:
    """Cell by cell: who may look where when n tokens of source and m of target stand in one row."""
    if family == "encoder-only":
        return np.ones((n, n))
    if family == "decoder-only":
        return np.array([[key <= query for key in range(n)] for query in range(n)])
    return allowed_by_hand(n + m, n)


def entry(answer, family: str) -> dict:
    return next(mode for mode in answer.fields["modes"] if mode["mode"] == family)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("n", "m"), [(1, 1), (4, 3), (7, 1)])
def test_the_mask_of_a_mode_is_its_definition_and_opens_as_many_cells_as_its_law_says(family, n, m):
    mode = next(mode for mode in MODES if mode.family == family)
    allowed = mode.allowed(n, m).numpy()
    expected = by_hand(family, n, m)
    assert np.array_equal(allowed, expected)
    assert mode.count(n, m) == expected.sum()


def test_every_mode_holds_the_mask_and_the_map_of_its_models_own_run(shipped):
    shipped(*FAMILIES)
    answer = modes(text=TEXT, target="le chat voit", layer=1, head=2)
    for family in FAMILIES:
        pair = family in ("encoder-decoder", "prefix")
        of = run_model(
            of_family(family),
            Input(source=TEXT, target="le chat voit") if pair else Input(text=TEXT),
        )
        mode, mask = entry(answer, family), answer.tensors[f"{family}.mask"].data.numpy()
        pattern = answer.tensors[f"{family}.pattern"].data
        n = len(mask) if mode["target_from"] is None else mode["target_from"]
        assert np.array_equal(mask, by_hand(family, n, len(mask) - n))
        assert (mode["layer"], mode["head"], mode["model"], mode["why"]) == (1, 2, "small", None)
        assert mode["visible"].holds
        assert mode["visible"].value == mask.sum()
        assert (pattern[torch.from_numpy(mask) == 0] == -torch.inf).all()
        for name, part in parts(family, n).items():
            expected = of.trace[name][2].masked_fill(torch.from_numpy(mask)[part] == 0, -torch.inf)
            assert torch.equal(pattern[part], expected), name
        labels = answer.axes[f"{family}.read"].labels
        assert labels == [token.text for row in of.tokens.values() for token in row]


def parts(family: str, n: int) -> dict:
    """Which activation stands where in the square."""
    source, target = slice(0, n), slice(n, None)
    if family != "encoder-decoder":
        return {
            f"{'encoder' if family == 'encoder-only' else 'decoder'}.1.attention.pattern": (
                slice(None),
                slice(None),
            )
        }
    return {
        "encoder.1.attention.pattern": (source, source),
        "decoder.1.cross_attention.pattern": (target, source),
        "decoder.1.attention.pattern": (target, target),
    }


def test_a_row_sums_to_one_for_each_stack_that_reads_it(shipped):
    shipped(*FAMILIES)
    answer = modes(text=TEXT, target="le chat voit")
    for family in FAMILIES:
        sums = answer.tensors[f"{family}.pattern"].data.nan_to_num(neginf=0.0).sum(-1)
        expected = torch.ones(len(sums))
        if family == "encoder-decoder":
            expected[entry(answer, family)["target_from"] :] = 2
        same(sums, expected, scale=1)


def test_source_and_target_of_both_stacks_and_of_one_see_the_same(shipped):
    """With the same tokens the two masks are the same square: what differs is how many softmaxes
    and stacks there are.
    """
    shipped(*FAMILIES)
    answer = modes(text=TEXT, target="le chat voit")
    assert torch.equal(
        answer.tensors["encoder-decoder.mask"].data, answer.tensors["prefix.mask"].data
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_the_predictions_are_the_runs_own_at_the_positions_asked(shipped, family):
    shipped(*FAMILIES)
    answer = modes(text=TEXT, target="le chat voit", top=3)
    pair = family in ("encoder-decoder", "prefix")
    of = run_model(
        of_family(family), Input(source=TEXT, target="le chat voit") if pair else Input(text=TEXT)
    )
    logits = (
        of.trace["logits"][entry(answer, family)["target_from"] :]
        if family == "prefix"
        else of.trace["logits"]
    )
    p = np.exp(logits.double().numpy())
    p /= p.sum(-1, keepdims=True)
    order = np.argsort(-p, axis=-1, kind="stable")[:, :3]
    same(answer.tensors[f"{family}.top_probability"].data, np.take_along_axis(p, order, -1))
    mode = entry(answer, family)
    assert mode["top_tokens"] == [
        [of.model.tokenizer.label(int(id)) for id in row] for row in order
    ]
    assert answer.axes[f"{family}.asked"].size == len(order)
    assert mode["expected"] == of.expected
    says = {"encoder-only": None, "decoder-only": mode["top_tokens"][-1][0]}.get(
        family, "le chat voit"
    )
    assert mode["says"] == says


def test_without_a_target_each_model_writes_its_own(shipped):
    shipped("encoder-decoder", "prefix")
    answer = modes(text=TEXT)
    for family in ("encoder-decoder", "prefix"):
        assert (
            entry(answer, family)["says"]
            == run_model(of_family(family), Input(source=TEXT)).input["target"]
        )
    assert answer.input == {"text": TEXT}


def test_a_mode_without_a_model_has_the_mask_of_its_words_and_no_number_else(shipped):
    shipped("encoder-decoder")
    answer = modes(text="the cat sees", target="le chat")
    assert set(answer.tensors) == {
        "encoder-only.mask",
        "decoder-only.mask",
        "prefix.mask",
        *(f"encoder-decoder.{name}" for name in ("mask", "pattern", "top_probability")),
    }
    for family, labels in [
        ("encoder-only", ["the", "cat", "sees"]),
        ("prefix", ["the", "cat", "sees", "<s>", "le", "chat"]),
    ]:
        mode = entry(answer, family)
        assert (mode["model"], mode["kind"], mode["top_tokens"], mode["says"]) == (
            None,
            "analytic",
            [],
            None,
        )
        assert mode["why"] == f"No model that is {family} is shipped yet."
        assert answer.axes[f"{family}.read"].labels == labels
        assert answer.axes[f"{family}.read"].ids is None
        assert np.array_equal(answer.tensors[f"{family}.mask"].data.numpy(), by_hand(family, 3, 3))
    assert "rank" in answer.axes


def test_a_text_that_the_models_of_a_family_cannot_read_is_said_to_be_so_and_the_others_go_on(
    shipped,
):
    shipped("encoder-only", "decoder-only", "encoder-decoder")
    short, long = "i " * 20, "i " * 32
    with pytest.raises(InvalidInput, match="the limit of "):
        modes(text=long)
    refused = modes(text=short, target="i " * 35)
    assert "the limit of " in entry(refused, "encoder-decoder")["why"]
    assert entry(refused, "encoder-only")["model"] == "small"


def test_more_words_than_are_drawn_leave_a_mask_of_none(shipped):
    shipped("encoder-decoder")
    answer = modes(text="i " * 20, target="i " * 9)
    assert answer.axes["prefix.read"].size == 30
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_WORDS", 29)
        assert modes(text="i " * 20, target="i " * 9).axes["prefix.read"].size == 0


def test_a_model_with_fewer_layers_or_heads_shows_its_last_and_says_which(shipped):
    shipped("encoder-only", "decoder-only")
    answer = modes(text=TEXT, layer=2, head=9)
    assert [
        (entry(answer, family)["layer"], entry(answer, family)["layers"]) for family in FAMILIES[:2]
    ] == [(1, 2), (2, 3)]
    assert {entry(answer, family)["head"] for family in FAMILIES[:2]} == {3}
    assert "layer 2, head 3" in answer.tensors["decoder-only.pattern"].formula
    last = modes(text=TEXT)
    assert torch.equal(
        last.tensors["decoder-only.pattern"].data,
        modes(text=TEXT, layer=2).tensors["decoder-only.pattern"].data,
    )


def test_the_model_of_a_mode_can_be_chosen_and_has_to_be_of_its_family(shipped):
    xl = {"config": {**of_family("decoder-only").config.as_dict(), "segment": 4}}
    shipped(*FAMILIES, xl=xl)
    assert entry(modes(text=TEXT, decoder_only="decoder-only"), "decoder-only")["model"] == "small"
    for wrong in ("prefix", "xl"):
        with pytest.raises(
            InvalidInput, match="is not a decoder-only model that takes a whole text"
        ) as refused:
            modes(text=TEXT, decoder_only=wrong)
        assert refused.value.field == "decoder_only"
    with pytest.raises(UnknownName, match="encoder-only"):
        modes(text=TEXT, encoder_only="encoder-onli")


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ({"text": " "}, "text"),
        ({"text": "half \ud800"}, "text"),
        ({"text": TEXT, "layer": -1}, "layer"),
        ({"text": TEXT, "head": -1}, "head"),
        ({"text": TEXT, "top": 0}, "top"),
        ({"text": TEXT, "top": 21}, "top"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(shipped, question, field):
    shipped("encoder-only", "prefix")
    with pytest.raises(InvalidInput) as refused:
        modes(**question)
    assert refused.value.field == field


def test_only_what_is_named_is_sent(shipped):
    shipped(*FAMILIES)
    answer = modes(text=TEXT, names="prefix.mask,prefix.pattern")
    assert (list(answer.tensors), list(answer.axes)) == (
        ["prefix.mask", "prefix.pattern"],
        ["prefix.read"],
    )
    assert len(answer.fields["modes"]) == 4
    with pytest.raises(UnknownName, match=r"prefix\.mask"):
        modes(text=TEXT, names="prefix.masks")
