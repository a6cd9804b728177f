"""A check of all samples of a probe against poles that are already known, one number mod p for each probe.

With F(k) - F(0) = k P(k)/Q(k), Q = prod (1 + k t_h), deg P < H, Lagrange's formula over the nodes k = 1..2H gives

    sum_k (F(k) - F(0)) Q(k) B(k) / (k M'(k)) = 0,     M = prod (k - i),

for every B of degree < H, since P B has degree below 2H - 1.  B is random: a Q that is not the denominator passes with
probability 1/p.
"""

from __future__ import annotations

import math
import random

from flint import fmpz, fmpz_mat, nmod_mat, nmod_poly

from exactlearn.places.residues import ResidueRing


class Parity:
    """The check for one ring and number of heads.

    Args:
        ring: Z/p^k; everything here happens mod p.
        heads: H.
        seed: Picks B.
    """

    def __init__(self, ring: ResidueRing, heads: int, seed: int) -> None:
        self.prime = prime = ring.prime
        self.heads = heads
        generator = random.Random(f"parity {seed}")
        chosen = nmod_poly([generator.randrange(1, prime) for _ in range(heads)], prime)
        nodes = range(1, 2 * heads + 1)
        weights = []
        for k in nodes:
            slope = math.prod(k - other for other in nodes if other != k)
            weights.append(int(chosen(k)) * pow(k * slope, -1, prime) % prime)
        rows = [
            [weight * pow(k, e, prime) % prime for e in range(heads + 1)]
            for k, weight in zip(nodes, weights, strict=True)
        ]
        self._moments = nmod_mat(rows, prime)
        self._of_one = [sum(column) % prime for column in zip(*rows, strict=True)]

    def holds(self, samples: fmpz_mat, at_zero: fmpz, poles: list[list[int]]) -> list[bool]:
        """For each row of samples F(1..2H), F(0) being the same for all: whether its poles are those of that row.

        Args:
            samples: A matrix of residues, one row a probe.
            at_zero: F(0).
            poles: The images t_h mod p, for each row.
        """
        prime, zero = self.prime, int(at_zero % self.prime)
        moments = (nmod_mat(samples, prime) * self._moments).entries()
        width = self.heads + 1
        # The product polynomial's coefficient H is sum_e Q_e mu_e when the mu_e are taken backwards.
        shift = nmod_poly([zero * m for m in reversed(self._of_one)], prime)
        verdicts = []
        for row, of_row in enumerate(poles):
            factors = [nmod_poly([1, t], prime) for t in of_row]
            while len(factors) > 1:
                odd = factors[len(factors) - len(factors) % 2 :]
                factors = [a * b for a, b in zip(factors[::2], factors[1::2], strict=False)] + odd
            backwards = nmod_poly(moments[row * width : (row + 1) * width][::-1], prime)
            verdicts.append(not int((factors[0] * (backwards - shift))[self.heads]))
        return verdicts
