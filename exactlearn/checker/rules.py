"""The rules: each computes the lines of one part of a certificate from its run, or rejects the run."""

from fractions import Fraction
from itertools import combinations
from math import gcd, prod
from typing import Any

from .model import total
from .numerals import determinant, over_common, plus
from .outcome import Rejected
from .run import Run, pole_function, readout, value


def draw(run: Run) -> Any:
    """The tokens are bases; the bound is one, H itself when that was known; place and unit are the model's."""
    H, B = len(run.heads), run.bound
    if not determinant(run.X, run.clock, "draw.X") or not determinant(run.Y, run.clock, "draw.Y"):
        raise Rejected("the tokens are linearly dependent", "draw")
    if H > B or (run.is_exact and H < B):
        raise Rejected(f"the bound {B} does not fit {H} canonical heads", "draw")
    X, Y = ([list(map(Fraction, token)) for token in tokens] for tokens in (run.X, run.Y))
    line = {"schedule": "paper", "place": "rational" if run.model.is_log else "padic", "unit": str(run.model.unit)}
    return line | {"modulus": Fraction(run.modulus), "heads" if run.is_exact else "max_heads": B, "X": X, "Y": Y}

def probes(run: Run) -> Any:
    """Every probe's tokens, F(0), poles, residues, and at the rational place every answer."""
    lines, copies = [], range(1, 2 * run.bound + 1)
    for name, probe in run.probes.items():
        x, y = list(map(Fraction, probe.x)), list(map(Fraction, probe.y))
        line = {"name": name, "x": x, "y": y, "at_zero": probe.at_zero, "copies": 2 * run.bound}
        line |= {"poles": [probe.poles[h] for h in probe.order], "residues": [probe.residues[h] for h in probe.order]}
        if run.model.is_log:
            both = plus(probe.x, probe.y)
            line["values"] = [value(run.heads, {both: k, probe.y: 1}, probe.y, name) for k in copies]
        lines.append(line)
    return lines

def matchings(run: Run) -> Any:
    """Where each head stands at the three probes of a match; no false pair fits the sum probe."""
    lines = []
    for names, product in zip(run.matchings(), matching(run), strict=True):
        joint, left, right = (run.probes[name].order for name in names)
        if product == 0:
            raise Rejected("the linear form of a false match vanishes, modulo m at least", names[0])
        partner, sums = [right.index(h) for h in left], [joint.index(h) for h in left]
        lines.append(dict(zip(("probe", "left", "right"), names, strict=True)) | {"partner": partner, "sum": sums})
    return lines

def matching(run: Run) -> Any:
    """For each matching the product of t_h t_g - t_l (p-adic: r_h + r_g - r_l) mod m, h, g, l not all equal."""
    m, size, products = run.modulus, range(len(run.heads)), []
    for names in run.matchings():
        (joint, left, right), total = map(run.image, names), 1
        for h in size:
            run.clock.tick()
            for g in size:
                pair = left[h] * right[g] if run.model.is_log else left[h] + right[g]
                total = total * prod([pair - joint[n] for n in size if not h == g == n]) % m
        products.append(Fraction(total))
    return products

def query_count(run: Run) -> Any:
    """1 and 2B for each probe, which is the formula; the longest sequence has 2B + 1 tokens."""
    formula, copies = "4 H d^2 - 2 H + 1" if run.is_exact else "4 H0 d^2 - 2 H0 + 1", 2 * run.bound
    return {"formula": formula, "queries": 1 + copies * len(run.probes), "max_length": copies + 1}

def canonical(run: Run) -> Any:
    """To which canonical head each raw head belongs."""
    index = {W: h for h, (W, *_) in enumerate(run.heads)}
    return {"head_of": [index.get(W) for W, _ in run.model.heads]}

def merging(run: Run) -> Any:
    """Raw heads of equal W have one pole, and their residues add; where the sum is zero, they leave no trace."""
    lines = []
    for W, members in run.model.groups().items():
        parts = [run.model.heads[n][1] for n in members]
        pole, v = pole_function(run.model, W, run.clock)(run.X[0], run.Y[0]), total(parts)
        line = {"members": members, "parts": list(map(list, parts)), "v": list(v), "pole": pole}
        lines.append(line | {"residue": readout(v)(run.X[0])})
    return lines

def rational_form(run: Run) -> Any:
    """P and Q with F(k) = F(0) + k P(k) / (scale Q(k)), an identity in k; F(infinity) = V.(x+y) = V.y + V.x.

    sum c_h t_h / (1 + k t_h) = P(k) / (scale Q(k)) is added up term by term.
    """
    lines = []
    for name, probe in run.probes.items():
        line: dict[str, Any] = {"infinity": sum(probe.residues, probe.at_zero)}
        if run.model.is_log:
            (scale, residues), P, Q = over_common(probe.residues, name), list[int](), [1]
            for t, c in zip(probe.poles, residues, strict=True):
                run.clock.tick()
                a, b = t.as_integer_ratio()
                P = [b * p + a * (below + c * q) for p, below, q in zip([*P, 0], [0, *P], Q, strict=True)]
                Q = [b * q + a * below for q, below in zip([*Q, 0], [0, *Q], strict=True)]
            common = gcd(scale, *P)
            line |= {"P": [Fraction(p, common) for p in P], "Q": list(map(Fraction, Q))}
            line["scale"] = Fraction(scale, common)
        lines.append(line)
    return lines

def determination(run: Run) -> Any:
    """Two copy-count functions with H heads that agree at k = 0, ..., 2H - 1 and differ at k = 2H."""
    poles, difference = range(1, 2 * len(run.heads) + 1), Fraction(0)
    tops = [prod(-1 - i * t for i in poles[:-1]) for t in poles]
    residues = [Fraction(top, t * prod(t - s for s in poles if s != t)) for t, top in zip(poles, tops, strict=True)]
    for k in poles:
        run.clock.tick()
        difference = sum((c * Fraction(k * t, 1 + k * t) for t, c in zip(poles, residues, strict=True)), Fraction(0))
        if (difference == 0) != (k < len(poles)):
            raise Rejected(f"the two functions {'differ' if difference else 'agree'} at k = {k}", "determination")
    return {"poles": list(map(Fraction, poles)), "residues": residues, "difference": difference}

def probability_one(run: Run) -> Any:
    """The values of the genericity polynomials at the draw, none of which is zero."""
    d, H, pairs, det_X = run.model.dim, len(run.heads), [], determinant(run.X, run.clock, "draw")
    for name, probe in run.probes.items():
        run.clock.tick()
        t, total = run.image(name), 1
        for g, h in combinations(probe.order, 2):
            total = total * (t[g] - t[h]) % run.modulus
        if total == 0:
            raise Rejected("two poles meet modulo m: another modulus is needed", name)
        pairs.append(Fraction(total))
    return {
        "det_X": Fraction(det_X),
        "det_Y": Fraction(determinant(run.Y, run.clock, "draw")),
        "readouts": [probe.residues for name, probe in run.probes.items() if name.endswith(",1)")],
        "pairs": pairs,
        "degree": 2 * d + (2 * d - 1) * H + (2 * d**2 - 1) * H * (H - 1) + 2 * (d**2 - 1) * (H**3 - H),
    }
