"""Tests of the way from a probe's samples to its poles and residues, against dense linear algebra and roots over Q."""

from __future__ import annotations

import random

import pytest
from flint import fmpq, fmpq_mat, fmpq_poly
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exactlearn import interpolation
from exactlearn.copy_count import CopyCountFunction
from exactlearn.errors import NotAttentionError, UnluckyPrimeError, UnusableInputError
from exactlearn.interpolation import ProbeInterpolation, copy_count_function
from exactlearn.places.residues import ResidueRing, next_safe_prime
from exactlearn.refusals import why_no_copy_count_function


def _random_function(generator: random.Random, heads: int, bits: int) -> CopyCountFunction:
    """Distinct positive poles and non-zero residues with numerators and denominators of so many bits."""

    def number() -> fmpq:
        return fmpq(generator.randint(1, 2**bits), generator.randint(1, 2**bits))

    poles: set[fmpq] = set()
    while len(poles) < heads:
        poles.add(number())
    residues = tuple(generator.choice([1, -1]) * number() for _ in range(heads))
    return CopyCountFunction(generator.choice([1, -1, 0]) * number(), tuple(sorted(poles)), residues)


def _samples(function: CopyCountFunction, bound: int) -> list[fmpq]:
    """F(1), ..., F(2 bound) by the formula of DESIGN section 3, term by term."""
    return [
        function.value_at_zero
        + sum((c * k * t / (1 + k * t) for t, c in zip(function.poles, function.residues, strict=True)), fmpq(0))
        for k in range(1, 2 * bound + 1)
    ]


def _plain(value_at_zero: fmpq, samples: list[fmpq]) -> CopyCountFunction:
    """The plain pipeline: solve the 2H x 2H system for P and Q, then take the roots of Q over Q."""
    heads = len(samples) // 2
    rows, right = [], []
    for k, sample in enumerate(samples, 1):
        G = (sample - value_at_zero) / k
        rows.append([fmpq(k) ** i for i in range(heads)] + [-G * fmpq(k) ** i for i in range(1, heads + 1)])
        right.append([G])
    solution = [entry[0] for entry in fmpq_mat(rows).solve(fmpq_mat(right)).tolist()]
    P, Q = fmpq_poly(solution[:heads]), fmpq_poly([1, *solution[heads:]])
    found = sorted((-1 / fmpq(root), fmpq(root)) for root, _ in Q.roots())
    # F(k) - F(0) = k P/Q has the residue -c/t at k = -1/t.
    slope = Q.derivative()
    residues = tuple(-t * root * fmpq(P(root)) / fmpq(slope(root)) for t, root in found)
    return CopyCountFunction(value_at_zero, tuple(t for t, _ in found), residues)


@pytest.mark.parametrize("heads", range(1, 9))
@pytest.mark.parametrize("bits", [3, 40, 200])
def test_against_the_plain_pipeline(heads: int, bits: int) -> None:
    """The same function as by dense solving and roots, and as the one that was sampled."""
    function = _random_function(random.Random(f"{heads} {bits}"), heads, bits)
    samples = _samples(function, heads)
    found = copy_count_function(function.value_at_zero, samples)
    assert found == function
    assert found == _plain(function.value_at_zero, samples)


@settings(max_examples=60)
@given(st.integers(0, 6), st.integers(0, 3), st.integers(3, 200), st.integers(0, 10**6))
def test_with_an_upper_bound(heads: int, extra: int, bits: int, seed: int) -> None:
    """With a bound H0 >= H, H = 0 included, the function found is the one that was sampled."""
    function = _random_function(random.Random(seed), heads, bits)
    samples = _samples(function, heads + extra)
    assert copy_count_function(function.value_at_zero, samples, seed=seed) == function


def test_no_samples() -> None:
    """With bound 0 nothing is sampled and the function is constant."""
    assert copy_count_function(fmpq(3, 7), []) == CopyCountFunction(fmpq(3, 7), (), ())


@settings(max_examples=60)
@given(st.integers(1, 5), st.integers(0, 2), st.integers(3, 60), st.integers(0, 10**6))
def test_a_wrong_last_digit(heads: int, extra: int, bits: int, seed: int) -> None:
    """One sample wrong by a relative 10^-30: no function of so few heads, or at least another one through the data."""
    generator = random.Random(seed)
    function = _random_function(generator, heads, bits)
    samples = _samples(function, heads + extra)
    index = generator.randrange(len(samples))
    samples[index] += fmpq(1, 10**30)
    try:
        found = copy_count_function(function.value_at_zero, samples)
    except NotAttentionError:
        return
    assert found != function
    assert _samples(found, heads + extra) == samples


def test_a_wrong_last_digit_is_refused() -> None:
    """For two heads and more such data has no rational poles, so the refusal is the rule."""
    for seed in range(20):
        function = _random_function(random.Random(seed), 3, 20)
        samples = _samples(function, 3)
        samples[-1] += fmpq(1, 10**30)
        with pytest.raises(NotAttentionError):
            copy_count_function(function.value_at_zero, samples)


def _data(P: fmpq_poly, Q: fmpq_poly, bound: int) -> list[fmpq]:
    """F(k) = k P(k)/Q(k) for k = 1, ..., 2 bound."""
    return [k * fmpq(P(k)) / fmpq(Q(k)) for k in range(1, 2 * bound + 1)]


k = fmpq_poly([0, 1])

IMPOSTORS: dict[str, tuple[list[fmpq], str]] = {
    "pole parameter negative": (_data(fmpq_poly([1]), 1 - k * fmpq(1, 9), 1), "a pole at k = 9, where"),
    "one of two negative": (_data(1 + 3 * k, (1 + 2 * k) * (1 - k * fmpq(2, 9)), 2), "a pole at k = 9/2, where"),
    "irrational poles": (_data(fmpq_poly([1]), 1 + 4 * k + k * k, 2), r"x\^2 \+ 4\*x \+ 1, with no rational pole"),
    "complex poles": (_data(fmpq_poly([1]), 1 + k + k * k, 2), r"x\^2 \+ x \+ 1, with no rational pole"),
    "double pole": (_data(fmpq_poly([1]), (1 + 2 * k) * (1 + 2 * k), 2), "a pole of order 2, at k = -1/2"),
    "double pole of three": (_data(1 + 7 * k, (1 + 2 * k) * (1 + 2 * k) * (1 + k), 3), "order 2, at k = -1/2"),
    "cubic without roots": (_data(fmpq_poly([1]), 1 + k + k * k + k * k * k * 3, 3), "with no rational pole"),
    "linear": (_data(fmpq_poly([1]), fmpq_poly([1]), 2), "grows without bound"),
    "quadratic": (_data(k, fmpq_poly([1]), 2), "grows without bound"),
    "pole parameter infinite": (_data(fmpq_poly([1]), k, 2), "a pole at k = 0, where"),
    "jump at the start": ([fmpq(1)] * 4, "a pole at k = 0, where"),
    "jump, one head": ([fmpq(1)] * 2, "a pole at k = 0, where"),
    "unattainable": ([fmpq(0), fmpq(0), fmpq(0), fmpq(1)], "k = 4 is missed"),
    "unattainable, one head": ([fmpq(0), fmpq(1)], "k = 2 is missed"),
}


@pytest.mark.parametrize("name", IMPOSTORS)
def test_not_a_copy_count_function(name: str) -> None:
    """Data of other functions ends in NotAttentionError, whatever the prime."""
    samples, sentence = IMPOSTORS[name]
    for seed in range(5):
        with pytest.raises(NotAttentionError, match=sentence):
            copy_count_function(fmpq(0), samples, seed=seed)


def test_an_odd_number_of_samples_is_unusable() -> None:
    """Two samples belong to each head."""
    with pytest.raises(UnusableInputError, match="an even number of samples"):
        copy_count_function(fmpq(0), [fmpq(1)] * 3)


def test_no_reason_against_a_copy_count_function() -> None:
    """The exact search for a reason finds none where there is none, and gives up on samples that are too long."""
    function = _random_function(random.Random(1), 3, 20)
    assert why_no_copy_count_function(function.value_at_zero, _samples(function, 3)) is None
    assert why_no_copy_count_function(fmpq(0), [fmpq(1 << 200_000)] * 2) is None


def test_a_misread_function_is_not_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever comes out of the images is evaluated at every sample before it is believed."""
    function = _random_function(random.Random(0), 2, 20)
    wrong = CopyCountFunction(function.value_at_zero, function.poles, function.residues[::-1])
    monkeypatch.setattr(interpolation, "_read_function", lambda *_: wrong)
    with pytest.raises(NotAttentionError, match="goes through all samples"):
        copy_count_function(function.value_at_zero, _samples(function, 2))


def test_too_few_heads() -> None:
    """The samples of H heads taken for those of fewer are refused (one head has a function through any two)."""
    for heads in range(2, 7):
        function = _random_function(random.Random(heads), heads, 30)
        for bound in range(2, heads):
            with pytest.raises(NotAttentionError):
                copy_count_function(function.value_at_zero, _samples(function, bound))


@settings(max_examples=500)
@given(
    st.sampled_from([11, 23, 47, 59, 83, 107, ResidueRing.seeded(0).prime]),
    st.integers(1, 6),
    st.integers(1, 4),
    st.integers(0, 2),
    st.integers(0, 10**6),
)
def test_tiny_primes(prime: int, digits: int, heads: int, extra: int, seed: int) -> None:
    """Modulo a tiny prime the images are the right ones or the prime is unlucky, or a head is hidden in it entirely.

    Hidden heads (two poles that agree in half of the digits, say, look like one) leave a function with fewer
    heads that has the very same samples.
    """
    ring, bound = ResidueRing(prime, digits), heads + extra
    function = _random_function(random.Random(seed), heads, 6)
    try:
        images = ring.reduce_all([function.value_at_zero, *_samples(function, bound)])
        kernel = ProbeInterpolation(ring, bound)
        seen = kernel.read(images[0], images[1:])
    except UnluckyPrimeError:
        assert ring.is_small
        return
    expected = sorted(zip(seen.poles, seen.residues, strict=True))
    if len(seen.poles) == heads:
        truth = zip(map(ring.reduce, function.poles), map(ring.reduce, function.residues), strict=True)
        assert expected == sorted(truth)
    assert len(seen.poles) <= heads
    assert ring.is_small or len(seen.poles) == heads
    for copies, image in enumerate(images[1:], 1):
        terms = (c * copies * t * ring.inverse(1 + copies * t) for t, c in expected)
        assert (sum(terms, images[0]) - image) % ring.modulus == 0
    residues = [c for _, c in expected]
    hinted = kernel.read(images[0], images[1:], residues)
    assert sorted(zip(hinted.poles, hinted.residues, strict=True)) == expected
    wrong = kernel.read(images[0], images[1:], [residue + 1 for residue in residues])
    assert sorted(zip(wrong.poles, wrong.residues, strict=True)) == expected
    numerator, denominator = kernel.read_mod_p(images[0], images[1:])
    for t in seen.poles:
        assert int(denominator(int(t % prime))) == 0
    assert denominator.degree() == len(seen.poles) > numerator.degree()


def test_both_outcomes_of_tiny_primes() -> None:
    """Control of the test above: with p = 23 both outcomes happen."""
    outcomes = set()
    for seed in range(40):
        function = _random_function(random.Random(seed), 2, 6)
        ring = ResidueRing(23, 4)
        try:
            images = ring.reduce_all([function.value_at_zero, *_samples(function, 2)])
            outcomes.add(len(ProbeInterpolation(ring, 2).read(images[0], images[1:]).poles))
        except UnluckyPrimeError:
            outcomes.add(-1)
    assert {-1, 2} <= outcomes


@given(st.integers(1, 4), st.integers(0, 2), st.integers(0, 10**6), st.sampled_from([23, 47, 59, 83]))
def test_tiny_primes_over_q(heads: int, extra: int, seed: int, prime: int) -> None:
    """Over Q a run that begins with a tiny prime ends with the right function."""
    assume(prime > 2 * (heads + extra))
    function = _random_function(random.Random(seed), heads, 20)

    def tiny(_seed: int, digits: int = 5) -> ResidueRing:
        return ResidueRing(prime, digits)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ResidueRing, "seeded", tiny)
        samples = _samples(function, heads + extra)
        assert copy_count_function(function.value_at_zero, samples) == function


def test_a_prime_below_the_copy_counts() -> None:
    """A prime must exceed the copy counts."""
    with pytest.raises(UnluckyPrimeError, match="too small"):
        ProbeInterpolation(ResidueRing(11, 3), 6)
    assert ProbeInterpolation(ResidueRing(next_safe_prime(6), 3), 6).bound == 6
