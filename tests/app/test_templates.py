"""What templates say of the code, held against the code: their formulas are computed as they stand
there, their measured numbers are measured again, and a link that promises the model of its page
leads to it.
"""

import math
import re
from collections.abc import Callable

import pytest
import torch

from app.captions.clinic import captions_of
from app.experiments import experiments
from app.paths import folder
from app.settings import Settings
from app.site.pages import at_setting
from model.analyses import answer
from model.clinics.complexity import matrix_multiplications
from model.layers import masks
from model.layers.positional_encodings import frequencies, normalised, sigmoid, sine, sinusoidal
from model.measure.stream_growth import lemma
from model.training.experiments import fine_tuning
from model.zoo.models import ids, read_card
from tests.app.formulas import value
from tests.model.clinics.every_clinic import ask
from tests.rounding import RANDOM, SINGLE, near, same

PAGES = {path.stem: path.read_text("utf-8") for path in folder("templates").glob("pages/*.html")}
TEX = re.compile(r'tex\("((?:[^"\\]|\\.)*)"\)')


def formula(page: str, words: str) -> str:
    """The first formula of a page after these words of its prose, as LaTeX."""
    html = PAGES[page]
    assert html.count(words) == 1, f"/{page} says “{words}” {html.count(words)} times"
    found = TEX.search(html, html.index(words) + len(words))
    assert found, f"after “{words}” /{page} has no formula"
    return found[1].replace("\\\\", "\\")


def reach(allowed: torch.Tensor, layers: int) -> int:
    """How many positions the last one has read after so many layers, itself and all between too."""
    reachable = torch.linalg.matrix_power(allowed.double(), layers)[-1] > 0
    return len(reachable) - int(reachable.nonzero().min())


def check_masks(of: dict[str, str]):
    for layers, w, d in ((1, 2, 2), (2, 3, 2), (3, 4, 3), (4, 2, 1)):
        n = 40
        sizes = {"L": layers, "w": w, "d": d}
        assert reach(masks.window(n, w), layers) == value(of["window"], **sizes), sizes
        assert reach(masks.dilated(n, w, d), layers) == value(of["dilated"], **sizes), sizes


def check_scaling(of: dict[str, str]):
    for c in (0.0, 0.5, 1.0):
        found = answer(
            "scaling", {"d_head": 64, "keys": 4, "pairs": 20_000, "correlation": c, "seeds": 1}
        )
        products = found.tensors["products"].data
        sizes = {"c": c, "d_k": 64}
        variance = value(of["variance"], **sizes)
        near(products.var().item(), variance, RANDOM, rel=0.05)
        mean = value(of["mean"], **sizes)
        near(products.mean().item(), mean, RANDOM, rel=0.01, abs=0.2)


def check_kv_cache(of: dict[str, str]):
    config = read_card("shakespeare")["config"]
    sizes = {"d": config["d_model"], "d_ff": config["d_ff"], "L": config["n_decoder_layers"]}
    rest = config["d_model"] * config["vocabulary_size"]
    assert of["words"] == r"d\,|V|"
    counted = ask("kv_cache", seeds=1).tensors["multiplications"].data[0]
    for t, steps in enumerate(counted.tolist(), start=1):
        stated_count = value(of["layers"], **sizes, t=t) + rest
        assert steps == stated_count, (
            f"step {t} multiplies {steps:g} times, and the page says {stated_count:g}"
        )


def check_complexity(of: dict[str, str]):
    for n, d in ((8, 4), (100, 64)):
        sizes = {"n": n, "d": d}
        parts = [value(of[name], **sizes) for name in ("projections", "feed-forward")]
        assert sum(parts) == matrix_multiplications(n, d)
        assert parts[1] == 2 * n * d * (4 * d)


def check_positions(of: dict[str, str]):
    length, d = 12, 8
    for p in range(length):
        at = {"p": p, "T": length, "P": 7.0}
        for name, code in (
            ("share", normalised(length, d, dtype=torch.float64)),
            ("sigmoid", sigmoid(length, d, dtype=torch.float64)),
            ("sine", sine(length, d, period=7.0, dtype=torch.float64)),
        ):
            stated_value = value(of[name].removeprefix("PE(p) = "), **at)
            same(code[p, 0], stated_value, scale=1, what=f"{name} of position {p}")
    waves, base = frequencies(d, 100.0), of["frequency"].removeprefix(r"\omega_i = ")
    for i, wave in enumerate(waves.tolist()):
        same(wave, value(base, b=100.0, i=i, d=d), SINGLE)
    table = sinusoidal(length, d, dtype=torch.float64)
    norm = value(of["norm"].removeprefix("|PE(p)| = "), d=d)
    same(table.norm(dim=-1).tolist(), [norm] * length, SINGLE)


def check_norms(of: dict[str, str]):
    x, gains, biases = torch.randn(3, 6, generator=torch.Generator().manual_seed(0)).double()
    expected = torch.nn.functional.layer_norm(x, (6,), gains, biases, eps=0)
    for i, channel in enumerate(x.tolist()):
        letters = {"x": channel, r"\mu": x.mean().item(), r"\sigma": x.std(correction=0).item()}
        letters |= {r"\gamma": gains[i].item(), r"\beta": biases[i].item()}
        same(value(of["layer"], **letters), expected[i])
    vectors = torch.nn.functional.layer_norm(torch.randn(5, 16).double(), [16])
    length = value(of["length"], d=16)
    near(vectors.norm(dim=-1).tolist(), [length] * 5, "the epsilon of the norm", rel=0.001)
    each, most = value(of["feed-forward"], d=16), value(of["attention"], d=16)
    for stack, attention in (("encoder", most), ("decoder", value(of["decoder"], d=16))):
        least, bound = 16 * lemma(3, stack)[:, -1]
        assert (least, bound) == (16 + 3 * each, 16 + 3 * (each + attention))


Check = Callable[[dict[str, str]], None]
COMPUTED: dict[str, tuple[Check, dict[str, str]]] = {
    "masks": (check_masks, {"window": "}} positions reaches", "dilated": "it spans"}),
    "scaling": (
        check_scaling,
        {"variance": "normal components, variance", "mean": "the score has mean"},
    ),
    "kv-cache": (
        check_kv_cache,
        {"layers": "Each computed token takes", "words": "and each step"},
    ),
    "complexity": (
        check_complexity,
        {
            "projections": "attention’s four projections,",
            "feed-forward": "and the feed-forward network,",
        },
    ),
    "positions": (
        check_positions,
        {
            "frequency": 'PE(p)") }},',
            "share": "the same position gets a different number",
            "sigmoid": "The sigmoid soon saturates at 1",
            "sine": "One wave repeats itself",
            "norm": '<p data-scheme="sinusoidal">{{',
        },
    ),
    "norms": (
        check_norms,
        {
            "feed-forward": "the feed-forward network adds",
            "attention": "and attention adds between 0 and",
            "decoder": "In a decoder layer, attention adds at most",
            "layer": "}} of a token to",
            "length": "so the output has length",
        },
    ),
}
"""By page the check, and after which words of the page stand the formulas that it computes."""


@pytest.mark.parametrize("template", COMPUTED, ids=lambda name: name.replace("-", "_"))
def test_a_formula_of_a_page_comes_to_what_the_code_computes(template: str):
    check, places = COMPUTED[template]
    check({name: formula(template, words) for name, words in places.items()})


def labelled() -> list[float]:
    few, many = fine_tuning.LABELLED[1], fine_tuning.LABELLED[-1]
    return [few, many, fine_tuning.STEPS, fine_tuning.BATCH]


def alike() -> list[float]:
    """From which position on the sigmoid is 1 in float32."""
    rounded = sigmoid(40, 1)[:, 0]
    return [int((rounded == 1).nonzero()[0])]


MEASURED: dict[str, tuple[str, Callable[[], list[float]]]] = {
    "fine-tuning": (
        r"compare ([\d,]+) labels with ([\d,]+)\..*Training takes (\d+) steps of (\d+) sentences",
        labelled,
    ),
    "memory": (
        r"it stored for the (\d+) tokens before",
        lambda: [read_card("shakespeare-xl")["config"]["memory"]],
    ),
    "positions": (r"from position (\d+) on, float32 rounds them all to 1", alike),
    "scaling": (
        r"with ([\d,]+) components each.*division by √(\d+) = (\d+)\?",
        lambda: [1024, 1024, math.sqrt(1024)],
    ),
}
"""By page the words that say numbers, and the numbers as the code has them."""


@pytest.mark.parametrize("template", MEASURED, ids=lambda name: name.replace("-", "_"))
def test_a_number_in_the_prose_of_a_page_is_that_of_the_code(template: str):
    words, measure = MEASURED[template]
    spec = experiments().get(template)
    setting = at_setting(template, {}, Settings()) if spec and spec.exercise else {}
    asks = captions_of(spec).exercise.sentence(setting) if setting and spec else ""
    found = re.search(words, f"{asks} {PAGES[template]}", re.DOTALL)
    assert found, f"/{template} no longer says {words}"
    for stated_number, true in zip(found.groups(), measure(), strict=True):
        _, _, decimals = stated_number.partition(".")
        # As many digits as are said, and one unit of the last: the measure takes few seeds.
        near = 10.0 ** -len(decimals) if decimals else 0.0
        assert abs(float(stated_number.replace(",", "")) - true) <= near, (
            f"/{template}: {stated_number}, and it is {true}"
        )


ABOUT = re.compile(r"\{% block of_whom %\}(.*?)\{% endblock %\}", re.DOTALL)
LINK = re.compile(
    r"""<a href="{{ url\('/[\w-]+\?(?:[^"']*&)?model=([\w-]+)[^"]*"[^>]*>(.*?)</a>""", re.DOTALL
)
UNROOTED = re.compile(r"""\b(?:href|src|action|data-\w+)="/[^"]*""")


def test_a_link_to_a_model_names_it_or_leads_to_the_model_that_its_page_is_about():
    known, found = set(ids()), 0
    for page, html in PAGES.items():
        about = " ".join([html.partition("\n")[0], *ABOUT.findall(html)])
        for model, words in LINK.findall(html):
            found += 1
            assert model in known, f"/{page} leads to {model}, which is no model"
            names = {name for name in known if re.search(rf"(?<![\w-]){name}(?![\w-])", about)}
            assert model in words or model in names, (
                f"/{page} is about {', '.join(names) or 'every model'}, and “{words}” leads to"
                f" {model}"
            )
    assert found >= 3


def test_every_address_in_a_template_is_written_with_url():
    """Else it would be wrong below the path of a proxy. What a notebook frames has no address."""
    served = set(folder("templates").rglob("*.html")) - {folder("templates") / "notebook.html"}
    for path in served:
        assert not UNROOTED.findall(path.read_text("utf-8")), path.name
