"""The number to read off on /padding is that of a bar which is drawn."""

from app.captions.text import percent
from app.experiments import padding
from model.analyses import answer


def test_the_shortest_sentence_is_changed_by_the_share_that_its_bar_shows():
    asked = {"sentences": 4, "pads": 2, "head": 0, "seed": 0, "seeds": 2}
    one = answer("padding", asked)
    without = one.tensors["change"].data[1].tolist()
    sentences = one.axes["sentence"].labels
    shortest = min(range(len(sentences)), key=lambda i: len(sentences[i].split()))
    said = padding.WORDS("reading", one, asked)
    assert f"by {percent(without[shortest])} of their length" in said
