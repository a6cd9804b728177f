"""Kind error-growth: two poles approach, the first-order error of (c, t) grows without bound (DESIGN sections 7, 8).

z = (c, t) -> (G(1), ..., G(2H)).  To first order an error of delta in every output makes one of at most
beta = ||J^-1||_inf times delta in (c, t), J the Jacobian, and some errors make just that.  beta is rational here, and
exact.  J is singular where two poles are equal, so beta grows without bound as they approach.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq

from exactlearn.claims.jacobian import jacobian
from exactlearn.counterexamples.building import constant, log_rational, probe_sequences, single, unit, with_entry
from exactlearn.counterexamples.counterexample import Counterexample, Table
from exactlearn.counterexamples.request import Kind, Request
from exactlearn.model import Head, MultiHeadAttention

MEMBERS = 8
TITLE = "exact first-order error constant beta of the probe (e_1, e_1), 2H copy counts"


@dataclass(frozen=True)
class Growth:
    """One member of the family: its poles, and its exact error constant at residues 1."""

    poles: tuple[fmpq, ...]
    constant: fmpq

    @property
    def distance(self) -> fmpq:
        """The distance of the two poles that approach."""
        return self.poles[1] - self.poles[0]


def build(request: Request) -> Counterexample:
    """Models whose first two poles are t and t + 1, t + 1/2, t + 1/4, ..."""
    d, growth = request.dim_from(1), error_growth(request)
    e_1 = unit(d, 0)
    return Counterexample(
        kind=KIND.name,
        dropped=KIND.dropped,
        why=(
            "the Jacobian of (c, t) -> (G(1), ..., G(2H)) is singular where two poles are equal, so the infinity norm "
            "of its inverse, the first-order error constant, grows without bound as they approach: about eightfold for "
            "each halving of the distance"
        ),
        models=tuple(_model(member.poles, d) for member in growth),
        tables=(_table(growth),),
        evaluated=(single(e_1), *probe_sequences(e_1, e_1, range(1, 2 * len(growth[0].poles) + 1))),
    )


def error_growth(request: Request) -> tuple[Growth, ...]:
    """The family without models; what a plot is made of.

    It begins where the constant begins to grow for good: at larger distances other poles may matter more.
    """
    H = request.heads_from(2, "two poles approach each other")
    members = [_member(H, n, request) for n in range(MEMBERS)]
    last = MEMBERS
    while any(after.constant <= before.constant for before, after in itertools.pairwise(members)):
        members = [*members[1:], _member(H, last, request)]  # the constants tend to infinity, so this ends
        last += 1
    return tuple(members)


def _member(H: int, n: int, request: Request) -> Growth:
    poles = _poles(H, n, request)
    return Growth(poles, error_constant([fmpq(1)] * H, poles))


def error_constant(residues: Sequence[fmpq], poles: Sequence[fmpq]) -> fmpq:
    """||J^-1||_inf for J = d(G(1), ..., G(2H))/d(c, t), exactly: the largest sum of absolute values in a row."""
    rows = jacobian(residues, poles).inv().tolist()
    return max(sum((abs(entry) for entry in row), fmpq(0)) for row in rows)


def _poles(H: int, n: int, request: Request) -> tuple[fmpq, ...]:
    generator = request.random()
    first = fmpq(1) if generator is None else fmpq(generator.randint(1, 5), generator.randint(1, 3))
    return (first, first + fmpq(1, 2**n), *(first + h for h in range(2, H)))


def _model(poles: Sequence[fmpq], d: int) -> MultiHeadAttention:
    heads = [Head(with_entry(constant(d, 1), 0, 0, t), [1, *[0] * (d - 1)]) for t in poles]
    return log_rational(heads, d)


def _table(growth: tuple[Growth, ...]) -> Table:
    rows, before = [], None
    for member in growth:
        ratio = "" if before is None else _decimal(member.constant / before)
        rows.append((str(member.distance), str(member.constant), _decimal(member.constant), ratio))
        before = member.constant
    return Table(TITLE, ("distance of the poles", "beta, exactly", "beta, about", "times the one before"), tuple(rows))


def _decimal(value: fmpq) -> str:
    """Four significant digits or the whole part, by integer arithmetic; for people."""
    scaled = (value * 1000).floor()
    whole, rest = divmod(int(scaled), 1000)
    return str(whole) if whole >= 1000 else f"{whole}.{rest:03d}"


KIND = Kind("error-growth", "the poles are apart by a margin, when outputs are known up to an error", build)
