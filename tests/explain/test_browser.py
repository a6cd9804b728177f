"""The page in a real headless Chromium: it checks, moves, steps, catches a changed number, and everyone can read it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from flint import fmpq

from exactlearn import examples
from exactlearn.certificate.writer import certificate_to_text
from exactlearn.copy_count import CopyCountFunction
from exactlearn.explain import build_page, certificate_of_model
from exactlearn.files.numerals import parse_number, print_number

pytestmark = pytest.mark.browser

NAMES = ("two-heads", "true-e", "cancelling-pair", "one-dimensional", "empty", "sqrt-unit", "digits-h2")


@pytest.mark.parametrize("name", NAMES)
def test_the_check_passes_in_silence(browser: Any, name: str) -> None:
    """Every line green, in words too; no console message, no request but for the file itself, without network."""
    opened = browser.example(name)
    assert "✓ All" in opened.verdict()
    assert opened.red_lines() == []
    assert opened.page.locator("li.green").count() > 20
    assert opened.page.locator('li.green:not(:has-text("holds"))').count() == 0
    assert opened.said == []
    assert [address.split(":")[0] for address in opened.asked] == ["file"]


def test_the_policy_lets_nothing_out(browser: Any) -> None:
    """The control of the last test: a picture from elsewhere is stopped by the page's own policy and is noticed."""
    opened = browser.example("one-dimensional")
    stopped = opened.page.evaluate(
        """() => new Promise((resolve) => {
             document.addEventListener("securitypolicyviolation", (event) => resolve(event.violatedDirective));
             new Image().src = "http://127.0.0.1:9/pixel.png";
           })"""
    )
    assert stopped.startswith("img-src")
    assert opened.said != []


def test_the_slider_moves_and_shows_exact_fractions(browser: Any) -> None:
    """By the arrow keys from k = 0 to the end: the fraction is F(k) as this package computes it, and the dot moves."""
    opened = browser.example("two-heads")
    probe = certificate_of_model(examples.load("two-heads"))["probes"][0]
    function = CopyCountFunction(
        parse_number(probe["at_zero"]), *(tuple(map(parse_number, probe[key])) for key in ("poles", "residues"))
    )
    slider = opened.page.locator("#k")
    slider.focus()
    opened.page.keyboard.press("Home")
    last, places = int(slider.get_attribute("max")), set()
    assert last == 8
    for k in range(last + 1):
        assert slider.input_value() == str(k)
        assert opened.page.inner_text("#exact-value") == print_number(fmpq(function(k)))
        asked = "was asked" if 1 <= k <= 4 else "token y alone" if k == 0 else "never asked"
        assert asked in opened.page.inner_text("#k-text")
        places.add(opened.page.locator("#here").get_attribute("cx"))
        opened.page.keyboard.press("ArrowRight")
    assert len(places) == last + 1


def test_at_the_padic_place_the_value_is_a_formula(browser: Any) -> None:
    """With true e there is no fraction: the page says so and writes the exact value as MathML with powers of e."""
    opened = browser.example("true-e")
    assert "Q(e^unit)" in opened.page.inner_text("#exact-value")
    assert opened.page.locator("#value math msup").count() >= 2


PLACES = [
    ("first_value", "first_value"),
    ("probes/0/at_zero", "probes/0/at_zero"),
    ("probes/0/poles/1", "probes/0/poles"),
    ("probes/0/residues/0", "probes/0/residues"),
    ("probes/0/copies", "probes/0/copies"),
    ("probes/0/x/1", "probes/0/x"),
    ("probes/0/values/2", "probes/0/values/2"),
    ("matchings/0/partner/1", "matchings/0"),
    ("matchings/0/sum/0", "matchings/0"),
    ("heads/1/W/0/1", "heads/1"),
    ("heads/0/v/1", "heads/0"),
    ("query-count/queries", "query-count"),
    ("draw/heads", "draw"),
    ("draw/modulus", "draw"),
    ("canonical/head_of/0", "canonical"),
    ("merging/1/pole", "merging/1"),
    ("rational-form/3/P/0", "rational-form/3"),
    ("determination/difference", "determination"),
    ("matching/2", "matching/2"),
    ("probability-one/pairs/4", "probability-one/pairs/4"),
]


def test_a_changed_number_turns_its_line_red(browser: Any) -> None:
    """Each kind of number, changed by hand: exactly its line, in words and at its input; and reset makes it green."""
    opened = browser.example("two-heads")
    opened.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for place, line in PLACES:
        opened.edit(place, "17")
        assert opened.red_lines()[:1] == [line], place
        assert place == "draw/heads" or opened.red_lines() == [line], place
        assert "✗" in opened.verdict()
        assert "not hold" in opened.verdict()
        assert opened.page.locator("li.red").first.inner_text().startswith("✗ does not hold")
        assert opened.page.locator(f'input[data-place="{place}"]').get_attribute("aria-invalid") == "true"
        opened.page.locator("#reset").click()
        assert "✓ All" in opened.verdict(), place
        assert opened.page.locator('input[aria-invalid="true"]').count() == 0
        opened.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert opened.said == []


def test_the_same_value_otherwise_written_is_red_too(browser: Any) -> None:
    """One number has one text; nonsense and markup are refused with a reason, and stay text."""
    opened = browser.example("two-heads")
    value = opened.page.locator('input[data-place="first_value"]').input_value()
    for text, reason in [(f"{value}/1", "lowest terms"), ("1e3", "not a number"), ("<img src=x>", "not a number")]:
        opened.edit("first_value", text)
        assert opened.red_lines() == ["first_value"]
        assert reason in opened.page.locator("li.red").inner_text()
    assert opened.page.locator("img").count() == 0
    opened.edit("first_value", value)
    assert "✓ All" in opened.verdict()


def test_another_model_is_another_run(browser: Any) -> None:
    """A changed weight makes red what follows from it; the canonical form is shown anew; an equal W merges."""
    opened = browser.example("two-heads")
    opened.edit("model/heads/0/W/0/0", "17")
    assert {"probes/0/poles", "heads/1"} <= set(opened.red_lines()) or "heads/0" in opened.red_lines()
    assert "17" in opened.page.inner_text("#canonical-form")
    opened.page.locator("#reset").click()
    for a, row in enumerate(examples.load("two-heads").heads[0].W):
        for b, entry in enumerate(row):
            opened.edit(f"model/heads/1/W/{a}/{b}", str(entry))
    assert "Raw heads 1, 2 have one T" in opened.page.inner_text("#canonical-form")
    opened.edit("model/heads/0/W/0/0", "nonsense")
    assert "model" in opened.red_lines()
    assert "cannot be read" in opened.page.inner_text("#canonical-form")


def test_a_red_line_leads_to_its_number(browser: Any) -> None:
    """The button of a red line chooses the probe and puts the cursor into the number."""
    certificate = certificate_of_model(examples.load("true-e"))
    certificate["probes"][5]["residues"][1] = "17"
    opened = browser.open(build_page(certificate, "changed"))
    assert opened.red_lines() == ["probes/5/residues"]
    opened.page.locator("li.red button").click()
    assert opened.page.evaluate("document.activeElement.dataset.place") == "probes/5/residues/1"
    assert opened.page.locator("#probe").input_value() == "5"
    assert opened.page.locator('input[aria-invalid="true"]').count() == 1


def test_the_matching_is_stepped_through(browser: Any) -> None:
    """Buttons and arrow keys walk through all heads of all matchings and stop at both ends."""
    opened = browser.example("two-heads")
    step = opened.page.locator("#matching-step")
    assert step.inner_text() == "Matching 1 of 3, head 1 of 2"
    described = {opened.page.locator("#matching-picture").get_attribute("aria-label")}
    opened.page.locator("#step-on").focus()
    for key in ["Enter", "Space", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"]:
        opened.page.keyboard.press(key)
        described.add(opened.page.locator("#matching-picture").get_attribute("aria-label"))
    assert step.inner_text() == "Matching 3 of 3, head 2 of 2"
    assert len(described) == 6
    for _ in range(6):
        opened.page.keyboard.press("ArrowLeft")
    assert step.inner_text() == "Matching 1 of 3, head 1 of 2"


def test_the_keyboard_reaches_everything_and_shows_where_it_is(browser: Any) -> None:
    """Tab goes through every control once, the skip link first, always with a visible outline."""
    opened = browser.example("one-dimensional")
    wanted = opened.page.evaluate(
        """() => [...document.querySelectorAll("a, button, select, input, summary")]
             .filter((one) => one.checkVisibility()).length"""
    )
    seen, outlines = [], set()
    for _ in range(2 * wanted + 40):
        opened.page.keyboard.press("Tab")
        tag, mark, outline = opened.page.evaluate(
            """() => { const one = document.activeElement; window.seen ??= new Map();
                 if (!window.seen.has(one)) window.seen.set(one, window.seen.size);
                 const style = getComputedStyle(one);
                 return [one.tagName, window.seen.get(one), one.tagName === "BODY" ? "body" : style.outlineStyle]; }"""
        )
        if tag == "BODY" or mark in seen:
            break
        seen.append(mark)
        outlines.add(outline)
        if len(seen) == 1:
            assert opened.page.evaluate("document.activeElement.className") == "skip"
    assert len(seen) >= wanted
    assert "none" not in outlines


@pytest.mark.parametrize("name", NAMES)
def test_nothing_scrolls_sideways_on_a_phone(browser: Any, name: str) -> None:
    """At 360 px the page is as wide as the window, green or red, with every part open."""
    opened = browser.example(name, width=360)
    assert opened.page.evaluate("document.documentElement.scrollWidth") == 360
    opened.edit("first_value", "17" * 200)
    opened.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert opened.page.evaluate("document.documentElement.scrollWidth") == 360
    overflowing = opened.page.evaluate(
        """() => [...document.querySelectorAll("p, li, h1, h2, h3, button, svg, select, summary, output, input")]
             .filter((one) => one.checkVisibility() && !one.closest(".scrolling, .scrolled, .skip"))
             .filter((one) => one.getBoundingClientRect().right > 361 && one.className !== "skip")
             .map((one) => one.outerHTML.slice(0, 80))"""
    )
    assert overflowing == []


def contrast(page: Any, selector: str) -> float:
    """The contrast of an element's text with the nearest background behind it, as WCAG defines it."""
    value: float = page.evaluate(
        """(selector) => {
             const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
             const shine = (text) => numbers(text).slice(0, 3).map((c) => c / 255)
               .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
               .reduce((total, c, n) => total + c * [0.2126, 0.7152, 0.0722][n], 0);
             let one = document.querySelector(selector);
             const text = getComputedStyle(one).color;
             const isClear = (colour) => numbers(colour)[3] === 0;
             while (isClear(getComputedStyle(one).backgroundColor) && one.parentElement) one = one.parentElement;
             const [a, b] = [shine(text), shine(getComputedStyle(one).backgroundColor)].sort((l, r) => r - l);
             return (a + 0.05) / (b + 0.05);
           }""",
        selector,
    )
    return value


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_schemes_have_contrast(browser: Any, scheme: str) -> None:
    """Each follows the reader's wish, and texts, inputs, links, green and red have a contrast of 4.5 at least."""
    opened = browser.example("two-heads", scheme=scheme)
    opened.edit("first_value", "17")
    background = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(19, 20, 23)")
    for selector in ["main p", "nav a", "#verdict", "li.red", "summary.green", "button", "input", ".label", "select"]:
        assert contrast(opened.page, selector) >= 4.5, selector
    assert contrast(opened.page, 'input[aria-invalid="true"]') >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("name", "width"), [("two-heads", 1000), ("true-e", 360), ("empty", 360)])
def test_axe_finds_no_violation(browser: Any, name: str, scheme: str, width: int) -> None:
    """axe-core's rules, on the page as it opens and with a red line and every part open."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    opened = browser.example(name, width, scheme)
    for is_red in (False, True):
        if is_red:
            opened.edit("first_value", "17")
            opened.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        found = axe.Axe().run(opened.page).response
        assert [(one["id"], one["nodes"][0]["html"][:100]) for one in found["violations"]] == []
        assert len(found["passes"]) > 15


def test_axe_would_find_one(browser: Any) -> None:
    """The control: a page whose inputs have lost their names, and with faint text, has violations."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    opened = browser.example("one-dimensional")
    opened.page.evaluate("document.querySelectorAll('input').forEach((one) => one.removeAttribute('aria-label'))")
    opened.page.evaluate("document.querySelector('main p').style.color = '#bbbbbb'")
    found = {one["id"] for one in axe.Axe().run(opened.page).response["violations"]}
    assert {"label", "color-contrast"} <= found


def test_hostile_certificates_stay_text(browser: Any) -> None:
    """Names, numbers and a title that are markup are shown as they stand: no script runs, no element appears."""
    hostile = "</script><img src=x onerror='document.title=1'><script>document.title='2'</script>"
    certificate = copy.deepcopy(certificate_of_model(examples.load("two-heads")))
    certificate["probes"][0]["name"] = certificate["matchings"][0]["left"] = hostile
    certificate["probes"][0]["poles"][0] = certificate["heads"][0]["v"][0] = hostile
    opened = browser.open(build_page(certificate, hostile))
    assert opened.page.title().startswith(hostile[:20])
    assert opened.page.locator("img").count() == 0
    assert opened.page.locator("script").count() == 2
    assert {"probes/0/name", "probes/0/poles", "heads/0", "matchings/0"} <= set(opened.red_lines())
    assert opened.said == []


def test_the_check_in_chromium_itself(browser: Any) -> None:
    """The check in Chromium itself: changed numbers of a certificate are red, the certificate as it was is green."""
    opened = browser.example("cancelling-pair")
    certificate = certificate_of_model(examples.load("cancelling-pair"))
    texts = [certificate_to_text(certificate)]
    for n, probe in enumerate(certificate["probes"]):
        for key in ("at_zero", "poles", "residues", "values"):
            changed = copy.deepcopy(certificate)
            changed["probes"][n][key] = "1/2" if key == "at_zero" else ["1/2", *probe[key][1:]]
            texts.append(json.dumps(changed))
    red = opened.page.evaluate(
        "(texts) => texts.map((text) => checkCertificate(JSON.parse(text)).filter((line) => !line.holds).length)", texts
    )
    assert red == [0] + [1] * (len(texts) - 1)
