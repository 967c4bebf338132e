"""Head split: the right split is what the attention does, and the wrong one is a closed form."""

import torch

from model.clinics.head_split import head_split, origin, right, wrong
from model.layers.attention import MultiHeadAttention
from tests.model.clinics.every_clinic import ask
from tests.rounding import same


def found(answer, name: str):
    return next(finding for finding in answer.fields["findings"] if finding.name == name)


def test_the_right_split_is_that_of_the_attention():
    x = torch.randn(7, 12, generator=torch.Generator().manual_seed(0))
    attention = MultiHeadAttention.__new__(MultiHeadAttention)
    torch.nn.Module.__init__(attention)
    attention.d_head = 3
    assert torch.equal(right(x, 4), attention.split_heads(x))


def test_row_s_of_head_h_in_the_wrong_split_belongs_to_token_h_n_plus_s_over_the_heads():
    for tokens in (1, 3, 8, 11):
        head, position = torch.meshgrid(torch.arange(4), torch.arange(tokens), indexing="ij")
        assert torch.equal(origin(wrong, tokens), (head * tokens + position) // 4)
        assert torch.equal(origin(right, tokens), position)


def test_every_finding_holds_in_every_layer():
    for layer in range(3):
        answer = head_split(layer=layer)
        assert [finding.name for finding in answer.fields["findings"] if not finding.holds] == []


def test_the_attention_that_moves_is_half_the_difference_of_the_weights():
    answer = ask("head_split", seeds=1)
    gap = answer.tensors["pattern.right"].data - answer.tensors["pattern.wrong"].data
    moved = answer.tensors["moved"].data
    same(moved, gap.abs().sum(-1).mean(-1) / 2)
    same(found(answer, "moved").number, float(moved.mean()))
    assert found(answer, "moved").number <= 1
