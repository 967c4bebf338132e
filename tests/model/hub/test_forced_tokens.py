"""What a BART writes where its files force the first token is what `transformers` generates."""

import json
from pathlib import Path

import pytest
import torch
import transformers

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
from tests.model.support.hub_models import TRANSLATORS, drawn
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


@pytest.mark.parametrize("name", FILES)
def test_the_first_token_is_the_forced_one_and_the_text_that_of_transformers(
    name: str, tmp_path: Path
):
    theirs = drawn(TRANSLATORS["BART"], 0)
    theirs.save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").write_text(trained("byte-level")[0], encoding="utf-8")
    (tmp_path / "generation_config.json").unlink(missing_ok=True)
    for file, changed in FILES[name].items():
        path = tmp_path / file
        known = json.loads(path.read_text()) if path.is_file() else {}
        path.write_text(json.dumps(known | changed))
    model, frame = load(tmp_path)[1], HubTokenizer.load(tmp_path).frame
    assert frame.first == (FORCED if FILES[name] else None)
    assert (frame.start, frame.end) == (2, 2)

    theirs.generation_config = transformers.GenerationConfig(
        decoder_start_token_id=2,
        eos_token_id=2,
        pad_token_id=1,
        bos_token_id=0,
        forced_bos_token_id=frame.first,
    )
    with torch.no_grad():
        expected = theirs.generate(
            torch.tensor([SOURCE]), max_new_tokens=NEW, do_sample=False, num_beams=1
        )[0].tolist()[1:]

    def written(choose) -> list[int]:
        decoder = IncrementalDecoder(model, [SOURCE])
        steps = list(generate_tokens(decoder, [frame.start], choose, NEW, frame))
        assert all(step.logits.isfinite().all() for step in steps)  # those of the model
        return [step.choice.id for step in steps]

    assert written(greedy) == expected
    assert greedy_decode_source(model, SOURCE, NEW, frame) == [id for id in expected if id != 2]
    tree = beam_search(IncrementalDecoder(model, [SOURCE]), [frame.start], 1, NEW, frame)
    assert tree.text(tree.best) == expected
    several = beam_search(IncrementalDecoder(model, [SOURCE]), [frame.start], 3, NEW, frame)
    assert all(torch.isfinite(torch.tensor(node.score)) for node in several.nodes)
    if frame.first is not None:
        free = IncrementalDecoder(model, [SOURCE]).read(torch.tensor([[frame.start]]))
        assert int(free.argmax()) != FORCED, "the model would not write it by itself"
        assert written(sampling(3, temperature=5.0))[0] == FORCED
        assert several.text(several.best)[0] == FORCED
