"""Every view in a real browser: Debian's Chromium, driven by Selenium."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import leastnoise as ln
from tests.web import browser
from tests.web.filling_in import asked, limited, looked_at, typed
from tests.web.pages import Page
from tests.web.running import running
from tests.web.visits import CITIES, SECRET, write_visits

pytest.importorskip("selenium")
pytestmark = pytest.mark.skipif(browser.found() is None, reason=f"no Chromium: {browser.INSTALL}")

VIEWS = ("choose", "bounds", "plan", "release", "budget")
PHONE = 360


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("explorer")
    write_visits(made)
    return made


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with running(folder) as found:
        yield found


@pytest.fixture(scope="module")
def page(address: str) -> Iterator[Page]:
    with browser.opened() as opened:
        yield Page(opened, address)


@pytest.fixture(autouse=True)
def _nothing_goes_wrong_behind_the_scenes(page: Page) -> Iterator[None]:
    """No script error, no breach of the policy, and nothing asked of any other machine."""
    page.complaints()
    page.requested()
    yield
    expected = "the server responded with a status of 4"  # refusals are shown on the page
    assert [said for said in page.complaints() if expected not in said] == []
    home = urlsplit(page.address).netloc
    strangers = [url for url in page.requested() if urlsplit(url).scheme in ("http", "https")
                 and urlsplit(url).netloc != home]  # fmt: skip
    assert strangers == []


def test_choosing_shows_error_noise_risk_rivals_and_proof(page: Page) -> None:
    page.open("choose")
    page.settled()
    assert "your count of about 1,000 by at most ±3 (0.3 %) in 95 of 100" in page.text(
        "error-words"
    )
    assert page.text("grade").startswith("A")
    assert "right at most 74 times in 100" in page.text("right-words")
    page.run("document.getElementById('details').open = true")
    page.wait(lambda: page.run("return document.querySelector('#shape .bar')") is not None or None)
    assert "at most 73.2 % sure" in page.text("risk")
    assert "1 % false alarms catches at most 2.72 %" in page.text("risk")
    assert "discrete Laplace" in page.text("rivals")
    assert "Proved and checked anew" in page.text("certificate")
    assert page.text("state") == "proved the least"
    bars = page.run("return document.querySelectorAll('#shape .bar').length")
    assert bars >= 7
    assert "95 %" in page.run("return document.querySelector('#shape title').textContent")


def test_dials_move_by_keyboard_and_the_answers_follow(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    page.open("choose")
    page.settled()
    slider = page.find("sensitivity")
    slider.send_keys(Keys.ARROW_RIGHT * 6)
    assert page.find("sensitivity-exact").get_attribute("value") == "8"
    assert slider.get_attribute("aria-valuetext") == "8"
    own = ln.optimal(sensitivity=8, epsilon=1)
    page.wait_for("error-words", f"±{float(own.error('0.95')):g} ")
    page.find("delta").send_keys(Keys.END)
    assert page.find("delta-exact").get_attribute("value") == "1e-2"
    page.wait_for("noise-facts", "linear program")


def test_curves_and_known_releases_are_drawn(page: Page) -> None:
    page.open("choose")
    page.settled()
    for picture, words in (("curve", "±3 at ε = 1"), ("attack", "at most 74"), ("known", "Israel")):
        drawn = f"return document.querySelector('#{picture} .dot') !== null"
        page.wait(partial(page.run, drawn))
        assert words in page.run(f"return document.querySelector('#{picture} title').textContent")
    assert "arXiv 2405.00267" in page.text("known-sources")
    page.type("about", "20")
    page.wait_for("error-words", "of about 20 by at most ±3 (15 %)")
    page.type("about", "no idea")
    page.wait_for("error-words", "will move the answer by at most ±3")
    assert page.text("grade") == ""


def test_weak_promises_are_said_to_be_weak(page: Page) -> None:
    page.open("choose")
    assert not page.find("weak").is_displayed()
    page.type("epsilon-exact", "6")
    page.wait_for("weak", "This is weak")
    page.type("epsilon-exact", "12")
    page.wait_for("weak", "next to nothing")


def test_a_limit_is_chosen_by_cut_and_noise(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    page.open("bounds")
    page.wait_for("bounds-words", "With at most 8 rows of one person")
    assert "Both" in page.text("bounds-table")
    page.find("limit-rows").send_keys(Keys.ARROW_RIGHT * 2)
    page.wait_for("bounds-words", "With at most 10 rows")
    page.press("bounds-use")
    assert page.find("max-rows").get_attribute("value") == "10"
    page.type("people-0", "many")
    page.wait_for("bounds-problem", "number")
    assert page.find("people-0").get_attribute("aria-invalid") == "true"
    assert "old" in page.find("bounds-answer").get_attribute("class")


def test_the_address_remembers_the_dials(page: Page) -> None:
    page.open("choose")
    page.type("epsilon-exact", "0,5")  # as most of Europe writes it
    page.wait_for("error-words", "±6 ")
    link = page.run("return location.hash")
    page.open(link.removeprefix("#"))
    page.wait_for("error-words", "±6 ")
    assert page.find("epsilon-exact").get_attribute("value") == "0,5"


def test_a_late_answer_to_an_older_question_is_not_shown(page: Page) -> None:
    """The slow answer is held back, and let go just when the dials have moved on."""
    page.open("choose")
    page.type("epsilon-exact", "2")
    page.wait_for("error-words", "±1 ")
    page.run(
        "const real = window.fetch, words = document.getElementById('error-words');"
        "window.seen = []; window.held = 0;"
        "const late = new Promise(done => { window.letGo = done; });"
        "window.fetch = async (url, ...rest) => { const answer = await real(url, ...rest);"
        "  if (url === 'api/choose') { window.held += 1; await late; } return answer; };"
        "new MutationObserver(() => { window.seen.push(words.textContent);"
        "  if (window.armed && words.textContent.includes('±1 ')) window.letGo();"
        "}).observe(words, {childList: true});"
    )
    page.type("epsilon-exact", "0.125")
    page.wait_for("error-words", "±24 ")
    page.wait(lambda: page.run("return window.held") or None)
    page.run(
        "window.seen = []; window.armed = true;"
        "const field = document.getElementById('epsilon-exact'); field.value = '2';"
        "field.dispatchEvent(new Event('input'));"
    )
    page.wait_for("certificate", "E|error| = 0.27")
    seen = page.run("return window.seen")
    last = max((place for place, text in enumerate(seen) if "±24 " in text), default=-1)
    first = min(place for place, text in enumerate(seen) if "±1 " in text)
    assert last < first


def test_what_is_spoken_waits_for_the_hand_to_rest(page: Page) -> None:
    page.open("choose")
    page.wait_for("spoken", "±3 ")


def test_exact_values_can_be_typed_and_nonsense_is_refused(page: Page) -> None:
    page.open("choose")
    page.type("epsilon-exact", "0.25")
    own = ln.optimal(sensitivity=1, epsilon="0.25")
    page.wait_for("error-words", f"±{float(own.error('0.95')):g} ")
    page.type("epsilon-exact", "-1")
    said = page.wait_for("choose-problem", "epsilon")
    assert "must lie in 0.001..50" in said
    assert page.find("epsilon-exact").get_attribute("aria-invalid") == "true"
    assert "old" in page.find("choose-answer").get_attribute("class")
    assert page.find("choose-problem").find_element("css selector", "[role=alert]").is_displayed()
    page.type("epsilon-exact", "1")
    page.wait(lambda: page.text("choose-problem") == "" or None)


def test_several_queries_say_that_nothing_is_proved(page: Page) -> None:
    page.open("choose")
    page.type("queries-exact", "10")
    page.wait_for("noise-facts", "All answers at once")
    page.wait_for("certificate", "covers one query")
    assert "joint Laplace" in page.text("rivals")


def test_another_cost_is_another_noise(page: Page) -> None:
    page.open("choose")
    page.choose("cost", "tail")
    page.type("limit", "4")
    page.wait_for("noise-facts", "P(|error| > 4)")
    page.choose("cost", "squared")
    page.wait_for("noise-facts", "E|error|^2")


def test_a_certificate_can_be_fetched_from_its_link(page: Page) -> None:
    page.open("choose")
    page.settled()
    text = page.run(
        "const link = document.querySelector('#certificate a');"
        "const request = new XMLHttpRequest(); request.open('GET', link.href, false);"
        "request.send(); return request.responseText"
    )
    assert ln.Certificate.from_json(text).check()


def test_planning_tells_people_delta_and_mechanisms(page: Page) -> None:
    page.open("plan")
    said = page.wait_for("size-answer", "suffice")
    own = ln.sample_size(
        dimension=100, error="0.05", epsilon=1, objective="max", confidence="0.95", values=(0, 1)
    )
    assert f"{own.records:,} people" in said
    assert f"fewer than {own.impossible_below:,} people" in said
    page.wait_for("shapes", "permute-and-flip")
    page.wait_for("delta-answer", "10⁻¹¹")
    page.type("size-error", "2")
    page.submit("sizes")
    page.wait_for("size-answer", "error")
    page.browser.find_element("css selector", "#delta-answer button").click()
    page.wait_for("plan-promise", "10⁻¹¹")


def fill_in(page: Page, ledger: str, spend: str = "1") -> None:
    """Everything up to the preview, as a person would."""
    looked_at(page)
    limited(page, "1", "2")
    asked(page)
    page.press("step-publish")
    page.type("spend-epsilon", spend)
    page.type("ledger", ledger)
    page.type("total-epsilon", "2")
    page.submit("budget-form")


def test_the_questions_of_release_are_those_of_choose_and_bounds(page: Page) -> None:
    looked_at(page)
    limited(page, "1", "2")
    page.press("step-ask")
    page.choose("question-1-by", "city")
    page.type("question-1-keys", ", ".join(CITIES))
    page.press("tab-choose")
    page.wait_for("ask-for", "count by city")
    page.choose("ask-for", "0")
    page.wait_for("error-words", "Noise will move your count by city by at most ±")
    page.type("about", "200")
    said = page.wait_for("error-words", "your count by city of about 200 by at most ±")
    assert "3 %" in said or "2." in said
    page.wait_for("plan-forecast", "% of 200")
    page.wait(lambda: page.run("return !document.getElementById('curve').matches('.old')") or None)
    page.type("choose-rows", "3")  # what is changed here is changed in Release, and shown for it
    assert page.find("max-rows").get_attribute("value") == "3"
    assert page.find("question-1-expected").get_attribute("value") == "200"
    page.wait(lambda: page.text("error-words") != said or None)
    link = page.wait(lambda: h if "plan=" in (h := page.run("return location.hash")) else None)
    page.press("tab-bounds")
    page.wait_for(
        "bounds-words", "With at most 3 rows of one person in a group, your count by city"
    )
    assert page.find("bounds-for").get_attribute("value") == "0"
    page.choose("bounds-for", "-1")
    page.wait_for("bounds-words", "the total of about")
    page.open(link.removeprefix("#"))
    page.wait_for("error-words", "your count by city of about 200")
    assert page.find("choose-rows").get_attribute("value") == "3"


def test_a_release_from_file_to_download(page: Page, folder: Path) -> None:
    fill_in(page, "whole.db")
    page.wait_for("preview-answer", "mean of age")
    assert not (folder / "whole.db").exists()
    page.press("go")
    assert page.find("confirm").is_displayed()
    assert not page.find("confirm-yes").is_enabled()
    page.press("confirm-check")
    page.press("confirm-yes")
    said = page.wait_for("release-answer", "Done.")
    assert "Line 1 of the ledger" in said
    assert all(city in said for city in CITIES)
    ledger = ln.Ledger(folder / "whole.db")
    assert len(ledger.history()) == 1
    links = page.run("return [...document.querySelectorAll('#release-answer a')].map(a => a.href)")
    names = {link.rpartition("/")[2] for link in links}
    assert names == {"release.json", "plan.toml", "report.html", "1.csv", "2.csv"}
    statuses = page.run(
        "return arguments[0].map(link => { const request = new XMLHttpRequest();"
        "request.open('GET', link, false); request.send(); return request.status })",
        links,
    )
    assert statuses == [200] * 5
    page.press("tab-budget")
    page.wait_for("ledger-answer", ledger.seal)
    assert SECRET not in page.browser.page_source


def test_the_page_begins_with_a_file_that_is_picked_or_dropped_or_invented_data(
    page: Page, folder: Path, tmp_path: Path
) -> None:
    page.open("release")
    first = "return document.querySelector('#files button')"
    page.wait(lambda: page.run(first) is not None or None)
    assert "visits.csv" in page.text("files")
    page.press("demo")
    page.wait_for("columns-answer", "is_smoker")
    assert "invented-visits.csv" in page.find("path").get_attribute("value")
    page.browser.find_element("css selector", "#files button").click()
    page.wait_for("columns-answer", "smoker")

    def dropped(name: str, content: str, modified: int) -> None:
        page.run(
            "const drop = document.getElementById('drop'), data = new DataTransfer();"
            "data.items.add(new File([arguments[1]], arguments[0], {lastModified: arguments[2]}));"
            "drop.dispatchEvent(new DragEvent('drop', {dataTransfer: data, cancelable: true}));",
            name, content, modified,
        )  # fmt: skip

    def path() -> str:
        return str(page.find("path").get_attribute("value"))

    own = folder / "visits.csv"
    dropped("visits.csv", own.read_text("utf-8"), own.stat().st_mtime_ns // 1_000_000)
    page.wait(lambda: path() == "visits.csv" or None)  # read where it lies
    dropped("visits.csv", "another_id,region\na,b\n", 0)  # another of the same name
    page.wait_for("columns-answer", "another_id")
    assert Path(path()).read_text("utf-8") == "another_id,region\na,b\n"
    assert "until the program ends" in page.text("dropped")
    elsewhere = tmp_path / "elsewhere.csv"
    elsewhere.write_text("client_id,shop\na,b\n", "utf-8")
    page.find("pick").send_keys(str(elsewhere))
    page.wait_for("columns-answer", "client_id")
    dropped("notes.txt", "x", 0)
    page.wait_for("columns-answer", "name must be plain, not long, and end in")
    assert page.text("dropped") == ""


def test_nothing_is_decided_for_people(page: Page) -> None:
    """Whose rows, limits and ranges are theirs to say; what is missing is marked in its place."""
    typed(page)
    assert page.find("unit").get_attribute("value") == ""
    assert "patient_id (suggested by its name)" in page.text("unit")
    page.press("step-ask")
    page.choose("question-1-kind", "mean")
    offered = page.run(
        "return [...document.getElementById('question-1-column').options].map(o => o.value)"
    )
    assert offered == ["age", "cost"]
    assert page.find("question-1-lower").get_attribute("value") == ""
    page.press("step-publish")
    page.submit("budget-form")
    page.wait_for("preview-problem", "whose row it is")
    page.press("step-whose")
    assert page.find("unit").get_attribute("aria-invalid") == "true"
    assert "Say whose row it is" in page.text("unit-problem")
    page.choose("unit", "patient_id")
    assert page.find("unit").get_attribute("aria-invalid") is None


def test_bad_input_is_marked_in_its_field_and_the_old_answer_is_dimmed(page: Page) -> None:
    fill_in(page, "marked.db")
    page.wait_for("preview-answer", "mean of age")
    assert page.run("return document.getElementById('go') !== null")
    page.press("step-ask")
    page.type("question-2-upper", "-5")
    assert (
        page.run("return document.getElementById('go')") is None
    )  # the price was for another plan
    page.press("step-publish")
    page.submit("budget-form")
    page.wait_for("preview-problem", "upper")
    assert "old" in page.find("preview-answer").get_attribute("class")
    page.press("step-ask")
    marked = page.run("return [...document.querySelectorAll('[aria-invalid]')].map(f => f.id)")
    assert len(marked) == 1
    assert marked[0].startswith("question-2-")
    assert page.find(f"{marked[0]}-problem").is_displayed()
    page.type("question-2-upper", "99,5")
    page.press("step-publish")
    page.submit("budget-form")
    plan = page.wait_for("preview-answer", "99.5")
    assert 'upper = "99.5"' in plan


DIALLED = """
const dial = document.getElementById("epsilon-exact");
dial.value = arguments[0];
dial.dispatchEvent(new Event("input"));
"""


def test_views_share_the_promise_and_the_ledger(page: Page, folder: Path) -> None:
    ledger = ln.Ledger(folder / "all.db", total=ln.PureDP(epsilon=4), dataset="a year", begin=True)
    ledger.charge(ln.PureDP(epsilon=1), purpose="first")
    page.open("choose")
    page.type("epsilon-exact", "0.5")
    page.wait_for("error-words", "±6 ")
    page.press("tab-release")
    page.press("step-publish")
    page.wait(lambda: page.find("spend-epsilon").get_attribute("value") == "0.5" or None)
    page.run("document.activeElement.blur();" + DIALLED, "")
    page.wait(lambda: page.find("spend-epsilon").get_attribute("value") == "" or None)
    # Who comes to the field before it was told of the dial's last number finds that number.
    come = "const field = document.getElementById('spend-epsilon'); field.focus();"
    assert page.run(f"{DIALLED} {come} return field.value;", "0.5") == "0.5"
    page.type("spend-epsilon", "2")
    page.type("ledger", "all.db")
    page.wait_for("purse-sum", "4 total − 1 spent = 3 left")
    page.press("tab-choose")
    page.wait_for("error-words", "±1 ")
    page.press("tab-budget")
    assert page.find("ledger-path").get_attribute("value") == "all.db"


def test_a_link_leads_back_to_a_plan(page: Page) -> None:
    fill_in(page, "linked.db", "0.5")
    page.wait_for("preview-answer", "mean of age")
    link = page.run("return location.hash")
    page.open(link.removeprefix("#"))
    page.wait_for("stepper", "2 questions")
    page.press("step-publish")
    page.wait(lambda: page.find("spend-epsilon").get_attribute("value") == "0.5" or None)
    page.submit("budget-form")
    page.wait_for("spend-bar", "Spend ε = 0.5 and release")


def test_a_plan_is_taken_along_as_toml_python_and_sql(page: Page, folder: Path) -> None:
    import leastnoise.release.file.plan_file as files

    fill_in(page, "taken.db")
    page.wait_for("preview-answer", "mean of age")
    keep = "navigator.clipboard.writeText = (words) => { window.taken = words; }"
    page.run(keep)
    found = {}
    for kind in ("toml", "python", "sql"):
        page.press(f"plan-{kind}")
        found[kind] = page.wait(
            lambda: page.run("const t = window.taken; window.taken = null; return t")
        )
    assert len(files.plan_file(found["toml"], folder).plan.questions) == 2
    assert "AVG(LEAST(GREATEST(age, 0), 100))" in found["sql"]
    said: dict[str, Any] = {}
    whole = (
        found["python"]
        .partition("ledger =")[0]
        .replace("'visits.csv'", repr(str(folder / "visits.csv")))
    )
    exec(whole, said)  # our own text, as a person would run it
    assert [each.name for each in said["plan"].questions] == ["units by city", "mean of age"]


def test_pictures_are_saved_with_their_colours(page: Page) -> None:
    page.open("choose")
    page.settled()
    page.run(
        "window.saved = []; const real = URL.createObjectURL;"
        "URL.createObjectURL = (blob) => { window.saved.push(blob); return real.call(URL, blob); };"
        "HTMLAnchorElement.prototype.click = function () {};"
    )
    page.press("curve-svg")
    text = page.browser.execute_async_script(
        "const done = arguments[arguments.length - 1]; window.saved.at(-1).text().then(done)"
    )
    assert text.startswith("<svg")
    assert "rgb(" in text
    assert "class=" not in text
    page.press("attack-png")
    kind = page.wait(lambda: page.run("return window.saved.length > 2 && window.saved.at(-1).type"))
    assert kind == "image/png"


def test_releases_of_this_session_are_listed(page: Page) -> None:
    fill_in(page, "listed.db")
    page.wait_for("spend-bar", "Spend")
    page.press("go")
    page.press("confirm-check")
    page.press("confirm-yes")
    said = page.wait_for("made", "units by city, mean of age")
    assert "ε = 1" in said
    assert "report" in said


def test_a_question_may_have_bounds_of_its_own(page: Page) -> None:
    fill_in(page, "own.db")
    page.wait_for("preview-answer", "mean of age")
    page.press("step-ask")
    assert page.find("question-1-max_groups").is_displayed()
    assert not page.find("question-1-max_rows").is_displayed()  # people are counted, not rows
    assert not page.find("question-2-max_groups").is_displayed()  # a mean of all is one group
    page.type("question-1-max_groups", "2")
    page.type("question-2-max_rows", "5")
    page.press("step-publish")
    page.submit("budget-form")
    plan = page.wait(lambda: _plan_text(page))
    assert "max_groups = 2" in plan
    assert "max_rows = 5" in plan


def _plan_text(page: Page) -> str | None:
    """The plan as the page shows it, once it has the new bounds."""
    text = page.text("preview-answer") + page.browser.page_source
    return text if "max_rows = 5" in text else None


def test_every_kind_of_question_can_be_asked(page: Page, folder: Path) -> None:
    looked_at(page)
    limited(page, "1", "1")
    page.press("step-ask")
    kinds = [
        "count",
        "quantiles",
        "histogram",
        "most_common",
        "relative_counts",
        "marginals",
        "share",
    ]
    for number, kind in enumerate(kinds, 1):
        if number > 1:
            page.press("add-question")
        page.choose(f"question-{number}-kind", kind)
    page.choose("question-1-where", "age")
    page.choose("question-1-test", "at_least")
    page.type("question-1-value", "18")
    for number in (4, 5):
        page.choose(f"question-{number}-by", "city")
        page.type(f"question-{number}-keys", ", ".join(CITIES))
    page.type("question-6-columns", "smoker")
    page.choose("question-7-of", "city")
    page.type("question-7-of-value", CITIES[0])
    for number in (2, 3):
        page.choose(f"question-{number}-column", "age")
        page.type(f"question-{number}-lower", "0")
        page.type(f"question-{number}-upper", "100")
    page.press("step-publish")
    page.type("spend-epsilon", "5")
    page.type("spend-delta", "1e-6")
    page.type("ledger", "kinds.db")
    page.type("total-epsilon", "9")
    page.type("total-delta", "1e-5")
    page.submit("budget-form")
    page.wait(lambda: page.text("preview-answer") or None)
    said = page.text("preview-answer")
    assert all(f'ask = "{kind}"' in said for kind in kinds), said
    assert f'of = {{column = "city", is = "{CITIES[0]}"}}' in said.replace("{ ", "{"), said
    page.press("go")
    page.press("confirm-check")
    page.press("confirm-yes")
    page.wait_for("release-answer", "Done.")
    assert len(ln.Ledger(folder / "kinds.db").history()) == 1


def test_without_confirmation_nothing_is_spent(page: Page, folder: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    fill_in(page, "kept.db")
    page.wait_for("preview-answer", "mean of age")
    page.press("go")
    page.find("confirm-check").send_keys(Keys.ESCAPE)
    page.wait(lambda: not page.find("confirm").is_displayed() or None)
    page.press("go")
    page.browser.find_element("css selector", "#confirm button[value=no]").click()
    assert page.text("release-answer") == ""
    assert not (folder / "kept.db").exists()


def test_a_refused_budget_is_told_in_words(page: Page, folder: Path) -> None:
    ledger = ln.Ledger(
        folder / "spent.db", total=ln.PureDP(epsilon=2), dataset="visits.csv", begin=True
    )
    ledger.charge(ln.PureDP(epsilon="1.5"), purpose="earlier")
    fill_in(page, "spent.db")
    said = page.wait_for("spend-bar", "This plan does not fit")
    assert page.run("return document.getElementById('go')") is None
    assert page.browser.find_element("css selector", "#spend-bar .refused").is_displayed()
    assert "needs ε = 1, and ε = 0.5 is left" in said
    assert len(ledger.history()) == 1


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("missing.csv", None, "no file there"),
        ("broken.parquet", b"PAR1 " + SECRET.encode(), "Found"),
        ("picture.png", b"PNG", "must end in"),
        ("empty.csv", b"", "line of column names"),
    ],
)
def test_a_bad_file_is_told_in_words(
    page: Page, folder: Path, name: str, content: bytes | None, words: str
) -> None:
    if content is not None:
        (folder / name).write_bytes(content)
    page.open("release")
    page.type("path", name)
    page.submit("data-form")
    page.wait(lambda: page.text("columns-answer") or None)
    said = page.text("columns-answer")
    assert words in said or name == "broken.parquet"
    assert SECRET not in said
    assert page.browser.find_element("css selector", "#columns-answer .refused").is_displayed()


def test_a_file_cannot_write_code_into_the_page(page: Page, folder: Path) -> None:
    nasty = '<img src=x onerror="document.title=1">'
    (folder / "nasty.csv").write_text(f'"{nasty.replace(chr(34), chr(34) * 2)}",b\n1,2\n', "utf-8")
    page.open("release")
    page.type("path", "nasty.csv")
    page.submit("data-form")
    assert nasty in page.wait_for("columns-answer", "<img")
    assert page.run("return document.querySelectorAll('#columns-answer img').length") == 0
    assert page.browser.title == "leastnoise explorer"


def test_the_budget_view_shows_history_and_missing_ledgers(page: Page, folder: Path) -> None:
    ledger = ln.Ledger(folder / "year.db", total=ln.PureDP(epsilon=4), dataset="visits", begin=True)
    for month in ("January", "February", "March"):
        ledger.charge(ln.PureDP(epsilon=1), purpose=f"table of {month}", labels={"month": month})
    page.open("budget")
    page.type("ledger-path", "year.db")
    page.submit("ledger-form")
    said = page.wait_for("ledger-answer", "February")
    assert "3 lines" in said
    assert "month: March" in said
    page.type("ledger-path", "none.db")
    page.submit("ledger-form")
    page.wait_for("ledger-answer", "must exist")
    assert not (folder / "none.db").exists()


def test_views_are_reached_and_left_by_keyboard_alone(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    page.open("choose")

    def active() -> Any:
        return page.browser.switch_to.active_element

    page.find("tab-choose").send_keys(Keys.ARROW_RIGHT)
    assert active().get_attribute("id") == "tab-bounds"
    assert page.find("bounds").is_displayed()
    active().send_keys(Keys.END)
    assert page.find("budget").is_displayed()
    active().send_keys(Keys.TAB)
    assert active().get_attribute("id") == "ledger-path"
    active().send_keys("none.db" + Keys.ENTER)
    page.wait_for("ledger-answer", "must exist")
    page.find("tab-budget").send_keys(Keys.HOME)
    assert page.find("choose").is_displayed()
    active().send_keys(Keys.TAB)
    outline = page.run("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_every_control_can_be_tabbed_to_and_shows_it(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    page.open("choose")
    page.settled()
    page.find("tab-choose").send_keys("")
    reached = set()
    for _ in range(20):
        page.browser.switch_to.active_element.send_keys(Keys.TAB)
        reached.add(page.run("return document.activeElement.id"))
    assert reached >= {
        f"{name}{end}" for name in ("epsilon", "delta", "sensitivity", "queries")
        for end in ("", "-exact")
    } | {"cost"}  # fmt: skip


def scripted_axe() -> str:
    package = pytest.importorskip("axe_core_python")
    return (Path(package.__file__).parent / "axe.min.js").read_text("utf-8")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_no_serious_fault_of_accessibility(page: Page, folder: Path, dark: bool) -> None:
    axe = scripted_axe()
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    ledger = folder / f"axe-{dark}.db"
    ln.Ledger(ledger, total=ln.PureDP(epsilon=2), begin=True).charge(
        ln.PureDP(epsilon=1), purpose="one"
    )
    for view in VIEWS:
        page.open(view)
        if view == "choose":
            page.settled()
        if view == "bounds":
            page.wait_for("bounds-table", "Both")
        if view == "plan":
            page.wait_for("shapes", "permute-and-flip")
            page.wait_for("size-answer", "suffice")
        if view == "release":
            fill_in(page, f"preview-{dark}.db")
            page.wait_for("preview-answer", "mean of age")
        if view == "budget":
            page.type("ledger-path", ledger.name)
            page.submit("ledger-form")
            page.wait_for("ledger-answer", "one")
        page.run(axe)
        found = page.browser.execute_async_script(
            "axe.run(document).then(arguments[arguments.length - 1])"
        )
        faults = [
            (each["id"], [node["html"][:120] for node in each["nodes"]])
            for each in found["violations"]
            if each["impact"] in ("serious", "critical")
        ]
        assert faults == [], view


def test_a_phone_needs_no_sideways_scrolling(page: Page, folder: Path) -> None:
    def widest() -> int:
        return int(page.run("return document.documentElement.scrollWidth"))

    screen = {"width": PHONE, "height": 740, "deviceScaleFactor": 2, "mobile": True}
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        page.open("choose")
        page.type("delta-exact", "1e-6")
        page.type("sensitivity-exact", "50")
        page.wait_for("certificate", "Ratio to the bound")
        assert widest() <= PHONE
        page.open("bounds")
        page.wait_for("bounds-table", "Both")
        assert widest() <= PHONE
        page.open("plan")
        page.wait_for("shapes", "permute-and-flip")
        page.wait_for("size-answer", "suffice")
        assert widest() <= PHONE
        fill_in(page, "phone.db")
        page.wait_for("preview-answer", "mean of age")
        assert widest() <= PHONE
        page.press("tab-choose")
        page.wait_for("plan-forecast", "mean of age")
        page.choose("ask-for", "1")
        page.wait_for("error-words", "mean of age")
        assert widest() <= PHONE
        page.press("tab-release")
        page.press("go")
        page.press("confirm-check")
        page.press("confirm-yes")
        page.wait_for("release-answer", "Done.")
        assert widest() <= PHONE
        page.press("tab-budget")
        page.wait_for("ledger-answer", ln.Ledger(folder / "phone.db").seal)
        assert widest() <= PHONE
    finally:
        page.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
