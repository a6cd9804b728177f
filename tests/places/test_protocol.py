"""Tests of the token basis: inverses modulo p^k and modulo q."""

from __future__ import annotations

import pytest
from flint import fmpz_mat
from hypothesis import assume, given
from hypothesis import strategies as st

from exactlearn.errors import UnluckyPrimeError
from exactlearn.places.protocol import TokenBasis
from exactlearn.places.residues import ResidueRing, multiply_mod
from exactlearn.strategies import bases


@given(st.data(), st.sampled_from([7, 11, 23, 47, ResidueRing.seeded(0).prime]), st.integers(1, 7))
def test_inverses(data: st.DataObject, prime: int, digits: int) -> None:
    """X^-T undoes X^T and Y^-1 undoes Y, mod p^k and mod q."""
    ring, dim = ResidueRing(prime, digits), data.draw(st.integers(1, 4))
    X, Y = data.draw(bases(dim)), data.draw(bases(dim))
    x_transposed, y = fmpz_mat([list(row) for row in X]), fmpz_mat([list(row) for row in Y]).transpose()
    assume(all(m.det() % ring.prime and m.det() % ring.half_order for m in (x_transposed, y)))
    basis = TokenBasis(ring, X, Y)
    one = fmpz_mat([[int(i == j) for j in range(dim)] for i in range(dim)])
    assert multiply_mod(basis.x_inverse, x_transposed, ring.modulus) == one
    assert multiply_mod(y, basis.y_inverse, ring.modulus) == one
    assert multiply_mod(basis.x_inverse_mod_q, x_transposed, ring.half_order) == one  # type: ignore[arg-type]
    assert multiply_mod(y, basis.y_inverse_mod_q, ring.half_order) == one  # type: ignore[arg-type]


def test_dependent_tokens_mod_p() -> None:
    """A determinant that p divides is an unlucky prime."""
    ring = ResidueRing(23, 2)
    with pytest.raises(UnluckyPrimeError, match="determinant"):
        _ = TokenBasis(ring, ((23, 0), (0, 1)), ((1, 0), (0, 1))).x_inverse
