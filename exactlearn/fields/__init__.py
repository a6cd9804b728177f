"""Real number fields K = Q(a) and their elements, exactly (DESIGN section 2, "Number fields")."""

from exactlearn.fields.composing import Composition, compose, square_root_in
from exactlearn.fields.element import FieldElement
from exactlearn.fields.number_field import MAXIMAL_DEGREE, NumberField
from exactlearn.fields.scalars import Scalar, as_scalar, common_field, rational_part

__all__ = [
    "MAXIMAL_DEGREE",
    "Composition",
    "FieldElement",
    "NumberField",
    "Scalar",
    "as_scalar",
    "common_field",
    "compose",
    "rational_part",
    "square_root_in",
]
