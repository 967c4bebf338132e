"""The tables of positions and the rotary map, by their formulas; and a table drawn out to another
length or another grid of patches.
"""

import math

import numpy as np
import pytest
import torch

from model.errors import InvalidInput
from model.layers import positional_encodings

LENGTH, WIDTH = 12, 6
BY_HAND = {
    "none": lambda p, length: 0.0,
    "integer": lambda p, length: float(p),
    "normalised": lambda p, length: p / (length - 1),
    "sigmoid": lambda p, length: 1 / (1 + math.exp(-p)),
    "sine": lambda p, length: math.sin(2 * math.pi * p / 64),
}


@pytest.mark.parametrize("scheme", BY_HAND)
def test_one_number_in_every_channel(scheme):
    expected = np.array([[BY_HAND[scheme](p, LENGTH)] * WIDTH for p in range(LENGTH)])
    table = getattr(positional_encodings, scheme)(LENGTH, WIDTH, dtype=torch.float64)
    assert np.abs(table.numpy() - expected).max() < 1e-15
    assert torch.equal(getattr(positional_encodings, scheme)(LENGTH, WIDTH), table.float())


@pytest.mark.parametrize("scheme", [*BY_HAND, "sinusoidal"])
def test_a_table_that_starts_later_is_the_rest_of_the_whole(scheme):
    whole = getattr(positional_encodings, scheme)(LENGTH, WIDTH)
    assert torch.equal(getattr(positional_encodings, scheme)(LENGTH - 5, WIDTH, start=5), whole[5:])


def test_the_normalised_integer_depends_on_the_length():
    short, long = (
        positional_encodings.normalised(20, 1)[10].item(),
        positional_encodings.normalised(512, 1)[10].item(),
    )
    assert (short, long) == pytest.approx((10 / 19, 10 / 511))
    assert (round(short, 3), round(long, 3)) == (0.526, 0.020)
    assert positional_encodings.normalised(1, 1).item() == 0


def test_sigmoid_has_19_numbers_for_512_positions():
    assert len(set(positional_encodings.sigmoid(512, 1).flatten().tolist())) == 19


def test_a_single_sine_comes_back_after_its_period():
    table = positional_encodings.sine(50, 1, period=17.0, dtype=torch.float64)
    assert torch.equal(table[17:34], table[:17])
    assert abs(table[3] + table[14]) < 1e-15


def rotary_by_hand(x: np.ndarray, start: int, base: float) -> np.ndarray:
    """Equation 34 of Su et al., cell by cell."""
    length, d = x.shape
    turned = np.empty_like(x)
    for row in range(length):
        for i in range(d // 2):
            angle = (start + row) * base ** (-2 * i / d)
            a, b = x[row, 2 * i], x[row, 2 * i + 1]
            turned[row, 2 * i] = a * math.cos(angle) - b * math.sin(angle)
            turned[row, 2 * i + 1] = b * math.cos(angle) + a * math.sin(angle)
    return turned


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


@pytest.mark.parametrize(("start", "base"), [(0, 10000.0), (7, 100.0)])
def test_rotary_is_the_papers_equation(start, base):
    x = drawn(9, 8)
    assert (
        np.abs(
            positional_encodings.rotary(x, start, base).numpy()
            - rotary_by_hand(x.numpy(), start, base)
        ).max()
        < 1e-12
    )


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-9), (torch.float32, 1e-4)])
def test_turned_queries_and_keys_meet_by_their_offset_alone(dtype, tolerance):
    q, k = drawn(2, 16).to(dtype)
    turned_q, turned_k = (positional_encodings.rotary(vector.expand(60, 16)) for vector in (q, k))
    scores = turned_q @ turned_k.mT
    assert scores.dtype == dtype
    assert (
        max((scores.diagonal(n) - scores.diagonal(n)[0]).abs().max() for n in range(-59, 60))
        < tolerance
    )
    assert (turned_q.norm(dim=-1) - q.norm()).abs().max() < tolerance


def test_rotary_turns_every_head_of_every_text_alike_and_starts_where_it_is_told():
    x = drawn(2, 3, 10, 4)
    whole = positional_encodings.rotary(x)
    assert torch.equal(whole[1, 2], positional_encodings.rotary(x[1, 2]))
    assert torch.equal(positional_encodings.rotary(x[..., 6:, :], start=6), whole[..., 6:, :])
    assert torch.equal(whole[..., 0, :], x[..., 0, :])


def test_rotary_refuses_a_channel_without_a_partner():
    with pytest.raises(InvalidInput, match="d_head is 5; it has to be even"):
        positional_encodings.rotary(drawn(3, 5))


def test_interpolated_to_its_own_size_a_table_is_itself():
    table = drawn(12, 5)
    assert torch.equal(positional_encodings.interpolate(table, 12), table)
    assert torch.equal(positional_encodings.interpolate_grid(table, (3, 4), (3, 4)), table)


def linearly(table: np.ndarray, length: int) -> np.ndarray:
    """Each new position has its centre at (p + 1/2) n / length - 1/2 of the old, held within
    them.
    """
    centre = ((np.arange(length) + 0.5) * len(table) / length - 0.5).clip(0, len(table) - 1)
    below = np.floor(centre).astype(int)
    above, share = np.minimum(below + 1, len(table) - 1), (centre - below)[:, None]
    return (1 - share) * table[below] + share * table[above]


@pytest.mark.parametrize("length", [1, 5, 13, 24, 40])
def test_a_new_position_lies_on_the_line_between_its_neighbours(length):
    table = drawn(12, 3)
    assert (
        np.abs(
            positional_encodings.interpolate(table, length).numpy()
            - linearly(table.numpy(), length)
        ).max()
        < 1e-12
    )


def test_a_grid_is_interpolated_along_rows_and_along_columns():
    table = drawn(12, 2)
    down = np.stack(
        [linearly(column, 7) for column in table.numpy().reshape(3, 4, 2).swapaxes(0, 1)], axis=1
    )
    both = np.stack([linearly(row, 9) for row in down])
    assert (
        np.abs(
            positional_encodings.interpolate_grid(table, (3, 4), (7, 9)).numpy()
            - both.reshape(63, 2)
        ).max()
        < 1e-12
    )


def there_and_back(table: torch.Tensor) -> float:
    """Relative error of 14 x 14 patches drawn out to 28 x 28 and pressed together again."""
    larger = positional_encodings.interpolate_grid(table, (14, 14), (28, 28))
    return (
        (positional_encodings.interpolate_grid(larger, (28, 28), (14, 14)) - table).norm()
        / table.norm()
    ).item()


def test_a_smooth_table_survives_a_finer_grid_and_a_random_one_does_not():
    row = positional_encodings.sinusoidal(14, 16, dtype=torch.float64)
    smooth = torch.cat(
        [row[:, None].expand(14, 14, 16), row[None].expand(14, 14, 16)], dim=-1
    ).flatten(0, 1)
    assert there_and_back(smooth) < 0.06
    assert there_and_back(drawn(196, 32)) > 0.2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda: positional_encodings.interpolate(drawn(4, 2), 0), "at least 1 position"),
        (
            lambda: positional_encodings.interpolate_grid(drawn(12, 2), (4, 4), (8, 8)),
            "has 16 patches; the table has 12",
        ),
        (lambda: positional_encodings.interpolate_grid(drawn(12, 2), (3, 4), (0, 8)), "no patches"),
    ],
)
def test_what_cannot_be_interpolated_is_refused_in_a_sentence(given, said):
    with pytest.raises(InvalidInput, match=said):
        given()
