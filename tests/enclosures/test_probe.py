"""Tests of one probe on balls: the true parameters are inside, the radius is that of first order, and refusals."""

from __future__ import annotations

import random

import pytest
from flint import arb, ctx, fmpq

from exactlearn.copy_count import CopyCountFunction
from exactlearn.enclosures.probe import EnclosedProbe, enclose_probe
from exactlearn.errors import TooCoarseError
from exactlearn.stability.inverse import probe_inverse

PRECISION = 700
EXACT = fmpq(0)


def _ball(value: fmpq, radius: fmpq = EXACT) -> arb:
    return arb(value.p) / arb(value.q) + arb(0, (arb(radius.p) / arb(radius.q)).upper())


def _random_function(generator: random.Random, heads: int) -> CopyCountFunction:
    poles = sorted(fmpq(k, 40) for k in generator.sample(range(4, 200), heads))
    residues = [generator.choice((-1, 1)) * fmpq(generator.randint(10, 80), 40) for _ in poles]
    return CopyCountFunction(fmpq(generator.randint(-9, 9), 7), tuple(poles), tuple(residues))


def _perturbed(
    function: CopyCountFunction, delta: fmpq, radius: fmpq, generator: random.Random
) -> tuple[list[arb], arb]:
    """Balls around values that are wrong by up to delta, half of the time by exactly delta."""

    def answer(value: fmpq) -> arb:
        size = generator.choice((1024, generator.randint(0, 1024)))
        return _ball(value + generator.choice((-1, 1)) * delta * fmpq(size, 1024), radius)

    values = [answer(function(k)) for k in range(1, 2 * len(function.poles) + 1)]
    return values, answer(function.value_at_zero)


def _holds(found: EnclosedProbe, function: CopyCountFunction) -> bool:
    logarithms = [_ball(t).log() for t in function.poles]
    return (
        all(s.overlaps(t) for s, t in zip(found.log_poles, logarithms, strict=True))
        and all(c.contains(_ball(true)) for c, true in zip(found.residues, function.residues, strict=True))
        and found.residue_sum.contains(_ball(sum(function.residues, fmpq(0))))
    )


@pytest.mark.parametrize("heads", [1, 2, 3, 4])
@pytest.mark.parametrize("digits", [12, 25, 60])
def test_the_true_parameters_are_inside(heads: int, digits: int) -> None:
    """Whenever balls are returned, they hold the true log-poles and residues, and the true sum of the residues."""
    generator, found = random.Random(f"{heads} {digits}"), 0
    with ctx.workprec(PRECISION):
        for _ in range(40):
            function, delta = _random_function(generator, heads), fmpq(1, 10**digits)
            values, at_zero = _perturbed(function, delta, delta, generator)
            try:
                probe = enclose_probe(values, at_zero)
            except TooCoarseError:
                continue
            found += 1
            assert _holds(probe, function)
    assert found >= 30 or digits < 10 * heads


def test_a_radius_too_small_is_noticed() -> None:
    """Negative control: told a hundredth of the true error, the balls miss the truth most of the time."""
    generator, missed = random.Random(1), 0
    with ctx.workprec(PRECISION):
        for _ in range(40):
            function, delta = _random_function(generator, 2), fmpq(1, 10**20)
            values, at_zero = _perturbed(function, delta, delta / 100, generator)
            missed += not _holds(enclose_probe(values, at_zero), function)
    assert missed > 30


@pytest.mark.parametrize("heads", [1, 2, 3])
def test_the_radius_is_that_of_first_order(heads: int) -> None:
    """For small errors no radius exceeds the exact first-order bound by more than one part in a thousand."""
    function, delta = _random_function(random.Random(heads), heads), fmpq(1, 10**40)
    with ctx.workprec(PRECISION):
        at_zero = _ball(function.value_at_zero, delta)
        found = enclose_probe([_ball(function(k), delta) for k in range(1, 2 * heads + 1)], at_zero)
        inverse = probe_inverse(function.residues, function.poles)
        for balls, rows in ((found.residues, inverse.of_residues), (found.log_poles, inverse.of_log_poles)):
            for ball, row in zip(balls, rows, strict=True):
                first_order = _ball(sum((abs(entry) for entry in row), fmpq(0)) * delta)
                assert 0.999 * first_order < ball.rad() < 1.001 * first_order


def test_exact_answers_give_an_estimator() -> None:
    """With radii 0 the only limit is the working precision, and it is raised until 80 bits are right."""
    function = CopyCountFunction(fmpq(1), (fmpq(1), fmpq(1) + fmpq(1, 2**30)), (fmpq(1), fmpq(-1)))
    with ctx.workprec(PRECISION):
        values = [arb(0)] * 4
        for k in range(1, 5):
            value = function(k) * 2**200
            values[k - 1] = arb(value.floor()) * arb(2) ** -200
        found = enclose_probe(values, arb(1))
        assert all(s.rad() < arb(2) ** -79 for s in found.log_poles)
        assert all(c.rad() < arb(2) ** -79 * 2 for c in found.residues)


def test_no_heads() -> None:
    """Without samples there is nothing to find."""
    assert enclose_probe([], arb(3)) == EnclosedProbe((), (), arb(0))


def test_heads_in_another_order() -> None:
    """Poles and residues move together."""
    probe = EnclosedProbe((arb(1), arb(2)), (arb(3), arb(4)), arb(7))
    assert probe.in_order([1, 0]) == EnclosedProbe((arb(2), arb(1)), (arb(4), arb(3)), arb(7))


def test_two_close_poles_are_named() -> None:
    """When two of three poles can't be told apart, it is these two that the error names, and the probe."""
    function = CopyCountFunction(fmpq(0), (fmpq(1, 5), fmpq(2), fmpq(2001, 1000)), (fmpq(1), fmpq(1), fmpq(1)))
    with ctx.workprec(PRECISION):
        values = [_ball(function(k), fmpq(1, 10**15)) for k in range(1, 7)]
        with pytest.raises(TooCoarseError, match=r"apart at P\(2,1\): t = 2\.000 and t = 2\.001") as told:
            enclose_probe(values, arb(0), "P(2,1)")
    assert (told.value.what, told.value.probe) == ("poles not told apart", "P(2,1)")


def test_a_head_with_a_tiny_residue_is_named() -> None:
    """A residue below the error of the answers hides its head."""
    function = CopyCountFunction(fmpq(0), (fmpq(1, 3), fmpq(3)), (fmpq(1), fmpq(1, 10**9)))
    with ctx.workprec(PRECISION):
        values = [_ball(function(k), fmpq(1, 10**8)) for k in range(1, 5)]
        with pytest.raises(TooCoarseError, match=r"not seen at the probe: t = 3"):
            enclose_probe(values, arb(0))


def test_no_function_at_all() -> None:
    """Midpoints that need complex or negative poles, or fewer heads, end in an error that says so."""
    with pytest.raises(TooCoarseError, match="negative pole"):
        enclose_probe([arb(1), arb(-3)], arb(0))
    with pytest.raises(TooCoarseError, match="no such function"):
        enclose_probe([arb(1), arb(1)], arb(0))
    of_one_plus_i = [arb(2 * k * (1 + 2 * k)) / ((1 + k) ** 2 + k**2) for k in range(1, 5)]  # t = 1 + i and 1 - i
    with pytest.raises(TooCoarseError, match=r"complex poles at the probe: the two near t = 1\.000"):
        enclose_probe(of_one_plus_i, arb(0))
