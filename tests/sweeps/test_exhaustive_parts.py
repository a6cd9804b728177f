"""Parts of a finite family: together they are the whole, and no comparison is lost between them."""

from __future__ import annotations

from collections import Counter

import pytest
from flint import fmpq

from exactlearn.errors import UndecidedError
from exactlearn.exhaustive import exhaustive, images_of
from exactlearn.sweeps import exhaustive_parts
from exactlearn.sweeps.exhaustive_parts import check_part, family_size, plan
from exactlearn.sweeps.instance import ExhaustivePart

FAMILIES = [
    (2, 1, "rational", ("-1", "0", "1"), ("-1", "0", "1")),
    (3, 1, "rational", ("-1", "0", "1/2"), ("-1", "0", "1")),
    (3, 1, "log-rational", ("1", "2", "3/2"), ("-1", "1/2", "2")),
    (2, 2, "log-rational", ("1", "2"), ("0", "1")),
    (2, 2, "rational", ("0", "1"), ("1",)),
    (2, 1, "rational", ("1", "2"), ("0",)),
]


def parts(family: tuple[int, int, str, tuple[str, ...], tuple[str, ...]], most: int) -> list[ExhaustivePart]:
    """All parts of a family."""
    heads, dim, weights, entries, values = family
    assert weights in {"rational", "log-rational"}
    count = len(plan(heads, dim, entries, values, most))
    return [ExhaustivePart(heads, dim, weights, entries, values, n, most, 0) for n in range(count)]  # type: ignore[arg-type]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("most", [5, 40, 10**6])
def test_parts_add_up_to_the_whole(
    family: tuple[int, int, str, tuple[str, ...], tuple[str, ...]], most: int
) -> None:
    """All counts of the parts add up to those of the whole family in one piece."""
    if most == 5 and family[1] == 2:
        most = 60
    heads, dim, weights, entries, values = family
    total: Counter[str] = Counter()
    for part in parts(family, most):
        found = check_part(part)
        assert found.failure is None
        total.update(found.counts)
    numbers = [fmpq(*map(int, entry.split("/"))) for entry in entries]
    value_numbers = [fmpq(*map(int, value.split("/"))) for value in values]
    whole = exhaustive(heads, dim, numbers, weights=weights, values=value_numbers)  # type: ignore[arg-type]
    expected = {name: getattr(whole, name) for name in ("models", "functions", "value_classes", "canonical")}
    expected |= {"merged": whole.merged, "dropped": whole.dropped}
    assert {name: total[name] for name in expected} == expected
    assert family_size(heads, dim, len(entries), len(values)) == whole.models


def test_parts_are_bounded() -> None:
    """No part is planned with more models than asked for, and large classes are split."""
    sizes = [check_part(part).counts["models"] for part in parts(FAMILIES[1], 40)]
    assert len(sizes) > 3
    assert max(sizes) <= 80  # the pieces of one class are as equal as chance makes them


def test_a_wrong_canonical_form_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: when sums of v are taken wrongly, the groupings differ and two models are shown."""
    exhaustive_parts._setting.cache_clear()
    monkeypatch.setattr("exactlearn.exhaustive.Grouping._sum", lambda _self, left, _right: left)
    results = [check_part(part) for part in parts(FAMILIES[0], 10**6)]
    assert any(result.failure for result in results)
    failed = next(result for result in results if result.failure)
    assert failed.models_text is not None
    assert failed.models_text.count('"format"') == 2


def test_images_that_are_not_linear_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: the split by images rests on their linearity in v, which is looked at."""
    exhaustive_parts._setting.cache_clear()
    honest = images_of

    def bent(*arguments: object) -> tuple[list[int], int]:
        images, modulus = honest(*arguments)  # type: ignore[arg-type]
        images[-1] += 1
        return images, modulus

    monkeypatch.setattr(exhaustive_parts, "images_of", bent)
    with pytest.raises(UndecidedError, match="not linear in v"):
        check_part(parts(FAMILIES[0], 10**6)[0])
    exhaustive_parts._setting.cache_clear()
