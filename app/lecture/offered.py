"""What a page offers: the controls that an address may set, each with its values, and the figures
of which `one=` shows one alone.
"""

from html.parser import HTMLParser


class Offered(HTMLParser):
    """What the HTML of a page offers. `controls` has the values of each, None for any value."""

    def __init__(self, html: str):
        super().__init__()
        self.controls: dict[str, set[str] | None] = {}
        self.figures: list[str] = []
        self.select = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {key: value or "" for key, value in attrs}
        name, value = attributes.get("name", ""), attributes.get("value", "")
        if tag == "figure" and attributes.get("class") == "figure":
            self.figures.append(attributes["id"])
        elif tag == "select":
            self.select = name
            self.controls.setdefault(name, set())
        elif tag == "option" and self.select:
            self.offer(self.select, value)
        elif tag == "input" and attributes.get("type") in ("radio", "checkbox"):
            self.offer(name, value)
        elif tag in ("input", "textarea") and name:
            self.controls[name] = None

    def handle_data(self, data: str) -> None:
        """An option without a value has its text."""
        if self.select and data.strip():
            self.offer(self.select, data.strip())

    def handle_endtag(self, tag: str) -> None:
        if tag == "select":
            self.select = ""

    def offer(self, name: str, value: str) -> None:
        values = self.controls.setdefault(name, set())
        if values is not None:
            values.add(value)
