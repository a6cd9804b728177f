"""Models as sympy matrices and back: true weights as expressions, read by their structure, never from text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sympy
from flint import fmpq, fmpz

from exactlearn.errors import OverBudgetError, UnusableInputError
from exactlearn.fields.element import FieldElement
from exactlearn.fields.number_field import NumberField
from exactlearn.fields.scalars import Scalar
from exactlearn.fields.sympy_numbers import from_sympy as element_from_sympy
from exactlearn.fields.sympy_numbers import to_sympy as number_to_sympy
from exactlearn.model import ONE, Head, MultiHeadAttention, Unit
from exactlearn.places.radicals import MAXIMAL_POWER_BITS, bounded_power, coprime_base, exponents_over
from exactlearn.rationals import as_fmpq, as_sympy

Entry = tuple[str, Any]
"""A matrix entry ``W[i][j]`` with its place for errors."""

LogTerms = dict[fmpq, fmpq]
"""sum r log b as a map from b to r."""

_EVALUATED_BITS = 512
"""Square roots of longer numbers are left unevaluated, since sympy would try to factor them for minutes."""

_KINDS = (
    "entries of W are rational, or rational multiples of one square root, "
    "or sums of rational multiples of logarithms of positive rationals"
)


def to_sympy(model: MultiHeadAttention) -> list[tuple[Any, Any]]:
    """The heads as pairs (W, v) of sympy matrices.

    Returns:
        For each head the true weights, d x d (the unit times W, or the unit times log T entrywise), and v as a
        d x 1 column.
    """
    return [
        (
            sympy.Matrix(model.dim, model.dim, [_true_weight(model, entry) for row in head.W for entry in row]),
            sympy.Matrix(model.dim, 1, [number_to_sympy(entry) for entry in head.v]),
        )
        for head in model.heads
    ]


def from_sympy(
    pairs: Iterable[tuple[Any, Any]], dim: int | None = None, field: NumberField | None = None
) -> MultiHeadAttention:
    """A model from the true weights of its heads.

    Args:
        pairs: Pairs (W, v) of sympy matrices: W of shape d x d; v of d rational entries, a column or a row.  The
            entries of all W are of one kind: rational; or rational multiples of the square root of one rational
            (the unit of the model); or sums of rational multiples of logs of positive rationals (log-rational
            weights; the unit is 1/L with the smallest L that makes T rational, mostly 1).  All zero counts as
            rational.
        dim: The dimension d; needed when there are no heads.
        field: With a number field K all entries of W and v are expressions for elements of it, and the model is one
            with "rational" weights over K.

    Raises:
        UnusableInputError: For every other entry or shape; the place is ``heads[h].W[i][j]`` or ``heads[h].v[i]``.
        OverBudgetError: When an entry of T would be too long.
    """
    if field is not None:
        heads_over_field = [_head_over_field(pair, f"heads[{index}]", field) for index, pair in enumerate(pairs)]
        return MultiHeadAttention(heads_over_field, dim=dim, field=field)
    shapes: list[tuple[int, list[Entry], list[fmpq]]] = []
    for index, pair in enumerate(pairs):
        shapes.append(_read_pair(pair, f"heads[{index}]"))
    entries = [entry for _, weights, _ in shapes for entry in weights]
    numbers, options = _read_weights(entries)
    heads, start = [], 0
    for rows, weights, v in shapes:
        flat = numbers[start : start + len(weights)]
        start += len(weights)
        heads.append(Head([flat[i * rows : (i + 1) * rows] for i in range(rows)], v))
    return MultiHeadAttention(heads, dim=dim, **options)


def _head_over_field(pair: Any, place: str, field: NumberField) -> Head:
    W, v = _checked_pair(pair, place)

    def element(entry: Any, where: str) -> FieldElement:
        try:
            return element_from_sympy(entry, field)
        except UnusableInputError as error:
            raise UnusableInputError(error.reason, where) from None

    rows = [[element(W[i, j], f"{place}.W[{i}][{j}]") for j in range(W.cols)] for i in range(W.rows)]
    return Head(rows, [element(entry, f"{place}.v[{i}]") for i, entry in enumerate(v)])


def _true_weight(model: MultiHeadAttention, entry: Scalar) -> Any:
    unit = model.unit.rational
    if model.weights == "log-rational":
        assert unit is not None  # noqa: S101  # the model's constructor saw to it
        return as_sympy(unit) * sympy.log(number_to_sympy(entry))
    if unit is not None:
        return number_to_sympy(unit * entry)
    if entry == 0:
        return sympy.Integer(0)
    square = model.unit.square
    easy = square.height_bits() <= _EVALUATED_BITS
    root = sympy.Pow(as_sympy(square), sympy.S.Half, evaluate=easy)
    return sympy.Mul(number_to_sympy(model.unit.sign * entry), root, evaluate=easy)


def _checked_pair(pair: Any, place: str) -> tuple[Any, Any]:
    """W, which is square, and v, which has as many entries."""
    if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(m, sympy.MatrixBase) for m in pair)):
        raise UnusableInputError("a pair (W, v) of sympy matrices was expected", place)
    W, v = pair
    if W.rows != W.cols or W.rows < 1:
        raise UnusableInputError(f"a square matrix was expected, not {W.rows} x {W.cols}", f"{place}.W")
    if 1 not in v.shape or len(v) != W.rows:
        raise UnusableInputError(f"v is a vector of {W.rows} entries, not {v.rows} x {v.cols}", f"{place}.v")
    return W, v


def _read_pair(pair: Any, place: str) -> tuple[int, list[Entry], list[fmpq]]:
    """The number of rows of W, its entries with their places, and v."""
    W, v = _checked_pair(pair, place)
    entries = [(f"{place}.W[{i}][{j}]", W[i, j]) for i in range(W.rows) for j in range(W.cols)]
    return W.rows, entries, [_rational_entry(entry, f"{place}.v[{i}]") for i, entry in enumerate(v)]


def _rational_entry(entry: Any, place: str) -> fmpq:
    if isinstance(entry, sympy.Rational):
        return as_fmpq(entry)
    _refuse_float(entry, place)
    raise UnusableInputError("a rational number was expected", place)


def _refuse_float(entry: Any, place: str) -> None:
    if entry.has(sympy.Float):
        raise UnusableInputError("a float is ambiguous: write the number as a sympy Rational", place)


def _read_weights(entries: Sequence[Entry]) -> tuple[list[fmpq], dict[str, Any]]:
    """The numbers that the model stores, and its kind and unit: the first entry that is not zero decides the kind."""
    place, first = next(((place, entry) for place, entry in entries if entry != 0), ("", sympy.Integer(0)))
    if isinstance(first, sympy.Rational):
        return [_of_kind(_rational_or_none(entry), entry, place) for place, entry in entries], {"unit": ONE}
    root = _square_root_or_none(first)
    if root is not None:
        unit = Unit(root.square)
        return [_of_kind(_multiple_or_none(entry, unit), entry, place) for place, entry in entries], {"unit": unit}
    _of_kind(_log_terms_or_none(first), first, place)
    terms = [_of_kind(_log_terms_or_none(entry), entry, place) for place, entry in entries]
    numbers, unit = _exponentials([place for place, _ in entries], terms)
    return numbers, {"weights": "log-rational", "unit": unit}


def _of_kind(number: Any, entry: Any, place: str) -> Any:
    """`number`, or the one error for an entry that is of no kind, or of another kind than the entries before."""
    if number is None:
        _refuse_float(entry, place)
        raise UnusableInputError(f"{_KINDS}, all of one kind", place)
    return number


def _rational_or_none(entry: Any) -> fmpq | None:
    return as_fmpq(entry) if isinstance(entry, sympy.Rational) else None


def _square_root_or_none(entry: Any) -> Unit | None:
    """The number +- sqrt(q) that a product of a rational and square roots is."""
    coefficient, rest = entry.as_coeff_Mul()
    if not isinstance(coefficient, sympy.Rational) or coefficient == 0:
        return None
    number = as_fmpq(coefficient)
    square = number * number
    for factor in sympy.Mul.make_args(rest):
        base, exponent = factor.as_base_exp()
        if not (isinstance(base, sympy.Rational) and base > 0 and abs(exponent) == sympy.S.Half):
            return None
        square *= as_fmpq(base) if exponent > 0 else 1 / as_fmpq(base)
    return Unit(square, 1 if number > 0 else -1)


def _multiple_or_none(entry: Any, unit: Unit) -> fmpq | None:
    if entry == 0:
        return fmpq(0)
    root = _square_root_or_none(entry)
    return None if root is None else root.ratio(unit)


def _log_terms_or_none(entry: Any) -> LogTerms | None:
    total: LogTerms = {}
    for term in _log_terms(entry, fmpq(1)):
        if term is None:
            return None
        argument, factor = term
        total[argument] = total.get(argument, fmpq(0)) + factor
    return {argument: factor for argument, factor in total.items() if factor}


def _log_terms(entry: Any, factor: fmpq) -> Iterator[tuple[fmpq, fmpq] | None]:
    """The terms factor * r log b of an expression; None among them when something is not of that form."""
    if entry == 0:
        return
    if entry.is_Add:
        for term in entry.args:
            yield from _log_terms(term, factor)
    elif isinstance(entry, sympy.log):
        argument = entry.args[0]
        positive = isinstance(argument, sympy.Rational) and argument > 0
        yield (as_fmpq(argument), factor) if positive else None
    else:
        coefficient, rest = entry.as_coeff_Mul()
        if isinstance(coefficient, sympy.Rational) and coefficient != 1:
            yield from _log_terms(rest, factor * as_fmpq(coefficient))
        else:
            yield None


def _exponentials(places: Sequence[str], entries: Sequence[LogTerms]) -> tuple[list[fmpq], Unit]:
    """T = exp(entry), or exp(L entry) and the unit 1/L with the smallest L for which every T is rational."""
    if all(factor.q == 1 for terms in entries for factor in terms.values()):
        return [_product(terms, place) for place, terms in zip(places, entries, strict=True)], ONE
    base = coprime_base(part for terms in entries for number in terms for part in (number.p, number.q))
    exponents = [_over_base(terms, base) for terms in entries]
    common = fmpz(1)
    for terms in exponents:
        for factor in terms.values():
            common = common.lcm(factor.q)
    scaled = [{element: common * factor for element, factor in terms.items()} for terms in exponents]
    return [_product(terms, place) for place, terms in zip(places, scaled, strict=True)], Unit.of(fmpq(1, common))


def _over_base(terms: LogTerms, base: tuple[fmpz, ...]) -> LogTerms:
    total: LogTerms = {}
    for number, factor in terms.items():
        for element, multiplicity in exponents_over(number, base).items():
            total[fmpq(element)] = total.get(fmpq(element), fmpq(0)) + multiplicity * factor
    return total


def _product(terms: LogTerms, place: str) -> fmpq:
    """The product of whole powers."""
    bits = sum(int(number.height_bits()) * int(abs(factor.p)) for number, factor in terms.items())
    if bits > MAXIMAL_POWER_BITS:
        raise OverBudgetError(f"{place}: exp of this entry has more than {MAXIMAL_POWER_BITS} bits")
    product = fmpq(1)
    for number, factor in terms.items():
        product *= bounded_power(number, factor.p)
    return product
