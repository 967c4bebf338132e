"""A shelf for models of one's own."""

from tests.model.support.own_models import shelf  # noqa: F401
