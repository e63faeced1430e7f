"""The page in a browser, as a person uses it: find, type, press, wait and read."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")
_PATIENCE = 1200.0  # for what never comes: no verdict may hang on it


@dataclass(frozen=True)
class Page:
    """One open page.

    Attributes:
        browser: Selenium's driver.
        address: of the page, token included.
    """

    browser: Any
    address: str

    def open(self, view: str) -> None:
        """A fresh page at one of its views."""
        self.browser.get("about:blank")
        self.browser.get(f"{self.address}#{view}")
        self.wait(lambda: self.text("error-words") != "…" or None)

    def find(self, id_: str) -> Any:
        return self.browser.find_element("id", id_)

    def text(self, id_: str) -> str:
        """Everything the element says, on the screen or not; spaces that hold lines are spaces."""
        script = "return document.getElementById(arguments[0]).textContent"
        return str(self.run(script, id_)).replace("\u00a0", " ")

    def type(self, id_: str, value: str) -> None:
        """Replace what a field says."""
        field = self.find(id_)
        field.clear()
        field.send_keys(value)

    def choose(self, id_: str, value: str) -> None:
        from selenium.webdriver.support.ui import Select

        Select(self.find(id_)).select_by_value(value)

    def press(self, id_: str) -> None:
        self.find(id_).click()

    def submit(self, form: str) -> None:
        self.browser.find_element("css selector", f"#{form} button[type=submit]").click()

    def wait(self, look: Callable[[], T | None]) -> T:
        """What `look` finds, as soon as it finds something."""
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            found = look()
            if found is not None and found is not False:
                return found
            time.sleep(0.05)
        raise AssertionError("nothing came in time")

    def wait_for(self, id_: str, words: str) -> str:
        """The element's text once it holds some words."""
        try:
            return self.wait(lambda: said if words in (said := self.text(id_)) else None)
        except AssertionError:
            raise AssertionError(f"{words!r} did not come; there is {self.text(id_)!r}") from None

    def settled(self) -> None:
        """Wait until the first view has said all it has to say."""
        self.wait(lambda: "Times the least" in self.text("rivals") or None)
        certificate = ("Ratio to the bound", "No certificate")
        self.wait(lambda: any(word in self.text("certificate") for word in certificate) or None)

    def run(self, script: str, *values: Any) -> Any:
        return self.browser.execute_script(script, *values)

    def complaints(self) -> list[str]:
        """What the browser wrote to its console: errors, policy violations."""
        return [entry["message"] for entry in self.browser.get_log("browser")]

    def requested(self) -> list[str]:
        """Every address that the browser asked for since the last call."""
        logged = [json.loads(e["message"])["message"] for e in self.browser.get_log("performance")]
        return [
            each["params"]["request"]["url"]
            for each in logged
            if each["method"] == "Network.requestWillBeSent"
        ]
