"""2H values and F(0) determine the copy-count function; 2H - 1 values do not.

Let G(k) = (F(k) - F(0)) / k = sum_h c_h t_h / (1 + k t_h) = P(k) / Q(k), Q(k) = prod_h (1 + k t_h), with distinct
t_h and non-zero c_h.  For any distinct nodes k_1, ..., k_n where Q is not zero, the system  A(k_i) = G(k_i) B(k_i)
in the coefficients of A (degree below H) and B (degree at most H) has the one-dimensional kernel spanned by (P, Q)
when n = 2H, and a larger one when n < 2H.  With B(0) = 1 and n = 2H the determinant of the system is, up to sign,

    prod_(i<j) (k_j - k_i) * prod_h c_h t_h * prod_(g<h) (t_h - t_g)^2 / prod_i Q(k_i).

And two explicit attention models with the same F(0) agree at k = 1, ..., 2H - 1 and differ at every other k > 0.

For all (H, d), in words:
Row i times Q(k_i) holds the values at k_i of Q k^a (a < H) and -P k^b (0 < b <= H), polynomials of degree below 2H;
so the determinant is Vandermonde's times that of their coefficients: the Sylvester matrix of Q and k P, both of
degree at most H.  Hence it is the resultant: prod_h t_h^H (k P)(-1/t_h) up to sign, and P(-1/t_h) = c_h t_h
prod_(g!=h) (t_h - t_g) / t_h^(H-1); multiply out.  It is not zero, so the rank is 2H and the kernel is spanned by
(P, Q).  When n < 2H there are 2H + 1 unknowns and fewer than 2H equations.  When fewer than H poles show, P and Q
have H' < H and any other solution still has A Q - B P zero at 2H nodes and of degree below 2H, so A/B = P/Q again.
Explicit pair: take any distinct tau_1, ..., tau_2H > 0 and N(k) = prod_(i=1..2H-1) (k - i).  Partial fractions write
N(k) / prod_j (1 + k tau_j) = sum_j r_j tau_j / (1 + k tau_j) with r_j tau_j = N(-1/tau_j) / prod_(l!=j)
(1 - tau_l / tau_j), none zero.  The heads (tau_j, r_j), j <= H, make one function, the heads (tau_j, -r_j), j > H,
the other, and their difference over k is that fraction.  For d >= 2 they are attention models: x = e_1, y = e_2,
W_j = log(tau_j) e_1 e_2^T, v_j = +-r_j e_1, F(0) = 0.  (For d = 1 with x, y != 0 the value F(0) = V y fixes
F(infinity) too, and then the same argument with N of degree 2H - 2 shows that 2H - 1 values determine F and 2H - 2
do not.)

By computation:
The coefficient matrix has the stated determinant, t and c symbolic, any nodes.  The kernel has dimension one, by
elimination, t and c symbolic, nodes 1, ..., 2H, and holds (P, Q).  The partial fractions with tau symbolic
(H <= 2).  The explicit pair for tau = 1, ..., 2H as log-rational models with d = 2, evaluated on the sequences
themselves.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import Any

from exactlearn.model import MultiHeadAttention
from exactlearn.places.rational import RationalBlackBox
from exactlearn.polynomials import (
    Polynomial,
    coefficient_determinant,
    differences,
    dot,
    indeterminates,
    product,
    rank,
)
from exactlearn.proving import Size, Theorem, main
from exactlearn.verdict import Fails, Holds, Verdict


def check(size: Size) -> Verdict:
    """The theorem."""
    for part in (
        _determinant_formula(size.H),
        _determined_by(size.H, samples=2 * size.H),
        _partial_fractions(min(size.H, 2)),
        _two_models_agree(size.H, most=2 * size.H - 1),
    ):
        if not part.holds:
            return part
    return Holds("determinant, kernel, and the pair of models that 2H - 1 values do not tell apart")


def control(size: Size) -> Verdict:
    """2H - 1 values are claimed to be enough."""
    return _determined_by(size.H, samples=2 * size.H - 1)


def _function(heads: int) -> tuple[Any, Polynomial, Polynomial]:
    """The ring, P and Q."""
    ring = indeterminates(k=(), t=(heads,), c=(heads,))
    factors = [1 + ring.k * t for t in ring.t]
    numerator = ring.zero
    for h in range(heads):
        numerator += ring.c[h] * ring.t[h] * product(factors[:h] + factors[h + 1 :], ring.one)
    return ring, numerator, product(factors, ring.one)


def _determinant_formula(heads: int) -> Verdict:
    ring, P, Q = _function(heads)
    columns = [Q * ring.k**a for a in range(heads)] + [-P * ring.k**b for b in range(1, heads + 1)]
    found = coefficient_determinant(columns)
    stated = product(ring.c, ring.one) * product(ring.t, ring.one) * differences(ring.t, ring.one) ** 2
    if found not in (stated, -stated):
        return Fails(found, "the determinant is another one")
    return Holds()


def _determined_by(heads: int, samples: int) -> Verdict:
    """Whether the homogeneous system at the nodes 1, ..., `samples` has the kernel (P, Q) and no more."""
    ring, P, Q = _function(heads)
    rows = []
    for node in range(1, samples + 1):
        P_at, Q_at = P.compose(node + ring.zero, *ring.t, *ring.c), Q.compose(node + ring.zero, *ring.t, *ring.c)
        rows.append([Q_at * node**a for a in range(heads)] + [-P_at * node**b for b in range(heads + 1)])
    dimension = 2 * heads + 1 - rank(rows)
    if dimension != 1:
        return Fails(dimension, f"{samples} values leave a kernel of dimension {dimension} for H = {heads}")
    solution = _coefficients_in_k(P, ring, heads) + _coefficients_in_k(Q, ring, heads + 1)
    if any(dot(row, solution) != 0 for row in rows):
        return Fails(solution, "(P, Q) does not solve the system")
    return Holds()


def _coefficients_in_k(polynomial: Polynomial, ring: Any, length: int) -> list[Polynomial]:
    """The first `length` Taylor coefficients at k = 0, by derivatives: not by the routine used elsewhere."""
    taken, factorial = [], 1
    for power in range(length):
        at_zero = polynomial.compose(ring.zero, *ring.t, *ring.c)
        taken.append(at_zero / (factorial + ring.zero))
        polynomial, factorial = polynomial.derivative(0), factorial * (power + 1)
    return taken


def _partial_fractions(heads: int) -> Verdict:
    ring = indeterminates(k=(), tau=(2 * heads,))
    size, tau = 2 * heads, ring.tau
    difference = differences(tau, ring.one)
    summed = ring.zero
    for j in range(size):
        others = tau[:j] + tau[j + 1 :]
        # tau_j^(2H-1) N(-1/tau_j), and prod (tau_j - tau_l) taken out of Vandermonde's determinant.
        top = product([-1 - i * tau[j] for i in range(1, size)], ring.one)
        rest = difference / product([tau[j] - other for other in others], ring.one)
        summed += top * rest * product([1 + ring.k * other for other in others], ring.one)
    if summed != product([ring.k - i for i in range(1, size)], ring.one) * difference:
        return Fails(summed, "the partial fractions do not add up")
    return Holds()


def _two_models_agree(heads: int, most: int) -> Verdict:
    """The explicit pair agrees at k = 0, ..., `most` and differs at k = `most` + 1, ..., 2 `most` + 2."""
    first, second = explicit_pair(heads)
    for copies in range(2 * most + 3):
        sequence = ((1, 1),) * copies + ((0, 1),)
        values = [RationalBlackBox(model).value(sequence) for model in (first, second)]
        if (values[0] == values[1]) != (copies <= most):
            return Fails((copies, *values), f"the explicit pair at k = {copies}: {values[0]} and {values[1]}")
    return Holds()


def explicit_pair(heads: int) -> tuple[MultiHeadAttention, MultiHeadAttention]:
    """Two models with H heads each, d = 2, that agree on k copies of (1, 1) and a final (0, 1) for k < 2H."""
    size = 2 * heads
    models: list[list[Any]] = [[], []]
    for tau in range(1, size + 1):
        top = prod((Fraction(-1, tau) - i for i in range(1, size)), start=Fraction(1))
        bottom = prod((1 - Fraction(other, tau) for other in range(1, size + 1) if other != tau), start=Fraction(1))
        residue = top / bottom / tau
        is_second = tau > heads
        models[is_second].append(([[1, tau], [1, 1]], [-residue if is_second else residue, 0]))
    return tuple(MultiHeadAttention(rows, weights="log-rational") for rows in models)  # type: ignore[return-value]


THEOREM = Theorem(
    __file__,
    __doc__ or "",
    check,
    control,
    changed="2H - 1 values instead of 2H",
    sizes=(Size(1), Size(2), Size(3)),
    largest=Size(4),
)

if __name__ == "__main__":
    raise SystemExit(main(THEOREM))
