"""Heads with equal W act as one: one pole, the residues added; when their v add up to zero, the pole is gone.

On every sequence  f_(W,v) + f_(W,v') = f_(W,v+v')  and  f_(W,0) = 0.  At a probe where the distinct weights have
distinct poles and none of the merged residues is zero, F has exactly as many poles as there are canonical heads.

For all (H, d), in words:
The softmax weights of a head depend on W alone, and the head's value is linear in v for given weights: the two
identities.  Hence a model and its canonical form are the same function.  At a probe heads of equal W have the same
t = exp(x^T W y), so their terms c k t / (1 + k t) + c' k t / (1 + k t) are one term with the residue c + c', and
none when that is zero.  Terms with distinct poles and non-zero residues do not cancel: near k = -1/t_h only the term
of h is unbounded.

By computation:
The identities on a sequence of three tokens, with symbolic softmax weights and values.  For H heads of which the
first two share their pole, all else symbolic: F equals that of the H - 1 merged heads, and in lowest terms its
denominator has the degree H - 1 in k; with residues c and -c it has the degree H - 2.
"""

from __future__ import annotations

from typing import Any

from exactlearn.polynomials import (
    Polynomial,
    Quotient,
    add,
    coefficients,
    indeterminates,
    softmax_value,
    total,
)
from exactlearn.proving import Size, Theorem, main
from exactlearn.verdict import Fails, Holds, Verdict


def check(size: Size) -> Verdict:
    """The theorem."""
    linear = _is_linear_in_v()
    return _merges(size.H, same_weights=True) if linear.holds else linear


def control(size: Size) -> Verdict:
    """The first two heads have different W."""
    return _merges(size.H, same_weights=False)


def _is_linear_in_v() -> Verdict:
    ring = indeterminates(e=(3,), value=(3,), other=(3,))
    together = softmax_value(ring.e, add(ring.value, ring.other))
    apart = softmax_value(ring.e, ring.value) + softmax_value(ring.e, ring.other)
    if not together.equals(apart):
        return Fails(apart, "a head is not additive in v")
    if softmax_value(ring.e, [ring.zero] * 3).numerator:
        return Fails(ring.e, "a head with v = 0 is not the zero function")
    return Holds()


def _merges(heads: int, *, same_weights: bool) -> Verdict:
    ring = indeterminates(k=(), t=(heads,), c=(heads,), constant=())
    t = [ring.t[0], ring.t[0] if same_weights else ring.t[1], *ring.t[2:]]
    raw = _copy_count_function(ring, t, ring.c)
    merged = _copy_count_function(ring, [t[0], *t[2:]], [ring.c[0] + ring.c[1], *ring.c[2:]])
    if not raw.equals(merged):
        return Fails(raw, "the residues of the first two heads do not add up at one pole")
    if _poles(raw) != heads - 1:
        return Fails(raw, f"F has {_poles(raw)} poles, not {heads - 1}")
    cancelling = _copy_count_function(ring, t, [ring.c[0], -ring.c[0], *ring.c[2:]])
    if _poles(cancelling) != heads - 2:
        return Fails(cancelling, f"with c and -c F has {_poles(cancelling)} poles, not {heads - 2}")
    return Holds("one pole with the sum of the residues, none when that sum is zero")


def _copy_count_function(ring: Any, poles: list[Polynomial], residues: list[Polynomial]) -> Quotient:
    terms = [Quotient(c * ring.k * t, 1 + ring.k * t) for t, c in zip(poles, residues, strict=True)]
    return Quotient(ring.constant, ring.one) + total(terms, ring.one)


def _poles(function: Quotient) -> int:
    """The degree in k of the denominator in lowest terms."""
    return len(coefficients(function.lowest_terms().denominator)) - 1


THEOREM = Theorem(
    __file__,
    __doc__ or "",
    check,
    control,
    changed="the first two heads have different W",
    sizes=(Size(2), Size(3), Size(5)),
    largest=Size(11),
    least=Size(2),
)

if __name__ == "__main__":
    raise SystemExit(main(THEOREM))
