"""What holds for every clinic: a law, a source, findings that say whether they hold, the same bytes
for the same seed, and bounds.
"""

import re
from contextlib import suppress

import httpx2
import pytest
from pydantic import ValidationError

from app.api.endpoint import Endpoint, endpoints
from app.lecture.offered import Offered
from app.schema.questions import Clinic
from app.settings import Limits
from app.site.pages import tex
from model.layers.choice_names import PLACEMENT_NAMES
from model.measure.initialised_stacks import STACKS
from model.measure.recorded_amplification import RECORDED_SEEDS
from tests.app.problems import assert_problem
from tests.app.questions import in_address, once
from tests.app.serving import ROOT

CLINICS = [word for word in endpoints() if issubclass(word.question, Clinic)]
every_clinic = pytest.mark.parametrize("word", CLINICS, ids=lambda word: word.name)
OF_ITS_KIND = {
    "exact": {"value"},
    "analytic": {"value"},
    "statistical": {"mean", "seeds", "values"},
}
OTHERWISE = {
    "fine-tuning": ["tuned.over_scratch.few", "scratch.over_chance"],
    "memory": ["slots.less_feed_forward"],
    "probes": ["selectivity.token"],
    "warmup": ["translators.post_less_pre"],
}
"""What trained weights show not to hold where the page opens, and what the page says of it."""
WHERE_THERE_IS_ONE = {"min", "max", "interval", "method", "seeds_needed", "premise"}


@pytest.fixture
def answer(client: httpx2.Client):
    def answer(word: Endpoint, query: str = "") -> dict:
        response = client.get(f"{word.address}?{query}")
        assert response.status_code == 200, response.text
        return response.json()

    return answer


@pytest.mark.parametrize("word", ["norms", "dependency", "amplification", "gradients", "warmup"])
def test_a_clinic_about_the_norm_offers_every_placement_in_both_stacks(client: httpx2.Client, word):
    offered = Offered(client.get(f"/{word}").text).controls
    assert (offered["placement"] or set()) >= set(PLACEMENT_NAMES)
    assert (offered["stack"] or set()) - {""} == set(STACKS)
    taken = next(clinic for clinic in CLINICS if clinic.name == word).question.model_json_schema()
    for name, values in (("placement", PLACEMENT_NAMES), ("stack", STACKS)):
        assert taken["properties"][name]["enum"] == list(values)


# Trainings of the choices of /warmup are kept, and read at no cost.
@pytest.mark.parametrize(
    "word", [clinic for clinic in CLINICS if not clinic.trains], ids=lambda case: case.name
)
def test_no_choice_of_a_page_is_refused_for_its_work(client: httpx2.Client, word):
    page, most = client.get(f"/{word.name}").text, Limits().work_seconds
    for name, values in Offered(page).controls.items():
        for value in values or ():
            with suppress(ValidationError):  # the words of a choice are offered too
                question = word.question.model_validate({name: value})
                assert question.estimated_seconds() <= most, f"{name}={value}"


@every_clinic
def test_a_finding_says_what_was_measured_the_law_and_whether_it_holds(answer, word):
    fields = answer(word)
    assert fields["law"]
    assert re.search(r"\d{4}|notes", fields["source"]), "a source has a year"
    assert fields["init"]
    assert fields["findings"]
    for finding in fields["findings"]:
        always = {"name", "title", "kind", "unit", "law", "band", "holds", "verdict"}
        assert finding.keys() - WHERE_THERE_IS_ONE == always | OF_ITS_KIND[finding["kind"]], (
            finding["name"]
        )
        value = finding.get("value", finding.get("mean"))
        low, high = finding["band"]
        ends = finding.get("interval", [value, value])
        inside = [(low is None or end >= low) and (high is None or end <= high) for end in ends]
        match finding["verdict"]:
            case "holds":
                assert (finding["holds"], all(inside)) == (True, True)
            case "fails":
                assert (finding["holds"], any(inside)) == (False, False)
            case "undecided":
                assert finding["holds"] is None
                assert "interval" not in finding or not all(inside)
                assert finding["seeds_needed"] > finding["seeds"]
            case "not applicable":
                assert finding["holds"] is None
                assert "premise" in finding or finding["band"] == [None, None]
        assert ("interval" in finding) == ("method" in finding)
    assert len({finding["name"] for finding in fields["findings"]}) == len(fields["findings"])


@every_clinic
def test_no_finding_but_the_known_ones_fails_where_the_page_opens(answer, word):
    """A clinic may also show a law where it ends; then the finding is that it ends there."""
    failing = [
        finding["name"] for finding in answer(word)["findings"] if finding["verdict"] == "fails"
    ]
    assert failing == OTHERWISE.get(word.name, [])


@every_clinic
def test_another_seed_moves_the_numbers_and_the_same_seed_moves_none(client, word):
    small = once(word)
    first, again, other = (
        client.get(f"{word.address}?{in_address(fields)}").content
        for fields in (small | {"seed": 3}, {"seed": 3} | small, small | {"seed": 4})
    )
    assert first == again
    if any(
        finding["kind"] == "statistical" for finding in client.get(word.address).json()["findings"]
    ):
        assert first != other


@every_clinic
@pytest.mark.parametrize(
    "query", ["seed=-1", "seeds=0", f"seeds={RECORDED_SEEDS + 1}", "seeds=x", "no_such=1"]
)
def test_what_is_out_of_bounds_is_refused_in_a_sentence(client, word, query):
    response = client.get(f"{word.address}?{query}")
    assert_problem(response, 422)


@every_clinic
def test_the_law_that_is_answered_stands_on_the_page(client, answer, word):
    page = client.get(f"/{word.name}").text
    assert str(tex(answer(word)["law"])) in page


@every_clinic
def test_a_clinic_has_a_plain_account_of_its_law(word):
    source = (ROOT / "templates" / "pages" / f"{word.name}.html").read_text(encoding="utf-8")
    account = re.search(r"{% block account %}(.*?){% endblock %}", source, re.DOTALL)
    assert account
    assert re.sub(r"<[^>]+>|{{.*?}}", "", account[1], flags=re.DOTALL).split()
