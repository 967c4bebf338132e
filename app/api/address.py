"""One address of the API, whose routes are made when it is first asked or described.

The types of the questions and answers of one address take 8 ms, and Vitrine has 140 addresses: to
make all of them would keep a server from listening for a second.
"""

from collections.abc import Callable, Sequence
from copy import copy
from threading import Lock

from fastapi import FastAPI
from starlette.routing import BaseRoute, Match, compile_path, get_route_path
from starlette.types import Receive, Scope, Send

from app.api.request_parsing import StrictRoute

MAKING = Lock()  # the document is made in a thread, while the event loop answers


class Address(BaseRoute):
    """`make` returns the route of GET and perhaps others. HEAD is answered as GET is, and the
    document of the API does not list it.
    """

    def __init__(self, path: str, make: Callable[[], list[StrictRoute]]):
        self.path, self.make = path, make
        self.path_regex, self.path_format, _ = compile_path(path)
        self.made: list[StrictRoute] = []

    @property
    def routes(self) -> list[StrictRoute]:
        with MAKING:
            if not self.made:
                get, *others = self.make()
                head = copy(get)
                head.methods, head.include_in_schema = {"HEAD"}, False
                self.made = [get, *others, head]
        return self.made

    @property
    def methods(self) -> set[str]:
        """What the routes allow together."""
        return {method for route in self.routes for method in route.methods or ()}

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """As the router would choose among these routes: the first that takes the method, or else
        the first.
        """
        if scope["type"] != "http" or not self.path_regex.match(get_route_path(scope)):
            return Match.NONE, {}
        matches = [route.matches(scope) for route in self.routes]
        return next((match for match in matches if match[0] is Match.FULL), matches[0])

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await scope["route"].handle(scope, receive, send)


def routes_of(app: FastAPI) -> Sequence[BaseRoute]:
    """Every route of the application, those of addresses made where they were not."""
    return [
        one
        for route in app.routes
        for one in (route.routes if isinstance(route, Address) else [route])
    ]
