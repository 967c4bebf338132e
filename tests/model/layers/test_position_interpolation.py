"""A table of positions drawn out to another length or another grid of patches."""

import numpy as np
import pytest
import torch

from model.errors import InvalidInput
from model.layers.position_interpolation import interpolate, interpolate_grid
from model.layers.positional_encodings import sinusoidal
from tests.rounding import same


def random_table(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def test_interpolated_to_its_own_size_a_table_is_itself():
    table = random_table(12, 5)
    assert torch.equal(interpolate(table, 12), table)
    assert torch.equal(interpolate_grid(table, (3, 4), (3, 4)), table)


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
    table = random_table(12, 3)
    same(interpolate(table, length).numpy(), linearly(table.numpy(), length), scale=1)


def test_a_grid_is_interpolated_along_rows_and_along_columns():
    table = random_table(12, 2)
    down = np.stack(
        [linearly(column, 7) for column in table.numpy().reshape(3, 4, 2).swapaxes(0, 1)], axis=1
    )
    both = np.stack([linearly(row, 9) for row in down])
    same(interpolate_grid(table, (3, 4), (7, 9)).numpy(), both.reshape(63, 2), scale=1)


def there_and_back(table: torch.Tensor) -> float:
    """Relative error of 14 x 14 patches drawn out to 28 x 28 and pressed together again."""
    larger = interpolate_grid(table, (14, 14), (28, 28))
    return ((interpolate_grid(larger, (28, 28), (14, 14)) - table).norm() / table.norm()).item()


def test_a_smooth_table_survives_a_finer_grid_and_a_random_one_does_not():
    row = sinusoidal(14, 16, dtype=torch.float64)
    smooth = torch.cat(
        [row[:, None].expand(14, 14, 16), row[None].expand(14, 14, 16)], dim=-1
    ).flatten(0, 1)
    assert there_and_back(smooth) < 0.06
    assert there_and_back(random_table(196, 32)) > 0.2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: interpolate(random_table(4, 2), 0), "at least 1"),
        (
            lambda: interpolate_grid(random_table(12, 2), (4, 4), (8, 8)),
            "has 16 patches; the table has 12",
        ),
        (lambda: interpolate_grid(random_table(12, 2), (3, 4), (0, 8)), "is empty"),
    ],
)
def test_what_cannot_be_interpolated_is_refused_in_a_sentence(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
