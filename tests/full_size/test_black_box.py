"""The black box at full size against the p-adic place, and its blocks against written-out sequences."""

from __future__ import annotations

from pathlib import Path

import pytest
from flint import fmpz, fmpz_mat
from small_layers import SmallLayer

from exactlearn.errors import NotAttentionError, UnusableInputError
from exactlearn.examples import load
from exactlearn.files.transformer_file import any_model_from_text
from exactlearn.full_size.black_box import LayerBlackBox
from exactlearn.full_size.converting import affine_layer, attention_layer
from exactlearn.full_size.draw import LayerDraw
from exactlearn.full_size.layer import AffineLayer, canonical_layer, first_difference
from exactlearn.full_size.parity import Parity
from exactlearn.full_size.powers import BaseU
from exactlearn.full_size.sources import ModelSource
from exactlearn.full_size.writing import layer_text
from exactlearn.layers.canonical import same_layer
from exactlearn.model import AttentionLayer
from exactlearn.places.padic import PadicPlace
from exactlearn.places.residues import ResidueRing

RING = ResidueRing.seeded(1, 4)


@pytest.mark.parametrize("name", ["true-e", "sqrt-unit", "digits-h2"])
def test_values_are_those_of_the_padic_place(name: str) -> None:
    """Without biases and with one output it is the model that the p-adic place evaluates."""
    model = load(name)
    place = PadicPlace(model.unit).black_box(model)
    ours = ModelSource(name)()
    draw = LayerDraw(model.dim, 1, 2, 4)
    for length in (1, 2, 4):
        tokens = [draw.other(f"{length} {n}") for n in range(length)]
        assert ours.value(tokens, RING) == [place.value(tokens, RING)]


def test_blocks_are_written_out_sequences() -> None:
    """Probes asked in blocks answer as the sequences themselves do, every functional and every k."""
    layer = SmallLayer()
    box = layer()
    draw = LayerDraw(layer.dim, layer.outputs, layer.heads, 2)
    look = box.look(draw.functionals, RING)
    rows, ys = draw.xs[:3], draw.ys[:2]
    samples, firsts = box.probes(box.rows(look, rows), ys, 4)
    every = box.several(box.rows(box.look(None, RING), rows), ys[0], 4)
    for i, x in enumerate(rows):
        for j, y in enumerate(ys):
            added = tuple(a + b for a, b in zip(x, y, strict=True))
            values = [box.value([added] * k + [y], RING) for k in (1, 2, 3, 4)]
            seen = [(draw.functionals * fmpz_mat(layer.outputs, 1, value)).entries() for value in values]
            assert [of_k[0] % RING.modulus for of_k in seen] == samples[j].tolist()[i]
            assert [e % RING.modulus for e in seen[0]] == [row[j] for row in firsts[i].tolist()]
            if j == 0:
                assert values == every[i].tolist()
    assert box.at_length_one(box.look(None, RING), ys)[1] == box.value([ys[1]], RING)


def test_queries_are_counted() -> None:
    """One for each sequence, whichever functionals are looked at; the longest is remembered."""
    layer = SmallLayer()
    box = layer()
    draw = LayerDraw(layer.dim, layer.outputs, layer.heads, 2)
    look = box.look(draw.functionals, RING)
    box.probes(box.rows(look, draw.xs[:3]), draw.ys[:2], 4)
    assert (box.queries, box.max_length) == (3 * 2 * 4, 5)
    box.firsts(box.rows(look, draw.xs[:3]), draw.ys[:2])
    box.value([draw.ys[0]] * 7, RING)
    assert (box.queries, box.max_length) == (24 + 6 + 1, 7)


@pytest.mark.parametrize("digits", [2, 3, 5, 9])
def test_powers_and_logarithms(digits: int) -> None:
    """U^r by tables is the plain power, U^r U^s = U^(r+s), and the logarithm undoes it mod p^(k-1)."""
    ring = ResidueRing.seeded(3, digits)
    base = BaseU(ring)
    u = ring.teichmuller_square * (1 + ring.prime) % ring.modulus
    for exponent in (fmpz(0), fmpz(1), fmpz(-1), fmpz(3) ** 200, -(fmpz(7) ** 150)):
        power = base.power(exponent)
        assert power == pow(u, exponent % base.order, ring.modulus)
        assert base.log(power) == exponent % ring.log_modulus
        assert power * base.power(fmpz(5) - exponent) % ring.modulus == base.power(fmpz(5))


def test_a_logarithm_of_no_power() -> None:
    """A non-square mod p is no power of U."""
    base = BaseU(ResidueRing.seeded(3, 3))
    with pytest.raises(NotAttentionError, match="no power of e"):
        base.log(fmpz(-1))


def test_tables_need_a_large_prime() -> None:
    """The series divide by every number below k."""
    with pytest.raises(UnusableInputError, match="beyond the number of digits"):
        BaseU(ResidueRing(5, 7))


def test_parity_knows_the_poles() -> None:
    """The check holds at the true poles, and for no other ones, nor for samples of which one is changed."""
    layer = SmallLayer(heads=3)
    box: LayerBlackBox = layer()
    draw = LayerDraw(layer.dim, layer.outputs, 3, 2)
    look = box.look(draw.functionals, RING)
    y = draw.ys[0]
    samples = box.copies(box.rows(look, draw.xs[:2]), [y], 6)[0]
    zero = box.at_length_one(look, [y])[0][0]
    base = BaseU(RING)
    exact = layer.layer()
    column = fmpz_mat([[entry] for entry in (*y, 1)])
    poles = []
    for x in draw.xs[:2]:
        row = []
        for head in exact.heads:
            score = (fmpz_mat([list(x)]) * head.scores.numerators * column)[0, 0]
            scale = pow(head.scores.denominator, -1, base.order)
            row.append(int(base.power(score * scale) % RING.prime))
        poles.append(row)
    parity = Parity(RING, 3, 0)
    assert parity.holds(samples, zero, poles) == [True, True]
    wrong = [poles[0], [*poles[1][:2], poles[1][2] + 1]]
    assert parity.holds(samples, zero, wrong) == [True, False]
    assert parity.holds(samples, zero + 1, poles) == [False, False]
    entries = samples.entries()
    entries[4] += 1
    assert parity.holds(fmpz_mat(2, 6, entries), zero, poles) == [False, True]


def test_model_sources_refuse_other_weights() -> None:
    """Log-rational weights have no place here."""
    with pytest.raises(UnusableInputError, match="rational weights"):
        ModelSource("two-heads").layer()


def test_a_layer_as_a_file_reads_back() -> None:
    """The text is a model file, and holds every number exactly; both forms of a layer are one function."""
    layer = SmallLayer(dim=3, outputs=2).layer()
    read = any_model_from_text("".join(layer_text(layer)), "text")
    assert isinstance(read, AttentionLayer)
    assert same_layer(read, attention_layer(layer)).holds
    assert first_difference(affine_layer(read), layer) is None
    assert same_layer(read, attention_layer(SmallLayer(dim=3, outputs=2, seed=1).layer())).holds is False


@pytest.mark.parametrize("length", [1, 2, 4])
def test_biases_are_those_of_homogeneous_coordinates(length: int) -> None:
    """Every output is an attention model without biases on tokens (x, 1), which the p-adic place evaluates."""
    small = SmallLayer(dim=3, outputs=2)
    layer = attention_layer(small.layer())
    tokens = [LayerDraw(3, 2, 2, 6).other(f"{length} {n}") for n in range(length)]
    expected = []
    for reading in layer.readings:
        box = PadicPlace(layer.unit).black_box(reading)
        expected.append(box.value([(*token, 1) for token in tokens], RING))
    assert small().value(tokens, RING) == expected


def test_a_layers_model_file_is_a_source(tmp_path: Path) -> None:
    """A model file with biases and several outputs, its double heads merged."""
    layer = SmallLayer(dim=3, outputs=2).layer()
    doubled = AffineLayer((*layer.heads, layer.heads[0]), layer.constant, 3, layer.unit)
    path = tmp_path / "layer.json"
    path.write_text("".join(layer_text(doubled)), encoding="utf-8")
    source = ModelSource(str(path))
    assert first_difference(source.layer(), canonical_layer(doubled)) is None
    assert len(source.layer().heads) == 2
    assert len(source.label) == 64
