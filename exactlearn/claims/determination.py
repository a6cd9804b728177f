"""Claim determination: 2H values and F(0) determine F; 2H - 1 values do not (DESIGN section 3)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from flint import fmpq, fmpz, nmod_mat

from exactlearn.claims.claim import Claim, has_heads
from exactlearn.claims.context import Context
from exactlearn.copy_count import CopyCountFunction
from exactlearn.interpolation import probe_interpolation
from exactlearn.verdict import Fails, Holds, Undecided, Verdict


def check(context: Context) -> Verdict:
    """The interpolation system is regular with 2H samples of the instance; with 2H - 1 two functions agree."""
    H, ring = context.heads, context.ring
    x, y = context.separated_probe
    box = context.place.black_box(context.canonical)
    samples = context.place.see(box.copies(x, y, range(1, 2 * H + 1), ring), ring)
    at_zero = ring.reduce(context.value_at_zero(y))
    slopes = [(s - at_zero) * ring.inverse(fmpz(k)) % ring.modulus for k, s in enumerate(samples, 1)]
    if not int(_system(slopes, H, ring.prime).det()):
        return Undecided(f"the determinant of the interpolation system vanishes modulo {ring.prime}")
    found = probe_interpolation(ring, H).read(at_zero, samples)
    truth = sorted(zip(context.pole_images(x, y), ring.reduce_all(context.residues(x)), strict=True))
    if sorted(zip(found.poles, found.residues, strict=True)) != truth:
        return Fails((x, y), "interpolation gives other poles and residues than the model's")
    pair = agreeing_pair(_poles(context), 2 * H - 1)
    last = 2 * H
    if not _agree(pair, 2 * H - 1) or pair[0](last) == pair[1](last):
        return Fails(pair, f"the two functions that agree up to {2 * H - 1} copies and no further are wrong")
    whose = "the instance's" if context.model.weights == "log-rational" else "stand-ins for the instance's"
    return Holds(
        f"at one probe of the instance the {2 * H} x {2 * H} system for numerator and denominator is regular "
        "(determinant not zero mod p, hence not zero) and its solution has the model's poles and residues (mod p^k); "
        f"two explicit functions over Q with {H} poles, one with {whose}, agree on F(0), ..., F({2 * H - 1}) and "
        f"differ at F({last})"
    )


def control(context: Context) -> Verdict:
    """2H - 1 values in place of 2H."""
    fewer = 2 * context.heads - 1
    pair = agreeing_pair(_poles(context), fewer)
    if _agree(pair, fewer) and pair[0] != pair[1]:
        return Fails(pair, f"{pair[0]} and {pair[1]} agree on F(0), ..., F({fewer})")
    return Holds(f"the two functions with {context.heads} poles do not agree on {fewer} values")


def agreeing_pair(poles: Sequence[fmpq], copies: int) -> tuple[CopyCountFunction, CopyCountFunction]:
    """Two copy-count functions that agree on F(0), ..., F(copies), copies <= 2H - 1, and at no other k >= 0.

    The partial fractions of prod_(i <= copies) (k - i) / prod_j (1 + k t_j) over 2H distinct pole parameters t_j are
    shared out: the first H (the given ones) to one function, the others with the opposite sign to the other.
    """
    other = [max(poles) + 1 + j for j in range(len(poles))]
    everything = [*poles, *other]
    residues = []
    for t in everything:
        value = fmpq(1)
        for i in range(1, copies + 1):
            value *= -1 / t - i
        for s in everything:
            if s != t:
                value /= 1 - s / t
        residues.append(value / t)
    H = len(poles)
    left = sorted(zip(poles, residues[:H], strict=True))
    right = [(t, -c) for t, c in zip(other, residues[H:], strict=True)]
    return _function(left), _function(right)


def _function(terms: Sequence[tuple[fmpq, fmpq]]) -> CopyCountFunction:
    return CopyCountFunction(fmpq(0), tuple(t for t, _ in terms), tuple(c for _, c in terms))


def _agree(pair: tuple[CopyCountFunction, CopyCountFunction], copies: int) -> bool:
    return all(pair[0](k) == pair[1](k) for k in range(copies + 1))


def _poles(context: Context) -> list[fmpq]:
    """The instance's own at a probe when they are rational, else 1, ..., H: any distinct positive ones would do."""
    own = context.rational_poles(*context.separated_probe)
    return own or [fmpq(h) for h in range(1, context.heads + 1)]


def _system(slopes: Sequence[fmpz], heads: int, prime: int) -> nmod_mat:
    """Rows P(k) - G(k) (Q(k) - 1) = G(k) in the unknowns p_0..p_(H-1), q_1..q_H, as its matrix mod p."""
    rows = [
        [pow(k, power, prime) for power in range(heads)]
        + [int(-slope * pow(k, power, prime) % prime) for power in range(1, heads + 1)]
        for k, slope in enumerate(slopes, 1)
    ]
    return nmod_mat(2 * heads, 2 * heads, list(itertools.chain.from_iterable(rows)), prime)


CLAIM = Claim(
    "determination",
    "F(0) and the 2H values F(1), ..., F(2H) determine F; 2H - 1 values do not",
    "F(0) and the 2H - 1 values F(1), ..., F(2H - 1) determine F",
    has_heads,
    check,
    control,
)
