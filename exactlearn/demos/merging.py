"""Demo merging: two heads that merge."""

from exactlearn.demos.story import Run, Say, Story

STORY = Story(
    "merging",
    "Two heads that merge",
    (
        Say("""Two heads with the same W put the same weights on the tokens. Their outputs add, and no query whatever
        can part them."""),
        Run("""
        from exactlearn import Head, MultiHeadAttention, evaluate
        T, kind = [[2, 1], [1, 3]], "log-rational"
        heads = [Head(T, [1, 4]), Head(T, [2, -1])]
        two = MultiHeadAttention(heads, weights=kind)
        one = MultiHeadAttention([Head(T, [3, 3])], weights=kind)
        for tokens in ([[1, 0]], [[1, 1], [0, 1]], [[2, 1], [2, 1], [1, -1]]):
            print(evaluate(two, tokens), "=", evaluate(one, tokens))
        """),
        Say("""The canonical form merges heads with equal W. It is what a learner can recover, and two models are the
        same function exactly when their canonical forms agree."""),
        Run("""
        from exactlearn import canonical_form
        print(canonical_form(two) == one)
        """),
        Say("Asked for at most two heads, the learner finds one: a probe shows one pole, and the residues have added."),
        Run("""
        from exactlearn import learn, oracle_of
        result = learn(oracle_of(two), max_heads=2)
        print(result.model, "from", result.queries, "queries")
        """),
    ),
)
