"""Ask axe whether a page that a browser shows keeps the rules of WCAG 2.2, levels A and AA."""

from __future__ import annotations

from typing import Any

from selenium_axe_python import Axe

LOOKS = [(width, colours) for width in (1280, 390) for colours in ("light", "dark")]
"""Widths and colours in which each page is looked at."""

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def violations(browser: Any) -> list[str]:
    """Return each rule that the page breaks, with the first elements that break it."""
    browser.set_script_timeout(150)  # a page with many tables takes long on a loaded machine
    axe = Axe(browser)
    axe.inject()
    found = axe.run(options={"runOnly": TAGS, "resultTypes": ["violations"]})["violations"]
    return [f"{one['id']}: {[node['html'][:120] for node in one['nodes'][:3]]}" for one in found]


def look(browser: Any, name: str) -> None:
    """Look at the page as phones and desktops show it by day and night: all fits, and all can be read."""
    try:
        for width, colours in LOOKS:
            size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            media = {"features": [{"name": "prefers-color-scheme", "value": colours}]}
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
            assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth"), name
            assert violations(browser) == [], (name, width, colours)
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
