"""What attention is told about pairs of positions: offsets, ALiBi's slopes, T5's buckets, Shaw's
rows, against whole numbers by hand.
"""

import math

import pytest
import torch

from model.layers.relative_positions import alibi_slopes, offsets, shaw_index, t5_bucket
from tests.rounding import SINGLE, same


def test_an_offset_is_the_keys_position_less_the_querys():
    assert offsets(3, 3).tolist() == [[0, 1, 2], [-1, 0, 1], [-2, -1, 0]]


def test_the_last_query_stands_at_the_last_key():
    assert offsets(1, 4).tolist() == [[-3, -2, -1, 0]]
    assert torch.equal(offsets(2, 7), offsets(7, 7)[-2:])


def test_eight_heads_of_alibi_have_the_slopes_of_the_paper():
    assert alibi_slopes(8).tolist() == [1 / 2**i for i in range(1, 9)]


def slopes_by_the_authors(n: int) -> list[float]:
    """get_slopes of Press et al.: a geometric sequence, and recursion where n is no power of
    two.
    """
    if math.log2(n).is_integer():
        first = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [first * first**i for i in range(n)]
    below = 2 ** math.floor(math.log2(n))
    return slopes_by_the_authors(below) + slopes_by_the_authors(2 * below)[0::2][: n - below]


@pytest.mark.parametrize("n_heads", [1, 2, 3, 5, 6, 7, 12, 16, 24, 33])
def test_any_number_of_heads_has_the_slopes_of_the_authors_code(n_heads):
    same(alibi_slopes(n_heads).tolist(), slopes_by_the_authors(n_heads), SINGLE)


def bucket_by_hand(distance: int, n_buckets: int, most: int) -> int:
    """near + floor(log(distance / near) / log(most / near) (n_buckets - near)), in whole numbers,
    which do not round.
    """
    near = n_buckets // 2
    far = n_buckets - near
    steps = (j for j in range(far) if distance**far * near**j >= most**j * near**far)
    return distance if distance < near else near + max(steps)


BUCKETS = pytest.mark.parametrize(
    ("n_buckets", "most"), [(32, 128), (16, 128), (8, 64), (16, 20), (4, 100), (64, 512)]
)


@BUCKETS
def test_t5s_buckets_behind_are_those_of_the_formula(n_buckets, most):
    behind = -torch.arange(2 * most)[None]
    expected = [bucket_by_hand(distance, n_buckets, most) for distance in range(2 * most)]
    assert t5_bucket(behind, n_buckets, most, both_ways=False)[0].tolist() == expected
    assert not t5_bucket(-behind, n_buckets, most, both_ways=False).any(), (
        "what lies ahead counts as distance 0"
    )


@BUCKETS
def test_both_ways_each_direction_has_half_of_the_buckets(n_buckets, most):
    half = n_buckets // 2
    near = torch.arange(1, 2 * most)[None]
    expected = [bucket_by_hand(distance, half, most) for distance in range(1, 2 * most)]
    assert t5_bucket(-near, n_buckets, most, both_ways=True)[0].tolist() == expected
    assert t5_bucket(near, n_buckets, most, both_ways=True)[0].tolist() == [
        half + bucket for bucket in expected
    ]


def test_t5_at_its_own_size():
    """32 buckets up to 128, both ways: 8 distances of their own, then 8, 12, 16, 23, 32 … share,
    read off the published code.
    """
    distances = torch.tensor(
        [[0, 1, 7, 8, 11, 12, 15, 16, 22, 23, 31, 32, 45, 46, 63, 64, 90, 91, 127, 128, 5000]]
    )
    assert t5_bucket(-distances, both_ways=True)[0].tolist() == [
        0,
        1,
        7,
        8,
        8,
        9,
        9,
        10,
        10,
        11,
        11,
        12,
        12,
        13,
        13,
        14,
        14,
        15,
        15,
        15,
        15,
    ]


def test_shaws_rows_clip_what_is_far():
    assert shaw_index(torch.tensor([[-99, -3, -2, 0, 2, 3, 99]]), most=2).tolist() == [
        [0, 0, 0, 2, 4, 4, 4]
    ]
    assert set(shaw_index(offsets(40, 40), most=16).flatten().tolist()) == set(range(33))
