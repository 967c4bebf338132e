"""`from vitrine_lab import Case`: the numbers, arguments and refusals of the API, in Python."""

import base64
import gzip
import inspect
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from types import SimpleNamespace
from typing import Literal, get_type_hints

import httpx2
import numpy as np
import pytest
import torch
import vitrine_lab
from plotly.graph_objects import FigureWidget
from torch import nn
from vitrine_lab import Case, CaseError, InvalidQuestion, adding, connection, tables
from vitrine_lab.connection import refusal
from vitrine_lab.figures import numbers
from vitrine_lab.rows import as_row, column
from vitrine_lab.server import in_python

from tests.app.serving import Running


@pytest.fixture(scope="module")
def case(house: Running) -> Iterator[Case]:
    with Case(house.address) as case:
        yield case


def test_numbers_are_those_of_the_api_with_names_of_axes_and_their_kind(
    case: Case, ask: Callable[..., dict]
):
    answer = case.attention("i am cold", kind="cross", layer=2, head=1)
    stated = ask("attention", model="translator", source="i am cold", kind="cross", layer=2, head=1)
    name = "decoder.2.cross_attention.pattern"
    pattern = answer.tensors["pattern"]
    assert pattern is answer.tensors[name]
    np.testing.assert_array_equal(
        pattern, np.asarray(stated["tensors"][name]["data"], np.float32), strict=False
    )
    assert pattern.axes == ("head", "target", "source")
    assert pattern.labels["source"] == stated["axes"]["source"]["labels"]
    assert (pattern.kind, pattern.name) == ("trained", name)
    assert pattern.formula == stated["tensors"][name]["formula"]
    assert answer.question == {
        key: value for key, value in stated["question"].items() if key != "encoding"
    }


def test_what_is_computed_from_a_tensor_states_nothing(case: Case):
    pattern = case.attention("i am cold", kind="cross", layer=2, head=1).tensors["pattern"]
    for other in (pattern[0], pattern.T, pattern * 2, pattern.mean(0)):
        assert (other.axes, other.kind, other.name, other.labels) == (None, None, None, {})


def test_every_word_of_the_document_is_a_method_with_its_fields_types_and_sentences(
    case: Case, client: httpx2.Client
):
    document = client.get("/openapi.json").json()
    schemas = document["components"]["schemas"]
    words = [
        (path.removeprefix("/api/v1/"), operations["post"])
        for path, operations in document["paths"].items()
        if path.count("/") == 3 and "post" in operations
    ]
    assert len(words) > 40
    for word, operation in words:
        method = getattr(case, word.replace("-", "_"))
        assert method.__doc__.startswith(operation["summary"])
        reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        schema = schemas[reference.rpartition("/")[2]]
        fields, required = schema["properties"], schema.get("required", [])
        signature = inspect.signature(method)
        assert set(fields) - {"encoding"} <= set(signature.parameters)
        for name, parameter in signature.parameters.items():
            if name in fields and name != "model":
                left_out = parameter.empty if name in required else fields[name].get("default")
                assert parameter.default == left_out
        doc = " ".join(method.__doc__.split())
        for name in set(fields) - {"encoding"}:
            assert " ".join(fields[name].get("description", name).split()) in doc
    assert get_type_hints(case.attention)["layer"] == int | None
    doc = " ".join(case.logits.__doc__.split())
    parts = schemas["Edit"]["properties"]
    assert all(f"{name}: {part['description'][:40]}" in doc for name, part in parts.items())
    assert get_type_hints(case.attention)["stage"] == Literal["scores", "masked_scores", "pattern"]


@pytest.mark.parametrize(
    ("word", "value", "fields", "read"),
    [
        ("tokens", "i am cold", {"model": "prefix-translator"}, "source"),
        ("tokens", "to be", {"model": "shakespeare"}, "text"),
        ("tokens", "three", {"model": "digits"}, "image"),
        ("tokens", "adelie", {"model": "penguins-ft"}, "row"),
        ("modes", "i am cold", {}, "text"),
        ("images", "three", {}, "image"),
    ],
)
def test_what_is_given_without_a_name_is_what_the_model_reads(
    case: Case, word: str, value: str, fields: dict, read: str
):
    answer = getattr(case, word)(value, **fields)
    assert answer.question[read] == value
    named = getattr(case, word)(**{read: value}, **fields)
    assert named.question == answer.question


def test_edits_are_arguments(case: Case):
    off = {"op": "zero", "at": "decoder.2.cross_attention.head_out", "where": {"head": [1]}}
    answer = case.logits("i am cold", edits=[off], beside=True)
    assert answer.edits
    name = next(iter(answer.tensors))
    assert np.abs(np.asarray(answer.tensors[name]) - answer.unedited[name]).max() > 0
    changed = case.attention("i am cold", edits=[off], kind="cross", layer=2, shows="difference")
    assert "difference" in changed.figures["map"].meta


def test_a_sequence_of_numbers_may_be_an_array(case: Case):
    grey = np.zeros(64)
    grey[20:40] = 1
    answer = case.images(grey)
    assert answer.question == case.images(grey.tolist()).question


def test_lists_stand_where_an_address_has_commas(case: Case):
    names = ["encoder.0.residual.in", "encoder.1.residual.in"]
    assert list(case.activations("i am cold", names=names).tensors) == names
    off = {"op": "zero", "at": "decoder.2.cross_attention.head_out"}
    single = case.logits("i am cold", edits=off | {"where": {"head": np.int64(1)}})
    assert single.edits == case.logits("i am cold", edits=[off | {"where": {"head": [1]}}]).edits


def test_a_row_of_a_data_frame_is_one(case: Case):
    pandas = pytest.importorskip("pandas")
    row = {"bill_length_mm": 39.1, "island": "Biscoe"}
    row_read = case.tables(model="penguins-ft", row=row).input
    for other in (pandas.Series(row | {"flipper_length_mm": float("nan")}), row | {"sex": None}):
        assert case.tables(model="penguins-ft", row=other).input == row_read
    frame_s = {"col,our": "a=b", "a  b": 1.0, "flag": np.True_, "y": "yes"}
    row_sent = {"col;our": "a:b", "a b": 1.0, "flag": np.True_}
    assert as_row(frame_s, column("y")) == row_sent
    assert as_row({"w": pandas.NA, "v": pandas.NaT}, None) == {"w": None, "v": None}
    assert as_row("adelie", None) == "adelie"


def test_an_answer_and_its_case_go_to_another_process(case: Case, house: Running):
    """As a pool sends them: the numbers with their names, what is drawn from the same server."""
    answer = case.attention("i am cold", kind="cross", layer=2, head=1)
    sent = ForkingPickler.loads(ForkingPickler.dumps(answer))
    pattern = sent.tensors["pattern"]
    np.testing.assert_array_equal(pattern, answer.tensors["pattern"])
    assert (pattern.axes, pattern.kind) == (("head", "target", "source"), "trained")
    assert list(sent.figures) == list(answer.figures)
    assert (sent.address, sent.entropy) == (answer.address, answer.entropy)
    sent._asking.close()
    with ForkingPickler.loads(ForkingPickler.dumps(case)) as joined:
        assert joined.address == case.address


def test_a_closed_case_says_so_and_its_answers_still_show_their_text(house: Running):
    with Case(house.address) as case:
        answer = case.tokens("i am cold")
    assert answer._repr_mimebundle_() == {"text/plain": repr(answer)}
    with pytest.raises(CaseError, match="This case is closed"):
        _ = answer.address


def test_what_vitrine_offers_is_listed():
    assert dir(vitrine_lab) == vitrine_lab.__all__


@pytest.mark.parametrize("own_server", [True, False])
def test_ones_own_server_is_asked_until_it_answers(
    monkeypatch: pytest.MonkeyPatch, own_server: bool
):
    """A longer time than it is asked while it is busy; another's is asked so long."""
    late = json.dumps({"detail": "There was no answer within 10 s."}).encode()
    replies = [(504, late), (503, late), (504, late), (200, b"{}")]
    server = connection.Connection("http://127.0.0.1:9", is_own=own_server)
    monkeypatch.setattr(connection, "PATIENCE", 0.5)
    monkeypatch.setattr(
        server,
        "exchange",
        lambda *_: (
            SimpleNamespace(status=replies[0][0], headers={"retry-after": ".3"}),
            replies.pop(0)[1],
        ),
    )
    if own_server:
        assert server.get("/") == b"{}"
    else:
        with pytest.raises(CaseError, match="no answer within"):
            server.get("/")
        assert len(replies) == 2


@pytest.mark.parametrize(
    ("wrong", "part"),
    [
        (lambda case: case.attention(""), "empty"),
        (lambda case: case.attention("i am cold", layer=99), "`layer` must be less than 64"),
        (lambda case: case.attention("i am cold", laier=1), "Did you mean layer"),
        (lambda case: case.attention("i am cold", model="nobody"), "nobody"),
        (lambda case: case.attention("i am cold", "and", "so"), "one positional argument"),
        (lambda case: case.norms("i am cold"), "only keyword arguments"),
        (lambda case: case.attention(object()), "could not be sent"),
        (
            lambda case: case.scaling(correlation=float("nan")),
            "`correlation` must be a finite number, not nan",
        ),
        (
            lambda case: case.attention("i am cold", source="you"),
            "two inputs: 'i am cold' and source=",
        ),
        (lambda case: case.attention("i am cold", model=3), "`model` must be a string, not 3"),
        (lambda case: case.atention("i am cold"), "no 'atention'. Did you mean attention"),
        (lambda case: case.attention("i am cold").findings, "It has: model, kind, input, stage"),
        (lambda case: Case(""), "`address` must be a non-empty string, not ''"),
        (lambda case: Case(5), "`address` must be a non-empty string, not 5"),
        (lambda case: case.remove("mine"), "is a separate server"),
        (lambda case: case.tokens("i am cold").tensors["nothing"], "no tensor named 'nothing'"),
        (lambda case: case.scaling().figures["nothing"], "no figure named 'nothing'"),
        (lambda case: case.tokens("i am cold").figure, "has no figure"),
        (lambda case: Case("nowhere"), "is not a server address"),
        (lambda case: Case("http://127.0.0.1:9"), "There is no server at"),
        (lambda case: case.add("nowhere"), "is a separate server"),
        (
            lambda case: case.open("attention"),
            "is not a page of this case: write it like",
        ),
        (lambda case: case.open("https://elsewhere.example/"), "is not a page of this case"),
        (lambda case: case.open("/nowhere"), "There is nothing at /nowhere"),
        (lambda case: case.tokens("i am cold").open(), "is not a page of this case"),
    ],
)
def test_an_error_is_one_sentence_and_a_notebook_shows_it_alone(
    case: Case, wrong: Callable[[Case], object], part: str
):
    with pytest.raises(CaseError) as caught:
        wrong(case)
    sentence = str(caught.value)
    assert part in sentence
    assert sentence.endswith((".", "?", ")."))
    assert "\n" not in sentence
    assert caught.value._render_traceback_() == [f"{caught.type.__name__}: {sentence}"]
    assert caught.value.__cause__ is None


def unpacked(html: str, name: str) -> dict:
    """What an element of a notebook holds for the script."""
    held = re.search(rf'data-{name}="([^"]+)"', html)[1]
    return json.loads(gzip.decompress(base64.b64decode(held)))


class Saved:
    """What stands in for a model of transformers, or for a tokenizer."""

    def __init__(self, name: str, wrong: str = ""):
        self.name, self.wrong = name, wrong

    def save_pretrained(self, folder: str) -> None:
        if self.wrong:
            raise OSError(f"{self.wrong}\nand more")
        (Path(folder) / self.name).write_text("{}")


class Commands:
    """What stands in for the server of a case: it says what is run."""

    def __init__(self, folder: Path):
        self.folder, self.ran = folder, list[tuple[str, ...]]()

    def run(self, *arguments: str, tell: Callable[[str], None] | None = None) -> str:
        self.ran.append(arguments)
        return "it is added. Its weights stay.\nThe model is there: /tables?model=it\n"


def test_a_model_in_memory_is_written_and_added_as_a_folder(tmp_path: Path):
    server = Commands(tmp_path)
    assert adding.add(server, Saved("config.json"), Saved("tokenizer.json"), None) == "it"
    ((command, folder, *named),) = server.ran
    assert (command, named) == ("add", ["--name", "saved"])
    assert sorted(path.name for path in Path(folder).iterdir()) == ["config.json", "tokenizer.json"]
    assert tmp_path in Path(folder).parents


def test_a_model_in_memory_may_be_added_again(tmp_path: Path):
    """Under its name it takes its own place, as when a cell is run again; without one, no other."""
    server = Commands(tmp_path)
    for weights in ("first", "second"):
        adding.add(server, Saved(weights), Saved("tokenizer.json"), "mine")
    first, second = server.ran
    assert first == second
    assert sorted(path.name for path in Path(first[1]).iterdir()) == ["second", "tokenizer.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["added-mine"]
    for taken in ("saved", "saved-2"):
        (tmp_path / "models" / taken).mkdir(parents=True)
        adding.add(server, Saved("config.json"), Saved("tokenizer.json"), None)
    assert [ran[-1] for ran in server.ran[2:]] == ["saved-2", "saved-3"]
    with pytest.raises(CaseError, match="could not write"):
        adding.add(server, Saved("a", wrong="No space left"), Saved("b"), "../mine")
    adding.add(server, Saved("a"), Saved("b"), "../mine")
    assert Path(server.ran[-1][1]).parent == tmp_path


def test_a_table_is_written_and_trained_as_a_file(tmp_path: Path):
    pandas = pytest.importorskip("pandas")
    columns = {"a": [1, None], "b": ["x", "y"], "c,d": ["01", None]}
    for table in (columns, pandas.DataFrame(columns), pandas.DataFrame(columns).to_dict()):
        server = Commands(tmp_path)
        options = {"steps": 5, "drop": ["c,d"], "categories": "a", "seed": None}
        assert tables.train_table(server, table, "b", "mine", options) == "it"
        command, kind, file, *flags = server.ran[0]
        assert (command, kind) == ("train", "table")
        first, *rows = Path(file).read_text().splitlines()
        assert first == 'a,b,"c,d"'
        assert [row.replace(".0", "") for row in rows] == ["1,x,01", ",y,"]
        assert dict(zip(flags[::2], flags[1::2], strict=True)) == {
            "--steps": "5",
            "--drop": "c;d",
            "--categories": "a,c;d",  # its texts are no numbers
            "--target": "b",
            "--out": str(tmp_path / "checkpoints"),
            "--name": "mine",
        }


def test_a_training_tells_what_it_found_and_renews_its_bar(capsys: pytest.CaptureFixture[str]):
    tell = tables.Telling()
    for line in (
        "numbers: a\n",
        "it: 0%|  |\n",
        "it: 9%|# |\n",
        "accuracy: 1\n",
        "The model is in a\n",
    ):
        tell(line)
    assert capsys.readouterr().out == "numbers: a\n\rit: 0%|  |\rit: 9%|# |\naccuracy: 1\n"


class Network(nn.Module):
    """What stands in for a model of transformers that says `logits`."""

    device, dtype = "cpu", torch.float32

    def __init__(self, logits: np.ndarray):
        super().__init__()
        self.part, self.logits = nn.Dropout().train(), torch.from_numpy(logits)[None]

    def forward(self, input_ids: torch.Tensor) -> SimpleNamespace:
        assert input_ids.tolist() == [[3, 1]]
        assert not self.part.training
        return SimpleNamespace(logits=self.logits)


def test_a_model_that_computes_something_else_than_its_weights_is_refused(case: Case):
    logits = np.array([[1.0, -2.0], [0.5, 0.25]])
    card = {"id": "mine", "modality": "text", "head": "next word", "config": {"vocabulary_size": 9}}
    card["examples"] = [{"input": {"text": "to be"}}]
    copy = SimpleNamespace(
        models=lambda: SimpleNamespace(models=[card]),
        logits=lambda **_: SimpleNamespace(
            tensors={"logits": logits}, axes={"text": {"ids": [3, 1]}, "vocabulary": {}}
        ),
    )
    for rounding in (0, 1e-3):
        model = Network(logits + rounding)
        adding.compare(copy, "mine", model, "signs")
        assert model.part.training
    for off in (0.01, np.nan):
        with pytest.raises(CaseError, match="on 'to be', its logits differ by"):
            adding.compare(copy, "mine", Network(logits + off), "signs")
    with pytest.warns(UserWarning, match="has 4 tokens, but the model has 9 embeddings"):
        adding.compare(copy, "mine", Network(logits), "abcd")


def test_sentences_of_the_command_name_arguments():
    content = [
        "a line before\n",
        "vitrine: leave it out: --drop 'when', --rows 100, --encoding latin-1, another --name, or"
        " run vitrine remove mine first.\n",
    ]
    assert in_python(content) == (
        "leave it out: drop='when', rows=100, encoding='latin-1', another name=, or"
        " case.remove('mine') first."
    )
    assert (
        refusal(422, b'{"detail": "It may cost, and it may cost 10 s."}', True)
        .args[0]
        .endswith("Case(work_seconds=300) allows 300 s per question.")
    )


@pytest.mark.parametrize(
    ("value", "part"),
    [
        ((object(), None), "Pass a model from transformers, not one of type object"),
        ((Saved("a"), None), "Pass a tokenizer from transformers, not none"),
        ((Saved("a", wrong="No space left"), Saved("b")), "the model: No space left."),
    ],
)
def test_what_cannot_be_written_is_a_sentence(tmp_path: Path, value: tuple, part: str):
    with pytest.raises(CaseError, match=part):
        adding.add(Commands(tmp_path), *value, None)
    for table, options, part in (
        ("file.csv", {"stepps": 1}, "no option 'stepps'"),
        ("file.csv", {"steps": -1}, "`steps` must be a whole number of at least 1, not -1"),
        ("file.csv", {"rows": "many"}, "`rows` must be a whole number of at least 1, not 'many'"),
        (np.zeros((2, 2)), {}, "this is of type ndarray"),
        ({"a": 1}, {}, "this is of type dict"),
        ({"a": [1], "b": [1, 2]}, {}, "The columns of the table have different lengths."),
    ):
        with pytest.raises(InvalidQuestion, match=part):
            tables.train_table(Commands(tmp_path), table, "b", None, options)


def test_a_refusal_says_which_field_it_is_about(case: Case):
    with pytest.raises(InvalidQuestion) as caught:
        case.attention("i am cold", layer=99)
    assert caught.value.problem["errors"][0]["pointer"] == "/layer"
    assert isinstance(caught.value, ValueError)


def test_a_browser_finds_the_question_at_its_address(case: Case, client: httpx2.Client):
    answer = case.attention("Où es-tu?", layer=1, edits=[])
    assert client.get(answer.address).status_code == 200
    assert "source=O%C3%B9+es-tu%3F" in answer.address
    assert "/attention?" in answer.address
    without_page = case.tokens("i am cold")
    assert client.get(without_page.address).json()["question"] == (
        without_page.question | {"encoding": "json"}
    )


def test_a_page_opens_in_a_browser_outside_of_a_notebook(
    case: Case, monkeypatch: pytest.MonkeyPatch
):
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: not opened.append(address))
    answer = case.attention("i am cold", layer=1)
    case.open()
    case.open("/attention?source=où es%20tu")
    answer.open()
    typed = f"{case.address}attention?source=o%C3%B9%20es%20tu"
    assert opened == [case.address, typed, answer.address]
    monkeypatch.setattr("webbrowser.open", lambda _: False)
    with pytest.raises(CaseError, match=rf"No browser was found.*{case.address}masks\.$"):
        case.open("/masks")


def test_the_figure_is_the_page_s_as_an_object_of_plotly(case: Case, client: httpx2.Client):
    answer = case.scaling(d_head=16)
    figures = client.get("/api/v1/scaling/figures?d_head=16&encoding=base64").json()["figures"]
    assert list(answer.figures) == list(figures)
    assert answer.figures["weights"].content == figures["weights"]
    first = answer.figure.to_plotly_json()
    assert first["layout"]["meta"]["call"] == next(iter(figures.values()))["layout"]["meta"]["call"]


def clicked(widget: FigureWidget, x: float, y: float, place: int | list[int]) -> None:
    """What Plotly's widget is sent when a reader clicks a point of its first trace."""
    points = {"xs": [x], "ys": [y], "point_indexes": [place], "trace_indexes": [0]}
    widget._js2py_pointsCallback = {"event_type": "plotly_click", "points": points}


def test_the_cell_that_is_clicked_in_a_widget_is_a_value_of_python(case: Case):
    answer = case.attention("i am cold", kind="cross", layer=2, head=1)
    figure, pattern = answer.figures["map"], answer.tensors["pattern"]
    assert figure.chosen == {}
    row, column = 2, 1
    clicked(figure.widget(), column, row, [row, column])
    assert figure.chosen["x"] == "i"
    assert figure.chosen["value"] == pattern[0, row, column]
    curve = case.scaling(d_head=16).figures["variance"]
    widget = curve.widget()
    x, y = (float(numbers(values)[3]) for values in (widget.data[0].x, widget.data[0].y))
    clicked(widget, x, y, 3)
    assert curve.chosen == {"x": x, "y": y, "value": y, "trace": widget.data[0].name}


def test_without_anywidget_a_widget_says_what_to_install():
    script = """if True:
        import sys
        sys.modules["anywidget"] = None
        from vitrine_lab import CaseError
        from vitrine_lab.figures import Figure
        meta = {"title": "", "kind": "", "description": ""}
        try:
            Figure({"data": [], "layout": {"meta": meta}}, "").widget()
        except CaseError as error:
            print(error)
    """
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "A widget needs one more package: pip install anywidget\n"


def test_what_is_drawn_without_a_figure_is_shown_as_its_drawing(case: Case, client: httpx2.Client):
    """As a picture by theme, in which nothing runs, not as an SVG of the notebook's page."""
    bundle = case.architecture("i am cold")._repr_mimebundle_()
    query = {"model": "translator", "source": "i am cold", "theme": "light"}
    drawing = client.get("/api/v1/architecture/drawing", params=query).text
    assert set(bundle) == {"text/plain", "text/html"}
    assert unpacked(bundle["text/html"], "drawing")["light"] == drawing


def test_what_has_no_numbers_is_shown_as_the_table_of_what_it_lists(case: Case):
    tokens = case.tokens("i am cold")
    assert list(tokens.frame().text[:3]) == ["<s>", "i", "am"]
    assert "<table" in tokens._repr_mimebundle_()["text/html"]
    assert len(case.glossary().frame()) == len(case.glossary().entries)
    cell = case.explain(source="i am cold", name="decoder.2.cross_attention.pattern", at=(1, 0, 1))
    assert cell.frame().value[0] == cell.value


def test_a_table_has_a_row_for_each_number(case: Case):
    pytest.importorskip("pandas")
    answer = case.attention("is it is it", kind="cross", layer=2, head=1)
    frame = answer.frame("pattern")
    pattern = answer.tensors["pattern"]
    assert len(frame) == pattern.size
    assert frame.attrs["kind"] == "trained"
    assert set(frame["head"]) == {1}
    assert frame.attrs["name"] == "decoder.2.cross_attention.pattern"
    # Its words repeat, so that only the position tells them apart.
    cell = frame[(frame.source_position == 2) & (frame.target == "<s>")]
    assert list(cell.source) == [pattern.labels["source"][2]]
    assert float(cell.value.iloc[0]) == float(pattern[0, 0, 2])


def test_numbers_of_guesses_stand_beside_their_tokens(case: Case):
    answer = case.logits("i am cold", lens=True)
    lens = answer.frame("lens.top_probability")
    assert list(lens.token[:10]) == answer.lens_tokens[0][0]
    assert list(answer.frame("top_logit").token[:10]) == answer.top_tokens[0]
    assert "token" not in answer.frame("lens.entropy")


def test_a_data_set_has_every_tensor_with_its_axes_and_labels(case: Case):
    pytest.importorskip("xarray")
    answer = case.attention("i am cold", kind="cross", layer=2, head=1)
    held = answer.to_xarray()
    name = "decoder.2.cross_attention.pattern"
    assert held[name].dims == ("head", "target", "source")
    assert list(held.source.values) == answer.axes["source"]["labels"]
    assert held[name].attrs["kind"] == "trained"
    chosen = held[name].sel(head=1, target="ai", source="cold")
    assert float(chosen) == float(answer.tensors["pattern"][0, 2, 3])


def test_an_axis_that_a_tensor_has_twice_is_two_columns_and_two_dimensions(case: Case):
    answer = case.attention("to be or not to be", model="shakespeare", layer=0)
    pattern = answer.tensors["pattern"]
    assert pattern.axes == ("head", "text", "text")
    frame, held = answer.frame("pattern"), answer.to_xarray()
    assert list(frame)[-5:] == ["text_position", "text", "text_2_position", "text_2", "value"]
    at = (
        (frame["head"].astype(str) == "1")
        & (frame.text_position == 5)
        & (frame.text_2_position == 3)
    )
    assert float(frame[at].value.iloc[0]) == float(pattern[1, 5, 3])
    chosen = held[pattern.name].isel(head=1, text=5, text_2=3)
    assert float(chosen) == float(pattern[1, 5, 3])


def test_a_field_that_is_called_like_the_run_without_edits_stays_a_field(case: Case):
    answer = case.effects("I don't speak French.", unit="head")
    assert len(answer.unedited) == 0
    assert answer.fields["unedited"]
    # A tensor that is called like one of its axes
    theory = case.circuits_theory(weights="random").to_xarray()
    assert "composition" in theory.data_vars
    assert "composition_axis" in theory.coords


@pytest.mark.parametrize("missing", ["frame", "to_xarray"])
def test_a_library_that_is_missing_is_named(
    case: Case, missing: str, monkeypatch: pytest.MonkeyPatch
):
    for name in ("pandas", "xarray"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(CaseError, match="which is not installed: pip install"):
        getattr(case.tokens("i am cold"), missing)()


def test_a_second_answer_comes_within_50_ms_of_the_api_s_own_time(
    case: Case, client: httpx2.Client
):
    fields = {"model": "translator", "source": "he is cold", "kind": "cross", "layer": 2}

    def seconds(ask: Callable[[], object]) -> float:
        ask()
        begun = time.perf_counter()
        ask()
        return time.perf_counter() - begun

    seconds_posted = seconds(
        lambda: client.post("/api/v1/attention", json=fields | {"encoding": "base64"})
    )
    ours = min(seconds(lambda: case.attention(**fields)) for _ in range(5))
    assert ours < seconds_posted + 0.05


def test_typed_arrays_are_read_in_every_type_of_the_wire():
    from vitrine_lab.answers import tensor

    for short in ("f4", "f8", "i4", "i2", "u1"):
        numbers = np.arange(6).astype(f"<{short}")
        data = {"dtype": short, "bdata": base64.b64encode(numbers.tobytes()).decode()}
        fields = {"axes": ["a", "b"], "shape": [2, 3], "formula": "", "data": data}
        read = tensor("some", json.loads(json.dumps(fields)), {}, "analytic")
        np.testing.assert_array_equal(read, numbers.reshape(2, 3))
        assert read.dtype == numbers.dtype
