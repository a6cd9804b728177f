"""Demo one-head: one head by hand, d = 1."""

from exactlearn.demos.story import Run, Say, Story

STORY = Story(
    "one-head",
    "One head by hand, in one dimension",
    (
        Say("""In one dimension a head is two numbers. We take W = log 2, which the file holds as T = 2, and v = 3. A
        token is a number as well, and every score is a multiple of log 2, so every softmax weight is a power of 2 and
        every output a fraction."""),
        Run("""
        from exactlearn import Head, MultiHeadAttention, evaluate
        model = MultiHeadAttention([Head([[2]], [3])], weights="log-rational")
        model
        """),
        Say("""The learner sees outputs alone. It asks k copies of the token x + y = 2, then y = 1. The copies have the
        score 2 * 1 and the last token has 1 * 1, so their weights are 4 and 2, or 2 and 1."""),
        Run("""
        for k in range(4):
            print(k, evaluate(model, [[2]] * k + [[1]]))
        """),
        Run("""
        from flint import fmpq
        from exactlearn.demos.picture import Picture
        answers = tuple((fmpq(k), evaluate(model, [[2]] * k + [[1]]).rational)
                        for k in range(16))
        Picture("F(k) for k = 0, ..., 15", "copies k", (("F", answers),))
        """),
        Say("""F(0) = 3 is v.y. What the copies add is F(k) - 3 = c k t / (1 + k t), with t = 2 the weight of x = 1 and
        c = v.x = 3. Two numbers are unknown, and two values give them: G(k) = (F(k) - 3) / k is c t / (1 + k t), so its
        reciprocal is a straight line in k."""),
        Run("""
        F = [value for _, value in answers]
        line = [k / (F[k] - F[0]) for k in (1, 2)]      # 1 / G(k)
        slope = line[1] - line[0]                       # 1 / c
        start = line[0] - slope                         # 1 / (c t)
        print("c =", 1 / slope, "  t =", slope / start)
        """),
        Say("""t = e^W = 2 and c = 3: the head is back, exactly, from three queries, the longest of three tokens. The
        formula says 4 H d^2 - 2 H + 1 = 3."""),
        Run("""
        from exactlearn import learn, oracle_of
        result = learn(oracle_of(model), heads=1)
        print(result.model, result.queries, "queries")
        """),
    ),
)
