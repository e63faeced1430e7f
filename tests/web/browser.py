"""A real browser for tests: where Chromium is, and how it is started so that it stays at home.

`python -m tests.web.browser` prints what was found, and what to install if nothing was.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
DRIVER = "chromedriver"
FLAGS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-prefers-reduced-motion",
)
_PATIENCE = 110  # seconds that a page's script may take; the driver waits for answers for 120
INSTALL = "apt-get install --yes chromium chromium-driver"


def found() -> tuple[str, str] | None:
    """The paths of Chromium and its driver, if both are installed."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    driver = shutil.which(DRIVER)
    return None if browser is None or driver is None else (browser, driver)


@contextmanager
def opened(*, width: int = 1280, height: int = 1000, dark: bool = False) -> Iterator[Any]:
    """A browser with an empty profile of its own; its network log can be read."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    places = found()
    assert places is not None, f"no Chromium; try: {INSTALL}"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = places[0]
        for flag in (*FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"):
            options.add_argument(flag)
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.add_argument("--no-sandbox")  # Chromium refuses to run as root with it
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        browser = webdriver.Chrome(options=options, service=Service(places[1]))
        try:
            browser.set_script_timeout(_PATIENCE)
            _set_screen(browser, width, height, dark)
            yield browser
        finally:
            browser.quit()


def _set_screen(browser: Any, width: int, height: int, dark: bool) -> None:
    """The page's own size, which windows do not go below 500 pixels for."""
    screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


if __name__ == "__main__":
    places = found()
    print(*places if places else [f"no Chromium; try: {INSTALL}"], sep="\n")
    sys.exit(0 if places and all(map(Path.exists, map(Path, places))) else 1)
