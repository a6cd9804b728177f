"""The schedule "paper" asks 4 H d^2 - 2 H + 1 queries, the longest of 2H + 1 tokens.

One query of length 1; the probes P(i,j) for 1 <= i, j <= d, S(i,1) for 2 <= i <= d, S(i,j) for 1 <= i <= d,
2 <= j <= d; at each probe the copy counts k = 1, ..., 2H, a sequence of k + 1 tokens each.  With an upper bound
H0 >= H asked instead of H, H0 stands for H.

For all (H, d), in words:
There are d^2 base probes, d - 1 sum probes in column 1 and d (d - 1) in the other columns: 2 d^2 - 1 probes.  Each
is asked 2H times, and once a single token is asked: 1 + 2H (2 d^2 - 1) = 4 H d^2 - 2 H + 1.  On a good draw no two
of these sequences are the same: a sequence names its x, y and k, and the (x, y) are distinct as x_1, ..., x_d and
y_1, ..., y_d are bases.  The longest has 2H copies and a final token.  F(0) at the other y is V.y, and V is known
from column 1: X^T V = (F(infinity) - F(0))_i; so no further query of length 1 is needed.

By computation:
The count as a sum over the index ranges, in Z[H, d], is the stated polynomial, and so is the package's own
`PaperSchedule` evaluated at the indeterminates H and d.  For numbers up to the size, the sequences are listed by the
package's `base_probe` and `sum_probe` on drawn tokens, are pairwise distinct, and are as many and as long as stated.
"""

from __future__ import annotations

from typing import Any

from exactlearn.draws import TokenSource
from exactlearn.polynomials import add, indeterminates
from exactlearn.proving import Size, Theorem, main
from exactlearn.schedule import PaperSchedule, base_probe, sum_probe
from exactlearn.verdict import Fails, Holds, Verdict


def check(size: Size) -> Verdict:
    """The theorem."""
    return _counts_are(size, sum_rows_from=2)


def control(size: Size) -> Verdict:
    """Column 1 is claimed to have a sum probe for i = 1 too."""
    return _counts_are(size, sum_rows_from=1)


def _counts_are(size: Size, sum_rows_from: int) -> Verdict:
    ring = indeterminates(H=(), d=())
    H, d = ring.H, ring.d
    probes = _length(1, d) * _length(1, d) + _length(sum_rows_from, d) + _length(1, d) * _length(2, d)
    counted = 1 + _length(1, 2 * H) * probes
    stated = 4 * H * d**2 - 2 * H + 1
    if counted != stated:
        return Fails(counted, f"the structure gives {counted}, the statement says {stated}")
    schedule: Any = PaperSchedule(d, H)  # its formulas are polynomials in H and d then
    if schedule.predicted_queries != stated or schedule.predicted_max_length != 2 * H + 1:
        return Fails(schedule.predicted_queries, "PaperSchedule predicts other counts")
    for heads in range(1, (size.H) + 1):
        for dim in range(1, (size.d) + 1):
            sequences = _listed(heads, dim)
            found = len(sequences), len(set(sequences)), max(map(len, sequences))
            expected = PaperSchedule(dim, heads).predicted_queries, int(stated(heads, dim)), 2 * heads + 1
            if found != expected:
                return Fails(found, f"H = {heads}, d = {dim}: listed {found}, stated {expected}")
    return Holds("polynomial identities in H and d; the sequences listed for all numbers up to the size")


def _length(first: int, last: Any) -> Any:
    """How many whole numbers there are from `first` to `last`."""
    return last - first + 1


def _listed(heads: int, dim: int) -> list[tuple[tuple[int, ...], ...]]:
    source = TokenSource(dim, seed=0, attempt=0, box=100)
    probes = [base_probe(source, i, j) for i in range(dim) for j in range(dim)]
    probes += [sum_probe(source, i, 0) for i in range(1, dim)]
    probes += [sum_probe(source, i, j) for i in range(dim) for j in range(1, dim)]
    sequences: list[tuple[tuple[int, ...], ...]] = [(source.y(0),)]
    for probe in probes:
        copied = tuple(add(probe.x, probe.y))
        sequences += [(copied,) * copies + (probe.y,) for copies in range(1, 2 * heads + 1)]
    return sequences


THEOREM = Theorem(
    __file__,
    __doc__ or "",
    check,
    control,
    changed="d sum probes in column 1 instead of d - 1",
    sizes=(Size(4, 4),),
    largest=Size(16, 16),
)

if __name__ == "__main__":
    raise SystemExit(main(THEOREM))
