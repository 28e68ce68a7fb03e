"""Ask axe whether a page that a browser shows keeps the rules of WCAG 2.2, levels A and AA."""

from __future__ import annotations

from typing import Any

from selenium_axe_python import Axe

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def violations(browser: Any) -> list[str]:
    """Return each rule that the page breaks, with the first elements that break it."""
    browser.set_script_timeout(150)  # a page with many tables takes long on a loaded machine
    axe = Axe(browser)
    axe.inject()
    found = axe.run(options={"runOnly": TAGS, "resultTypes": ["violations"]})["violations"]
    return [f"{one['id']}: {[node['html'][:120] for node in one['nodes'][:3]]}" for one in found]
