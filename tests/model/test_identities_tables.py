"""What three encoders of rows promise: which columns and which rows an answer can depend on, in
float64.
"""

import numpy as np
import torch

from model.layers import masks
from model.layers.tabular_embedding import Rows
from model.trace import Recorder
from tests.model.support.row_runs import CHOICES, FT, SAINT, TAB
from tests.model.support.small import small
from tests.rounding import same


def model(**choices):
    return small("encoder-only", **{**CHOICES, **choices})


def random_rows(n: int = 5, seed: int = 1) -> Rows:
    draws = torch.Generator().manual_seed(seed)
    numbers = torch.randn(n, 3, generator=draws, dtype=torch.float64)
    known = (torch.rand(n, 3, generator=draws) > 0.2).double()
    island, sex = (
        torch.randint(4, (n,), generator=draws),
        torch.randint(3, (n,), generator=draws) + 4,
    )
    return Rows(numbers * known, known, torch.stack([island, sex], dim=1))


def read(of, rows: Rows) -> tuple[torch.Tensor, Recorder]:
    trace = Recorder()
    x = of.encode(rows, masks.full(of.config.max_length), trace)
    return of.unembed(x, trace, of.bypassing(rows, trace)), trace.values


def test_the_attention_of_tabtransformer_does_not_see_the_numbers_and_its_answer_does():
    of, rows = model(**TAB), random_rows()
    other = Rows(rows.numbers + 1, torch.ones_like(rows.known), rows.categories)
    (logits, before), (other_logits, after) = read(of, rows), read(of, other)
    for name, value in before.items():
        if name.startswith("encoder."):
            assert torch.equal(value, after[name]), name
    assert (logits - other_logits).abs().max() > 1e-3


def test_the_answer_of_ft_transformer_does_not_depend_on_the_order_of_its_columns():
    of, rows = model(**FT), random_rows()
    order = [2, 0, 1]
    moved = model(**FT)
    numbers, categories = moved.embedding.token.numbers, moved.embedding.token.categories
    for vectors in (numbers.weight, numbers.bias, numbers.missing):
        vectors.copy_(vectors[order].clone())
    categories.column.copy_(
        categories.column.flip(0).clone()
    )  # sex before island; ids are of the one table of all
    logits = read(of, rows)[0][:, 0]
    again = read(
        moved, Rows(rows.numbers[:, order], rows.known[:, order], rows.categories.flip(1))
    )[0][:, 0]
    same(logits, again, scale=1)


def change_of_row_0(choices: dict) -> float:
    """How far the answer about row 0 moves when row 3 is another."""
    of, rows = model(**choices), random_rows()
    numbers = rows.numbers.clone()
    numbers[3] += 1
    return (
        (read(of, rows)[0][0] - read(of, Rows(numbers, rows.known, rows.categories))[0][0])
        .abs()
        .max()
        .item()
    )


def test_a_row_depends_on_other_rows_in_saint_alone():
    assert change_of_row_0(SAINT) > 1e-3
    assert change_of_row_0(FT) == 0
    assert change_of_row_0(TAB) == 0


def test_in_saint_the_order_of_the_other_rows_makes_no_difference():
    of, rows = model(**SAINT), random_rows()
    logits, again = read(of, rows)[0], read(of, rows.at([0, 3, 1, 4, 2]))[0]
    same(logits[[0, 3, 1, 4, 2]], again, scale=1)


def test_what_a_missing_number_was_makes_no_difference_and_that_it_is_missing_does():
    for choices in (FT, TAB, SAINT):
        of, rows = model(**choices), random_rows()
        known = torch.ones_like(rows.known)
        known[:, 1] = 0
        shifted = rows.numbers.clone()
        shifted[:, 1] += 2
        hidden, also = (
            Rows(rows.numbers, known, rows.categories),
            Rows(shifted, known, rows.categories),
        )
        assert torch.equal(read(of, hidden)[0], read(of, also)[0])
        assert (
            read(of, hidden)[0]
            - read(of, Rows(rows.numbers, torch.ones_like(known), rows.categories))[0]
        ).abs().max() > 1e-4


def test_a_token_of_a_number_is_its_vector_as_many_times_and_the_columns_own():
    of, rows = model(**FT), random_rows()
    token = of.embedding.token(rows).numpy()
    weights = {name: value.numpy() for name, value in of.embedding.token.named_parameters()}
    for row in range(5):
        assert np.array_equal(token[row, 0], weights["cls"])
        for j in range(3):
            x = rows.numbers[row, j].item()
            vector = (
                x * weights["numbers.weight"][j] + weights["numbers.bias"][j]
                if rows.known[row, j]
                else weights["numbers.missing"][j]
            )
            same(token[row, 1 + j], vector, scale=1)
        for j in range(2):
            vector = (
                weights["categories.table"][rows.categories[row, j]]
                + weights["categories.column"][j]
            )
            same(token[row, 4 + j], vector, scale=1)


def test_attention_between_rows_is_attention_of_rows_written_out_one_after_another():
    """SAINT by hand: each row is one vector of 6 x 16 numbers, each head has 4 of the 16 channels
    of q, k and v.
    """
    of, rows = model(**SAINT), random_rows()
    _, trace = read(of, rows)
    w = {
        name.removeprefix("encoder.0.row_attention."): p.numpy()
        for name, p in of.named_parameters()
        if "encoder.0.row_attention" in name
    }
    x = trace["encoder.0.row_attention.rows"].numpy().reshape(5, 96)
    q, k, v = (x @ w[f"{part}.weight"] + w[f"{part}.bias"] for part in ("query", "key", "value"))
    out = w["output.bias"] * np.ones((5, 1))
    for head in range(4):
        channels = slice(4 * head, 4 * head + 4)
        scores = q[:, channels] @ k[:, channels].T / np.sqrt(4)
        pattern = np.exp(scores - scores.max(1, keepdims=True))
        pattern /= pattern.sum(1, keepdims=True)
        same(trace["encoder.0.row_attention.pattern"][head].numpy(), pattern, scale=1)
        out = out + pattern @ v[:, channels] @ w["output.weight"][channels]
    same(trace["encoder.0.row_attention.out"].numpy().reshape(5, 96), out, scale=1)
