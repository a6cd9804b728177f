"""Demo bad-draw: a draw of tokens on the bad set."""

from exactlearn.demos.story import Run, Say, Story

STORY = Story(
    "bad-draw",
    "A bad draw",
    (
        Say("""The tokens are drawn at random. A draw is bad when one of finitely many polynomials vanishes at it: a
        residue is zero, two poles meet, or a wrong match fits. Then a head hides."""),
        Run("""
        from exactlearn.counterexamples import counterexample
        bad = counterexample("bad-draw")
        print(bad.why)
        for model in bad.models:
            print(model)
        """),
        Say("""Each polynomial is not the zero polynomial, so the bad draws have measure zero; and for tokens from the
        box [-B, B] Schwartz and Zippel bound how often one is hit. From a small box that is seen."""),
        Run("""
        from exactlearn.examples import load
        from exactlearn.failure_rates import genericity_report
        model = load("two-heads")
        for bound, seen in genericity_report(model, draws=200).rows:
            share = float(bound.total.p) / float(bound.total.q)
            print(f"[-{bound.box}, {bound.box}]: {seen.failures} bad of",
                  f"{seen.draws}, bound {share:.3f}")
        """),
        Say("""The learner notices a bad token, names the polynomial, and draws it anew; the queries that it cost are
        counted apart."""),
        Run("""
        from exactlearn import learn, oracle_of
        for seed in range(40):
            result = learn(oracle_of(model), heads=2, seed=seed, box=1)
            if result.redraws:
                print("seed", seed, ":", result.rejections[0].reason)
                print(result.queries, "queries,",
                      result.redraw_queries, "more for the redraw")
                break
        """),
    ),
)
