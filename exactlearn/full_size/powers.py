"""Powers of U and logarithms to the base U in Z/p^k, for millions of them (DESIGN section 2).

The same maps as at the p-adic place, with tables: omega^r by windows of 12 bits, (1 + p)^r and the logarithm as
polynomials of degree k - 1 with coefficients made once.  The prime is large: p > k.
"""

from __future__ import annotations

from functools import lru_cache

from flint import fmpz

from exactlearn.errors import NotAttentionError, UnusableInputError
from exactlearn.places.residues import ResidueRing

_WINDOW = 12


class BaseU:
    """U = omega (1 + p) in one ring.

    Args:
        ring: Z/p^k with p > k and k >= 2.
    """

    def __init__(self, ring: ResidueRing) -> None:
        if ring.prime <= ring.digits or ring.digits < 2:
            raise UnusableInputError("tables of powers need a prime beyond the number of digits, and two digits")
        self.ring = ring
        self.order = ring.half_order * ring.log_modulus
        self._tables: list[list[fmpz]] = []
        slope = ring.log(fmpz(1 + ring.prime))
        self._exp_terms = [fmpz(1)]
        for n in range(1, ring.digits):
            self._exp_terms.append(self._exp_terms[-1] * slope % ring.modulus * ring.inverse(fmpz(n)) % ring.modulus)
        self._log_terms = self._terms_of_log()

    def power(self, exponent: fmpz) -> fmpz:
        """U^exponent; the exponent is taken modulo q p^(k-1)."""
        ring = self.ring
        modulus = ring.modulus
        if not self._tables:
            self._tables = self._make_tables()
        rest = int(exponent % ring.half_order)
        principal = exponent % ring.log_modulus
        terms = self._exp_terms
        total = terms[-1]
        for term in terms[-2::-1]:
            total = (total * principal + term) % modulus
        for table in self._tables:
            window = rest & ((1 << _WINDOW) - 1)
            if window:
                total = total * table[window] % modulus
            rest >>= _WINDOW
        return total

    def log(self, value: fmpz) -> fmpz:
        """log_U of a power of U mod p^(k-1).

        Raises:
            NotAttentionError: When it is no power of U.
        """
        ring = self.ring
        above, remainder = divmod(pow(value, ring.half_order, ring.modulus) - 1, ring.prime)
        if remainder:
            raise NotAttentionError("a pole of a probe is no power of e: the outputs are not those of so few heads")
        modulus = ring.log_modulus
        terms = self._log_terms
        total = terms[-1]
        for term in terms[-2::-1]:
            total = (total * above + term) % modulus
        return total * above % modulus

    def _make_tables(self) -> list[list[fmpz]]:
        modulus, step, tables = self.ring.modulus, self.ring.teichmuller_square, []
        for _ in range(0, self.ring.half_order.bit_length(), _WINDOW):
            table = [fmpz(1)]
            for _ in range((1 << _WINDOW) - 1):
                table.append(table[-1] * step % modulus)
            tables.append(table)
            step = table[-1] * step % modulus
        return tables

    def _terms_of_log(self) -> list[fmpz]:
        """With t^q = 1 + p z: log_U t = sum_n (-1)^(n+1) p^(n-1) z^n / n / (q log(1+p)/p), n = 1..k-1."""
        ring = self.ring
        modulus = ring.log_modulus
        scale = pow(ring.log(fmpz(1 + ring.prime)) // ring.prime * ring.half_order, -1, modulus)
        return [
            (1 if n % 2 else -1) * fmpz(ring.prime) ** (n - 1) * pow(fmpz(n), -1, modulus) * scale % modulus
            for n in range(1, ring.digits)
        ]


@lru_cache(maxsize=4)
def base_u(ring: ResidueRing) -> BaseU:
    """The tables for this ring, made once in a process."""
    return BaseU(ring)
