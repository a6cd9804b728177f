"""Values of copy-count functions in Z/p^k for a block of probes with one y (DESIGN section 3)."""

from __future__ import annotations

from flint import fmpz, fmpz_mat, fmpz_poly

from exactlearn.places.residues import ResidueRing

Fraction = tuple[fmpz_poly, fmpz_poly]


def copy_counts(
    ring: ResidueRing, poles: list[list[fmpz]], residues: list[list[fmpz]], at_zero: fmpz, most: int
) -> fmpz_mat:
    """The matrix [probe, k-1] of F(k) = F(0) + N(k)/D(k), D = prod (1 + k t_h): one inverse for each value.

    Args:
        ring: Z/p^k.
        poles: The t_h of each probe.
        residues: The c_h of each probe.
        at_zero: F(0), the same for all.
        most: The last k.
    """
    modulus = ring.modulus
    length = len(poles[0]) + 1
    tops: list[fmpz] = []
    bottoms: list[fmpz] = []
    for of_row, readouts in zip(poles, residues, strict=True):
        top, bottom = _sum_of_fractions(
            [
                (fmpz_poly([0, c * t % modulus]), fmpz_poly([1, t]))
                for c, t in zip(readouts, of_row, strict=True)
            ]
        )
        tops += _padded(top, length, modulus)
        bottoms += _padded(bottom, length, modulus)
    powers = fmpz_mat([[fmpz(k) ** e for k in range(1, most + 1)] for e in range(length)])
    numerators = (fmpz_mat(len(poles), length, tops) * powers).entries()
    denominators = [entry % modulus for entry in (fmpz_mat(len(poles), length, bottoms) * powers).entries()]
    values = [
        (top * inverse + at_zero) % modulus
        for top, inverse in zip(numerators, ring.inverses(denominators), strict=True)
    ]
    return fmpz_mat(len(poles), most, values)


def _sum_of_fractions(fractions: list[Fraction]) -> Fraction:
    while len(fractions) > 1:
        pairs = zip(fractions[::2], fractions[1::2], strict=False)
        merged = [(a * d + c * b, b * d) for (a, b), (c, d) in pairs]
        fractions = merged + fractions[len(fractions) - len(fractions) % 2 :]
    return fractions[0]


def _padded(polynomial: fmpz_poly, length: int, modulus: fmpz) -> list[fmpz]:
    coefficients = polynomial.coeffs()
    return [c % modulus for c in coefficients] + [fmpz(0)] * (length - len(coefficients))
