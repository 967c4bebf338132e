"""The pages of a lecture: the talks, the projector's window, the presenter's, and a room's."""

import csv
import io
from typing import Any

import segno
from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.errors import Problem
from app.host_names import host_name, is_loopback
from app.lecture.records import RoomRecord
from app.lecture.talks import NotATalk, Talk, file_of, talk_of, talks, translated
from app.site.pages import LECTURE
from app.site.services import Services, ServicesDep

router = APIRouter(include_in_schema=False)
TOML = ".toml"


def get(path: str) -> Any:
    return router.api_route(path, methods=["GET", "HEAD"])


@get("/lecture")
async def lecture(request: Request, services: ServicesDep) -> Response:
    """Lists the talks."""
    known, wrong = talks(services.settings.talks)
    known = list(map(translated, known))
    return await services.pages.render(request, "lecture.html", LECTURE, talks=known, wrong=wrong)


@get("/lecture/{id}")
async def projector(request: Request, services: ServicesDep, id: str) -> Response:
    """The projector's window; with .toml behind its name, the file of the talk."""
    if id.endswith(TOML):
        return exported(services, id.removesuffix(TOML))
    return await window(request, services, "hall.html", require_talk(services, id))


@get("/lecture/{id}/presenter")
async def presenter(request: Request, services: ServicesDep, id: str) -> Response:
    """The presenter's window."""
    return await window(request, services, "presenter.html", require_talk(services, id))


@get("/room")
async def enter(request: Request, services: ServicesDep) -> Response:
    """Leads whoever has typed a code to its room."""
    code = request.query_params.get("code", "").strip().upper()[:20]
    if not code.isascii() or not code.isalnum():
        return RedirectResponse(services.pages.url("/lecture"), 303)
    return RedirectResponse(services.pages.url(f"/room/{code}"), 303)


@get("/room/{code}")
async def room(request: Request, services: ServicesDep, code: str) -> Response:
    """A student's window."""
    try:
        known = await services.rooms.room(code)
    except Problem as problem:
        return await no_room(request, services, problem, code)
    return await window(request, services, "room.html", known.record.talk, known.record)


@get("/room/{code}/projector")
async def other_projector(request: Request, services: ServicesDep, code: str) -> Response:
    """The projector's window on a computer that does not lead: it follows as a phone does."""
    try:
        room = (await services.rooms.room(code)).record
    except Problem as problem:
        return await no_room(request, services, problem, code)
    return await window(request, services, "hall.html", room.talk, room)


@get("/room/{code}/votes.csv")
async def votes(services: ServicesDep, code: str) -> Response:
    """The votes of every question that is uncovered: what all in the room have seen."""
    try:
        room = (await services.rooms.room(code)).record
    except Problem as problem:
        return problem.response()
    talk, table = translated(room.talk), io.StringIO()
    write = csv.writer(table).writerow
    write(["scene", "question", "choice", "right", "before", "after"])
    for at, counts in sorted(room.counts.items()):
        scene = talk.scene[at]
        for choice, before, after in zip(scene.choices, *counts, strict=True):
            right = "yes" if choice == scene.right else ""
            write([at + 1, as_text(scene.question), as_text(choice), right, before, after])
    headers = {
        "cache-control": "no-store",
        "content-disposition": f'attachment; filename="votes-{room.code}.csv"',
    }
    # The mark at the beginning tells Excel that it is UTF-8.
    return Response(f"\ufeff{table.getvalue()}", 200, headers, "text/csv")


def as_text(cell: str | None) -> str:
    """A cell that no spreadsheet computes: one that begins like a formula gets a quote before."""
    return f"'{cell}" if cell and cell[0] in "=+-@\t\r" else cell or ""


@get("/room/{code}/qr.svg")
async def qr(request: Request, services: ServicesDep, code: str) -> Response:
    """The address of a room as a QR code, by the name that this request has for the server."""
    try:
        known = await services.rooms.room(code)
    except Problem as problem:
        return problem.response()
    host = f"{request.url.scheme}://{request.headers['host']}"
    image = io.BytesIO()
    qr_code = segno.make(f"{host}{services.pages.url('/room/')}{known.record.code}", error="m")
    qr_code.save(image, kind="svg", border=2, light="white", omitsize=True, xmldecl=False)
    return Response(image.getvalue(), 200, {"cache-control": "no-store"}, "image/svg+xml")


async def window(
    request: Request,
    services: Services,
    template: str,
    talk: Talk,
    room: RoomRecord | None = None,
) -> Response:
    """A window of a lecture, of a room that is there already or of one that its script opens."""
    place = f"{request.headers['host']}{services.pages.url('/room/')}{room.code}" if room else ""
    html = services.pages.environment.get_template(template).render(
        talk=translated(talk), room=room, place=place, unreached=unreached(request, services)
    )
    return await services.pages.sent(request, html)


def unreached(request: Request, services: Services) -> dict[str, Any] | None:
    """None where phones may reach the server by the name that a window was opened by. Where only
    this machine does, the name, and where the window may be opened instead.
    """
    name = host_name(request.headers["host"])
    if not is_loopback(name):
        return None
    others = services.settings.names_for_others
    return {
        "name": name,
        "others": [str(request.url.replace(hostname=host_name)) for host_name in others],
    }


async def no_room(request: Request, services: Services, problem: Problem, code: str) -> Response:
    """The field for another code, where no room has this one."""
    hours = f"{services.settings.room_seconds / 3600:g}"
    known = {"code": code.strip()[:20], "hours": hours}
    return await services.pages.refused(request, problem, "no_room.html", **known)


def require_talk(services: Services, id: str) -> Talk:
    """The talk of that name; raises HTTPException where there is none that can be read."""
    try:
        talk = talk_of(id, services.settings.talks)
    except NotATalk as error:
        raise HTTPException(404) from error
    if talk is None:
        raise HTTPException(404)
    return talk


def exported(services: Services, id: str) -> Response:
    """The file of a talk, to be changed and opened again."""
    talk, path = require_talk(services, id), file_of(id, services.settings.talks)
    assert path is not None, "it was read"
    headers = {
        "cache-control": "no-cache",
        "content-disposition": f'attachment; filename="{talk.id}.toml"',
    }
    return Response(path.read_bytes(), 200, headers, "application/toml")
