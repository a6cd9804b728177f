"""Negating every token leaves the softmax as it is, so a one-layer Transformer splits into an odd and an even part.

For f(X) = sum_j u_j ReLU(z_j(X)), z_j(X) = b_j . sum_h V_h sum_i softmax_i(x_i^T W_h x_n) x_i:

    z_j(-X) = -z_j(X),    f(X) - f(-X) = sum_j u_j z_j(X),    f(X) + f(-X) = sum_j u_j |z_j(X)|,

and the odd part is the multi-head attention model with the heads (W_h, sum_j u_j V_h^T b_j).

For all (H, d), in words:
(-x_i)^T W (-x_n) = x_i^T W x_n: all scores, hence all softmax weights, stay; the tokens that they average change
their sign.  So z_j is odd.  ReLU(z) - ReLU(-z) = z and ReLU(z) + ReLU(-z) = |z|.  Finally sum_j u_j b_j . V_h
xi = (sum_j u_j V_h^T b_j) . xi.  No bias may stand anywhere: an odd function plus a constant is not odd.

By computation:
On three tokens, all of W, V, b, u and the tokens symbolic, two units, D = 2: the scores of -X are those of X as
polynomials, so their exponentials are the same indeterminates; z_j(-X) + z_j(X) = 0; sum_j u_j z_j is the stated
attention model.  The two identities of ReLU in every pattern of signs of the z_j.
"""

from __future__ import annotations

import itertools
from typing import Any

from exactlearn.polynomials import (
    Exponentials,
    Polynomial,
    Quotient,
    bilinear,
    dot,
    indeterminates,
    multiply,
    softmax_value,
    total,
    transpose,
)
from exactlearn.proving import Size, Theorem, main
from exactlearn.verdict import Fails, Holds, Verdict

LENGTH, UNITS, INNER = 3, 2, 2
"""Tokens in the sequence; ReLU units; D, the dimension in which they read."""


def check(size: Size) -> Verdict:
    """The theorem."""
    return _splits(size, negates_final=True)


def control(size: Size) -> Verdict:
    """Every token but the final one is negated."""
    return _splits(size, negates_final=False)


def _splits(size: Size, *, negates_final: bool) -> Verdict:
    heads, dim = size.H, size.d
    ring = indeterminates(
        e=(heads, LENGTH),
        x=(LENGTH, dim),
        W=(heads, dim, dim),
        V=(heads, INNER, dim),
        b=(UNITS, INNER),
        u=(UNITS,),
    )
    negated = [[-entry for entry in token] for token in ring.x]
    if not negates_final:
        negated[-1] = ring.x[-1]
    weights, other_weights = _weights(ring, ring.x), _weights(ring, negated)
    if None in other_weights:
        return Fails(negated, "a score of the negated sequence is another polynomial")
    for b in ring.b:
        read = [multiply([b], V)[0] for V in ring.V]
        there, back = _attention(ring, read, weights, ring.x), _attention(ring, read, other_weights, negated)
        if (there + back).numerator:
            return Fails(b, "z_j is not odd")
    units = [_attention(ring, [multiply([b], V)[0] for V in ring.V], weights, ring.x) for b in ring.b]
    weighted = [Quotient(u * z.numerator, z.denominator) for u, z in zip(ring.u, units, strict=True)]
    combined = multiply([ring.u], ring.b)[0]
    read_out = [multiply(transpose(V), [[entry] for entry in combined]) for V in ring.V]
    attention = _attention(ring, [[entry for (entry,) in column] for column in read_out], weights, ring.x)
    if not total(weighted, ring.one).equals(attention):
        return Fails(attention, "the odd part is not the stated attention model")
    return _relu_splits()


def _weights(ring: Any, tokens: list[list[Polynomial]]) -> list[Any]:
    """The exponentials of the scores, head by head; a None in it when a score is not one of those of x."""
    weights: list[Any] = []
    for W, e in zip(ring.W, ring.e, strict=True):
        known = tuple((bilinear(token, W, ring.x[-1]), image) for token, image in zip(ring.x, e, strict=True))
        images = [Exponentials(known)(bilinear(token, W, tokens[-1])) for token in tokens]
        weights.append(None if None in images else images)
    return weights


def _attention(ring: Any, values: list[Any], weights: list[Any], tokens: list[list[Polynomial]]) -> Quotient:
    """sum_h softmax average of v_h . x_i."""
    heads = [softmax_value(e, [dot(v, token) for token in tokens]) for v, e in zip(values, weights, strict=True)]
    return total(heads, ring.one)


def _relu_splits() -> Verdict:
    ring = indeterminates(z=(UNITS,), u=(UNITS,))
    for signs in itertools.product((1, -1), repeat=UNITS):  # z_j = 0 belongs to both
        positive = [z if sign == 1 else ring.zero for z, sign in zip(ring.z, signs, strict=True)]
        negative = [ring.zero if sign == 1 else -z for z, sign in zip(ring.z, signs, strict=True)]
        absolute = [sign * z for z, sign in zip(ring.z, signs, strict=True)]
        there, back = dot(ring.u, positive), dot(ring.u, negative)
        if there - back != dot(ring.u, ring.z) or there + back != dot(ring.u, absolute):
            return Fails(signs, "ReLU does not split")
    return Holds("the scores stay, z_j is odd, and the odd part is the stated attention model")


THEOREM = Theorem(
    __file__,
    __doc__ or "",
    check,
    control,
    changed="every token but the final one is negated",
    sizes=(Size(1, 1), Size(2, 2), Size(3, 3)),
    largest=Size(4, 4),
)

if __name__ == "__main__":
    raise SystemExit(main(THEOREM))
