"""What a head of a role looks at is found by brute force; a perfect head scores 1, and a head that
looks evenly scores chance.
"""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from model.inputs.input import Input
from model.inputs.text import TextTokenizer
from model.interpretability.heads.attentions import context_of
from model.interpretability.heads.roles import (
    EVERY,
    PATCHES,
    ROLES,
    TEXT,
    AttentionContext,
    chance,
    counted,
    score,
)
from model.layers import masks
from model.runs.run_model import run_model
from model.zoo.models import load_model
from tests.rounding import SINGLE, same

FRAME = TextTokenizer.frame
START, END = 1, 2

texts = st.lists(st.integers(3, 7), min_size=1, max_size=12)


def text_context(ids: list[int], causal: bool = True) -> AttentionContext:
    n, tokens = len(ids), torch.tensor(ids)
    allowed = masks.causal(n) if causal else masks.full(n)
    return AttentionContext(allowed, tokens, tokens, frame=FRAME)


def cross_context(source: list[int], target: list[int]) -> AttentionContext:
    """A target whose last token is followed by </s>."""
    allowed = torch.ones(len(target), len(source), dtype=torch.bool)
    next_ids = torch.tensor([*target[1:], END])
    return AttentionContext(
        allowed, torch.tensor(target), torch.tensor(source), next_ids=next_ids, frame=FRAME
    )


def keys_of(role: str, context: AttentionContext, query: int) -> list[int]:
    return (EVERY[role].keys(context) & context.allowed)[query].nonzero()[:, 0].tolist()


PLACES = {
    "previous": lambda ids, q, k: k == q - 1,
    "second-previous": lambda ids, q, k: k == q - 2,
    "next": lambda ids, q, k: k == q + 1,
    "second-next": lambda ids, q, k: k == q + 2,
    "itself": lambda ids, q, k: k == q,
    "first": lambda ids, q, k: k == 0,
    "separator": lambda ids, q, k: ids[k] == END,
    "duplicate": lambda ids, q, k: k != q and ids[k] == ids[q],
    "induction": lambda ids, q, k: k >= 1 and k - 1 != q and ids[k - 1] == ids[q],
}


@pytest.mark.parametrize("causal", [True, False])
@settings(max_examples=25, deadline=None, derandomize=True)
@given(texts)
def test_the_keys_of_every_role_in_a_text_are_found_by_brute_force(causal: bool, text: list[int]):
    ids = [START, *text, END]
    context = text_context(ids, causal)
    assert PLACES.keys() == TEXT.keys()
    for role, expected in PLACES.items():
        for q in range(len(ids)):
            keys = range(q + 1) if causal else range(len(ids))
            assert keys_of(role, context, q) == [k for k in keys if expected(ids, q, k)], role


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.lists(st.integers(END, 7), min_size=6, max_size=6), min_size=2, max_size=2))
def test_texts_side_by_side_are_read_as_each_alone(both: list[list[int]]):
    together = torch.tensor(both)
    context = AttentionContext(masks.causal(6), together, together, frame=FRAME)
    for role in TEXT.values():
        separate = torch.stack([role.keys(text_context(text)) for text in both])
        assert torch.equal(role.keys(context), separate)
        assert chance(separate, context.allowed).shape == ()


def grid_context(rows: int, columns: int, before: int) -> AttentionContext:
    n = rows * columns + before
    ids = torch.arange(n)
    return AttentionContext(masks.full(n), ids, ids, grid=(rows, columns))


@pytest.mark.parametrize("before", [0, 1])
def test_the_patch_beside_another_is_that_of_the_grid_and_none_beyond_its_edge(before: int):
    rows, columns = 3, 4
    context = grid_context(rows, columns, before)
    number = np.arange(rows * columns).reshape(rows, columns) + before
    steps = {"left": (0, -1), "right": (0, 1), "above": (-1, 0), "below": (1, 0)}
    for role, (down, right) in steps.items():
        for row in range(rows):
            for column in range(columns):
                inside = 0 <= row + down < rows and 0 <= column + right < columns
                expected = [int(number[row + down, column + right])] if inside else []
                assert keys_of(role, context, int(number[row, column])) == expected
    for query in range(before):
        assert all(keys_of(role, context, query) == [] for role in steps)
    assert steps.keys() == PATCHES.keys() - {"itself"}


def test_a_token_that_is_copied_is_found_and_a_sign_is_none():
    context = cross_context([START, 11, 12, 11, END], [START, 12, 11])
    assert [keys_of("written-token", context, q) for q in range(3)] == [[2], [1, 3], []]
    assert [keys_of("read-token", context, q) for q in range(3)] == [[], [2], [1, 3]]
    assert [keys_of("written-place", context, q) for q in range(3)] == [[1], [2], [3]]
    assert [keys_of("read-place", context, q) for q in range(3)] == [[0], [1], [2]]
    assert [keys_of("separator", context, q) for q in range(3)] == [[4]] * 3


def test_the_token_before_stands_behind_what_is_remembered():
    queries = torch.tensor([8, 9])
    allowed = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]).bool()
    context = AttentionContext(allowed, queries, torch.tensor([5, 6, 7, 8, 9]), first=3)
    assert [keys_of("previous", context, q) for q in range(2)] == [[2], [3]]
    assert [keys_of("itself", context, q) for q in range(2)] == [[3], [4]]


def every_context() -> list[tuple[str, AttentionContext]]:
    text = [START, 3, 4, 3, 4, 5, 3, END]
    patches = grid_context(3, 3, 1)
    inside = torch.zeros(10, 10, dtype=torch.bool)
    inside[2, 3:6] = True
    inside[4, 1] = True
    named = AttentionContext(masks.full(10), torch.arange(10), torch.arange(10), looked_for=inside)
    return [
        ("text", text_context(text)),
        ("text", text_context(text, causal=False)),
        ("cross", cross_context([START, 11, 12, 11, END], [START, 12, 11])),
        ("patches with a class", patches),
        ("boxes", named),
        ("rows", named),
        ("queries", named),
        ("columns with a class", named),
    ]


def test_a_head_that_looks_at_nothing_else_scores_1_for_every_role_and_one_that_never_does_0():
    tested = set()
    for kind, context in every_context():
        for name, role in ROLES[kind].items():
            keys = role.keys(context) & context.allowed
            if not counted(keys, context.allowed).any():
                continue
            # A query without a legal key of the role looks evenly: it must not count.
            perfect = np.where(keys.any(-1, keepdim=True), keys, context.allowed).astype(float)
            never = (context.allowed & ~keys).double().numpy()
            found = [
                score(
                    torch.from_numpy(rows / rows.sum(-1, keepdims=True).clip(1))[None],
                    keys,
                    context.allowed,
                ).item()
                for rows in (perfect, never)
            ]
            same(found, [1, 0], SINGLE, what=name)
            tested.add(name)
    assert tested == EVERY.keys()


def test_a_head_that_looks_evenly_scores_exactly_chance_whatever_the_role():
    for kind, context in every_context():
        allowed = context.allowed.double().numpy()
        even = torch.from_numpy(allowed / allowed.sum(-1, keepdims=True))
        for role in ROLES[kind].values():
            keys = role.keys(context)
            found, expected = (
                score(even[None], keys, context.allowed)[0],
                chance(keys, context.allowed),
            )
            assert torch.equal(found, expected) or (found.isnan() and expected.isnan())


def test_chance_of_the_token_before_under_a_causal_mask_is_a_mean_of_harmonic_numbers():
    n = 48
    context = text_context(list(range(3, 3 + n)))
    expected = np.mean([1 / (query + 1) for query in range(1, n)])
    same(chance(TEXT["previous"].keys(context), context.allowed), expected)


@pytest.mark.parametrize("texts", [[[3, 4, 3, 4, 4, 3]], [[3, 4, 3, 4, 4, 3], [3, 3, 4, 5, 6, 7]]])
def test_a_score_is_the_weight_on_all_keys_over_the_queries_that_count(texts: list[list[int]]):
    ids = torch.tensor(texts)
    context = AttentionContext(masks.causal(6), ids, ids)
    keys = TEXT["duplicate"].keys(context)
    scores = torch.randn(len(texts), 2, 6, 6, generator=torch.Generator().manual_seed(0)).double()
    pattern = scores.masked_fill(~context.allowed, -torch.inf).softmax(-1)
    for head in range(2):
        weights = []
        for text, row in zip(texts, pattern, strict=True):
            for q in range(6):
                earlier = [k for k in range(q) if text[k] == text[q]]
                if earlier:  # and the query itself is another key
                    weights.append(sum(row[head, q, k].item() for k in earlier))
        same(score(pattern, keys, context.allowed)[head].item(), np.mean(weights), SINGLE)


def test_an_even_look_finds_what_followed_in_proportion_to_how_often_it_did():
    context = text_context([3, 4, 3, 4, 4])
    found = chance(TEXT["induction"].keys(context), context.allowed).item()
    same(found, np.mean([1 / 3, 1 / 4, 2 / 5]))


def test_a_query_without_a_choice_does_not_count():
    context = text_context([3, 4, 5])
    assert counted(TEXT["first"].keys(context), context.allowed).tolist() == [False, True, True]
    assert counted(TEXT["duplicate"].keys(context), context.allowed).tolist() == [False] * 3
    pattern = torch.eye(3)[None]
    assert score(pattern, TEXT["duplicate"].keys(context), context.allowed).isnan().all()


def test_a_role_has_one_name_and_one_meaning_wherever_it_is_found():
    names = [role.name for role in EVERY.values()]
    assert len(names) == len(set(names))
    for roles in ROLES.values():
        assert all(EVERY[id] is role for id, role in roles.items())


def test_the_box_of_a_query_holds_the_patches_whose_centre_lies_in_it():
    model = load_model("shapes")
    run = run_model(model, Input(image="ellipse red 0.3 0.3 0.3 0.3"))
    _, context = context_of(run, "decoder.0.cross_attention")
    boxes, labels = run.trace["box.out"].numpy(), run.trace["logits"].argmax(-1).tolist()
    nothing = model.classes.index("nothing")
    assert {labels[q] == nothing for q in range(8)} == {True, False}
    for q, (x, y, width, height) in enumerate(boxes):
        centres = [((k % 8 + 0.5) / 8, (k // 8 + 0.5) / 8) for k in range(64)]
        expected = [
            k
            for k, (cx, cy) in enumerate(centres)
            if labels[q] != nothing and abs(cx - x) <= width / 2 and abs(cy - y) <= height / 2
        ]
        assert context.looked_for is not None
        assert context.looked_for[q].nonzero()[:, 0].tolist() == expected


def test_of_the_rows_of_a_table_only_the_one_that_is_read_counts():
    model = load_model("penguins-saint")
    run = run_model(model, Input(row=model.card["examples"][0]["id"]))
    kind, context = context_of(run, "encoder.0.row_attention")
    prediction = model.classes[int(run.trace["logits"][0].argmax())]
    alike = [i for i, row in enumerate(model.row_tokenizer.references, 1) if row.said == prediction]
    assert kind == "rows"
    assert alike
    assert keys_of("same-class", context, 0) == alike
    assert counted(EVERY["itself"].keys(context), context.allowed).tolist() == [True] + [False] * 24
