"""Demo recombination: the wrong recombination of heads, and how sum probes prevent it."""

from exactlearn.demos.story import Run, Say, Story

STORY = Story(
    "recombination",
    "The wrong recombination, and how sum probes prevent it",
    (
        Say("""Each base probe (x_i, y_j) shows the numbers of all heads, but not which number belongs to which head.
        Two models may have the same poles and residues at every base probe, put together in different ways."""),
        Run("""
        from exactlearn.counterexamples import counterexample
        pair = counterexample("base-probes-alone")
        for model in pair.models:
            print(model)
        """),
        Run("""
        print("they agree on", len(pair.agree_on), "queries")
        print("and differ at a sum probe:", *pair.values)
        """),
        Say("""log t is x^T W y, which is additive in x: the pole of a head at x_1 + x_2 is the product of its poles at
        x_1 and x_2. A wrong pair has another product, and that is no pole of the sum probe."""),
        Run("""
        from exactlearn import learn, oracle_of, same_function
        for model in pair.models:
            found = learn(oracle_of(model), heads=2)
            same = same_function(found.model, model).holds
            print(same, found.queries, "queries")
        """),
        Say("""That is why the schedule has d^2 base probes and d^2 - 1 sum probes. The proof that on a good draw no
        wrong pair fits: exactlearn prove matching."""),
    ),
)
