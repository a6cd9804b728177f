"""From the projections of an attention layer, weights and biases, to its exact heads (DESIGN section 10)."""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq, fmpq_mat

from exactlearn.errors import UnusableInputError
from exactlearn.model import AttentionLayer, LayerHead, Unit


@dataclass(frozen=True)
class Projections:
    """Linear maps of column vectors, as in q = Q x + q_0; H heads of size s, in blocks of s rows.

    Attributes:
        query: (H s) x d.
        key: (G s) x d; G divides H, and each of the G blocks serves H / G successive query heads.
        value: (G s) x d.
        out: m x (H s).
        query_bias: (H s) x 1.  The keys' bias adds the same to every score of a softmax and is not here.
        value_bias: (G s) x 1.
        out_bias: m x 1.
    """

    query: fmpq_mat
    key: fmpq_mat
    value: fmpq_mat
    out: fmpq_mat
    query_bias: fmpq_mat
    value_bias: fmpq_mat
    out_bias: fmpq_mat

    def head_size(self, heads: int) -> int:
        """The rows of a head.

        Raises:
            UnusableInputError: When `heads` does not fit the projections.
        """
        rows = self.query.nrows()
        if heads < 1 or rows % heads or not rows:
            raise UnusableInputError(f"{heads} heads do not divide the width {rows}", "num_heads")
        size = rows // heads
        groups = self.key.nrows() // size
        if self.key.nrows() % size or not groups or heads % groups:
            reason = f"keys with {self.key.nrows()} rows do not serve {heads} heads of size {size}"
            raise UnusableInputError(reason, "num_heads")
        return size

    def read_out(self, readout: fmpq_mat, bias: fmpq_mat) -> Projections:
        """The layer followed by x -> `readout` x + `bias`."""
        out, out_bias = readout * self.out, readout * self.out_bias + bias
        return Projections(self.query, self.key, self.value, out, self.query_bias, self.value_bias, out_bias)

    def layer(self, heads: int, unit: Unit) -> AttentionLayer:
        """The exact layer with scores (K x_i).(Q x_n + q_0) and values O_h (Vw x_i + v_0).

            W_h = K_h^T Q_h,   p_h = K_h^T q_0h,   V_h = O_h Vw_h,   s = O v_0 + o.

        Args:
            heads: H.
            unit: The factor on every score.

        Raises:
            UnusableInputError: As `head_size`.
        """
        size = self.head_size(heads)
        sharing = heads // (self.key.nrows() // size)
        made = []
        constant = self.out_bias
        for h in range(heads):
            key = rows_of(self.key, h // sharing * size, size).transpose()
            out = columns_of(self.out, h, size)
            W = key * rows_of(self.query, h * size, size)
            p = key * rows_of(self.query_bias, h * size, size)
            V = out * rows_of(self.value, h // sharing * size, size)
            constant += out * rows_of(self.value_bias, h // sharing * size, size)
            made.append(LayerHead(W.tolist(), p.entries(), V.tolist()))
        dim, outputs = self.query.ncols(), self.out.nrows()
        return AttentionLayer(made, dim=dim, outputs=outputs, s=[fmpq(e) for e in constant.entries()], unit=unit)


def rows_of(matrix: fmpq_mat, first: int, count: int) -> fmpq_mat:
    """`count` rows from `first` on."""
    return fmpq_mat([[matrix[i, j] for j in range(matrix.ncols())] for i in range(first, first + count)])


def columns_of(matrix: fmpq_mat, block: int, size: int) -> fmpq_mat:
    """The block of this number among blocks of `size` columns."""
    columns = range(block * size, (block + 1) * size)
    return fmpq_mat([[matrix[i, j] for j in columns] for i in range(matrix.nrows())])
