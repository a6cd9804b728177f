"""A headless Chromium for the tests of the page, and what a page said and asked for while it was open."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from exactlearn import examples
from exactlearn.explain import build_page, certificate_of_model


@dataclass
class Opened:
    """One open page, with everything that its console said and every address that it asked for."""

    page: Any
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def edit(self, place: str, text: str) -> None:
        """Change one number as a reader does, and wait for the verdict."""
        before: int = self.page.evaluate("Number(document.body.dataset.checked)")
        self.page.locator(f'input[data-place="{place}"]').fill(text)
        self.page.wait_for_selector(f'body[data-checked="{before + 1}"]')

    def red_lines(self) -> list[str]:
        """The places of the lines that do not hold."""
        found: list[str] = self.page.eval_on_selector_all("li.red", "all => all.map(one => one.dataset.line)")
        return found

    def verdict(self) -> str:
        """The sentence at the top."""
        return str(self.page.inner_text("#verdict"))


@dataclass
class Browser:
    """Opens pages that it has written to a folder."""

    chromium: Any
    folder: Path
    opened: list[Any] = field(default_factory=list)

    def open(self, html: str, width: int = 1000, scheme: str = "light") -> Opened:
        """A page from disk, without network."""
        file = self.folder / f"page{len(self.opened)}.html"
        file.write_text(html, encoding="utf-8")
        context = self.chromium.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True, reduced_motion="reduce"
        )
        self.opened.append(context)
        opened = Opened(context.new_page())
        opened.page.on("console", lambda message: opened.said.append(message.text))
        opened.page.on("pageerror", lambda error: opened.said.append(str(error)))
        opened.page.on("request", lambda request: opened.asked.append(request.url))
        opened.page.goto(file.as_uri())
        return opened

    def example(self, name: str, width: int = 1000, scheme: str = "light") -> Opened:
        """The page of a bundled model."""
        return self.open(build_page(certificate_of_model(examples.load(name)), name), width, scheme)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser of the system, driven by playwright."""
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'exactlearn[browser]'")
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("needs Chromium: apt-get install chromium, or its path in CHROMIUM")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()


@pytest.fixture
def browser(chromium: Any, tmp_path: Path) -> Iterator[Browser]:
    """Pages that are closed after the test."""
    made = Browser(chromium, tmp_path)
    yield made
    for context in made.opened:
        context.close()
