"""Answers: tensors with named axes, figures, and a link to their page."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from vitrine_lab.errors import CaseError, Unknown, printed, reading
from vitrine_lab.figures import Figures, drawing_html
from vitrine_lab.words import Word

if TYPE_CHECKING:
    import pandas
    import plotly.graph_objects
    import xarray

    from vitrine_lab.case import Case

EQUATION = ("name", "at", "written", "value", "recomputed", "difference")
LONG = 60  # maximum characters of an input in one line
ENVELOPE = ("axes", "tensors", "unedited_axes", "question")


class Tensor(np.ndarray):
    """A NumPy array with the API's `name`, `formula`, names of `axes`, `labels` of each axis that
    has them, and `kind`: trained, yours, random initialization, constructed, or analytic. Arrays
    computed from it, including slices, have none of these.
    """

    name: str | None = None
    kind: str | None = None
    formula: str | None = None
    axes: tuple[str, ...] | None = None
    labels: Mapping[str, list[str]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        make, arguments, state = super().__reduce__()
        return make, arguments, (state, self.__dict__)

    def __setstate__(self, state: Any) -> None:
        array, stated = state
        super().__setstate__(array)
        self.__dict__.update(stated)

    def __repr__(self) -> str:
        if self.axes is None:
            return np.array_repr(np.asarray(self))
        sizes = ", ".join(f"{axis} {n}" for axis, n in zip(self.axes, self.shape, strict=True))
        return f"{printed(f'<{self.name}: {sizes}; {self.kind}>')}\n{np.asarray(self)!r}"


def tensor(name: str, content: Mapping[str, Any], axes: Mapping[str, Any], kind: str) -> Tensor:
    """A tensor of an answer. Raises ValueError and others if its axes do not fit."""
    data = content["data"]
    values = np.frombuffer(base64.b64decode(data["bdata"]), f"<{data['dtype']}")
    array = values.reshape(content["shape"]).view(Tensor)
    array.name, array.kind, array.formula = name, kind, content["formula"]
    array.axes = tuple(content["axes"])
    sizes = dict(zip(array.axes, array.shape, strict=True))
    array.labels = {axis: axes[axis]["labels"] for axis in sizes if labelled(axes.get(axis))}
    for axis, labels in array.labels.items():
        if len(labels) < sizes[axis] or not all(isinstance(label, str) for label in labels):
            raise ValueError
    return array


def labelled(axis: Mapping[str, Any] | None) -> bool:
    return bool(axis and axis.get("labels"))


class Tensors(Mapping[str, Tensor]):
    """The tensors of an answer by name. The last part of a name is enough if it is unique:
    `tensors["pattern"]`.
    """

    def __init__(self, found: Mapping[str, Tensor], whose: str):
        self.found, self.whose = found, whose

    def __getitem__(self, name: str) -> Tensor:
        if name in self.found:
            return self.found[name]
        ends = [known for known in self.found if known.endswith(f".{name}")]
        if len(ends) == 1:
            return self.found[ends[0]]
        names = ", ".join(ends or self.found) or "none"
        what = "several tensors end in" if ends else "there is no tensor named"
        raise Unknown(f"In this answer of {self.whose} {what} {name!r}. It has: {names}.")

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __repr__(self) -> str:
        return "\n".join(repr(each).partition("\n")[0] for each in self.values()) or "no tensors"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)


class Answer:
    """The answer of one word. A notebook shows it as the first figure of the word's page, or as its
    drawing.

    `word`, `model`, `kind`, and `question` describe the question, including defaults, and `input`
    what was read. `tensors` are arrays with named axes, `axes` their labels, and `unedited` the
    tensors of the run without edits, requested with `beside=True`. `figures` has every figure by
    name; `figure` is the first, for Plotly. All other results of the word are attributes, such as
    `answer.entropy`, and in `fields` by name. An answer can be pickled; figures drawn later are
    then requested from the same address.
    """

    def __init__(self, case: "Case", word: Word, question: dict[str, Any], content: dict[str, Any]):
        self._case: Case | str = case
        self._join = type(case)
        self._asked = (word, question)
        self.word = word.name
        self.kind: str = content.get("kind", "")
        self.model: str | None = content.get("model")
        self.input: Any = content.get("input")
        self.question: dict[str, Any] = {
            name: value for name, value in content["question"].items() if name != "encoding"
        }
        self.axes: dict[str, Any] = content.get("axes", {})
        self.tensors = self._read(content.get("tensors", {}), self.axes)
        beside = self.axes | content.get("unedited_axes", {})
        self.fields = {name: value for name, value in content.items() if name not in ENVELOPE}
        # A word without `beside` may have a field with this name.
        stands = self.fields.pop("unedited", {}) if self.question.get("beside") else {}
        self.unedited = self._read(stands, beside)

    @property
    def _server(self) -> str:
        """The address of the server that answered."""
        return self._case if isinstance(self._case, str) else self._case.address

    def _read(self, contents: Mapping[str, Any], axes: Mapping[str, Any]) -> Tensors:
        found = {name: tensor(name, values, axes, self.kind) for name, values in contents.items()}
        return Tensors(found, self.word)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_case": self._server}

    @property
    def _asking(self) -> "Case":
        """The case that asked or, after unpickling, one that joins its server."""
        if isinstance(self._case, str):
            self._case = self._join(self._case)
        return self._case

    @cached_property
    def figures(self) -> Figures:
        """Every figure of the page by name, drawn on first access."""
        return self._asking.figures(*self._asked)

    @cached_property
    def address(self) -> str:
        """The address of the same question in a browser: the word's page, or the API's answer."""
        return self._asking.page(*self._asked)

    def open(self, *, height: int = 640) -> None:
        """Shows this question on its page, in a frame `height` pixels high: `case.open`."""
        self._asking.open(self.address, height=height)

    @property
    def figure(self) -> "plotly.graph_objects.Figure":
        """The first figure, as `plotly.graph_objects.Figure`."""
        return self.figures.first().figure

    def frame(self, tensor: str | None = None) -> "pandas.DataFrame":
        """One tensor, by default the first, as a pandas DataFrame: a row for each number, with a
        column of labels for each axis; heads and layers are integers. An axis with repeated labels
        also has a column of positions, and one that occurs twice, like queries and keys of the same
        text, is `text` and `text_2`: the first is the query. Top predictions have a column `token`.
        `frame.attrs` has name, kind, formula, and model. For an answer without tensors, a table of
        what it lists.
        """
        pandas = library("pandas")
        if tensor is None and not self.tensors:
            if listed := self._listed():
                return pandas.DataFrame(listed)
            raise CaseError(f"{self.word} has no tensor; what it says is in .fields.")
        result = self.tensors[tensor or next(iter(self.tensors))]
        names = distinct(result.axes or ())
        places = np.indices(result.shape).reshape(result.ndim, -1)
        columns: dict[str, Any] = {}
        for name, axis, at in zip(names, result.axes or (), places, strict=True):
            labels = coordinates(axis, self.axes.get(axis))
            if labels is None or len(set(labels)) < len(labels):
                columns[f"{name}_position" if labels else name] = at
            if labels is not None:
                columns[name] = np.asarray(labels, None if isinstance(labels[0], int) else object)[
                    at
                ]
        of = "lens" if str(result.name).startswith("lens.") else "top"
        guesses = np.asarray(self.fields.get(f"{of}_tokens"), object)
        if result.axes and result.axes[-1] == "rank" and guesses.shape == result.shape:
            columns["token"] = guesses.ravel()
        columns["value"] = np.asarray(result).ravel()
        frame = pandas.DataFrame(columns)
        meta = {
            "name": result.name,
            "kind": result.kind,
            "formula": result.formula,
            "model": self.model,
        }
        frame.attrs = {key: value for key, value in meta.items() if value}
        return frame

    def _listed(self) -> list[dict[str, Any]]:
        """The list in an answer: entries, models, the tokens of each text, or an equation."""
        if self.word == "explain":
            return [{name: self.fields.get(name) for name in EQUATION}]
        for value in self.fields.values():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                return value
        texts = self.fields.get("tokens", {}) if self.word == "tokens" else {}
        with reading(self._server):
            return [{"of": of, **token} for of, tokens in texts.items() for token in tokens]

    def to_xarray(self) -> "xarray.Dataset":
        """All tensors as an xarray Dataset, with the axes' names and labels; heads and layers are
        integers. An axis that occurs twice is `text`, the query, and `text_2`, the key, and one
        with the name of a tensor gets the suffix `_axis`. Each variable has its kind and formula in
        `attrs`.
        """
        xarray = library("xarray")
        variables, found = {}, {}
        for name, result in self.tensors.items():
            axes = result.axes or ()
            # An axis that the answer does not describe belongs only to this tensor.
            names = [axis if axis in self.axes else f"{name}.{axis}" for axis in axes]
            dims = distinct([f"{axis}_axis" if axis in self.tensors else axis for axis in names])
            stated = {"kind": result.kind, "formula": result.formula}
            attrs = {key: value for key, value in stated.items() if value}
            variables[name] = xarray.Variable(dims, np.asarray(result), attrs)
            for dim, axis in zip(dims, axes, strict=True):
                labels = coordinates(axis, self.axes.get(axis))
                if labels is not None:
                    found[dim] = (dim, labels)
        attrs = {"word": self.word, **({"model": self.model} if self.model else {})}
        return xarray.Dataset(variables, found, attrs)

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__.get("fields", {})
        if name in fields:
            return fields[name]
        held = f"It has: {', '.join(fields)}"
        held += f"; and tensors: {', '.join(self.tensors)}" if self.__dict__.get("tensors") else ""
        raise Unknown(f"An answer of {self.__dict__.get('word')} has no {name!r}. {held}.")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *filter(str.isidentifier, self.fields)})

    def __repr__(self) -> str:
        whose = f" of {self.model}" if self.model else ""
        parts = self.input.values() if isinstance(self.input, dict) else [self.input]
        texts = [str(part) for part in parts if part]
        read = ", ".join(f"{text[:LONG]}…" if len(text) > LONG else text for text in texts)
        names = ", ".join(self.tensors) or "none"
        kind = f"{self.kind}, edited" if self.fields.get("edits") else self.kind
        text = f"{self.word}{whose}{f' ({read})' if read else ''}; {kind}; tensors: {names}"
        return printed(f"<{text}>")

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        bundle = {"text/plain": repr(self)}
        if "figures" not in self.__dict__ and self._asking.connection.closed:
            return bundle
        if self.figures:
            return bundle | {"text/html": self.figures.first().html()}
        drawings = self._asking.drawings(*self._asked)
        if not drawings:
            if self.tensors or not self._listed() or find_spec("pandas") is None:
                return bundle
            return bundle | {"text/html": str(self.frame().to_html(max_rows=60))}
        html = drawing_html(drawings, f"{self.word} of {self.model}", self.address)
        return bundle | {"text/html": html}


def coordinates(name: str, axis: Mapping[str, Any] | None) -> list[Any] | None:
    """The coordinates of an axis: its labels, as integers for heads and layers."""
    labels = axis["labels"] if axis and labelled(axis) else None
    if labels and name in ("head", "layer") and all(map(str.isdecimal, labels)):
        return [int(label) for label in labels]
    return labels


def distinct(axes: Sequence[str]) -> list[str]:
    """The names of axes, made unique: repeated names are numbered."""
    before = [axes[:at].count(axis) for at, axis in enumerate(axes)]
    return [f"{axis}_{n + 1}" if n else axis for axis, n in zip(axes, before, strict=True)]


def library(name: str) -> Any:
    """An optional library. Raises CaseError if it is not installed."""
    from importlib import import_module

    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise CaseError(f"This needs {name}, which is not installed: pip install {name}.") from None
