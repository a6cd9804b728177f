"""Demo two-h-plus-one: why 2H + 1 values and not fewer."""

from exactlearn.demos.story import Run, Say, Story

STORY = Story(
    "two-h-plus-one",
    "Why 2H + 1 values, and not one fewer",
    (
        Say("""H heads have H poles t and H residues c: 2H unknown numbers, and F(0) besides. Do 2H values F(1), ...,
        F(2H) determine them? The Jacobian of (c, t) to these values has a determinant that is a product."""),
        Run("""
        from exactlearn.proving import prove
        print(prove("jacobian", heads=2).verdict)
        """),
        Say("""The product is zero only when a residue is zero or two poles are equal. With one value fewer there is
        room: here are two models with one head each, and one and the same answer at k = 0 and k = 1."""),
        Run("""
        from exactlearn.counterexamples import counterexample
        pair = counterexample("too-few-copies")
        for model in pair.models:
            print(model)
        for tokens, values in zip(pair.agree_on, pair.agreeing_values):
            print(len(tokens), "tokens:", *values)
        """),
        Say("At the next copy count they part."),
        Run("""
        print(len(pair.differ_on), "tokens:", *pair.values)
        """),
        Run("""
        from flint import fmpq
        from exactlearn.demos.picture import Picture
        from exactlearn import evaluate
        both, last = pair.differ_on[0], pair.differ_on[-1]
        def values(model):
            queries = [(both,) * k + (last,) for k in range(8)]
            return tuple((fmpq(k), evaluate(model, tokens).rational)
                         for k, tokens in enumerate(queries))
        Picture("two models, equal at k = 0 and k = 1", "copies k",
                tuple((name, values(model)) for name, model in
                      zip(("a", "b"), pair.models)))
        """),
        Say("""So the longest query has 2H copies and a final token: 2H + 1. The same pair exists for every H; the
        command exactlearn counterexample too-few-copies --heads H writes it down."""),
    ),
)
