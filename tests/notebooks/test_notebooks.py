"""The notebooks run from the first cell to the last, and what their sentences say holds."""

import os
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.manual import fenced, text

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
HOLDS = {
    "attention_in_five_lines": "assert (abs(pattern.sum(axis=-1) - 1) < 1e-6).all()",
    "why_divide_by_the_root": """
low, high = answer.findings[0]["interval"]
assert low < 1 < high
assert found["jacobian_median.scaled"] > 100 * found["jacobian_median.unscaled"]
assert abs(products.var() - 64) < 2
""",
    "where_a_translation_looks": """
texts = [without(head).text for head in range(4)]
assert [text == whole.text for text in texts] == [True, False, True, True]
assert len(texts[1].split()) == len(whole.text.split()) - 1
assert all(without(head).log_probability < whole.log_probability for head in range(4))
""",
    "an_induction_head_forms": """
assert best[0] < 0.2 and best[-1] > 0.7
assert loss[0, -1] < 0.2 and loss[1, -1] > 2
""",
    "my_own_bert": "assert difference < 1e-5 and answer.kind == 'yours'",
    "a_table_of_my_own": """
accuracy = card["quality"]["accuracy"]
assert accuracy["value"] > accuracy["logistic_regression"] + 0.15
chances = answer.tensors["chances"]
assert chances.labels["class"][int(chances.argmax())] == "no"
""",
}
"""What the sentences of each notebook rest on, in its own names."""
NAMES = sorted(path.stem for path in HERE.glob("*.ipynb"))


@pytest.mark.thorough  # a kernel each; what they call, tests/app/installed asks without one
@pytest.mark.parametrize("name", sorted(HOLDS))
def test_a_notebook_runs_and_its_sentences_hold(name: str, monkeypatch: pytest.MonkeyPatch):
    paths = [str(ROOT / "app" / "installed"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    notebook = nbformat.read(HERE / f"{name}.ipynb", 4)
    nbformat.validate(notebook)
    figures = sum(cell.cell_type == "code" for cell in notebook.cells)
    notebook.cells.append(nbformat.v4.new_code_cell(HOLDS[name] + "\ncase.close()"))
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    outputs = [
        output.data["text/html"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "text/html" in output.get("data", {})
    ]
    plots = [html for html in outputs if "<vitrine-figure" in html]
    assert 1 <= len(plots) < figures
    assert sum("<script>" in html for html in outputs) == 1
    assert sum(map(len, plots)) < 200_000


def test_the_lines_of_the_manual_are_the_first_cell():
    lines = fenced(text("notebook"), "python")[0]
    cells = nbformat.read(HERE / "attention_in_five_lines.ipynb", 4).cells
    first = next(cell.source for cell in cells if cell.cell_type == "code")
    assert re.sub(r" +#.*", "", lines).strip() == first


def test_every_notebook_is_a_page_without_outputs_that_the_manual_links():
    assert sorted(HOLDS) == NAMES
    chapter = text("notebook")
    for name in NAMES:
        assert f"(../../tests/notebooks/{name}.ipynb)" in chapter
        cells = nbformat.read(HERE / f"{name}.ipynb", 4).cells
        assert len(cells) <= 12
        assert not any(cell.get("outputs") for cell in cells)
