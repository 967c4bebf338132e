"""`Case`: a server of Vitrine of one's own, or one that runs already, asked from Python."""

import json
import time
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote, urlencode

from vitrine import notebook
from vitrine.adding import add, compare
from vitrine.answers import Answer
from vitrine.connection import Connection, as_json
from vitrine.errors import CaseError, InvalidQuestion, Unknown, ending, nearest, reading
from vitrine.figures import Figure, Figures
from vitrine.rows import as_row, column
from vitrine.server import ANOTHER, Server
from vitrine.tables import train_table
from vitrine.words import Word, method, words

READY_SECONDS = 120
PAUSE = 0.05


class Case:
    """A glass case for Transformers.

    `Case()` starts a server of its own, which ends with this process; `Case("http://…")` joins one
    that runs. Every word of the API is a method: `case.attention("i am cold", kind="cross",
    layer=2, head=1)` is an `Answer`, which a notebook shows as the figure of the page, and
    `answer.open()` shows the page. `help(case.attention)` lists the arguments. `model` is the
    default of the word unless it is given, here or in a question. On a server of its own a question
    may cost `work_seconds` of a core, 10 unless it is given, and is waited for until it is answered
    or interrupted. Raises CaseError, a sentence.
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
                raise InvalidQuestion(f"`{what}` must name one; {value!r:.80} was given.")
        self.families: dict[str, str] = {}
        self.targets: dict[str, str] = {}
        self.model = model
        self.ready = False
        self.server = Server(work_seconds) if address is None else None
        try:
            self.connection = (
                Connection(self.server.address, ANOTHER, own=True)
                if self.server
                else Connection(str(address).rstrip("/"))
            )
            self.asked = self.connection.sooner("/openapi.json")
            if self.server is None:
                self.learn()  # whether it is a Vitrine at all
            if notebook.in_notebook():
                notebook.show_script(self)
        except BaseException:
            self.close()
            raise

    def learn(self) -> dict[str, Word]:
        """The words of the API, each of which is a method from now on. A server of its own takes
        seconds for its document, in which a model may be added. Raises CaseError.
        """
        if "words" not in self.__dict__:
            with reading(self.connection.address):
                found = {word.method: word for word in words(self.document())}
                methods = {name: method(word, self.ask) for name, word in found.items()}
            self.words = found
            for name, asks in methods.items():
                if not hasattr(Case, name) and name not in self.__dict__:  # no server takes ours
                    setattr(self, name, asks)
        return self.words

    def __reduce__(self) -> tuple[Any, ...]:
        """Where it is unpickled, it joins the same server."""
        return Case, (self.address,), {"model": self.model}

    @property
    def address(self) -> str:
        """Where a browser finds the pages."""
        return f"{self.connection.address}/"

    def document(self) -> dict[str, Any]:
        """The API's own description. Raises CaseError where something else answers."""
        with ending("The question"):
            content = self.asked()
        with reading(self.connection.address):
            document = json.loads(content)
            if document["info"]["title"] != "Vitrine":
                raise ValueError
            return document

    def wait(self) -> None:
        """Returns when the server answers. Its worker imports torch until the first question, and a
        model may be added meanwhile. Raises CaseError.
        """
        until = time.monotonic() + READY_SECONDS
        with ending("The question"):
            while not self.ready and self.connection.status("/readyz") != 200:
                if time.monotonic() > until:
                    raise CaseError(f"The server was not ready within {READY_SECONDS} seconds.")
                time.sleep(PAUSE)
        self.ready = True

    def ask(self, word: Word, given: Any = None, /, *more: Any, **fields: Any) -> Answer:
        """The answer of a word. What is given without a name is what its model reads."""
        question = {name: value for name, value in fields.items() if value is not None}
        if word.model is not None:
            question.setdefault("model", self.model or word.model)
        if more or (given is not None and not word.reads):
            takes = "one text without a name" if word.reads else "arguments by their names alone"
            raise InvalidQuestion(f"{word.method} takes {takes}: help(case.{word.method}).")
        if given is not None:
            read = self.read_as(word, question.get("model"))
            if read in question:
                raise InvalidQuestion(
                    f"{word.method} was given two inputs: {given!r:.80} and"
                    f" {read}={question[read]!r:.80}."
                )
            question[read] = given
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
        """The field that holds what a model reads."""
        if len(word.reads) == 1 or model is None:
            return word.reads[0] if len(word.reads) == 1 else "text"
        if not isinstance(model, str):
            raise InvalidQuestion(f"`model` is a text; {model!r:.80} was given.")
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
        asked = question | {"encoding": "base64"}
        content = self.connection.post(f"{word.path}/figures", asked)
        address = self.page(word, question)
        with reading(self.connection.address):
            found = {name: Figure(one, address) for name, one in content["figures"].items()}
        return Figures(found, word.name)

    def drawings(self, word: Word, question: dict[str, Any]) -> dict[str, str]:
        """The drawing of a word that no figure shows, as SVG on paper by theme; none where it has
        none.
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
        """Where a browser shows a question: on the page of the word, or else the API's answer."""
        path = f"/{word.name}"
        if self.connection.status(path) != 200:
            path = word.path
        told = {
            name: value if isinstance(value, str) else as_json({"": value})[5:-1].decode()
            for name, value in question.items()
        }
        return f"{self.connection.address}{path}" + (f"?{urlencode(told)}" if told else "")

    def open(self, page: str = "/", *, height: int = 640) -> None:
        """Shows a page in a frame of `height` pixels: `case.open("/attention?source=i+am+cold")`.
        Outside of a notebook it opens in a browser. Raises CaseError.
        """
        page = str(page)
        if page.startswith(self.address):
            path = page.removeprefix(self.connection.address)
        elif page.startswith("/"):
            path = page
        else:
            raise InvalidQuestion(
                f"{page!r:.80} is no page of this case: write it like /attention or {self.address}."
            )
        path = quote(path, safe="/?#[]@!$&'()*+,;=:%")  # an address that was typed: è, a blank
        response = self.connection.page(path)
        if "html" not in response.headers.get("content-type", ""):
            raise InvalidQuestion(f"{page:.80} is no page of this case, but something else.")
        policy = response.headers.get("content-security-policy", "")
        notebook.show_page(self, f"{self.connection.address}{path}", policy, height)

    def add(self, model: Any, tokenizer: Any = None, name: str | None = None) -> str:
        """Adds a model for as long as this case lives, and returns its name.

        `model` is a model of transformers with its `tokenizer`, as they are in memory; or a folder
        as Hugging Face writes it, or ORG/NAME, as `vitrine add` takes them. Of a model in memory a
        copy is added: after a change it must be added again, and with the same `name` it takes the
        place of the copy before. Without a name it is called like its class, with a number where
        that is taken. A model of texts is then run on one, in evaluation, and refused where its
        numbers are off those of the copy by more than a thousandth of the largest, in half
        precision by more than rounding; as with a hook that was left on it.

        Raises CaseError with the sentence of `vitrine add` where it cannot be read exactly, or
        where another process serves.
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
        """Takes a model off that was added or trained here. Raises CaseError."""
        self.own_server("`vitrine remove`").run("remove", name)

    def train_table(self, table: Any, target: str, name: str | None = None, **options: Any) -> str:
        """Trains a model of a table for as long as this case lives, and returns its name. It needs
        scikit-learn, and prints what it finds in the table, how far it is and what is measured.

        `table` is a data frame of pandas or polars, a dict of columns or a file of CSV, and
        `target` the column that names the class of a row. The index of a frame is not read, its
        columns of texts are categories, and texts such as NA are missing. A model that was trained
        here before under the same `name` is replaced.

        The options are those of `vitrine train table`: `architecture`, `group`, `categories`,
        `drop`, `rows`, `steps`, `seed`, `pretrain`, `encoding`. Takes minutes of one core where
        `rows` or `steps` do not say less. Raises CaseError with its sentence.
        """
        server = self.own_server("`vitrine train table`")
        trained = train_table(server, table, target, name, options)
        self.targets[trained] = column(target)
        return trained

    def own_server(self, command: str) -> Server:
        """Raises CaseError where another process serves: there models are added by a command."""
        if self.server is None:
            raise CaseError(
                f"{self.address} is a server that runs by itself: a model is added there by"
                f" {command}, or here to a case of your own: Case()."
            )
        return self.server

    def close(self) -> None:
        """Ends the server of this case, which the end of the process does too."""
        if hasattr(self, "connection"):
            self.connection.close()
        if self.server is not None:
            self.server.close()

    def __getattr__(self, name: str) -> Any:
        """A word, before the first is asked. Raises Unknown."""
        known = {} if name.startswith("_") or "asked" not in self.__dict__ else self.learn()
        if name in known:
            return self.__dict__[name]
        raise Unknown(f"A case has no {name!r}.{nearest(name, dir(self) if known else ())}")

    def __dir__(self) -> list[str]:
        """What a notebook completes: the words, and what is done with a case."""
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
