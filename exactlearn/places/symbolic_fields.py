"""The symbolic place over a number field K: values with coefficients and exponents in K (DESIGN section 2).

Distinct algebraic numbers r have e^r linearly independent over the algebraic numbers (Lindemann-Weierstrass), so a sum
of terms c e^r with c, r in K is zero exactly when no term is left.  An irrational unit sqrt(q) that lies outside of K
is adjoined first; then all exponents lie in one field again, whether or not it was in K.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from flint import fmpq

from exactlearn.errors import NotAtThisPlaceError, OverBudgetError, UndecidedError
from exactlearn.fields.composing import adjoin_square_root, compose
from exactlearn.fields.element import FieldElement
from exactlearn.fields.number_field import NumberField
from exactlearn.fields.scalars import Scalar
from exactlearn.model import Head, MultiHeadAttention, TokenSequence, Unit, Vector, dot
from exactlearn.places.exponential_sums import ExponentialSum, Monomial
from exactlearn.places.quotient_sums import Quotient, QuotientSum
from exactlearn.places.radicals import MAXIMAL_POWER_BITS, Radical

Into = Callable[[Scalar], Scalar]
Term = tuple[Monomial, Scalar]

CONSTANT = Monomial((), ())


def quotients_over_field(model: MultiHeadAttention, sequence: TokenSequence) -> tuple[list[Quotient], NumberField]:
    """f(X) of a model over a number field as a sum of quotients, and the field of all numbers in it.

    Args:
        model: A model over K.
        sequence: Tokens in K, or rational ones.

    Raises:
        NotAtThisPlaceError: When a power of T (log-rational weights) is not whole: it need not lie in K.
        OverBudgetError: When a power of T would be too long, or an irrational unit makes the field too large.
    """
    field = model.field
    assert field is not None  # noqa: S101  # the caller saw to it
    final, counts = sequence[-1], Counter(sequence)
    unit: Scalar = model.unit.rational
    if unit is None:
        larger = adjoin_square_root(field, model.unit.square)
        model, field, unit = model.over(larger.field, larger.of_left), larger.field, larger.right * model.unit.sign
        counts = Counter({_taken(token, larger.of_left): n for token, n in counts.items()})
        final = _taken(final, larger.of_left)
    distinct = list(counts)
    relative = [tuple(a - b for a, b in zip(x, final, strict=True)) for x in distinct]
    quotients = []
    for head in model.heads:
        terms = [_weight(model, head, unit, x, final) for x in relative]
        weighted = [(monomial, counts[x] * c) for x, (monomial, c) in zip(distinct, terms, strict=True)]
        values = [(monomial, dot(head.v, x) * c) for x, (monomial, c) in zip(distinct, weighted, strict=True)]
        quotients.append(Quotient(ExponentialSum.collect(values), ExponentialSum.collect(weighted)))
    return quotients, field


def _taken(token: Vector, of: Into) -> Vector:
    return tuple(map(of, token))


def _weight(model: MultiHeadAttention, head: Head, unit: Scalar, x: Vector, final: Vector) -> Term:
    """The exponential of the score of a token relative to the final one, which is x + final."""
    if model.weights == "rational":
        exponent = unit * dot(x, [dot(row, final) for row in head.W])
        return (Monomial((((), exponent),), ()) if exponent else CONSTANT), fmpq(1)
    factor: Scalar = fmpq(1)
    for a, row in zip(x, head.W, strict=True):
        for b, T in zip(final, row, strict=True):
            factor = factor * whole_power(T, unit * a * b)
    return CONSTANT, factor


def exponential_over_field(r: FieldElement, unit: Unit) -> tuple[QuotientSum, NumberField]:
    """e^{c r} for the unit c and r in a number field, and the field in which c r lies."""
    exponent, rational = r, unit.rational
    if rational is not None:
        exponent = r * rational
    else:
        larger = adjoin_square_root(r.field, unit.square)
        exponent = larger.of_left(r) * larger.right * unit.sign
    monomial = Monomial((((), exponent),), ()) if exponent else CONSTANT
    return QuotientSum(ExponentialSum({monomial: fmpq(1)})), exponent.field


def whole_power(T: FieldElement, exponent: Scalar) -> Scalar:
    """A power of an element, which lies in the field when the exponent is whole.

    Raises:
        NotAtThisPlaceError: When the exponent is not whole.
        OverBudgetError: When the power would be too long.
    """
    if not exponent or T == 1:
        return fmpq(1)
    rational = exponent.rational if isinstance(exponent, FieldElement) else exponent
    if rational is None or rational.q != 1:
        raise NotAtThisPlaceError(
            f"a power of T with the exponent {exponent} need not lie in the number field; "
            "log-rational weights over a number field are seen on tokens that make every exponent whole"
        )
    if abs(int(rational.p)) * T.height_bits() > MAXIMAL_POWER_BITS:
        raise OverBudgetError(f"a power of T with the exponent {rational} is too long")
    return T ** int(rational.p)


def over_field(total: QuotientSum, known: NumberField | None, field: NumberField) -> tuple[QuotientSum, NumberField]:
    """A value over the field `known`, or over Q with square roots, over one field that holds `field` as well.

    Raises:
        UndecidedError: When the value has other radicals than square roots: their independence over a number field
            is not decided here.
        OverBudgetError: When that field would be too large.
    """
    if known is not None:
        both = compose(field, known)
        return total.mapped(lambda monomial, c: _mapped(monomial, c, both.of_right)), both.field
    roots: dict[Radical, FieldElement] = {}
    for radical in sorted(_radicals(total), key=len):
        field = _with_radical(radical, roots, field)
    return total.mapped(lambda monomial, c: _without_radicals(monomial, c, roots)), field


def _mapped(monomial: Monomial, coefficient: Scalar, of: Into) -> Term:
    exponent = tuple((radical, of(r)) for radical, r in monomial.exponent)
    return Monomial(exponent, monomial.radical), of(coefficient)


def _radicals(total: QuotientSum) -> set[Radical]:
    sums = [total.whole, *(part for quotient in total.quotients for part in quotient)]
    monomials = [monomial for part in sums for monomial in part.terms]
    found = {monomial.radical for monomial in monomials}
    found |= {radical for monomial in monomials for radical, _ in monomial.exponent}
    return found - {()}


def _with_radical(radical: Radical, roots: dict[Radical, FieldElement], field: NumberField) -> NumberField:
    """Adjoin a radical that is a square root, and take the roots found so far along."""
    if any(exponent != fmpq(1, 2) for _, exponent in radical):
        raise UndecidedError("values with radicals that are no square roots are not compared with those over a field")
    square = fmpq(1)
    for element, _ in radical:
        square *= element
    larger = adjoin_square_root(field, square)
    for known, value in list(roots.items()):
        roots[known] = larger.of_left(value)
    roots[radical] = larger.right
    return larger.field


def _without_radicals(monomial: Monomial, coefficient: Scalar, roots: dict[Radical, FieldElement]) -> Term:
    exponent: Scalar = sum((r * roots[radical] if radical else r for radical, r in monomial.exponent), fmpq(0))
    factor: Scalar = roots[monomial.radical] if monomial.radical else fmpq(1)
    return Monomial((((), exponent),) if exponent else (), ()), coefficient * factor
