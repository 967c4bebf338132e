"""The plane of a column's vectors is that of scikit-learn's principal components."""

import numpy as np
import torch
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from model.interpretability.categories import plane, planes
from tests.model.support.row_runs import FT, row_model
from tests.rounding import same


def test_categories_lie_where_principal_components_put_them():
    vectors = torch.randn(9, 6, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    found, theirs = plane(vectors), PCA(2).fit(vectors.numpy())
    expected = theirs.transform(vectors.numpy())
    same(found.places.abs().numpy(), np.abs(expected), scale=1)
    same(found.shares, tuple(theirs.explained_variance_ratio_))
    nearest = NearestNeighbors(n_neighbors=2).fit(vectors.numpy()).kneighbors(vectors.numpy())[1]
    assert found.nearest == nearest[:, 1].tolist()
    turned = plane(-vectors).places
    same(turned.abs(), found.places.abs(), scale=1)
    assert (found.places.gather(0, found.places.abs().argmax(0, keepdim=True)) > 0).all()


def test_a_column_of_few_categories_has_no_plane_and_a_missing_value_is_no_category():
    model = row_model(**FT, categories=(5, 4)).transformer
    found = planes(model)
    assert set(found) == {0}
    assert torch.equal(found[0].places, plane(model.embedding.token.categories.table[:4]).places)
