"""Demo cancelling: a cancelling pair."""

from exactlearn.demos.story import Run, Say, Story

STORY = Story(
    "cancelling",
    "A pair of heads that cancels",
    (
        Say("Two heads with equal W and opposite v add up to nothing, however large their numbers are."),
        Run("""
        from exactlearn import Head, MultiHeadAttention, reduce_heads
        T = [[5, 1], [1, 7]]
        model = MultiHeadAttention(
            [Head(T, [9, -4]),
             Head([[2, 1], [1, 3]], [1, 2]),
             Head(T, [-9, 4])],
            weights="log-rational",
        )
        reduction = reduce_heads(model)
        for group in reduction.groups:
            print("heads", group.members, "-> v =", *group.head.v)
        """),
        Say("Its fraction in the copy-count function is gone as well: one pole is left of two."),
        Run("""
        from exactlearn import copy_count_function, evaluate
        def probed(model):      # x = (1, 1), y = (1, 0)
            queries = [[[2, 1]] * k + [[1, 0]] for k in range(7)]
            F = [evaluate(model, tokens).rational for tokens in queries]
            return copy_count_function(F[0], F[1:])
        print("poles:", *probed(model).poles)
        """),
        Say("Change one number a little and the pair is back, with a small residue but a pole like any other."),
        Run("""
        from flint import fmpq
        almost = MultiHeadAttention(
            [*model.heads[:2], Head(T, [fmpq(-899, 100), 4])],
            weights="log-rational",
        )
        found = probed(almost)
        print("poles:", *found.poles, "  residues:", *found.residues)
        """),
        Say("For exact arithmetic 1/100 is as good as 100: there is no threshold below which a head is lost."),
    ),
)
