"""The one shape that every failure has."""

import httpx2

from app.schema.answers import Problem

FIELDS = {"type", "title", "status", "detail", "errors"}
MORE_FIELDS = {"id", "nearest"}
ERROR_FIELDS = {"pointer", "code", "limit", "given", "hint"}


def assert_problem(response: httpx2.Response, status: int, code: str | None = None) -> dict:
    """`response` is problem+json with this status and, where asked, this code of a problem or of
    its first error; gives what it says.
    """
    assert response.headers["content-type"] == "application/problem+json", response.text[:300]
    assert response.status_code == status, response.text[:300]
    problem = response.json()
    Problem.model_validate_json(response.content, strict=True)
    assert problem.keys() >= FIELDS
    assert problem.keys() <= FIELDS | MORE_FIELDS
    assert problem["status"] == status
    assert problem["detail"].endswith((".", "?", "…"))
    assert problem["title"]
    assert len(problem["errors"]) <= 10
    for error in problem["errors"]:
        assert error.keys() == ERROR_FIELDS
        assert error["pointer"] == "" or error["pointer"].startswith("/")
        assert error["hint"]
        assert error["code"]
        assert all(len(str(error[name])) <= 300 for name in ERROR_FIELDS)
    assert len(response.content) < 8_000
    assert "Traceback" not in response.text
    assert (status == 503) <= ("retry-after" in response.headers)
    kind = problem["type"].removeprefix("/docs#problem-")
    if code is not None:
        assert code in {kind, *(error["code"] for error in problem["errors"])}, problem
    return problem
