"""/attention of a long text, by tiles, beside the whole maps of a text that has both."""

import pytest

from model import analyses
from model.errors import InvalidInput
from model.inputs.input import Input
from model.runs.long_text import LONGEST
from model.runs.run_model import run_model
from tests.model.support.asked import answer
from tests.model.support.runs import small_model
from tests.rounding import same

LINES = "ROMEO:\nBut soft, what light through yonder window breaks?\n\nJULIET:\nAy me!\n\n"
SHORT = {"model": "shakespeare", "text": LINES * 8}
LONG = {"model": "shakespeare", "text": LINES * 24}
LAST = {"layer": 3, "head": 2}


def by_tiles(question: dict, **more):
    return analyses.answer("attention", question | LAST | more)


def test_single_cells_are_those_of_the_whole_map_and_blocks_their_mean_and_maximum():
    of = "decoder.3.attention"
    known = answer("attention", SHORT | LAST)
    whole, names = known.tensors[f"{of}.pattern"].data[0], known.axes["text"].labels
    n = len(names)
    assert 128 < n < 256
    cells = by_tiles(SHORT, level="0", rows="90:190", columns="10:130")
    same(cells.tensors[f"{of}.mean"].data, whole[90:190, 10:130], scale=1)
    assert cells.axes["row"].labels[:2] == names[90:92]
    blocks = by_tiles(SHORT, level="auto", position=150, find="what", after=20)
    tile = blocks.fields["tile"]
    split = whole[:200, :200].unflatten(0, (-1, 2)).unflatten(2, (-1, 2))
    assert (tile["level"], tile["rows"], tile["tokens"]) == (1, [0, n], n)
    for name, reduced in (("mean", split.mean((1, 3))), ("maximum", split.amax((1, 3)))):
        same(blocks.tensors[f"{of}.{name}"].data[:100, :100], reduced, scale=1)
    assert blocks.axes["column"].values == list(range(0, n, 2))
    same(blocks.tensors[f"{of}.row"].data, whole[150, :151], scale=1)
    assert tile["looks"][0].key == whole[150].argmax()
    assert tile["places"] == [at for at, name in enumerate(names) if name == "·what"]
    assert len(tile["places"]) == 8
    assert tile["peak"] > 20


def test_a_text_beyond_the_training_is_read_and_said_to_be():
    found = by_tiles(LONG, level="auto")
    assert found.fields["tile"]["tokens"] > found.axes["row"].size > 64
    assert any("this is extrapolation" in note for note in found.fields["notes"])
    assert "prediction" not in found.fields


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"level": "1"}, "use level"),
        ({"level": "0", "rows": "0-8"}, "`rows` is '0-8'; it must be two positions"),
        ({"level": "3", "rows": "4:600"}, "`rows` begins at 4; blocks of"),
        ({"level": "auto", "position": 5000}, "[Pp]osition 5000"),
        ({"level": "auto", "layer": 4}, "[Ll]ayer 4"),
        ({"level": "auto", "stage": "scores"}, "leave out `stage`"),
        ({"level": "auto", "forward": 1}, "leave out `forward`"),
        ({"level": "auto", "edits": [{"op": "zero", "at": "decoder.0.attention.z"}]}, "`level`"),
        ({"level": "auto", "order": "shuffle"}, "`level`"),
        ({"level": "auto", "text": "a" * (LONGEST + 1)}, "the limit of "),
    ],
)
def test_what_a_long_text_has_no_answer_to_is_refused(more, message):
    with pytest.raises(InvalidInput, match=message):
        analyses.answer("attention", LONG | more)


def test_a_model_of_two_texts_reads_no_long_one():
    with pytest.raises(InvalidInput, match="can’t take long text without attention maps: its"):
        analyses.answer("attention", {"model": "translator", "source": "i am", "level": "auto"})


def test_the_translator_says_that_its_limit_was_chosen_and_why():
    with pytest.raises(InvalidInput, match="the limit of translator is 64") as refused:
        analyses.answer("tokens", {"model": "translator", "source": "i am cold " * 30})
    assert "It learned from texts of at most 26 tokens" in refused.value.sentence.why


def test_of_a_long_text_not_every_number_is_kept():
    model = small_model("decoder-only", "pre", max_length=2048)
    with pytest.raises(InvalidInput, match="For longer text, ask `/attention` with `level`"):
        run_model(model, Input(text="the cat sees the dog " * 110))


def test_beside_a_part_the_whole_map_is_seen_from_far_away():
    of = "decoder.3.attention"
    whole = answer("attention", SHORT | LAST).tensors[f"{of}.pattern"].data[0]
    assert f"{of}.whole" not in by_tiles(SHORT, level="auto").tensors
    part = by_tiles(SHORT, level="0", rows="90:190", columns="10:130")
    overview, size = part.tensors[f"{of}.whole"].data, part.axes["whole_row"].values[1]
    blocks = whole[: 20 * size, : 20 * size].unflatten(0, (-1, size)).unflatten(2, (-1, size))
    assert size == 8
    assert 20 < len(overview) <= 32
    same(overview[:20, :20], blocks.amax((1, 3)), scale=1)
