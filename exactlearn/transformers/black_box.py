"""A Transformer as a black box: exact rationals at the rational place; at the p-adic place residues, signs by balls.

The image in Z/p^k knows no order, so that the black box of a true-e model looks at the real place as well: a ball that
does not hold zero decides whether a unit is active, and a ball that always does is decided by structure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from flint import arb, ctx, fmpq, fmpq_mat, fmpz

from exactlearn.model import Matrix, Transformer, Vector, dot
from exactlearn.places.padic import PadicBlackBox, PadicFieldBlackBox
from exactlearn.places.protocol import Answer, BlackBox, IntegerToken
from exactlearn.places.rational import RationalBlackBox
from exactlearn.places.real import as_ball
from exactlearn.places.residues import ResidueRing
from exactlearn.places.symbolic import evaluate

FIRST_SIGN_BITS = (64, 256)
"""Balls of so many bits are looked at first; a preactivation that is nearer to zero is decided by structure."""


def transformer_black_box(model: Transformer) -> BlackBox:
    """The black box at the place of the model's weights."""
    return RationalTransformerBox(model) if model.weights == "log-rational" else PadicTransformerBox(model)


class _TransformerBox:
    """What both places share: copies are counted tokens."""

    def value(self, tokens: Sequence[IntegerToken], ring: ResidueRing) -> Answer:
        """F of the sequence."""
        return self.counted(Counter(tokens), tokens[-1], ring)

    def copies(self, x: IntegerToken, y: IntegerToken, counts: Sequence[int], ring: ResidueRing) -> list[Answer]:
        """F of k copies of x + y followed by y, for each k of `counts`."""
        both = tuple(a + b for a, b in zip(x, y, strict=True))
        return [self.counted(Counter({both: k}) + Counter({y: 1}), y, ring) for k in counts]

    def counted(self, counts: Mapping[IntegerToken, int], final: IntegerToken, ring: ResidueRing) -> Answer:
        """F of so many copies of each token, read at the final token, which is one of them."""
        raise NotImplementedError


class RationalTransformerBox(_TransformerBox):
    """Exact values of a log-rational Transformer."""

    def __init__(self, model: Transformer) -> None:
        self._model = model
        self._values = [[head.v for head in z.heads] for z in model.preactivations]
        self._box = RationalBlackBox(model.attention((fmpq(0),) * model.dim for _ in model.heads))

    def counted(self, counts: Mapping[IntegerToken, int], final: IntegerToken, ring: ResidueRing) -> fmpq:
        """F as a rational number."""
        del ring
        means = self._means(counts, final)
        total = fmpq(0)
        for u, values in zip(self._model.u, self._values, strict=True):
            z = sum((dot(v, mean) for v, mean in zip(values, means, strict=True)), fmpq(0))
            if z > 0:
                total += u * z
        return total

    def _means(self, counts: Mapping[IntegerToken, int], final: IntegerToken) -> list[Vector]:
        """xi_h, the tokens' mean with the weights of the softmax, for every head."""
        if len(counts) == 1:  # every softmax gives the token itself, however long its powers are
            return [tuple(fmpq(a) for a in final)] * len(self._model.heads)
        tokens = list(counts)
        columns = [self._box._poles(_minus(token, final), final) for token in tokens]  # noqa: SLF001  # one kernel
        means = []
        for poles in zip(*columns, strict=True):
            weights = [counts[token] * pole for token, pole in zip(tokens, poles, strict=True)]
            bottom = sum(weights, fmpq(0))
            means.append(
                tuple(
                    sum((w * token[a] for w, token in zip(weights, tokens, strict=True)), fmpq(0)) / bottom
                    for a in range(self._model.dim)
                )
            )
        return means


class PadicTransformerBox(_TransformerBox):
    """Residues of the values of a true-e Transformer."""

    def __init__(self, model: Transformer) -> None:
        self._model = model
        self._preactivations = model.preactivations
        self._values = [[head.v for head in z.heads] for z in self._preactivations]
        kernel = model.attention((fmpq(0),) * model.dim for _ in model.heads)
        self._box = PadicBlackBox(kernel) if model.field is None else PadicFieldBlackBox(kernel)
        self._weights = [head.W if model.field else fmpq_mat([list(row) for row in head.W]) for head in model.heads]

    def counted(self, counts: Mapping[IntegerToken, int], final: IntegerToken, ring: ResidueRing) -> fmpz:
        """F mod p^k."""
        active = [j for j, sign in enumerate(self._signs(counts, final)) if sign > 0]
        if not active:
            return fmpz(0)
        means = self._means(counts, final, ring)
        total = fmpz(0)
        for j in active:
            images = [ring.reduce_all(v) for v in self._values[j]]
            z = sum(
                (a * b for v, mean in zip(images, means, strict=True) for a, b in zip(v, mean, strict=True)), fmpz(0)
            )
            total += ring.reduce(self._model.u[j]) * z
        return total % ring.modulus

    def _means(self, counts: Mapping[IntegerToken, int], final: IntegerToken, ring: ResidueRing) -> list[list[fmpz]]:
        """The images of xi_h for every head."""
        if len(counts) == 1:
            return [[fmpz(a) for a in final]] * len(self._model.heads)
        tokens = list(counts)
        columns = [self._box._poles(_minus(token, final), final, ring) for token in tokens]  # noqa: SLF001  # one kernel
        weights = [
            [counts[token] * pole for token, pole in zip(tokens, poles, strict=True)]
            for poles in zip(*columns, strict=True)
        ]
        inverses = ring.inverses([sum(row, fmpz(0)) for row in weights])
        return [
            [
                sum((w * token[a] for w, token in zip(row, tokens, strict=True)), fmpz(0)) * inverse % ring.modulus
                for a in range(self._model.dim)
            ]
            for row, inverse in zip(weights, inverses, strict=True)
        ]

    def _signs(self, counts: Mapping[IntegerToken, int], final: IntegerToken) -> list[int]:
        """The sign of every z_j."""
        tokens = list(counts)
        readouts = [[[dot(v, [fmpq(a) for a in x]) for x in tokens] for v in values] for values in self._values]
        if len(tokens) == 1:
            return [_sign(sum((row[0] for row in rows), fmpq(0))) for rows in readouts]
        exponents = [self._exponents(weights, tokens, final) for weights in self._weights]
        signs: list[int | None] = [None] * len(readouts)
        for bits in FIRST_SIGN_BITS:
            with ctx.workprec(bits):
                softmaxes = [self._softmax(row, list(counts.values())) for row in exponents]
                for j, rows in enumerate(readouts):
                    if signs[j] is None:
                        pairs = zip(softmaxes, rows, strict=True)
                        terms = (w * as_ball(c) for weights, row in pairs for w, c in zip(weights, row, strict=True))
                        ball = sum(terms, arb(0))
                        signs[j] = 1 if ball > 0 else -1 if ball < 0 else None
            if None not in signs:
                break
        sequence = [[fmpq(a) for a in x] for x, n in counts.items() for _ in range(n - (x == final))]
        sequence.append([fmpq(a) for a in final])
        return [
            evaluate(self._preactivations[j], sequence).sign() if sign is None else sign for j, sign in enumerate(signs)
        ]

    def _exponents(self, weights: fmpq_mat | Matrix, tokens: Sequence[IntegerToken], final: IntegerToken) -> list[fmpq]:
        """(x - y)^T W y for every token x, y the final one."""
        if isinstance(weights, fmpq_mat):
            column = (weights * fmpq_mat([[a] for a in final])).entries()
        else:
            column = [dot(row, [fmpq(a) for a in final]) for row in weights]
        return [dot(column, [fmpq(a) for a in _minus(token, final)]) for token in tokens]

    def _softmax(self, exponents: Sequence[fmpq], counts: Sequence[int]) -> list[arb]:
        """Balls around n e^(c r) / sum n e^(c r), the largest exponent taken off first."""
        unit = self._model.unit
        scale = arb(unit.square).sqrt() * unit.sign
        largest = max(exponents) if unit.sign > 0 else min(exponents)
        weights = [n * (scale * as_ball(r - largest)).exp() for r, n in zip(exponents, counts, strict=True)]
        total = sum(weights, arb(0))
        return [weight / total for weight in weights]


def _sign(value: fmpq) -> int:
    return int(value > 0) - int(value < 0)


def _minus(left: IntegerToken, right: IntegerToken) -> IntegerToken:
    return tuple(a - b for a, b in zip(left, right, strict=True))
