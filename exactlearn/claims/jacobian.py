"""Claim jacobian: the determinant of (c, t) -> (G(1), ..., G(2H)) is a product of simple factors (DESIGN section 6)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from flint import fmpq, fmpq_mat, fmpz, fmpz_mat

from exactlearn.claims.claim import Claim, has_heads
from exactlearn.claims.context import Context
from exactlearn.fields.linear import determinant
from exactlearn.fields.scalars import Scalar
from exactlearn.model import abbreviate
from exactlearn.places.residues import ResidueRing
from exactlearn.verdict import Fails, Holds, Verdict

EXPONENT = 2
"""Of 1 + k t_h in the denominator of the product."""


def check(context: Context) -> Verdict:
    """The determinant against the product: over Q at rational poles, modulo p^k at the instance's own."""
    return _compare(context, EXPONENT)


def control(context: Context) -> Verdict:
    """The exponent of 1 + k t_h is 1 in place of 2."""
    return _compare(context, EXPONENT - 1)


def _compare(context: Context, exponent: int) -> Verdict:
    x, y = context.separated_probe
    residues = context.residues(x)
    own = context.rational_poles(x, y)
    poles = own or [fmpq(h + 1, 2) for h in range(context.heads)]
    found = abs(determinant(_rows(residues, poles)))
    product = abs(product_formula(residues, poles, exponent))
    if found != product:
        numbers = f"+-{abbreviate(str(found))}, not {abbreviate(str(product))}"
        return Fails((residues, poles), f"at the poles {', '.join(map(str, poles))} the determinant is {numbers}")
    ring, images = context.ring, context.pole_images(x, y)
    seen = _determinant_image(ring, ring.reduce_all(residues), images)
    expected = _product_image(ring, ring.reduce_all(residues), images, exponent)
    if seen not in (expected, -expected % ring.modulus):
        return Fails((x, y), f"at the instance's own poles they differ modulo {ring.prime}^{ring.digits}")
    if not seen % ring.prime:
        return Fails((x, y), "the Jacobian is singular modulo p at distinct poles and non-zero residues")
    size = 2 * context.heads
    return Holds(
        f"{size} x {size} determinant of a separated probe: equals the product exactly over Q with the instance's c "
        f"and {'t' if own else 'rational stand-ins for t'}; with its own c and t both agree mod p^k, and it is not "
        "zero mod p, hence not zero"
    )


def jacobian(residues: Sequence[fmpq], poles: Sequence[fmpq]) -> fmpq_mat:
    """Rows k = 1..2H: dG(k)/dc_h = t_h / (1 + k t_h), then dG(k)/dt_h = c_h / (1 + k t_h)^2."""
    return fmpq_mat(_rows(residues, poles))


def _rows(residues: Sequence[Scalar], poles: Sequence[Scalar]) -> list[list[Scalar]]:
    return [
        [t / (1 + k * t) for t in poles] + [c / (1 + k * t) ** 2 for c, t in zip(residues, poles, strict=True)]
        for k in range(1, 2 * len(poles) + 1)
    ]


def product_formula(residues: Sequence[fmpq], poles: Sequence[fmpq], exponent: int = EXPONENT) -> fmpq:
    """The product  prod (j - i) * prod c_h t_h^2 * prod (t_g - t_h)^4 / prod (1 + k t_h)^2, up to sign."""
    copies = range(1, 2 * len(poles) + 1)
    total = fmpq(1)
    for i, j in itertools.combinations(copies, 2):
        total *= j - i
    for c, t in zip(residues, poles, strict=True):
        total *= c * t**2
    for t, s in itertools.combinations(poles, 2):
        total *= (t - s) ** 4
    for k, t in itertools.product(copies, poles):
        total /= (1 + k * t) ** exponent
    return total


def _determinant_image(ring: ResidueRing, residues: Sequence[fmpz], poles: Sequence[fmpz]) -> fmpz:
    rows = []
    for k in range(1, 2 * len(poles) + 1):
        inverses = ring.inverses([1 + k * t for t in poles])
        by_residue = [t * i % ring.modulus for t, i in zip(poles, inverses, strict=True)]
        by_pole = [c * i**2 % ring.modulus for c, i in zip(residues, inverses, strict=True)]
        rows.append(by_residue + by_pole)
    return fmpz_mat(rows).det() % ring.modulus


def _product_image(ring: ResidueRing, residues: Sequence[fmpz], poles: Sequence[fmpz], exponent: int) -> fmpz:
    """`product_formula` in Z/p^k."""
    copies = range(1, 2 * len(poles) + 1)
    factors = [fmpz(j - i) for i, j in itertools.combinations(copies, 2)]
    factors += [c * t**2 for c, t in zip(residues, poles, strict=True)]
    factors += [(t - s) ** 4 for t, s in itertools.combinations(poles, 2)]
    factors += [i**exponent for i in ring.inverses([1 + k * t for k, t in itertools.product(copies, poles)])]
    total = fmpz(1)
    for factor in factors:
        total = total * factor % ring.modulus
    return total


CLAIM = Claim(
    "jacobian",
    "abs det d(G(1..2H))/d(c,t) = prod_(i<j<=2H) (j-i) * prod_h c_h t_h^2 * prod_(g<h) (t_g-t_h)^4 / "
    "prod_(h,k) (1+k t_h)^2, so it is non-zero for distinct poles and non-zero residues",
    "the same with (1+k t_h) to the power 1 in place of 2",
    has_heads,
    check,
    control,
)
