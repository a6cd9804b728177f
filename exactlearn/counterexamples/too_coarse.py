"""Kind too-coarse: outputs known up to a delta past delta_0, and what then goes wrong (DESIGN section 8).

* complex-poles: two heads with close poles; exact rational outputs within delta of the true ones, and the one rational
  function through them has a complex pair of poles, so no attention model has these outputs;
* two-models: residues N and -N at poles s apart, against N/2 and -N/2 at poles 2 s apart.  They agree up
  to O(N s^2) at every query of the probe, and their v differ by N/2: outputs known up to half of that leave v open.
"""

from __future__ import annotations

from flint import fmpq

from exactlearn.counterexamples.building import constant, log_rational, probe_sequences, single, unit, with_entry
from exactlearn.counterexamples.counterexample import Counterexample, Table
from exactlearn.counterexamples.request import Kind, Request
from exactlearn.draws import Draw
from exactlearn.model import Head, MultiHeadAttention
from exactlearn.stability.arithmetic import decimal_above, decimal_below
from exactlearn.stability.bounds import stability

GAP = fmpq(1, 4)
"""The distance of the two close poles of the case complex-poles."""

SMALLEST, FINER = (fmpq(1, 2), fmpq(10)), (fmpq(1, 64), fmpq(64))
"""The s and the N of the case two-models: short numbers, and with a seed ones that say more."""


def build(request: Request) -> Counterexample:
    """The instance of the case that is asked for."""
    return _two_models(request) if request.case == "two-models" else _complex_poles(request)


def _complex_poles(request: Request) -> Counterexample:
    H, d = request.heads_from(2, "two poles meet"), request.dim_from(1)
    first = _first_pole(request)
    others = [(first + h, fmpq(1)) for h in range(2, H)]
    model = _line([(first, fmpq(1)), (first + GAP, fmpq(1)), *others], d)
    total = 2 * first + GAP
    # Two heads with residue 1: k (S + 2 k P) / (1 + k S + k^2 P), S the sum and P the product of their poles.
    true, wrong = first * (first + GAP), total * total / 4 + GAP * GAP / 4
    copies = range(1, 2 * H + 1)
    exact = [_pair(total, true, k) + _value(others, k) for k in copies]
    coarse = [_pair(total, wrong, k) + _value(others, k) for k in copies]
    delta = max(abs(a - b) for a, b in zip(exact, coarse, strict=True))
    line = log_rational([Head([[t]], [1]) for t in (first, first + GAP, *(t for t, _ in others))], 1)
    delta_0 = stability(line, Draw(((1,),), ((1,),))).delta_0  # the probe (e_1, e_1) sees this model
    e_1 = unit(d, 0)
    rows = [(f"F({k})", str(a), str(b)) for k, a, b in zip(copies, exact, coarse, strict=True)]
    return Counterexample(
        kind=KIND.name,
        dropped=KIND.dropped,
        case="complex-poles",
        why=(
            f"the outputs are within delta = {decimal_above(delta)} of the exact ones, past delta_0 = "
            f"{decimal_below(delta_0)} of this probe: the only function of its kind through them has poles -1/t with "
            f"t^2 - ({total}) t + {wrong} = 0, of discriminant {total * total - 4 * wrong}: a complex pair, no heads"
        ),
        models=(model,),
        tables=(Table("the probe (e_1, e_1)", ("query", "exact output", "output with an error"), tuple(rows)),),
        evaluated=(single(e_1), *probe_sequences(e_1, e_1, copies)),
    )


def _pair(total: fmpq, product: fmpq, k: int) -> fmpq:
    return k * (total + 2 * k * product) / (1 + k * total + k * k * product)


def _first_pole(request: Request) -> fmpq:
    generator = request.random()
    return fmpq(2) if generator is None else fmpq(generator.randint(2, 6), generator.randint(1, 2))


def _two_models(request: Request) -> Counterexample:
    H, d = request.heads_from(2, "two poles are close"), request.dim_from(1)
    first, step, N = (_first_pole(request), *FINER) if request.random() else (fmpq(1), *SMALLEST)
    others = [(first + h, fmpq(1)) for h in range(2, H)]
    near_pair = [(first, -N), (first + step, N)]
    far_pair = [(first - step / 2, -N / 2), (first + 3 * step / 2, N / 2)]
    near, far = _line([*near_pair, *others], d), _line([*far_pair, *others], d)
    e_1 = unit(d, 0)
    sequences = [single(e_1), *probe_sequences(e_1, e_1, range(1, 2 * H + 1))]
    differences = [abs(_value(near_pair, k) - _value(far_pair, k)) for k in range(1, 2 * H + 1)]
    rows = [(f"F({k})", str(value), decimal_above(value)) for k, value in enumerate(differences, 1)]
    most = max(differences)
    return Counterexample(
        kind=KIND.name,
        dropped=KIND.dropped,
        case="two-models",
        why=(
            f"at every query the outputs differ by {decimal_above(most)} at most, entries of v by {N / 2}: outputs "
            "known up to half of that leave v open, whatever the learner"
        ),
        models=(near, far),
        agree_on=(sequences[0],),
        differ_on=sequences[1],
        tables=(
            Table("how the models differ at the probe (e_1, e_1)", ("query", "exactly", "about"), tuple(rows)),
        ),
        evaluated=tuple(sequences[2:]),
    )


def _line(parts: list[tuple[fmpq, fmpq]], d: int) -> MultiHeadAttention:
    return log_rational([Head(with_entry(constant(d, 1), 0, 0, t), [c, *[0] * (d - 1)]) for t, c in parts], d)


def _value(parts: list[tuple[fmpq, fmpq]], k: int) -> fmpq:
    return sum((c * k * t / (1 + k * t) for t, c in parts), fmpq(0))


KIND = Kind(
    "too-coarse",
    "outputs are known up to delta_0, when they are not exact",
    build,
    cases=("complex-poles", "two-models"),
)
