"""Which file of `model/` imports which."""

from graphlib import TopologicalSorter

import grimp


def test_no_file_imports_one_that_imports_it_not_even_for_its_types():
    """The contracts of pyproject.toml do not see what is imported for types alone."""
    graph = grimp.build_graph("model", exclude_type_checking_imports=False, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imports) > 250
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the circle
