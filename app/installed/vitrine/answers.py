"""What a question is answered with: numbers with named axes, figures, and the page of them."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from vitrine.errors import CaseError, Unknown, printed, reading
from vitrine.figures import Figures, drawing_html
from vitrine.words import Word

if TYPE_CHECKING:
    import pandas
    import plotly.graph_objects
    import xarray

    from vitrine.case import Case

EQUATION = ("name", "at", "written", "value", "recomputed", "difference")
LONG = 60  # signs of an input that are shown in a line
OWN = ("axes", "tensors", "unedited_axes", "question")


class Tensor(np.ndarray):
    """An array of NumPy with the `name`, `formula` and names of `axes` that the API states, the
    `labels` of each axis that has some, and `kind`: trained, random initialisation, analytic or
    yours. What is computed from it, a slice too, states none of them.
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


def tensor(name: str, given: Mapping[str, Any], axes: Mapping[str, Any], kind: str) -> Tensor:
    """A tensor of an answer, from its typed array. Raises ValueError and others where its axes do
    not fit.
    """
    data = given["data"]
    values = np.frombuffer(base64.b64decode(data["bdata"]), f"<{data['dtype']}")
    made = values.reshape(given["shape"]).view(Tensor)
    made.name, made.kind, made.formula = name, kind, given["formula"]
    made.axes = tuple(given["axes"])
    sizes = dict(zip(made.axes, made.shape, strict=True))
    made.labels = {axis: axes[axis]["labels"] for axis in sizes if labelled(axes.get(axis))}
    for axis, labels in made.labels.items():
        if len(labels) < sizes[axis] or not all(isinstance(label, str) for label in labels):
            raise ValueError
    return made


def labelled(axis: Mapping[str, Any] | None) -> bool:
    return bool(axis and axis.get("labels"))


class Tensors(Mapping[str, Tensor]):
    """The tensors of an answer by name. One that stands alone at the end of several names is found
    by the last part of its name too: `tensors["pattern"]`.
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
        return "\n".join(repr(one).partition("\n")[0] for one in self.values()) or "no tensors"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)


class Answer:
    """The answer of one word. A notebook shows it as the first figure of the word's page, or as its
    drawing.

    `word`, `model`, `kind` and `question` say what was asked, with the defaults filled in, and
    `input` what was read. `tensors` are arrays with named axes, `axes` their labels, `unedited` the
    tensors of the run without edits where `beside=True` asked for them. `figures` has every figure
    by name; `figure` is the first, for Plotly. What the word says besides is an attribute, as
    `answer.entropy`, and `fields` has it by name. An answer may be pickled; what is drawn later is
    then asked of the same address.
    """

    def __init__(self, case: "Case", word: Word, asked: dict[str, Any], content: dict[str, Any]):
        self._case: Case | str = case
        self._join = type(case)
        self._asked = (word, asked)
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
        self.fields = {name: value for name, value in content.items() if name not in OWN}
        # A word that has no `beside` may have a field of this name.
        stands = self.fields.pop("unedited", {}) if self.question.get("beside") else {}
        self.unedited = self._read(stands, beside)

    @property
    def _server(self) -> str:
        """The address of the server that has answered."""
        return self._case if isinstance(self._case, str) else self._case.address

    def _read(self, given: Mapping[str, Any], axes: Mapping[str, Any]) -> Tensors:
        found = {name: tensor(name, one, axes, self.kind) for name, one in given.items()}
        return Tensors(found, self.word)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_case": self._server}

    @property
    def _asking(self) -> "Case":
        """The case that has asked, or after a pickle one that joins its server."""
        if isinstance(self._case, str):
            self._case = self._join(self._case)
        return self._case

    @cached_property
    def figures(self) -> Figures:
        """Every figure of the page by name; they are drawn when they are first asked for."""
        return self._asking.figures(*self._asked)

    @cached_property
    def address(self) -> str:
        """Where a browser shows the same question: the word's page, or the API's answer."""
        return self._asking.page(*self._asked)

    def open(self, *, height: int = 640) -> None:
        """Shows this question on its page, in a frame of `height` pixels: `case.open`."""
        self._asking.open(self.address, height=height)

    @property
    def figure(self) -> "plotly.graph_objects.Figure":
        """The first figure, as `plotly.graph_objects.Figure`."""
        return self.figures.first().figure

    def frame(self, tensor: str | None = None) -> "pandas.DataFrame":
        """One tensor, the first unless it is named, as a table of pandas: a row for each number,
        with a column for each axis, which holds its labels; numbers of heads and layers are whole
        numbers. An axis whose labels repeat has its positions in a column too, and one that a
        tensor has twice, as queries and keys of the same text, is `text` and `text_2`: the first is
        the query. Beside the numbers of guesses stands the `token`. `frame.attrs` has name, kind,
        formula and model. An answer without tensors is the table of what it lists.
        """
        pandas = library("pandas")
        if tensor is None and not self.tensors:
            if listed := self._listed():
                return pandas.DataFrame(listed)
            raise CaseError(f"{self.word} has no tensor; what it says is in .fields.")
        one = self.tensors[tensor or next(iter(self.tensors))]
        names = distinct(one.axes or ())
        places = np.indices(one.shape).reshape(one.ndim, -1)
        columns: dict[str, Any] = {}
        for name, axis, at in zip(names, one.axes or (), places, strict=True):
            labels = coordinates(axis, self.axes.get(axis))
            if labels is None or len(set(labels)) < len(labels):
                columns[f"{name}_position" if labels else name] = at
            if labels is not None:
                columns[name] = np.asarray(labels, None if isinstance(labels[0], int) else object)[
                    at
                ]
        of = "lens" if str(one.name).startswith("lens.") else "top"
        guesses = np.asarray(self.fields.get(f"{of}_tokens"), object)
        if one.axes and one.axes[-1] == "rank" and guesses.shape == one.shape:
            columns["token"] = guesses.ravel()
        columns["value"] = np.asarray(one).ravel()
        frame = pandas.DataFrame(columns)
        told = {"name": one.name, "kind": one.kind, "formula": one.formula, "model": self.model}
        frame.attrs = {key: value for key, value in told.items() if value}
        return frame

    def _listed(self) -> list[dict[str, Any]]:
        """What an answer lists: entries, models, the tokens of each text, or an equation."""
        if self.word == "explain":
            return [{name: self.fields.get(name) for name in EQUATION}]
        for value in self.fields.values():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                return value
        texts = self.fields.get("tokens", {}) if self.word == "tokens" else {}
        with reading(self._server):
            return [{"of": of, **token} for of, tokens in texts.items() for token in tokens]

    def to_xarray(self) -> "xarray.Dataset":
        """All tensors as a data set of xarray, with the axes' names and labels; numbers of heads
        and layers are whole numbers. An axis that a tensor has twice is `text`, the query, and
        `text_2`, the key, and one that is called like a tensor has `_axis`
        behind its name. Each variable has its kind and formula in `attrs`.
        """
        xarray = library("xarray")
        variables, found = {}, {}
        for name, one in self.tensors.items():
            axes = one.axes or ()
            # An axis that the answer does not describe belongs to this tensor alone.
            own = [axis if axis in self.axes else f"{name}.{axis}" for axis in axes]
            dims = distinct([f"{axis}_axis" if axis in self.tensors else axis for axis in own])
            stated = {"kind": one.kind, "formula": one.formula}
            attrs = {key: value for key, value in stated.items() if value}
            variables[name] = xarray.Variable(dims, np.asarray(one), attrs)
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
        given = [str(part) for part in parts if part]
        read = ", ".join(f"{one[:LONG]}…" if len(one) > LONG else one for one in given)
        names = ", ".join(self.tensors) or "none"
        kind = f"{self.kind}, edited" if self.fields.get("edits") else self.kind
        said = f"{self.word}{whose}{f' ({read})' if read else ''}; {kind}; tensors: {names}"
        return printed(f"<{said}>")

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
    """What stands along an axis: its labels, which are whole numbers for heads and layers."""
    labels = axis["labels"] if axis and labelled(axis) else None
    if labels and name in ("head", "layer") and all(map(str.isdecimal, labels)):
        return [int(label) for label in labels]
    return labels


def distinct(axes: Sequence[str]) -> list[str]:
    """The names of axes, each once: what comes again has a number behind it."""
    before = [axes[:at].count(axis) for at, axis in enumerate(axes)]
    return [f"{axis}_{n + 1}" if n else axis for axis, n in zip(axes, before, strict=True)]


def library(name: str) -> Any:
    """A library that the user may have. Raises CaseError where it is not installed."""
    from importlib import import_module

    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise CaseError(f"This needs {name}, which is not installed: pip install {name}.") from None
