"""Settings: from the environment, each checked; listening widely needs names."""

import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError

from app.cli import addresses_for_others
from app.host_names import host_name
from app.http.application import create_app
from app.settings import Settings


def test_every_limit_can_be_set_from_the_environment_and_is_told(monkeypatch: pytest.MonkeyPatch):
    for limit in Settings().limits():
        monkeypatch.setenv(f"VITRINE_{limit['name'].upper()}", "7")
    assert {limit["value"] for limit in Settings().limits()} == {7}


def test_the_environment_is_read_when_the_settings_are_made_and_not_before(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("VITRINE_TEXT_LENGTH", "7")
    of_environment, of_hand = create_app(), create_app(Settings(text_length=9))
    for app, limit in ((of_environment, 7), (of_hand, 9)):
        long = TestClient(app, "http://localhost").get("/api/v1/tokens?source=0123456789")
        assert long.status_code == 422, long.text
        bounds = {error["pointer"]: error["limit"] for error in long.json()["errors"]}
        assert bounds["/source"] == limit
        assert {"text_length": limit}.items() <= {
            limit["name"]: limit["value"] for limit in app.state.services.settings.limits()
        }.items()


@pytest.mark.parametrize("value", ["0", "-1", "nonsense", "nan"])
def test_a_limit_that_makes_no_sense_is_refused(value: str):
    with pytest.raises(ValidationError):
        Settings(deadline_seconds=value)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_listening_widely_needs_names(host: str):
    with pytest.raises(ValidationError, match="VITRINE_HOSTS"):
        Settings(host=host)
    assert (
        "lecture.example"
        in Settings(host=host, hosts="lecture.example, other.example").allowed_hosts
    )


def test_the_server_is_called_by_the_address_it_listens_on():
    assert "192.168.1.5" in Settings(host="192.168.1.5").allowed_hosts
    assert "[fe80::1]" in Settings(host="fe80::1").allowed_hosts
    assert Settings().allowed_hosts == {"localhost", "127.0.0.1", "[::1]"}


@pytest.mark.parametrize(
    ("listens", "hosts", "more", "others"),
    [
        ("0.0.0.0", "lectern.example,192.0.2.2, LOCALHOST", {}, ["192.0.2.2", "lectern.example"]),
        ("0.0.0.0", "fd00::2,127.0.0.3,[::1]", {}, []),
        ("::", "[fd00::2],192.0.2.2,fd00::3", {}, ["[fd00::2]", "[fd00::3]"]),
        ("192.0.2.2", "", {}, []),  # its page's address is that one
        ("192.0.2.2", "lectern.example", {}, ["192.0.2.2", "lectern.example"]),
        ("127.0.0.1", "lectures.example", {}, []),  # by a proxy, at the proxy's port
        ("0.0.0.0", "lectures.example", {"proxies": "192.0.2.9"}, []),
        ("0.0.0.0", "lectures.example", {"root_path": "/vitrine"}, []),
    ],
)
def test_the_addresses_by_which_phones_reach_the_server_are_told(
    listens: str, hosts: str, more: dict[str, str], others: list[str]
):
    settings = Settings(host=listens, hosts=hosts, **more)
    addresses = addresses_for_others(settings, listens, 8000)
    assert addresses == [f"http://{name}:8000/" for name in others]
    assert {name.lower() for name in others} <= settings.allowed_hosts


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("Localhost:8000", "localhost"),
        ("[::1]:80", "[::1]"),
        ("[::1]", "[::1]"),
        ("a:b", "a:b"),
        ("a:80:80", "a:80"),
        ("", ""),
    ],
)
def test_the_port_is_not_part_of_a_name(header: str, name: str):
    assert host_name(header) == name


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("", ()),
        ("https://lectures.example", ("https://lectures.example",)),
        (
            "https://a.example, http://localhost:8888",
            ("https://a.example", "http://localhost:8888"),
        ),
        ("https://a.test\nhttps://b.test  https://a.test", ("https://a.test", "https://b.test")),
        ("HTTPS://A.Example:443/", ("https://a.example",)),
        ("http://[::1]:80,https://a.example:80", ("http://[::1]", "https://a.example:80")),
        ("http://LOCALHOST:*", ("http://localhost:*",)),
    ],
)
def test_origins_that_may_embed_are_written_as_browsers_send_them(
    text: str, origins: tuple[str, ...]
):
    assert Settings(embed=text).embed == origins


@pytest.mark.parametrize(
    "text",
    [
        *("*", "https://*.example", "lectures.example", "https://a.example/path", "null", "data:"),
        *("https://user@a.example", "https://a.example:99999", "https://a.example; script-src *"),
        *("https://a.example?x", "https://", "ftp://a.example", "'self'", "https://-a.example"),
    ],
)
def test_what_is_no_origin_may_not_embed(text: str):
    with pytest.raises(
        ValidationError, match="is not an origin: write scheme, name and port only, for"
    ):
        Settings(embed=f"https://b.example, {text}")


def test_nobody_may_embed_unless_it_is_named():
    assert Settings().embed == ()
