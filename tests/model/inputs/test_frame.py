"""A frame says which ids stand around a text, which end it, and which are text."""

import pytest
import torch

from model.inputs.frame import Frame
from model.inputs.text import TextTokenizer
from model.zoo.models import load_model

BART = Frame(
    pad=1, before=(0,), after=(2,), start=2, ends=frozenset({2}), special=frozenset(range(3))
)
LLAMA = Frame(
    pad=9, before=(8,), after=(), start=8, ends=frozenset({9, 7}), special=frozenset({7, 8, 9})
)


def test_ids_stand_between_what_is_before_and_after():
    assert BART.around([5, 6]) == [0, 5, 6, 2]
    assert LLAMA.around(iter([5])) == [8, 5]
    assert (BART.opening, LLAMA.opening) == ((2, 0), (8,))
    assert BART.end == 2
    assert LLAMA.end == 7
    assert BART.closing == {2}
    assert LLAMA.closing == {7, 9}


@pytest.mark.parametrize("frame", [BART, LLAMA])
def test_an_end_and_a_text_are_known_one_by_one_and_together(frame: Frame):
    ids = torch.arange(12).view(3, 4)
    assert frame.ended(ids).tolist() == [[id in frame.ends for id in row] for row in ids.tolist()]
    assert frame.is_text(ids).tolist() == [
        [id not in frame.special for id in row] for row in ids.tolist()
    ]
    assert not Frame(0, (), (), 0, frozenset(), frozenset()).ended(ids).any()


def test_a_shipped_model_reads_s_text_s_and_pads_with_the_first_piece():
    frame, label = TextTokenizer.frame, load_model("translator").tokenizer.label
    assert [label(id) for id in (frame.pad, frame.start, frame.end)] == ["<pad>", "<s>", "</s>"]
    assert (frame.before, frame.after, frame.special) == ((1,), (2,), {0, 1, 2})
