"""The plain way to read one probe, for comparison: fmpq_mat.solve on the 2H x 2H system, then fmpq_poly.roots."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq, fmpq_mat, fmpq_poly

from exactlearn.copy_count import CopyCountFunction


def plain_copy_count_function(value_at_zero: fmpq, samples: Sequence[fmpq]) -> CopyCountFunction:
    """Poles and residues of a probe with exactly len(samples)/2 heads, all linear algebra over Q."""
    heads = len(samples) // 2
    rows, right = [], []
    for k, sample in enumerate(samples, 1):
        quotient = (sample - value_at_zero) / k
        powers = [fmpq(k) ** power for power in range(heads + 1)]
        rows.append(powers[:heads] + [-quotient * power for power in powers[1:]])
        right.append([quotient])
    solution = [row[0] for row in fmpq_mat(rows).solve(fmpq_mat(right)).tolist()]
    numerator, denominator = fmpq_poly(solution[:heads]), fmpq_poly([fmpq(1), *solution[heads:]])
    slope = denominator.derivative()
    pairs = sorted((-1 / fmpq(z), fmpq(numerator(z)) / fmpq(slope(z))) for z, _ in denominator.roots())
    return CopyCountFunction(value_at_zero, tuple(t for t, _ in pairs), tuple(c for _, c in pairs))
