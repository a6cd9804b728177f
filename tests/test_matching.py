"""Tests of matching: the true partners are found, and every ambiguity is one."""

from __future__ import annotations

import itertools
import random

from flint import fmpz, nmod_poly
from hypothesis import given
from hypothesis import strategies as st

from exactlearn.matching import Matched, NoCandidate, SeveralCandidates, match_heads
from exactlearn.places.residues import ResidueRing

LARGE = ResidueRing.seeded(0).prime


def _denominator(poles: list[int], prime: int) -> nmod_poly:
    product = nmod_poly([1], prime)
    for pole in poles:
        product *= nmod_poly([-pole % prime, 1], prime)
    return product


@given(st.integers(1, 6), st.integers(0, 10**6), st.booleans())
def test_true_partners(heads: int, seed: int, aligned: bool) -> None:
    """With random poles modulo a large prime the one matching is the true one, expected in order or not."""
    generator = random.Random(seed)
    left, right = ([generator.randrange(1, LARGE) for _ in range(heads)] for _ in range(2))
    order = list(range(heads)) if aligned else generator.sample(range(heads), heads)
    shuffled = [0] * heads
    for head, position in enumerate(order):
        shuffled[position] = right[head]
    sums = _denominator([a * b % LARGE for a, b in zip(left, right, strict=True)], LARGE)
    for hint in (True, False):
        found = match_heads([fmpz(t) for t in left], [fmpz(t) for t in shuffled], sums, LARGE, aligned=hint)
        assert found == Matched(order)


@given(st.integers(2, 4), st.integers(0, 10**6), st.booleans())
def test_against_all_permutations(heads: int, seed: int, aligned: bool) -> None:
    """Modulo p = 23, where coincidences abound: what is matched is the only permutation that fits the sum probe."""
    prime, generator = 23, random.Random(seed)
    left, right = (generator.sample(range(1, prime), heads) for _ in range(2))
    products = [a * b % prime for a, b in zip(left, right, strict=True)]
    if len(set(products)) < heads:
        return
    fitting = [
        list(order) for order in itertools.permutations(range(heads))
        if {left[h] * right[order[h]] % prime for h in range(heads)} == set(products)
    ]  # fmt: skip
    poles, others = [fmpz(t) for t in left], [fmpz(t) for t in right]
    found = match_heads(poles, others, _denominator(products, prime), prime, aligned=aligned)
    assert list(range(heads)) in fitting
    if isinstance(found, Matched):
        assert fitting == [found.partner]
    else:
        assert isinstance(found, SeveralCandidates)
        assert len(found.candidates) > 1


def test_several_candidates() -> None:
    """The linear form of a false match vanishes: named, with its candidates."""
    one, two, four, eight = (fmpz(2**n) for n in range(4))
    # 2 * 2 and 1 * 4 agree, as the exponents 1 + 1 and 0 + 2 do.
    found = match_heads([one, two], [four, two], _denominator([4, 8], LARGE), LARGE, aligned=False)
    assert found == SeveralCandidates(1, (0, 1))
    # Head 2 has 4 * 1 = 4 = 2 * 2 besides 4 * 8.
    found = match_heads([one, two, four], [one, two, eight], _denominator([1, 4, 32], LARGE), LARGE, aligned=False)
    assert found == SeveralCandidates(2, (0, 2))


def test_no_candidate() -> None:
    """A head without a partner is named."""
    found = match_heads([fmpz(2), fmpz(3)], [fmpz(5), fmpz(7)], _denominator([10, 22], LARGE), LARGE, aligned=True)
    assert found == NoCandidate(1)
    # Both heads on the left fit the first on the right, and nothing fits the second.
    found = match_heads([fmpz(2), fmpz(3)], [fmpz(5), fmpz(7)], _denominator([10, 15], LARGE), LARGE, aligned=False)
    assert found == NoCandidate(1)
    assert match_heads([], [], _denominator([], LARGE), LARGE, aligned=True) == Matched([])
