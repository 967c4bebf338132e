"""Composition of heads, against whole matrices in NumPy and against rotations that are made."""

import numpy as np
import pytest
import torch

from model.interpretability.circuits.composition import (
    READS,
    compositions,
    head_sites,
    readable,
    rotated_compositions,
    spectra_of,
)
from model.interpretability.circuits.qk_ov import HeadMatrices, composition
from model.zoo.models import load_model
from tests.rounding import RANDOM, near, same

D_MODEL, D_HEAD, HEADS = 12, 3, 4


@pytest.fixture(scope="module")
def heads() -> HeadMatrices:
    """Heads of uneven spectra, as trained ones have."""
    draws = torch.Generator().manual_seed(3)

    def noise(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=draws, dtype=torch.float64)

    uneven = torch.tensor([3.0, 1.0, 0.2], dtype=torch.float64)
    thin = (HEADS, D_MODEL, D_HEAD)
    return HeadMatrices(
        noise(*thin) * uneven, noise(*thin), noise(*thin) * uneven, noise(HEADS, D_HEAD, D_MODEL)
    )


def whole(heads: HeadMatrices, head: int) -> dict[str, np.ndarray]:
    """The matrices of the size of the stream that a head writes and reads with."""
    q, k, v, o = (side[head].numpy() for side in vars(heads).values())
    return {"write": v @ o, "q": q @ k.T, "k": k @ q.T, "v": v @ o}


def test_the_score_of_every_pair_is_a_ratio_of_frobenius_norms(heads: HeadMatrices):
    found = compositions(heads)
    for at, read in enumerate(READS):
        for reader in range(HEADS):
            for writer in range(HEADS):
                w, r = whole(heads, writer)["write"], whole(heads, reader)[read]
                expected = np.linalg.norm(w @ r) / (np.linalg.norm(w) * np.linalg.norm(r))
                same(found[at, reader, writer], expected)
                once = composition(torch.tensor(w), torch.tensor(r))
                same(once, expected)


def test_turned_pairs_are_distributed_as_pairs_whose_stream_is_really_turned(heads: HeadMatrices):
    """Rotations are made by QR of normal matrices here, and the whole product is multiplied out."""
    draws, count = np.random.default_rng(0), 4000
    w, r = whole(heads, 0)["write"], whole(heads, 1)["q"]
    norms = []
    for _ in range(count):
        rotation, upper = np.linalg.qr(draws.normal(size=(D_MODEL, D_MODEL)))
        rotation = rotation * np.sign(np.diag(upper))
        norms.append(np.linalg.norm(w @ rotation @ r))
    norms = np.array(norms) / (np.linalg.norm(w) * np.linalg.norm(r))
    turned = rotated_compositions(spectra_of(heads), torch.Generator().manual_seed(0), count)[
        :, 0, 1, 0
    ]
    for share in (0.05, 0.25, 0.5, 0.75, 0.95):
        near(np.quantile(turned, share), np.quantile(norms, share), RANDOM, rel=0.05)


def test_the_mean_square_of_turned_pairs_is_one_over_the_width_whatever_the_heads(
    heads: HeadMatrices,
):
    turned = rotated_compositions(spectra_of(heads), torch.Generator().manual_seed(1), 20_000)
    near(turned.square().mean(0) * D_MODEL, 1, RANDOM, rel=0.05)


def test_the_same_seed_turns_alike_and_another_does_not(heads: HeadMatrices):
    once, again, other = (
        rotated_compositions(spectra_of(heads), torch.Generator().manual_seed(seed), 5)
        for seed in (0, 0, 1)
    )
    assert torch.equal(once, again)
    assert not torch.equal(once, other)


def test_a_head_reads_only_what_was_written_to_its_stream_before():
    sites = head_sites(load_model("translator").transformer)
    assert len(sites) == 36
    possible = readable(sites)
    place = {str(site): i for i, site in enumerate(sites)}

    def reads(read: str, reader: str, writer: str) -> bool:
        return bool(possible[READS.index(read), place[reader], place[writer]])

    assert reads("k", "encoder.1.attention.0", "encoder.0.attention.3")
    assert not reads("k", "encoder.1.attention.0", "encoder.1.attention.3")
    assert not reads("k", "encoder.0.attention.0", "encoder.1.attention.3")
    assert reads("q", "decoder.0.cross_attention.0", "decoder.0.attention.0")
    assert not reads("q", "decoder.0.attention.0", "decoder.0.cross_attention.0")
    assert reads("v", "decoder.0.cross_attention.0", "encoder.2.attention.0")
    assert not reads("q", "decoder.0.cross_attention.0", "encoder.2.attention.0")
    assert not reads("v", "decoder.1.cross_attention.0", "decoder.0.attention.0")
    assert not reads("k", "decoder.1.attention.0", "encoder.0.attention.0")
    # 12 heads before 24 in one stack and 4 before each later 4: counted by hand.
    assert possible.sum((1, 2)).tolist() == [48 + 240, 48 + 96 + 144, 48 + 96 + 144]
