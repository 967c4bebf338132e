"""What a head with a role looks at is found by brute force, and a score is 1 for a head that does
nothing else.
"""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from model.interpretability.heads.scores import (
    ROLES,
    by_chance,
    induction_keys,
    previous_token_keys,
    score,
)
from model.layers import masks

texts = st.lists(st.integers(3, 7), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(texts)
def test_what_followed_an_earlier_letter_like_this_one_is_found_by_brute_force(text: list[int]):
    found = induction_keys(torch.tensor(text))
    for query in range(len(text)):
        expected = [key for key in range(1, query + 1) if text[key - 1] == text[query]]
        assert found[query].nonzero()[:, 0].tolist() == expected


@settings(max_examples=60, deadline=None, derandomize=True)
@given(texts)
def test_the_letter_before_is_the_one_before_and_the_first_has_none(text: list[int]):
    expected = np.eye(len(text), k=-1, dtype=bool)
    assert np.array_equal(previous_token_keys(torch.tensor(text)).numpy(), expected)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(texts)
def test_no_role_looks_ahead(text: list[int]):
    for looked_for in ROLES.values():
        assert not (looked_for(torch.tensor(text)) & ~masks.causal(len(text))).any()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.lists(st.integers(3, 7), min_size=6, max_size=6), min_size=2, max_size=2))
def test_texts_side_by_side_are_read_as_each_alone(both: list[list[int]]):
    for looked_for in ROLES.values():
        assert torch.equal(
            looked_for(torch.tensor(both)),
            torch.stack([looked_for(torch.tensor(text)) for text in both]),
        )


def drawn_pattern(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(0)).softmax(-1)


def test_a_head_that_looks_at_nothing_else_scores_1_and_one_that_never_does_0():
    read = torch.randint(3, 9, (4, 20), generator=torch.Generator().manual_seed(1))
    for looked_for in ROLES.values():
        keys = looked_for(read)
        perfect = (keys / keys.sum(-1, keepdim=True).clamp(min=1))[:, None]
        assert score(perfect, keys).item() == pytest.approx(1)
        never = (~keys / (~keys).sum(-1, keepdim=True))[:, None]
        assert score(never, keys).item() == 0


def test_a_score_is_the_weight_on_all_keys_together_over_the_queries_that_have_any():
    read = torch.randint(3, 9, (3, 10), generator=torch.Generator().manual_seed(2))
    keys, pattern = induction_keys(read), drawn_pattern(3, 2, 10, 10)
    for head in range(2):
        weights = [
            sum(
                float(pattern[text, head, query, key])
                for key in range(10)
                if keys[text, query, key]
            )
            for text in range(3)
            for query in range(10)
            if keys[text, query].any()
        ]
        assert score(pattern, keys)[head].item() == pytest.approx(np.mean(weights), rel=1e-5)


def test_of_a_text_in_which_nothing_comes_twice_nothing_can_be_said():
    assert score(drawn_pattern(2, 5, 5), induction_keys(torch.arange(5))).isnan().all()


def test_an_even_look_finds_the_letter_before_as_often_as_the_harmonic_numbers_say():
    n = 48
    expected = np.mean([1 / (query + 1) for query in range(1, n)])
    assert by_chance(previous_token_keys(torch.arange(n))) == pytest.approx(expected, rel=1e-5)


def test_an_even_look_finds_what_followed_in_proportion_to_how_often_it_did():
    keys = induction_keys(torch.tensor([3, 4, 3, 4, 4]))
    assert by_chance(keys) == pytest.approx(np.mean([1 / 3, 1 / 4, 2 / 5]), rel=1e-5)
