"""The page as a text: all in one file, nothing from outside, nothing in a certificate becomes markup."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactlearn import examples
from exactlearn.explain import build_page, certificate_of_model
from exactlearn.explain.building import SCRIPTS, embedded, template

HOSTILE = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)> ]]> & {script}"


class Elements(HTMLParser):
    """Start tags with attributes, and the texts of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Note a text under its tag's name, and its id if it has one."""
        tag, attributes = self.tags[-1] if self.tags else ("", {})
        key = f"{tag}#{attributes['id']}" if "id" in attributes else tag
        self.texts[key] = self.texts.get(key, "") + data


@pytest.fixture(scope="module")
def certificate() -> dict[str, Any]:
    """The run of the example to start with."""
    return certificate_of_model(examples.load("two-heads"))


def test_the_page_holds_the_certificate_whole(certificate: dict[str, Any]) -> None:
    """What stands in the page is the certificate, number for number."""
    elements = Elements(build_page(certificate, "two-heads"))
    assert json.loads(elements.texts["script#certificate"]) == certificate


def test_the_page_says_what_the_run_is(certificate: dict[str, Any]) -> None:
    """Title, language, the counts in words, one heading a part, and mathematics as MathML."""
    page = build_page(certificate, "two-heads")
    assert '<html lang="en">' in page
    assert "<title>two-heads: an exact run, explained</title>" in page
    assert "2 raw heads in 2 dimensions" in page
    assert "29 value queries of at most 5 tokens gave back 2 heads" in page
    tags = [tag for tag, _ in Elements(page).tags]
    assert tags.count("h1") == 1
    assert tags.count("h2") == 8
    assert tags.count("math") >= 10


def test_the_page_has_no_way_out(certificate: dict[str, Any]) -> None:
    """No address but anchors and the two names of markup languages; and a policy that forbids the rest."""
    page = build_page(certificate, "two-heads")
    elements = Elements(page)
    for tag, attributes in elements.tags:
        assert not {"src", "srcset", "action", "data", "style"} & attributes.keys(), tag
        assert not [name for name in attributes if name.startswith("on")], tag
        assert (attributes.get("href") or "#").startswith("#"), tag
    assert set(re.findall(r"https?://[^\"'\s]*", page)) == {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1998/Math/MathML",
    }
    assert not re.search(r"fetch\(|XMLHttpRequest|import\(|url\(|@import|innerHTML|eval\(|localStorage", page)
    policy = next(a["content"] for tag, a in elements.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")


def test_the_policy_names_this_script_and_this_style(certificate: dict[str, Any]) -> None:
    """The two digests are those of the texts that stand in the page."""
    page = build_page(certificate, "two-heads")
    for tag in ("script", "style"):
        text = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert text is not None
        digest = base64.b64encode(hashlib.sha256(text[1].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in page


def test_hostile_texts_stay_texts(certificate: dict[str, Any]) -> None:
    """A title and texts of a certificate that try to end their element leave the page's elements as they are."""
    hostile = copy.deepcopy(certificate)
    hostile["probes"][0]["name"] = hostile["first_value"] = hostile["matchings"][0]["left"] = HOSTILE
    plain, attacked = Elements(build_page(certificate, "name")), Elements(build_page(hostile, HOSTILE))
    assert attacked.tags == plain.tags
    assert json.loads(attacked.texts["script#certificate"]) == hostile
    assert HOSTILE in attacked.texts["title"]


@given(st.recursive(st.text(), lambda inner: st.dictionaries(st.text(), inner) | st.lists(inner)))
def test_embedded_json_is_safe_and_exact(value: Any) -> None:
    """Whatever the texts are: the same value comes back, and no character is left that markup knows."""
    text = embedded({"value": value})
    assert json.loads(text) == {"value": value}
    assert text.isascii()
    assert not set("<>&") & set(text)


def test_the_page_is_determined(certificate: dict[str, Any]) -> None:
    """The same run makes the same page, byte for byte."""
    again = certificate_of_model(examples.load("two-heads"))
    assert build_page(again, "two-heads") == build_page(certificate, "two-heads")
    assert build_page(again, "two-heads") != build_page(certificate, "three-heads")


@pytest.mark.parametrize("name", [*SCRIPTS, "page.html", "page.css"])
def test_the_templates_can_be_read_in_one_sitting(name: str) -> None:
    """Each is under 300 lines, and none can end the element that it stands in."""
    text = template(name)
    assert text.count("\n") < 300
    assert name == "page.html" or "</" not in text.replace("</g", "")
