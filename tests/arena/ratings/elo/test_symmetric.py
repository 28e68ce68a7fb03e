"""Linear algebra in blocks gives what numpy gives in one call."""

import numpy as np
import pytest

from arena.ratings.elo import symmetric


@pytest.fixture(params=[3, 7, 16, 23, 40])
def matrix(request, monkeypatch):
    monkeypatch.setattr(symmetric, "SMALL", 5)
    monkeypatch.setattr(symmetric, "BLOCK", 8)
    size = request.param
    root = np.random.default_rng(1).standard_normal((size, size))
    return root @ root.T + np.eye(size)


def test_a_system_is_solved_whether_it_needs_blocks_or_not(matrix):
    values = np.arange(len(matrix), dtype=float)
    before = matrix.copy(), values.copy()
    assert symmetric.solve(matrix, values) == pytest.approx(np.linalg.solve(matrix, values))
    assert np.array_equal(matrix, before[0])
    assert np.array_equal(values, before[1])


def test_a_matrix_is_inverted_whether_it_needs_blocks_or_not(matrix):
    found = symmetric.inverse(matrix)
    assert found == pytest.approx(np.linalg.inv(matrix))
    assert found == pytest.approx(found.T)
