"""`exactlearn explain`: pages of models and of certificates, their exit status, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_run import Run


def embedded(page: Path) -> object:
    """The certificate that stands in a page."""
    text = page.read_text(encoding="utf-8")
    start = text.index(">", text.index('id="certificate"')) + 1
    return json.loads(text[start : text.index("</script>", start)])


def test_a_certificate_is_explained(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What `verify -o` writes stands in the page, number for number; the report is one JSON object."""
    certificate, page = tmp_path / "c.json", tmp_path / "page.html"
    assert Run(capsys, "verify", "one-dimensional", "-o", str(certificate)).status == 0
    run = Run(capsys, "explain", str(certificate), "-o", str(page), "--json")
    assert run.status == 0
    report = run.json
    assert (report["format"], report["written"], report["holds"]) == ("exactlearn.explain/1", str(page), True)
    assert embedded(page) == json.loads(certificate.read_text(encoding="utf-8"))


def test_a_false_certificate_is_explained_with_status_1(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """One number changed: the page is written, the status says that it does not hold, and the place is named."""
    certificate, page = tmp_path / "c.json", tmp_path / "page.html"
    Run(capsys, "verify", "one-dimensional", "-o", str(certificate))
    document = json.loads(certificate.read_text(encoding="utf-8"))
    document["first_value"] = "17"
    certificate.write_text(json.dumps(document), encoding="utf-8")
    run = Run(capsys, "explain", str(certificate), "-o", str(page))
    assert run.status == 1
    assert "does not hold" in run.out
    assert "first_value" in run.out
    assert embedded(page) == document


def test_a_model_is_learned_on_the_way(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The same seed gives the same page, another seed another one."""
    pages = [tmp_path / name for name in ("a.html", "b.html", "c.html")]
    for page, seed in zip(pages, ("1", "1", "2"), strict=True):
        assert Run(capsys, "explain", "two-heads", "--seed", seed, "-o", str(page)).status == 0
    first, again, other = (page.read_bytes() for page in pages)
    assert first == again != other


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("transformer", "transformer: a page explains attention models, and this is a Transformer"),
        ("golden-ratio", "number field"),
        ("rxnmapper", "rxnmapper: .* this is a layer"),
        ("no-such-thing", "there is no file and no example"),
    ],
)
def test_what_no_page_shows_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, message: str
) -> None:
    """One line, status 2, and no file."""
    page = tmp_path / "page.html"
    Run(capsys, "explain", name, "-o", str(page)).assert_refused(message)
    assert not page.exists()


def test_a_page_that_cannot_be_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The place is named, without a traceback."""
    target = str(tmp_path / "none" / "x.html")
    Run(capsys, "explain", "one-dimensional", "-o", target).assert_refused("cannot be written")
