"""Decoders of `transformers` with random sizes, saved and read: the same numbers at every layer,
and the same text.
"""

from pathlib import Path

import pytest
import torch
import transformers
from torch import Tensor

from model.errors import InvalidInput
from model.generation.decoding import IncrementalDecoder
from model.hub import describe, load
from model.transformer import Transformer
from tests.model.support.hub_models import DECODERS, drawn
from tests.model.support.hub_numbers import check_read_exactly

TEXT = torch.tensor([7, 3, 31, 12, 3, 22, 9, 38, 5])


def greedy_text(model: Transformer, text: Tensor, n: int) -> list[int]:
    decoder, new, written = IncrementalDecoder(model), text[None], []
    for _ in range(n):
        new = decoder.read(new).argmax(-1)[:, None]
        written.append(int(new))
    return written


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("family", DECODERS)
def test_a_decoder_is_read_exactly(
    family: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    theirs = drawn(DECODERS[family], number)
    ours = check_read_exactly(theirs, family, {"input_ids": TEXT[None]}, tmp_path, monkeypatch)
    written = greedy_text(ours, TEXT, 20)
    with torch.no_grad():
        whole = torch.cat([TEXT, torch.tensor(written)])[None]
        chosen = theirs(input_ids=whole).logits[0, len(TEXT) - 1 : -1].argmax(-1)
    assert written == chosen.tolist()  # by induction, each the best one after those before it


def test_a_decoder_without_a_head_gives_streams_and_says_that_it_has_no_logits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    whole = drawn(DECODERS["GPT-2"], 1)
    assert isinstance(whole, transformers.GPT2LMHeadModel)
    given = {"input_ids": TEXT[None]}
    ours = check_read_exactly(whole.transformer, "GPT-2", given, tmp_path, monkeypatch)
    assert describe(tmp_path)["head"] == "none"
    with pytest.raises(InvalidInput, match="This model has no head"):
        ours.unembed(torch.zeros(1, ours.config.d_model))
    whole.save_pretrained(tmp_path / "whole")
    assert load(tmp_path / "whole")[0].headless is False
