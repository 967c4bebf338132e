"""`Case`: a new Vitrine server, or one that is already running, used from Python."""

import json
import time
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote, urlencode

from vitrine_lab import notebook
from vitrine_lab.adding import add, compare
from vitrine_lab.answers import Answer
from vitrine_lab.connection import Connection, as_json
from vitrine_lab.errors import CaseError, InvalidQuestion, Unknown, ending, nearest, reading
from vitrine_lab.figures import Figure, Figures
from vitrine_lab.rows import as_row, column
from vitrine_lab.server import ANOTHER, Server
from vitrine_lab.tables import train_table
from vitrine_lab.words import Word, method, words

READY_SECONDS = 120
PAUSE = 0.05


class Case:
    """A glass case for Transformers.

    `Case()` starts a server, which ends with this process; `Case("http://…")` joins one that is
    running. Every word of the API is a method: `case.attention("i am cold", kind="cross", layer=2,
    head=1)` is an `Answer`, which a notebook shows as the figure of the page, and `answer.open()`
    shows the page. `help(case.attention)` lists the arguments. The default `model` is that of the
    word, unless given here or in a question. On its own server, a question may cost `work_seconds`
    of a core, 10 by default, and the case waits until it is answered or interrupted. Raises
    CaseError, with one sentence.
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        model: str | None = None,
        work_seconds: float | None = None,
    ):
        for what, value in {"address": address, "model": model}.items():
            if value is not None and not (isinstance(value, str) and value):
                raise InvalidQuestion(f"`{what}` must be a non-empty string, not {value!r:.80}.")
        self.families: dict[str, str] = {}
        self.targets: dict[str, str] = {}
        self.model = model
        self.ready = False
        self.server = Server(work_seconds) if address is None else None
        try:
            self.connection = (
                Connection(self.server.address, ANOTHER, is_own=True)
                if self.server
                else Connection(str(address).rstrip("/"))
            )
            self.load_document = self.connection.sooner("/openapi.json")
            if self.server is None:
                self.learn()  # whether it is a Vitrine server
            if notebook.in_notebook():
                notebook.show_script(self)
        except BaseException:
            self.close()
            raise

    def learn(self) -> dict[str, Word]:
        """Makes a method for each word of the API. A new server takes seconds to produce its
        document; models can be added meanwhile. Raises CaseError.
        """
        if "words" not in self.__dict__:
            with reading(self.connection.address):
                found = {word.method: word for word in words(self.document())}
                methods = {name: method(word, self.ask) for name, word in found.items()}
            self.words = found
            for name, asks in methods.items():
                if not hasattr(Case, name) and name not in self.__dict__:  # ours win
                    setattr(self, name, asks)
        return self.words

    def __reduce__(self) -> tuple[Any, ...]:
        """Unpickling joins the same server."""
        return Case, (self.address,), {"model": self.model}

    @property
    def address(self) -> str:
        """The address of the pages."""
        return f"{self.connection.address}/"

    def document(self) -> dict[str, Any]:
        """The API's own description. Raises CaseError if the server is not Vitrine."""
        with ending("The question"):
            content = self.load_document()
        with reading(self.connection.address):
            document = json.loads(content)
            if document["info"]["title"] != "Vitrine":
                raise ValueError
            return document

    def wait(self) -> None:
        """Waits until the server answers. Its worker imports torch before the first question;
        models can be added meanwhile. Raises CaseError.
        """
        until = time.monotonic() + READY_SECONDS
        with ending("The question"):
            while not self.ready and self.connection.status("/readyz") != 200:
                if time.monotonic() > until:
                    raise CaseError(f"The server was not ready within {READY_SECONDS} seconds.")
                time.sleep(PAUSE)
        self.ready = True

    def ask(self, word: Word, model_input: Any = None, /, *more: Any, **fields: Any) -> Answer:
        """The answer of a word. An argument without a name is the model's input."""
        question = {name: value for name, value in fields.items() if value is not None}
        if word.model is not None:
            question.setdefault("model", self.model or word.model)
        if more or (model_input is not None and not word.reads):
            takes = "one positional argument" if word.reads else "only keyword arguments"
            raise InvalidQuestion(f"{word.method} takes {takes}: help(case.{word.method}).")
        if model_input is not None:
            read = self.read_as(word, question.get("model"))
            if read in question:
                raise InvalidQuestion(
                    f"{word.method} was given two inputs: {model_input!r:.80} and"
                    f" {read}={question[read]!r:.80}."
                )
            question[read] = model_input
        if "row" in question:
            question["row"] = as_row(question["row"], self.targets.get(question.get("model", "")))
        question = {name: word.as_sent(name, value) for name, value in question.items()}
        numbers = {
            name: value
            for name, value in question.items()
            if name in word.fields or name not in word.of_figures
        }
        self.wait()
        content = self.connection.post(word.path, numbers | {"encoding": "base64"})
        with reading(self.connection.address):
            return Answer(self, word, question, content)

    def read_as(self, word: Word, model: str | None) -> str:
        """The field with a model's input."""
        if len(word.reads) == 1 or model is None:
            return word.reads[0] if len(word.reads) == 1 else "text"
        if not isinstance(model, str):
            raise InvalidQuestion(f"`model` must be a string, not {model!r:.80}.")
        if model not in self.families:
            card = self.connection.get(f"/api/v1/models/{quote(model)}")
            with reading(self.connection.address):
                self.families[model] = {"image": "image", "table": "row"}.get(
                    card["modality"],
                    "source" if card["family"] in ("encoder-decoder", "prefix") else "text",
                )
        return self.families[model]

    def figures(self, word: Word, question: dict[str, Any]) -> Figures:
        """The figures of a word."""
        if not word.figures:
            return Figures({}, word.name)
        fields = question | {"encoding": "base64"}
        content = self.connection.post(f"{word.path}/figures", fields)
        address = self.page(word, question)
        with reading(self.connection.address):
            found = {
                name: Figure(content_of, address) for name, content_of in content["figures"].items()
            }
        return Figures(found, word.name)

    def drawings(self, word: Word, question: dict[str, Any]) -> dict[str, str]:
        """The SVG drawings of a word without figures, on a paper background, by theme; empty if
        there are none.
        """
        if word.figures or not word.drawing:
            return {}
        with reading(self.connection.address):
            return {
                theme: self.connection.post(
                    f"{word.path}/drawing", question | {"theme": theme}
                ).decode()
                for theme in ("light", "dark")
            }

    def page(self, word: Word, question: dict[str, Any]) -> str:
        """The address of a question in a browser: the page of the word, or the API's answer."""
        path = f"/{word.name}"
        if self.connection.status(path) != 200:
            path = word.path
        query = {
            name: value if isinstance(value, str) else as_json({"": value})[5:-1].decode()
            for name, value in question.items()
        }
        return f"{self.connection.address}{path}" + (f"?{urlencode(query)}" if query else "")

    def open(self, page: str = "/", *, height: int = 640) -> None:
        """Shows a page in a frame with a height of `height` pixels:
        `case.open("/attention?source=i+am+cold")`. Outside a notebook, it opens in a browser.
        Raises CaseError.
        """
        page = str(page)
        if page.startswith(self.address):
            path = page.removeprefix(self.connection.address)
        elif page.startswith("/"):
            path = page
        else:
            raise InvalidQuestion(
                f"{page!r:.80} is not a page of this case: write it like /attention or"
                f" {self.address}."
            )
        path = quote(path, safe="/?#[]@!$&'()*+,;=:%")  # may contain è or spaces
        response = self.connection.page(path)
        if "html" not in response.headers.get("content-type", ""):
            raise InvalidQuestion(f"{page:.80} is not a page of this case.")
        policy = response.headers.get("content-security-policy", "")
        notebook.show_page(self, f"{self.connection.address}{path}", policy, height)

    def add(self, model: Any, tokenizer: Any = None, name: str | None = None) -> str:
        """Adds a model for the lifetime of this case, and returns its name.

        `model` is a transformers model in memory with its `tokenizer`; or a Hugging Face folder, or
        ORG/NAME, as in `vitrine add`. A model in memory is copied: add it again after a change, and
        with the same `name` it replaces the previous copy. The default name is that of its class,
        numbered if necessary. A text model is then compared with its copy in evaluation mode, and
        rejected if its numbers differ by more than a thousandth of the largest or, in half
        precision, by more than rounding; a forgotten hook is one cause.

        Raises CaseError with the error of `vitrine add` if the model cannot be read exactly, or if
        the server belongs to another process.
        """
        added = add(self.own_server("`vitrine add`"), model, tokenizer, name)
        self.families.pop(added, None)
        if not isinstance(model, (str, Path)):
            try:
                compare(self, added, model, tokenizer)
            except BaseException:
                self.remove(added)
                raise
        return added

    def remove(self, name: str) -> None:
        """Removes a model that was added or trained here. Raises CaseError."""
        self.own_server("`vitrine remove`").run("remove", name)

    def train_table(self, table: Any, target: str, name: str | None = None, **options: Any) -> str:
        """Trains a model of a table for the lifetime of this case, and returns its name. It
        requires scikit-learn, and prints findings about the table, its progress, and its measures.

        `table` is a pandas or polars DataFrame, a dict of columns, or a CSV file, and `target` the
        column with the class of a row. The index of a DataFrame is ignored, text columns are
        categories, and texts such as NA are missing values. A model trained here earlier with the
        same `name` is replaced.

        The options are those of `vitrine train table`: `architecture`, `group`, `categories`,
        `drop`, `rows`, `steps`, `seed`, `pretrain`, `encoding`. Training takes minutes on one core,
        unless `rows` or `steps` is small. Raises CaseError with one sentence.
        """
        server = self.own_server("`vitrine train table`")
        trained = train_table(server, table, target, name, options)
        self.targets[trained] = column(target)
        return trained

    def own_server(self, command: str) -> Server:
        """Raises CaseError if the server belongs to another process: add models there with the
        command.
        """
        if self.server is None:
            raise CaseError(
                f"{self.address} is a separate server: use {command} there, or create your own"
                " case with Case()."
            )
        return self.server

    def close(self) -> None:
        """Stops the server of this case, which the end of the process does too."""
        if hasattr(self, "connection"):
            self.connection.close()
        if self.server is not None:
            self.server.close()

    def __getattr__(self, name: str) -> Any:
        """A word, before the first question. Raises Unknown."""
        known = {} if name.startswith("_") or "load_document" not in self.__dict__ else self.learn()
        if name in known:
            return self.__dict__[name]
        raise Unknown(f"A case has no {name!r}.{nearest(name, dir(self) if known else ())}")

    def __dir__(self) -> list[str]:
        """The completions in a notebook: the words, and the methods of a case."""
        return [*self.learn(), "add", "address", "close", "model", "open", "remove", "train_table"]

    def __enter__(self) -> "Case":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Case at {self.address}"
