"""Linear algebra with large symmetric positive definite matrices, in short steps.

Python notices Ctrl-C only between two calls of numpy, and one call can take minutes for thousands of engines.
So large matrices are divided into blocks. Each call then takes a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["inverse", "solve"]

_Numbers = NDArray[np.float64]

SMALL: Final = 1500
"""The largest matrix that needs no blocks."""

BLOCK: Final = 512
"""The number of rows in a block."""


def solve(matrix: _Numbers, values: _Numbers) -> _Numbers:
    """Solve ``matrix @ x = values``, shapes (n, n) and (n,)."""
    x = values.copy()
    if len(matrix) <= SMALL:
        x[:] = np.linalg.solve(matrix, values)
        return x
    lower = _factor(matrix)
    blocks = list(_blocks(len(x)))
    for rows in blocks:
        x[rows] = np.linalg.solve(lower[rows, rows], x[rows] - lower[rows, : rows.start] @ x[: rows.start])
    for rows in reversed(blocks):
        x[rows] = np.linalg.solve(lower[rows, rows].T, x[rows] - lower[rows.stop :, rows].T @ x[rows.stop :])
    return x


def inverse(matrix: _Numbers) -> _Numbers:
    """Return the inverse of a matrix, shape (n, n)."""
    result = matrix.copy()
    if len(matrix) <= SMALL:
        result[:] = np.linalg.inv(matrix)
        return result
    lower = _factor(matrix)
    size = len(matrix)
    blocks = list(_blocks(size))
    ends = [np.linalg.inv(lower[rows, rows]) for rows in blocks]
    root = np.zeros_like(lower)  # the inverse of the factor
    for number, columns in enumerate(blocks):
        root[columns, columns] = ends[number]
        for rows, end in zip(blocks[number + 1 :], ends[number + 1 :], strict=True):
            before = slice(columns.start, rows.start)
            root[rows, columns] = -end @ (lower[rows, before] @ root[before, columns])
    for rows in blocks:
        for columns in _blocks(rows.stop):
            result[rows, columns] = root[rows.start :, rows].T @ root[rows.start :, columns]
            result[columns, rows] = result[rows, columns].T
    return result


def _factor(matrix: _Numbers) -> _Numbers:
    """Return the Cholesky factor: a lower triangular matrix. Its product with its transpose is ``matrix``."""
    lower = np.tril(matrix)
    for columns in _blocks(len(lower)):
        lower[columns, columns] = np.linalg.cholesky(
            lower[columns, columns]
        )  # which reads the lower half only
        end = np.linalg.inv(lower[columns, columns]).T
        below = [
            slice(columns.stop + rows.start, columns.stop + rows.stop)
            for rows in _blocks(len(lower) - columns.stop)
        ]
        for rows in below:
            lower[rows, columns] = lower[rows, columns] @ end
        for rows in below:
            left = slice(columns.stop, rows.stop)
            lower[rows, left] -= lower[rows, columns] @ lower[left, columns].T
    return np.tril(lower)


def _blocks(size: int) -> Iterator[slice]:
    """Yield the rows of each block of a matrix with ``size`` rows."""
    for start in range(0, size, BLOCK):
        yield slice(start, min(start + BLOCK, size))
