"""Demo copy-count: the copy-count function of a probe and its poles."""

from exactlearn.demos.story import Run, Say, Story

STORY = Story(
    "copy-count",
    "The copy-count function and its poles",
    (
        Say("""A probe is a pair of tokens (x, y). Its queries are k copies of x + y followed by y, and F(k) is the
        output. For two heads F is a sum of two simple fractions in k."""),
        Run("""
        from flint import fmpq
        from exactlearn import CopyCountFunction
        t, c = (fmpq(2), fmpq(1, 3)), (fmpq(3), fmpq(-2))
        F = CopyCountFunction(fmpq(1), t, c)
        F
        """),
        Say("""The fractions are c k t / (1 + k t). Each has its pole at k = -1/t, which is negative: no query meets it.
        To the right the curve is tame, to the left it shows where the heads are."""),
        Run("""
        from exactlearn.demos.picture import Picture, curve
        poles = tuple(-1 / t for t in F.poles)
        def clipped(k):
            safe = all(1 + k * t != 0 for t in F.poles)
            return max(fmpq(-8), min(fmpq(8), F(k))) if safe else fmpq(8)
        Picture("F(k), cut off at -8 and 8; the poles dotted", "k",
                (("F", curve(clipped, -5, 5, 240)),), poles)
        """),
        Say("""From F(0), ..., F(4) alone interpolation by Euclid's algorithm finds numerator and denominator, the
        denominator's roots are the poles, and the residues follow."""),
        Run("""
        from exactlearn import copy_count_function
        found = copy_count_function(F(0), [F(k) for k in range(1, 5)])
        print("t =", *found.poles, "   c =", *found.residues)
        """),
        Say("""t is e^(x^T W y) and c is v.x of a head, for the x and y of the probe. With d^2 such probes linear
        algebra gives W and v."""),
    ),
)
