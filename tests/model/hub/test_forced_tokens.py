"""What a BART writes where its files force the first token, or forbid some, is what `transformers`
generates.
"""

import json
from pathlib import Path

import pytest
import torch
import transformers

from model.errors import NotRead
from model.generation.beam_search import beam_search
from model.generation.decoding import (
    IncrementalDecoder,
    generate_tokens,
    greedy,
    greedy_decode_source,
    sampling,
)
from model.hub import load
from model.inputs.hub_text import HubTokenizer
from tests.model.support.hub_models import TRANSLATORS, model_of
from tests.model.support.hub_tokenizers import trained

SOURCE, NEW, FORCED = [0, 7, 3, 31, 12, 2], 12, 5
FILES = {
    "the generation's": {"generation_config.json": {"forced_bos_token_id": FORCED}},
    "the model's": {"config.json": {"forced_bos_token_id": FORCED}},
    "an older model's": {
        "config.json": {"force_bos_token_to_be_generated": True, "bos_token_id": FORCED}
    },
    "none": {},
}


def saved(folder: Path, files: dict[str, dict]) -> transformers.PreTrainedModel:
    """A BART in `folder` whose files say besides what `files` has for them."""
    theirs = model_of(TRANSLATORS["BART"], 8)
    theirs.save_pretrained(folder)
    (folder / "tokenizer.json").write_text(trained("byte-level")[0], encoding="utf-8")
    (folder / "generation_config.json").unlink(missing_ok=True)
    for file, changed in files.items():
        path = folder / file
        known = json.loads(path.read_text()) if path.is_file() else {}
        path.write_text(json.dumps(known | changed))
    return theirs


def generated(theirs, **settings: object) -> list[int]:
    """What `transformers` generates greedily."""
    theirs.generation_config = transformers.GenerationConfig(
        decoder_start_token_id=2, eos_token_id=2, pad_token_id=1, bos_token_id=0, **settings
    )
    with torch.no_grad():
        found = theirs.generate(
            torch.tensor([SOURCE]), max_new_tokens=NEW, do_sample=False, num_beams=1
        )
    return found[0].tolist()[1:]


@pytest.mark.parametrize("name", FILES)
def test_the_first_token_is_the_forced_one_and_the_text_that_of_transformers(
    name: str, tmp_path: Path
):
    theirs = saved(tmp_path, FILES[name])
    model, frame = load(tmp_path)[1], HubTokenizer.load(tmp_path).frame
    assert frame.first == (FORCED if FILES[name] else None)
    assert (frame.start, frame.end) == (2, 2)

    expected = generated(theirs, forced_bos_token_id=frame.first)

    def generate_ids(choose) -> list[int]:
        decoder = IncrementalDecoder(model, [SOURCE])
        steps = list(generate_tokens(decoder, [frame.start], choose, NEW, frame))
        assert all(step.logits.isfinite().all() for step in steps)  # those of the model
        return [step.choice.id for step in steps]

    assert generate_ids(greedy) == expected
    assert greedy_decode_source(model, SOURCE, NEW, frame) == [id for id in expected if id != 2]
    tree = beam_search(IncrementalDecoder(model, [SOURCE]), [frame.start], 1, NEW, frame)
    assert tree.text(tree.best) == expected
    several = beam_search(IncrementalDecoder(model, [SOURCE]), [frame.start], 3, NEW, frame)
    assert all(torch.isfinite(torch.tensor(node.score)) for node in several.nodes)
    if frame.first is not None:
        free = IncrementalDecoder(model, [SOURCE]).read(torch.tensor([[frame.start]]))
        assert int(free.argmax()) != FORCED, "the model would not write it by itself"
        assert generate_ids(sampling(3, temperature=5.0))[0] == FORCED
        assert several.text(several.best)[0] == FORCED


def test_a_token_that_the_files_forbid_is_not_written(tmp_path: Path):
    theirs = model_of(TRANSLATORS["BART"], 8)
    free = generated(theirs)
    forbidden = [*dict.fromkeys([*free, *generated(theirs, bad_words_ids=[[free[0]]])])]
    assert len(forbidden) > 1
    assert 2 not in forbidden
    files = {"config.json": {"bad_words_ids": [[id] for id in forbidden[:1]] + [[2], [4, 5]]}}
    files["generation_config.json"] = {"suppress_tokens": forbidden[1:]}
    saved(tmp_path, files)
    model, frame = load(tmp_path)[1], HubTokenizer.load(tmp_path).frame
    assert frame.never == set(forbidden)  # an end may be written
    assert frame.never_rows == ((4, 5),)
    expected = generated(theirs, bad_words_ids=[[id] for id in forbidden])
    assert expected != free
    assert greedy_decode_source(model, SOURCE, NEW, frame) == [id for id in expected if id != 2]
    for beams in (1, 3):
        decoder = IncrementalDecoder(model, [SOURCE])
        tree = beam_search(decoder, [frame.start], beams, NEW, frame)
        assert beams > 1 or tree.text(tree.best) == expected
        assert not {node.token for node in tree.nodes[1:]} & set(forbidden)


def test_a_row_of_tokens_that_the_files_forbid_is_not_completed(tmp_path: Path):
    free = generated(model_of(TRANSLATORS["BART"], 8))
    rows, rounds = [], []
    for at in range(2, 5):  # what is written instead is forbidden, too
        text = generated(
            model_of(TRANSLATORS["BART"], 8), **({"bad_words_ids": rows} if rows else {})
        )
        rows.append([2, text[0]] if at == 2 else text[1:at])
        rounds.append(text)
    assert len({tuple(text) for text in [free, *rounds]}) == 3
    saved(tmp_path, {"config.json": {"bad_words_ids": [*rows, [4, 10**6]]}})
    model, frame = load(tmp_path)[1], HubTokenizer.load(tmp_path).frame
    assert frame.never_rows[:-1] == tuple(map(tuple, rows))
    expected = generated(model_of(TRANSLATORS["BART"], 8), bad_words_ids=rows)
    assert expected not in [free, *rounds]
    assert greedy_decode_source(model, SOURCE, NEW, frame) == [id for id in expected if id != 2]
    steps = generate_tokens(IncrementalDecoder(model, [SOURCE]), [frame.start], greedy, NEW, frame)
    assert [step.choice.id for step in steps] == expected
    for beams in (1, 3):
        tree = beam_search(IncrementalDecoder(model, [SOURCE]), [frame.start], beams, NEW, frame)
        assert beams > 1 or tree.text(tree.best) == expected
        for node in tree.nodes:
            text = [frame.start, *tree.text(node)]
            assert not any(text[-len(row) :] == row for row in rows)


@pytest.mark.parametrize("words", [[7], [["a"]], [[]], 7, [[-1]]])
def test_words_that_are_no_ids_are_refused_in_a_sentence(words: object, tmp_path: Path):
    saved(tmp_path, {"generation_config.json": {"bad_words_ids": words}})
    with pytest.raises(NotRead, match="which are not token ids"):
        HubTokenizer.load(tmp_path)
