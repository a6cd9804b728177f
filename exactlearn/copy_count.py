"""The copy-count function of a probe, F(k) = F(0) + sum_h c_h k t_h / (1 + k t_h), with exact poles and residues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_poly, fmpz

from exactlearn.fields.scalars import Scalar
from exactlearn.latex import latex_number
from exactlearn.model import abbreviate


@dataclass(frozen=True)
class CopyCountFunction:
    """F as partial fractions (DESIGN section 3).

    Attributes:
        value_at_zero: F(0) = V.y.
        poles: The pole parameters t_h > 0, pairwise distinct, ascending; F has its poles at k = -1/t_h.
        residues: c_h = v_h.x, in the order of the poles, none zero.

    Over a number field all of these, and the values, may be elements of it.
    """

    value_at_zero: Scalar
    poles: tuple[fmpq, ...]
    residues: tuple[fmpq, ...]

    def __call__(self, copies: int | fmpz | fmpq) -> Scalar:
        """F(`copies`), exactly; the terms are added as unreduced fractions and reduced once."""
        k = fmpq(copies)
        terms = [_integer_term(t, c) for t, c in zip(self.poles, self.residues, strict=True)]
        fractions = [(top * k.p, bottom * (b * k.q + a * k.p)) for top, bottom, a, b in terms]
        numerator, denominator = _sum_of_fractions(fractions)
        if isinstance(numerator, fmpz) and isinstance(denominator, fmpz):
            return self.value_at_zero + fmpq(numerator, denominator)
        return self.value_at_zero + numerator / denominator

    @property
    def value_at_infinity(self) -> Scalar:
        """The limit of F for many copies, V.(x + y)."""
        return sum(self.residues, self.value_at_zero)

    @property
    def denominator(self) -> fmpq_poly:
        """Q(k) = prod (1 + k t_h), so that Q(0) = 1."""
        product = fmpq_poly([1])
        for t in self.poles:
            product *= fmpq_poly([1, t])
        return product

    @property
    def numerator(self) -> fmpq_poly:
        """P(k), of degree below the number of heads, with (F(k) - F(0)) / k = P(k) / Q(k)."""
        whole = self.denominator
        return sum(
            (whole // fmpq_poly([1, t]) * (c * t) for t, c in zip(self.poles, self.residues, strict=True)),
            fmpq_poly(),
        )

    def goes_through(self, samples: Sequence[Scalar]) -> bool:
        """Whether F(k) equals ``samples[k - 1]`` for every k = 1, ..., len(samples).

        Decided by cross multiplication of integers: no fraction is brought to lowest terms on the way.
        """
        terms = [_integer_term(t, c) for t, c in zip(self.poles, self.residues, strict=True)]
        for k, sample in enumerate(samples, 1):
            fractions = [(top * k, bottom * (b + k * a)) for top, bottom, a, b in terms]
            numerator, denominator = _sum_of_fractions(fractions)
            difference = sample - self.value_at_zero
            if not isinstance(difference, fmpq):
                if numerator != difference * denominator:
                    return False
            elif numerator * difference.q != difference.p * denominator:
                return False
        return True

    def _repr_latex_(self) -> str:
        terms = ""
        for t, c in zip(self.poles, self.residues, strict=True):
            pole, sign = latex_number(t), "-" if c < 0 else "+"
            terms += rf" {sign} {latex_number(abs(c))}\cdot\frac{{{pole}\,k}}{{1+{pole}\,k}}"
        return rf"$\displaystyle F(k) = {latex_number(self.value_at_zero)}{terms}$"

    def __str__(self) -> str:
        terms = "".join(
            f" + ({abbreviate(str(c))})*{abbreviate(str(t))}*k/(1 + {abbreviate(str(t))}*k)"
            for t, c in zip(self.poles, self.residues, strict=True)
        )
        return f"F(k) = {abbreviate(str(self.value_at_zero))}{terms}"


def _integer_term(pole: Scalar, residue: Scalar) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """(p a, q, a, b) for t = a/b and c = p/q, so that c k t / (1 + k t) = k p a / (q (b + k a)).

    Over a number field (c t, 1, t, 1): no element has to be inverted.
    """
    if not (isinstance(pole, fmpq) and isinstance(residue, fmpq)):
        return residue * pole, fmpz(1), pole, fmpz(1)
    return residue.p * pole.p, residue.q, pole.p, pole.q


def _sum_of_fractions(fractions: list[tuple[Scalar, Scalar]]) -> tuple[Scalar, Scalar]:
    """The sum as one unreduced fraction, by a balanced tree of products."""
    if not fractions:
        return fmpz(0), fmpz(1)
    while len(fractions) > 1:
        paired = [
            (a * d + c * b, b * d) for (a, b), (c, d) in zip(fractions[::2], fractions[1::2], strict=False)
        ]
        fractions = paired + fractions[len(fractions) & ~1 :]
    return fractions[0]
