"""Demo floating-point: floating point fails where exact arithmetic does not."""

from exactlearn.demos.story import Run, Say, Story

STORY = Story(
    "floating-point",
    "Floating point fails where exact arithmetic does not",
    (
        Say("""The poles of H heads from 2H + 1 values: a system of 2H linear equations. We solve it exactly, with no
        rounding anywhere but in its input: the values are rounded to the nearest double first. The model is exact,
        t = 1, 2, ..., H and c = 1."""),
        Run("""
        from flint import fmpq, fmpq_mat
        from exactlearn import CopyCountFunction, exact_float

        def to_double(value):
            return exact_float(int(value.p) / int(value.q))

        def denominator(values):       # Q from G(k) = P(k) / Q(k)
            n = len(values) // 2
            rows, right = [], []
            for k, g in enumerate(values, 1):
                powers = [fmpq(k) ** i for i in range(n + 1)]
                rows.append(powers[:n] + [-g * a for a in powers[1:]])
                right.append([g])
            solution = fmpq_mat(rows).solve(fmpq_mat(right))
            return [row[0] for row in solution.tolist()[n:]]
        """),
        Run("""
        points = []
        for H in (1, 2, 3, 4, 6, 8):
            t = [fmpq(n) for n in range(1, H + 1)]
            F = CopyCountFunction(fmpq(0), tuple(t), (fmpq(1),) * H)
            G = [F(k) / k for k in range(1, 2 * H + 1)]
            true = denominator(G)
            rounded = denominator([to_double(g) for g in G])
            worst = max(abs(a - b) / b for a, b in zip(rounded, true))
            error = float(worst.p) / float(worst.q)
            print(f"H = {H}: largest relative error of Q {error:.1e}")
            points.append((fmpq(H), fmpq(len(str((1 / worst).floor())) - 1)))
        """),
        Run("""
        from exactlearn.demos.picture import Picture
        Picture("decimal digits of Q that are left of a double's 16", "heads H",
                (("digits", tuple(points)),))
        """),
        Say("""Doubles carry 16 digits. With four heads most of them are gone, with eight nothing is left: the answer is
        garbage although every step after the rounding was exact. What is lost is not the algorithm's fault; the map
        from (c, t) to the values is so flat that 16 digits of the values do not hold the poles."""),
        Run("""
        from exactlearn import copy_count_function
        t = tuple(fmpq(n) for n in range(1, 9))
        F = CopyCountFunction(fmpq(0), t, (fmpq(1),) * 8)
        found = copy_count_function(F(0), [F(k) for k in range(1, 17)])
        print("exact values, H = 8: t =", *found.poles)
        """),
        Say("With exact values the poles come back. exactlearn stability and exactlearn digits measure the loss."),
    ),
)
