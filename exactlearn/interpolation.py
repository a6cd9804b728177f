"""From the samples of one probe to its poles and residues, modulo p^k and exactly over Q (DESIGN section 3).

Written in T = -1/k the samples are those of  Phi(T) = F - F(0) = sum_h c_h t_h / (t_h - T),  a rational function of
type (H-1, H) whose poles are the t_h themselves.  Cauchy interpolation by Euclid gives Phi = N/R, R = prod (T - t_h);
then t_h is a root of R, found mod p and lifted by Newton, and  c_h = -N(t_h) / (t_h R'(t_h)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from flint import fmpq, fmpz, fmpz_mat, fmpz_mod, fmpz_mod_poly, nmod_poly

from exactlearn.copy_count import CopyCountFunction
from exactlearn.errors import NotAttentionError, PrecisionTooLowError, UnluckyPrimeError, UnusableInputError
from exactlearn.places.residues import SLACK_BITS, ResidueRing, read_rationals
from exactlearn.refusals import why_no_copy_count_function


@dataclass(frozen=True)
class PolesAndResidues:
    """The images mod p^k of the t_h and c_h of one probe, in one order, as many as heads were seen."""

    poles: list[fmpz]
    residues: list[fmpz]


class ProbeInterpolation:
    """Interpolation of copy-count functions with at most `bound` poles, modulo p^k; shared by all probes of a run.

    Args:
        ring: Z/p^k, with p > 2 * bound so that the copy counts stay distinct mod p.
        bound: The number of heads, or an upper bound on it.

    Raises:
        UnluckyPrimeError: When p is too small for so many copy counts.
    """

    def __init__(self, ring: ResidueRing, bound: int) -> None:
        if ring.prime <= 2 * bound:
            raise UnluckyPrimeError(f"{ring.prime} is too small for the copy counts 1..{2 * bound}")
        self.ring = ring
        self.bound = bound
        polynomials = ring.polynomials
        nodes = self._nodes()
        self._master = polynomials([1])
        for node in nodes:
            self._master *= polynomials([-node, 1])
        self._master_mod_p = self._mod_p(self._master)
        self._basis = self._lagrange_basis(nodes)

    def _nodes(self) -> list[fmpz]:
        """T = -1/k for the copy counts of the samples."""
        counts = [fmpz(k) for k in range(1, 2 * self.bound + 1)]
        return [-inverse for inverse in self.ring.inverses(counts)] if counts else []

    def read(
        self, value_at_zero: fmpz, samples: Sequence[fmpz], known_residues: Sequence[fmpz] = ()
    ) -> PolesAndResidues:
        """Poles and residues of one probe from F(0) and F(1), ..., F(2 bound) mod p^k.

        Args:
            value_at_zero: The image of F(0).
            samples: The images of F(1), ..., F(2 bound).
            known_residues: When the residues are expected to be these (same x, another y), their poles are found
                by gcds instead of by factoring, and come in this order; a wrong expectation does no harm.

        Raises:
            NotAttentionError: When no function with so few poles goes through the samples, or R does not split.
            UnluckyPrimeError: When something vanishes mod p that has to be inverted, or two poles meet mod p.
        """
        numerator, denominator = self._rational_function(value_at_zero, samples)
        heads = denominator.degree()
        if heads == 0:
            return PolesAndResidues([], [])
        numerator_mod_p, denominator_mod_p = self._mod_p(numerator), self._mod_p(denominator)
        roots = _roots_by_residues(numerator_mod_p, denominator_mod_p, known_residues, self.ring.prime)
        if roots is None:
            roots = _roots(denominator_mod_p)
        if 0 in roots:
            raise UnluckyPrimeError("a pole parameter vanishes mod p")
        return self._lift(numerator, denominator, roots)

    def read_mod_p(self, value_at_zero: fmpz, samples: Sequence[fmpz]) -> tuple[nmod_poly, nmod_poly]:
        """(N, R) modulo p alone, R monic: all that the check of a match needs.  Raises as `read` does."""
        differences = fmpz_mat(len(samples), 1, [sample - value_at_zero for sample in samples])
        interpolating = nmod_poly((self._basis * differences).entries(), self.ring.prime)
        remainder, cofactor = _euclid(self._master_mod_p, interpolating, self.bound)
        inverse = pow(int(cofactor.leading_coefficient()), -1, self.ring.prime)
        return self._checked(remainder * inverse, cofactor * inverse)

    def _rational_function(
        self, value_at_zero: fmpz, samples: Sequence[fmpz]
    ) -> tuple[fmpz_mod_poly, fmpz_mod_poly]:
        differences = fmpz_mat(len(samples), 1, [sample - value_at_zero for sample in samples])
        interpolating = self.ring.polynomials(list[int | fmpz | fmpz_mod]((self._basis * differences).entries()))
        try:
            remainder, cofactor = _euclid(self._master, interpolating, self.bound)
        except ValueError:  # FLINT's word for a leading coefficient that p divides
            raise UnluckyPrimeError("a leading coefficient vanishes mod p") from None
        inverse = self.ring.inverse(fmpz(int(cofactor.leading_coefficient())))
        return self._checked(remainder * inverse, cofactor * inverse)

    def _checked(self, numerator: Any, denominator: Any) -> tuple[Any, Any]:
        """Type (h-1, h): Phi vanishes at T = infinity, that is at k = 0."""
        if numerator.degree() >= denominator.degree():
            if self.ring.is_small:
                raise UnluckyPrimeError("a pole parameter is infinite modulo a small prime")
            raise NotAttentionError(f"the samples of a probe are not those of {self.bound} heads or fewer")
        return numerator, denominator

    def _lift(self, numerator: fmpz_mod_poly, denominator: fmpz_mod_poly, roots: list[int]) -> PolesAndResidues:
        """Newton's iteration on all roots at once, each with the inverse of R' carried along."""
        ring = self.ring
        derivative = denominator.derivative()
        element = ring.elements
        poles = [element(root) for root in roots]
        inverses = [element(pow(int(s) % ring.prime, -1, ring.prime)) for s in derivative.multipoint_evaluate(poles)]
        digits = 1
        while digits < ring.digits:
            values = denominator.multipoint_evaluate(poles)
            poles = [t - v * i for t, v, i in zip(poles, values, inverses, strict=True)]
            slopes = derivative.multipoint_evaluate(poles)
            inverses = [i * (2 - s * i) for s, i in zip(slopes, inverses, strict=True)]
            digits *= 2
        lifted = [fmpz(int(t)) for t in poles]
        tops = numerator.multipoint_evaluate(poles)
        if any(int(top) % ring.prime == 0 for top in tops):
            # N and R have a common root: a residue vanishes mod p, or a sample is missed (an unattainable point).
            raise UnluckyPrimeError("a residue vanishes mod p")
        residues = [
            int(-top * i) * r % ring.modulus
            for top, i, r in zip(tops, inverses, ring.inverses(lifted), strict=True)
        ]
        return PolesAndResidues(lifted, residues)

    def _lagrange_basis(self, nodes: list[fmpz]) -> fmpz_mat:
        """Column k - 1: the coefficients of the polynomial that is 1 at T_k and 0 at the other nodes."""
        size = len(nodes)
        polynomials = self.ring.polynomials
        columns = []
        for node in nodes:
            others = self._master // polynomials([-node, 1])
            scale = self.ring.inverse(fmpz(int(others(node))))
            columns.append([int(c) * scale % self.ring.modulus for c in others.coeffs()])
        return fmpz_mat(size, size, [columns[column][row] for row in range(size) for column in range(size)])

    def _mod_p(self, polynomial: fmpz_mod_poly) -> nmod_poly:
        return nmod_poly([int(c) % self.ring.prime for c in polynomial.coeffs()], self.ring.prime)


@lru_cache(maxsize=16)
def probe_interpolation(ring: ResidueRing, bound: int) -> ProbeInterpolation:
    """The interpolation for this ring and bound; its Lagrange basis is made once for all probes."""
    return ProbeInterpolation(ring, bound)


def copy_count_function(value_at_zero: fmpq, samples: Sequence[fmpq], *, seed: int = 0) -> CopyCountFunction:
    """The copy-count function of a probe from F(0) and F(1), ..., F(2 H0), exactly.

    The numbers are found modulo p^k, k guessed from the size of the samples and doubled while they do not stand
    out; the result is returned only after it was evaluated exactly at every sample, so it is proved: by Cauchy
    interpolation no other function with at most H0 poles goes through them.

    Args:
        value_at_zero: F(0).
        samples: F(1), ..., F(2 H0) where H0 bounds the number of heads; an even number of them.
        seed: Picks the first prime.

    Raises:
        NotAttentionError: When no copy-count function with at most H0 heads and poles t_h > 0 has these samples; the
            message gives the exact reason.
        UnusableInputError: For an odd number of samples.
    """
    if len(samples) % 2:
        raise UnusableInputError("an even number of samples is needed, two for each head", "samples")
    try:
        return _proved_function(value_at_zero, samples, seed)
    except NotAttentionError as refusal:
        reason = why_no_copy_count_function(value_at_zero, samples) or str(refusal)
        raise NotAttentionError(f"not an attention model with so few heads: {reason}") from None


def _proved_function(value_at_zero: fmpq, samples: Sequence[fmpq], seed: int) -> CopyCountFunction:
    bound = len(samples) // 2
    # The parts of 2H parameters make up a sample, so each has about 1/(2H) of its bits; then slack.
    longest = max((value.p.bit_length() + value.q.bit_length() for value in samples), default=1)
    limit = 4 * longest + 4 * SLACK_BITS
    ring = ResidueRing.seeded(seed, digits=1)
    guess = longest // max(2 * bound, 1) + SLACK_BITS + 32
    ring = ResidueRing(ring.prime, guess // ring.prime.bit_length() + 2)
    unlucky = 0
    while True:
        try:
            function = _read_function(ring, bound, value_at_zero, samples)
        except UnluckyPrimeError as error:
            unlucky += 1
            if unlucky > _PRIMES_TRIED:
                raise NotAttentionError(f"modulo every prime tried: {error}") from None
            ring = ring.with_next_prime()
        except PrecisionTooLowError:
            if ring.modulus.bit_length() > limit:
                raise NotAttentionError("the poles of the samples are no rational numbers") from None
            ring = ring.finer()
        else:
            if not all(t > 0 for t in function.poles):
                raise NotAttentionError("a pole parameter is not positive")
            if not function.goes_through(samples):
                raise NotAttentionError(f"no function with {bound} poles or fewer goes through all samples")
            return function


_PRIMES_TRIED = 4
"""A collapse modulo this many 61-bit primes in a row is no accident."""


def _read_function(
    ring: ResidueRing, bound: int, value_at_zero: fmpq, samples: Sequence[fmpq]
) -> CopyCountFunction:
    kernel = probe_interpolation(ring, bound)
    images = ring.reduce_all([value_at_zero, *samples])
    seen = kernel.read(images[0], images[1:])
    poles = [read_rationals([t], ring.modulus)[0] for t in seen.poles]
    residues = read_rationals(seen.residues, ring.modulus)
    order = sorted(range(len(poles)), key=lambda h: poles[h])
    return CopyCountFunction(
        value_at_zero, tuple(poles[h] for h in order), tuple(residues[h] for h in order)
    )


def _euclid(master: Any, interpolating: Any, bound: int) -> tuple[Any, Any]:
    """The first remainder of degree below `bound` in Euclid's algorithm, and the cofactor of `interpolating`."""
    previous, remainder = master, interpolating
    previous_cofactor, cofactor = master - master, master**0
    while remainder.degree() >= bound:
        quotient, rest = divmod(previous, remainder)
        previous, remainder = remainder, rest
        previous_cofactor, cofactor = cofactor, previous_cofactor - quotient * cofactor
    return remainder, cofactor


def _roots(denominator: nmod_poly) -> list[int]:
    found = denominator.roots()
    if any(multiplicity > 1 for _, multiplicity in found):
        raise UnluckyPrimeError("two poles meet mod p")
    if len(found) < denominator.degree():
        raise NotAttentionError("the denominator of a probe does not split into its poles")
    return [int(root) for root, _ in found]


def _roots_by_residues(
    numerator: nmod_poly, denominator: nmod_poly, residues: Sequence[fmpz], prime: int
) -> list[int] | None:
    """The roots t_h in the order of the residues c_h, or None when they cannot be told apart in this way.

    N + c T R' vanishes at the roots whose residue is c and at no others.
    """
    if len(residues) != denominator.degree():
        return None
    slope = denominator.derivative() * nmod_poly([0, 1], prime)
    roots = []
    for residue in residues:
        common = denominator.gcd(numerator + slope * int(residue % prime))
        if common.degree() != 1:
            return None
        roots.append(-int(common[0]) % prime)
    return roots if len(set(roots)) == len(roots) else None
