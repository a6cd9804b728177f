"""Demo kinks: the kinks of a Transformer."""

from exactlearn.demos.story import Run, Say, Story

STORY = Story(
    "kinks",
    "The kinks of a Transformer",
    (
        Say("""Behind the attention stands a network: f(X) = sum_j u_j ReLU(z_j(X)), and each z_j is an attention model.
        Negating every token leaves the softmax as it is and turns z_j into -z_j. So f(X) - f(-X) is an attention model
        again, which the learner knows how to learn, and f(X) + f(-X) = sum_j u_j |z_j(X)|."""),
        Run("""
        from exactlearn.examples import load_transformer
        model = load_transformer("transformer")
        print("u =", *model.u)
        """),
        Say("""On a single token b every z_j is linear, so along a line the even part is piecewise linear, with one kink
        for every unit. The kinks are rational numbers, and they are found exactly."""),
        Run("""
        from exactlearn.transformers.learner import learn_transformer
        from exactlearn.transformers.oracle import transformer_oracle
        result = learn_transformer(transformer_oracle(model), heads=2)
        for kink in result.kinks:
            print("tau =", kink.tau, "  jump of the slope", kink.jump)
        """),
        Run("""
        from flint import fmpq
        from exactlearn.demos.picture import Picture, curve
        p, q = result.line.p, result.line.q
        def even(tau):
            b = [a + tau * c for a, c in zip(p, q)]
            z = [(u.sign, sum(m * a for m, a in zip(u.z.value_sum, b)))
                 for u in result.form.units]
            return sum(sign * abs(value) for sign, value in z)
        taus = [kink.tau for kink in result.kinks]
        width = max(taus) - min(taus)
        Picture("f(b) + f(-b) on b = p + tau q; the kinks dotted", "tau",
                (("*", curve(even, taus[0] - width / 4,
                             taus[-1] + width / 4)),), tuple(taus))
        """),
        Say("""Between the kinks the even part is one attention model with the poles that the odd part has shown, and
        its residues are linear. From cell to cell one unit changes its sign: the difference is that unit."""),
        Run("""
        from exactlearn.transformers.evaluation import same_transformer
        print(len(result.form.units), "units from", result.queries, "queries")
        print(same_transformer(model, result.model).why)
        """),
    ),
)
