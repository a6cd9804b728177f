"""The copy-count function of a probe is a rational function of the copy count.

For vectors x, y let F(k) be the model's value on k copies of the token x + y followed by the token y.  With
t_h = exp(x^T W_h y), c_h = v_h.x and V = sum_h v_h,

    F(k) = V.y + sum_h c_h k t_h / (1 + k t_h),     F(0) = V.y,     F(infinity) = V.(x + y),

numerator and denominator of degree at most H in k, no pole at any k >= 0.

For all (H, d), in words:
The score of a copy is (x + y)^T W_h y = x^T W_h y + y^T W_h y, that of the final token y^T W_h y.  With
s_h = exp(y^T W_h y) > 0 the softmax gives every copy the weight s_h t_h / (k s_h t_h + s_h) and the final token
s_h / (k s_h t_h + s_h); s_h cancels.  Head h contributes (k t_h v_h.(x + y) + v_h.y) / (1 + k t_h) = v_h.y + c_h k
t_h / (1 + k t_h).  Sum over the heads.  As t_h > 0, 1 + k t_h > 0 for k >= 0.  Nothing is assumed of the W_h and
v_h, so the formula holds for raw heads too.

By computation:
From the softmax definition, W_h, v_h, x, y symbolic, exp any homomorphism: the scores are the stated sums; F equals
the formula with k symbolic (k equal terms added up), and for k = 0, 1, 2, 3 on the sequence written out token by
token; its degrees in k; F(infinity) from the leading coefficients.
"""

from __future__ import annotations

from typing import Any

from exactlearn.polynomials import (
    Exponentials,
    Polynomial,
    Quotient,
    add,
    bilinear,
    coefficients,
    dot,
    indeterminates,
    softmax_value,
    total,
)
from exactlearn.proving import Size, Theorem, main
from exactlearn.verdict import Fails, Holds, Verdict


def check(size: Size) -> Verdict:
    """The theorem."""
    ring = _ring(size)
    return _is_rational_form(ring, copied=add(ring.x, ring.y))


def control(size: Size) -> Verdict:
    """The token x is copied instead of x + y."""
    ring = _ring(size)
    return _is_rational_form(ring, copied=ring.x)


def _ring(size: Size) -> Any:
    heads, dim = size.H, size.d
    return indeterminates(
        k=(), t=(heads,), s=(heads,), x=(dim,), y=(dim,), v=(heads, dim), W=(heads, dim, dim)
    )


def _is_rational_form(ring: Any, copied: list[Polynomial]) -> Verdict:
    weights = [_weights(ring, h, copied) for h in range(len(ring.W))]
    for copies in range(4):
        sequence = [copied] * copies + [ring.y]
        of_heads = []
        for v, (of_copy, of_final) in zip(ring.v, weights, strict=True):
            listed = [of_copy] * copies + [of_final]
            of_heads.append(softmax_value(listed, [dot(v, token) for token in sequence]))
        if not total(of_heads, ring.one).equals(_formula(ring, ring.one * copies)):
            return Fails(copies, f"the softmax of {copies} copies is not the formula at k = {copies}")
    grouped = [
        softmax_value([ring.k * of_copy, of_final], [dot(v, copied), dot(v, ring.y)])
        for v, (of_copy, of_final) in zip(ring.v, weights, strict=True)
    ]
    formula = _formula(ring, ring.k)
    if not total(grouped, ring.one).equals(formula):
        return Fails("k", "the softmax of k copies is not the formula")
    return _degrees_and_limit(ring, formula)


def _weights(ring: Any, h: int, copied: list[Polynomial]) -> tuple[Polynomial, Polynomial]:
    """The exponentials of the scores of a copy and of the final token y."""
    W = ring.W[h]
    exponential = Exponentials(((bilinear(ring.x, W, ring.y), ring.t[h]), (bilinear(ring.y, W, ring.y), ring.s[h])))
    images = exponential(bilinear(copied, W, ring.y)), exponential(bilinear(ring.y, W, ring.y))
    if images[0] is None or images[1] is None:
        raise ValueError("a score is no sum of x^T W y and y^T W y")
    return images[0], images[1]


def _formula(ring: Any, k: Polynomial) -> Quotient:
    value = Quotient(sum((dot(v, ring.y) for v in ring.v), ring.zero), ring.one)
    for v, t in zip(ring.v, ring.t, strict=True):
        value = value + Quotient(dot(v, ring.x) * k * t, 1 + k * t)
    return value


def _degrees_and_limit(ring: Any, formula: Quotient) -> Verdict:
    heads = len(ring.t)
    numerator, denominator = coefficients(formula.numerator), coefficients(formula.denominator)
    if len(denominator) != heads + 1 or len(numerator) > heads + 1:
        return Fails((len(numerator) - 1, len(denominator) - 1), "the degrees in k are not (H, H)")
    both = add(ring.x, ring.y)
    at_infinity = sum((dot(v, both) for v in ring.v), ring.zero)
    if numerator[heads] != at_infinity * denominator[heads]:
        return Fails(at_infinity, "F(infinity) is not V.(x + y)")
    return Holds("the softmax of k copies is the formula, token by token for k < 4 and with k symbolic")


THEOREM = Theorem(
    __file__,
    __doc__ or "",
    check,
    control,
    changed="copies of x instead of x + y",
    sizes=(Size(1, 1), Size(2, 2), Size(4, 4)),
    largest=Size(7, 7),
)

if __name__ == "__main__":
    raise SystemExit(main(THEOREM))
