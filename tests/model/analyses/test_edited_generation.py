"""/generate with edits: at every step it writes what a run of the whole text so far, with the same
edits, predicts next.
"""

from functools import cache

import pytest
import torch

from model.analyses import answer as ask
from model.analyses import stream
from model.analyses.generate import generate, generate_steps
from model.answers.answer import Answer
from model.arrangement.arrangement import read_arrangement
from model.edits.edit import read_edits
from model.errors import InvalidInput, UnknownName
from model.inputs.input import Input
from model.runs.run import Run
from model.runs.run_model import run_model
from model.zoo.models import Model, load_model
from tests.model.support.runs import small_model
from tests.rounding import SINGLE, same
from tests.thorough import mostly

END = 2

SOURCE = Input(source="I am cold.")
LETTERS = Input(text="qvmtzqvm")
N = 5


def written_by(model: Model, inputs: Input, edits: list[dict], **fields) -> Answer:
    return generate(
        model,
        inputs,
        edits=read_edits(edits),
        arranged=read_arrangement(fields),
        max_new_tokens=N,
        **{name: fields[name] for name in ("beside", "strategy", "beams") if name in fields},
    )


def ids_of(found: Answer) -> list[int]:
    return [step["token"]["id"] for step in found.fields["steps"]]


def there(edits: list[dict], n: int) -> list[dict]:
    """The edits with those of the positions they name that `n` tokens have; edits that name none of
    them are left out.
    """
    found = []
    for edit in edits:
        where = {
            axis: [at for at in indices if axis in ("head", "source") or at < n]
            for axis, indices in edit.get("where", {}).items()
        }
        if all(where.values()):
            found.append(edit | ({"where": where} if where else {}))
    return found


def by_prefixes(model: Model, inputs: Input, edits: list[dict], **fields) -> list[int]:
    """The oracle: a loop that makes an edited run of each prefix and takes the most probable token.
    Before the first token there is no target that could be typed: there the run's own target is
    read, whose first row has read <s> alone.
    """
    tokenizer = model.text_tokenizer
    prompt = [token.id for token in tokenizer.encode(inputs.text or "", start=True)]
    ids: list[int] = []
    while len(ids) < N and END not in ids:
        if inputs.source is None:
            prefix = Input(text=tokenizer.decode([*prompt, *ids]))
            run = edited_run(model, prefix, there(edits, len(prompt) + len(ids)), fields)
            row = -1
        elif not ids:
            prefix, row = Input(source=inputs.source), 0
            run = edited_run(model, prefix, there(edits, 1), fields)
            row = run.target_start
        else:
            prefix = Input(source=inputs.source, target=tokenizer.decode(ids))
            run = edited_run(model, prefix, there(edits, 1 + len(ids)), fields)
            row = -1
            assert [token.id for token in run.next_tokens[:-1]] == ids, "read as it was written"
        ids.append(int(run.trace["logits"][row].argmax()))
    return ids


def edited_run(model: Model, inputs: Input, edits: list[dict], fields: dict) -> Run:
    return run_model(model, inputs, read_edits(edits), arranged=read_arrangement(fields))


HEAD = {"op": "zero", "at": "decoder.2.cross_attention.z", "where": {"head": [1]}}
TRANSLATOR = {
    "nothing": [],
    "a head of the encoder": [
        {"op": "zero", "at": "encoder.1.attention.z", "where": {"head": [2]}}
    ],
    "a head of the cross-attention": [HEAD],
    "all heads of a layer": [{"op": "zero", "at": "decoder.2.cross_attention.z"}],
    "a layer made larger": [{"op": "scale", "at": "decoder.1.feed_forward.out", "value": 3}],
    "a source word that nobody sees": [
        {"op": "mask", "at": "decoder.*.cross_attention.scores", "where": {"source": [3]}}
    ],
    "frozen norms": [
        {"op": "zero", "at": "decoder.1.attention.out"},
        {"op": "patch", "at": "*norm*.mean, *norm*.scale"},
    ],
    "frozen patterns": [
        {"op": "zero", "at": "encoder.0.attention.out"},
        {"op": "patch", "at": "decoder.*.cross_attention.pattern"},
    ],
    "positions that come later": [
        {
            "op": "zero",
            "at": "decoder.1.residual.out",
            "where": {"position": [0, 2, 4]},
        }
    ],
    "a key that comes later": [
        {"op": "mask", "at": "decoder.*.attention.scores", "where": {"key": [2], "head": [0, 1]}}
    ],
}


REPEATED = {
    *("a head of the encoder", "a layer made larger"),
    *("all heads of a layer", "frozen norms"),  # the beam of width one, and frozen patterns
}


@cache
def translated(case: str) -> Answer:
    return written_by(load_model("translator"), SOURCE, TRANSLATOR[case])


@pytest.fixture(scope="module")
def translator() -> Model:
    return load_model("translator")


@pytest.mark.parametrize(
    "case",
    mostly(TRANSLATOR, *(TRANSLATOR.keys() - REPEATED)),
)
def test_every_token_is_the_one_that_a_run_of_the_prefix_predicts(translator: Model, case: str):
    edits = TRANSLATOR[case]
    found = translated(case)
    assert ids_of(found) == by_prefixes(translator, SOURCE, edits)
    assert [change.op for change in found.fields.get("edits", [])] == [edit["op"] for edit in edits]


def test_some_of_these_edits_change_the_text():
    plain = translated("nothing").fields["text"]
    known = ("all heads of a layer", "a source word that nobody sees", "positions that come later")
    for case in known:
        assert translated(case).fields["text"] != plain, case


ARRANGED = [
    {"order": "0,3,2,1,4,5"},
    {"order": "shuffle", "seed": 5},
    {"positions": "off"},
    {"positions": "shift:3"},
    {"pad": "left:2"},
    {"pad": "right:3"},
    {"pad": "right:3", "padding_mask": "off"},
]


QUICK = {
    "translator": (ARRANGED[0], ARRANGED[2], ARRANGED[4], ARRANGED[5]),
    "prefix-translator": (ARRANGED[0], ARRANGED[4], ARRANGED[5]),
}
"""An order, positions, pads on the left and on the right, which a model with a prefix refuses."""


@pytest.mark.parametrize(
    ("name", "fields"),
    mostly(
        (
            cases := [
                pytest.param(name, fields, id=f"{name} {fields}")
                for name in ("translator", "prefix-translator")
                for fields in ARRANGED
            ]
        ),
        *(case for case in cases if case.values[1] in QUICK[case.values[0]]),
    ),
)
def test_an_arranged_source_is_translated_as_runs_of_the_prefixes_say(name: str, fields: dict):
    model = load_model(name)
    if name == "prefix-translator" and fields.get("pad", "").startswith("right"):
        with pytest.raises(InvalidInput, match="pad on the left"):
            written_by(model, SOURCE, [], **fields)
        return
    found = written_by(model, SOURCE, [], **fields)
    assert ids_of(found) == by_prefixes(model, SOURCE, [], **fields)


def test_hidden_pads_behind_the_source_change_nothing_and_seen_ones_do(translator: Model):
    plain = written_by(translator, SOURCE, []).fields
    hidden = written_by(translator, SOURCE, [], pad="right:3").fields
    assert hidden["text"] == plain["text"]
    same(hidden["log_probability"], plain["log_probability"], SINGLE, scale=1)
    visible = written_by(translator, SOURCE, [], pad="right:3", padding_mask="off").fields
    assert visible["text"] != plain["text"]


INDUCTION = [
    [{"op": "zero", "at": "decoder.0.attention.z", "where": {"head": [0]}}],
    [{"op": "mean", "at": "decoder.0.attention.out"}],
    [{"op": "scale", "at": "decoder.1.attention.out", "where": {"query": [8, 11]}, "value": -1}],
    [{"op": "mask", "at": "decoder.1.attention.scores", "where": {"key": [9]}}],
]


@pytest.mark.parametrize("edits", INDUCTION, ids=[edits[0]["op"] for edits in INDUCTION])
def test_a_continued_text_is_the_one_that_runs_of_the_prefixes_predict(edits: list[dict]):
    model = load_model("induction-2")
    assert ids_of(written_by(model, LETTERS, edits)) == by_prefixes(model, LETTERS, edits)


@pytest.mark.parametrize("fields", [{"order": "shuffle"}, {"pad": "left:3"}], ids=str)
def test_the_prompt_of_a_continued_text_is_arranged_and_what_is_written_follows_it(fields: dict):
    model = load_model("induction-2")
    found = written_by(model, LETTERS, [], **fields)
    n = len(model.text_tokenizer.encode(LETTERS.text, start=True))
    labels = found.axes["text"].labels
    if "pad" in fields:
        plain = written_by(model, LETTERS, [])
        assert ids_of(found) == ids_of(plain), "its positions are offsets"
        assert labels == ["<pad>"] * 3 + plain.axes["text"].labels
        return
    order = found.fields["aligned"]["text"]
    assert sorted(order[:n]) == list(range(n))
    typed = Input(text="".join(labels[1:n]))
    assert ids_of(found) == ids_of(written_by(model, typed, []))


def test_a_segment_model_reads_its_whole_text_at_every_step():
    model = load_model("shakespeare-xl")
    inputs = Input(**model.card["examples"][0]["input"])
    edits = [{"op": "scale", "at": "decoder.1.attention.out", "value": 0.0}]
    ids = ids_of(written_by(model, inputs, edits))
    prompt = [token.id for token in model.text_tokenizer.encode(inputs.text, start=True)]
    text = model.text_tokenizer.decode([*prompt, *ids[:-1]])
    run = run_model(model, Input(text=text), read_edits(edits))
    assert [token.id for token in run.tokens["text"]][-(N - 1) :] == ids[:-1]
    assert int(run.trace["logits"][-1].argmax()) == ids[-1]
    assert ids != ids_of(written_by(model, inputs, []))


def test_edits_that_change_nothing_write_the_same_text_with_the_same_probabilities():
    identity = [{"op": "scale", "at": "*", "value": 1}]
    for family, inputs in (
        ("encoder-decoder", Input(source="the cat sees the dog .")),
        ("prefix", Input(source="the cat sees the dog .")),
        ("decoder-only", Input(text="the cat sees")),
    ):
        model = small_model(family)
        plain, alike = (written_by(model, inputs, edits) for edits in ([], identity))
        assert ids_of(plain) == ids_of(alike)
        for before, after in zip(plain.fields["steps"], alike.fields["steps"], strict=True):
            same(after["probability"], before["probability"], SINGLE)
        for name, tensor in plain.tensors.items():
            same(alike.tensors[name].data, tensor.data, scale=1)
        assert alike.fields["without_edits"]["shared"] == len(plain.fields["steps"])
        assert alike.fields["edits"][0].elements == 0


def test_what_is_written_without_edits_stands_beside_it(translator: Model):
    edits = TRANSLATOR["all heads of a layer"]
    plain = written_by(translator, SOURCE, [])
    edited = written_by(translator, SOURCE, edits)
    beside = edited.fields["without_edits"]
    assert beside["text"] == plain.fields["text"] != edited.fields["text"]
    assert beside["tokens"] == len(plain.fields["steps"])
    same(beside["log_probability"], plain.fields["log_probability"], scale=1)
    pairs = zip(ids_of(edited), ids_of(plain), strict=False)
    first = next(at for at, (after, before) in enumerate(pairs) if after != before)
    assert beside["shared"] == first
    target = translator.text_tokenizer.decode(ids_of(edited))
    run = run_model(translator, Input(source=SOURCE.source, target=target))
    log_p = run.trace["logits"].double().log_softmax(-1)
    total = sum(float(log_p[row, id]) for row, id in enumerate(ids_of(edited)))
    same(beside["log_probability_of_edited"], total, SINGLE, scale=1)
    assert "without_edits" not in plain.fields


def test_the_prediction_is_the_text_that_is_written_or_the_next_token(translator: Model):
    answer = written_by(translator, SOURCE, TRANSLATOR["all heads of a layer"])
    assert answer.fields["prediction"] == answer.fields["text"]
    model, inputs = load_model("induction-2"), Input(text="abcdabc")
    edits = [{"op": "zero", "at": "decoder.1.attention.z"}]
    run = run_model(model, inputs, edits=read_edits(edits))
    assert written_by(model, inputs, edits).fields["prediction"] == run.prediction


def test_beside_is_the_attention_of_the_unedited_model_that_reads_the_same_text(translator: Model):
    order = [0, 3, 2, 1, 4, 5]
    fields = {"order": ",".join(map(str, order)), "beside": True}
    found = written_by(translator, SOURCE, TRANSLATOR["all heads of a layer"], **fields)
    target = translator.text_tokenizer.decode(ids_of(found)[:-1])
    run = run_model(translator, Input(source=SOURCE.source, target=target))
    name = "decoder.1.cross_attention.pattern"
    rows = found.tensors[name].data.shape[1]
    same(found.unedited[name].data, run.trace[name][:, :rows, order], scale=1)
    assert found.axes["source"].labels == [run.axes["source"].labels[at] for at in order]


def test_beam_search_is_edited_at_every_step(translator: Model):
    edits = TRANSLATOR["all heads of a layer"]
    greedy = written_by(translator, SOURCE, edits, strategy="beam", beams=1)
    assert ids_of(greedy) == by_prefixes(translator, SOURCE, edits)
    beam = written_by(translator, SOURCE, edits, strategy="beam", beams=3)
    forced = Input(source=SOURCE.source, target=translator.text_tokenizer.decode(ids_of(beam)))
    log_p = edited_run(translator, forced, edits, {}).trace["logits"].double().log_softmax(-1)
    total = sum(float(log_p[row, id]) for row, id in enumerate(ids_of(beam)))
    same(beam.fields["log_probability"], total, SINGLE, scale=1)
    assert total >= greedy.fields["log_probability"] - 1e-5


def test_a_reference_is_read_with_the_edits_too(translator: Model):
    with_target = Input(source=SOURCE.source, target="j' ai froid.")
    forcing = written_by(translator, with_target, [HEAD]).fields["teacher_forcing"]
    p = edited_run(translator, with_target, [HEAD], {}).trace["probabilities"]
    for row, step in enumerate(forcing["rows"]):
        same(step["expected"]["probability"], p[row, step["expected"]["id"]])
    assert forcing["largest_difference"] < 1e-5


def test_the_stream_has_the_same_steps_and_at_its_end_the_text_without_edits(translator: Model):
    edits = read_edits(TRANSLATOR["all heads of a layer"])
    found = generate(translator, SOURCE, edits=edits, max_new_tokens=N)
    events = list(generate_steps(translator, SOURCE, edits, max_new_tokens=N))
    for event, step in zip(events, found.fields["steps"], strict=True):
        assert {name: event[name] for name in step} == step
    assert events[-1]["without_edits"] == found.fields["without_edits"]
    assert all("without_edits" not in event for event in events[:-1])


def test_a_question_has_its_edits_in_the_answer_and_in_the_stream():
    question = {
        "model": "translator",
        "source": SOURCE.source,
        "max_new_tokens": N,
        "edits": TRANSLATOR["all heads of a layer"],
        "order": "shuffle",
        "seed": 5,
    }
    found, events = ask("generate", question), list(stream("generate", question))
    assert [event["token"]["id"] for event in events] == ids_of(found)
    assert [change.op for change in found.fields["edits"]] == ["order", "zero"]


def test_the_seed_of_a_shuffle_is_the_seed_of_the_draws_too():
    question = {"model": "translator", "source": SOURCE.source, "strategy": "sample", "seed": 5}
    question |= {"max_new_tokens": 1}
    assert ask("generate", question).fields["settings"]["seed"] == 5
    orders = [
        ask("generate", question | {"order": "shuffle", "seed": seed}).fields["aligned"]["source"]
        for seed in (5, 6, 5)
    ]
    assert orders[0] == orders[2] != orders[1]


WRONG = [
    ([{**HEAD, "where": {"head": [4]}}], InvalidInput, "between 0 and 3"),
    ([{**HEAD, "where": {"query": [64]}}], InvalidInput, "between 0 and 63"),
    ([{**HEAD, "where": {"query": [3, 3]}}], InvalidInput, "only once"),
    ([{**HEAD, "where": {"key": [0]}}], InvalidInput, "has no axis 'key'"),
    ([{"op": "zero", "at": "decoder.9.z"}], UnknownName, "no activation"),
    ([{"op": "patch", "at": HEAD["at"], "from": {"text": "a"}}], InvalidInput, "can’t be used"),
    (
        [{"op": "patch", "at": HEAD["at"], "from": {"source": "You are old."}}],
        InvalidInput,
        "here: use inputs of equal length, or give `positions`.",
    ),
]


@pytest.mark.parametrize(("edits", "error", "says"), WRONG, ids=[case[2] for case in WRONG])
def test_an_edit_that_cannot_be_made_is_refused(translator: Model, edits, error, says):
    with pytest.raises(error, match=says):
        written_by(translator, SOURCE, edits)
    with pytest.raises(error, match=says):
        next(generate_steps(translator, SOURCE, read_edits(edits)))


def test_positions_of_another_translation_are_copied_as_soon_as_they_are_there(translator: Model):
    other, at = {"source": "You are old.", "target": "tu es vieux."}, "decoder.2.norm3.out"
    edits = [{"op": "patch", "at": at, "from": other, "positions": [[1, 2], [2, 3]]}]
    found = ids_of(written_by(translator, SOURCE, edits))
    plain = ids_of(written_by(translator, SOURCE, []))
    theirs = run_model(translator, Input(**other)).trace["logits"].argmax(-1)
    assert found[:2] == plain[:2]
    assert found[2:4] == [int(theirs[1]), int(theirs[2])]


def test_a_list_of_numbers_is_put_where_its_positions_are_there():
    model = load_model("induction-2")
    width = model.config.d_model
    rows = [[float(row == at) * 9 for at in range(width)] for row in range(2)]
    last = len(model.text_tokenizer.encode(LETTERS.text, start=True)) - 1
    where = {"position": [last, last + 2]}
    edits = [{"op": "set", "at": "decoder.1.residual.out", "where": where, "value": rows}]
    unembedding = model.transformer.unembedding
    found = ids_of(written_by(model, LETTERS, edits))
    bias = model.transformer.unembedding_bias
    for row, step in ((0, 0), (1, 2)):
        assert found[step] == int((torch.tensor(rows[row]) @ unembedding + bias).argmax())


def test_two_positions_are_swapped_once_both_are_there():
    model = small_model("decoder-only")
    inputs, at = Input(text="the cat sees"), "decoder.1.residual.out"
    n = len(model.text_tokenizer.encode(inputs.text, start=True))
    swap = {"op": "swap", "at": at, "where": {"position": [n - 1, n]}}
    plain, swapped = (ids_of(written_by(model, inputs, edits)) for edits in ([], [swap]))
    assert swapped[0] == plain[0], "the second position is not there yet"
    assert swapped[1] == plain[0], "the last position has the vector of the one before it"


def test_an_order_ends_where_a_text_goes_on_in_a_new_segment():
    text = "to be or not to be , that is the question : whether it is nobler in the mind " * 2
    with pytest.raises(InvalidInput, match="segment has"):
        ask("generate", {"model": "shakespeare-xl", "text": text, "order": "shuffle"})
