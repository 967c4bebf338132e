"""Clinics: one law each, measured on stacks fresh from initialisation or on a shipped model. A
clinic asks for no input text.

A clinic is a function of its own parameters, `seed` and `seeds`, and gives an answer whose fields
are `law` (TeX), `source`, `init` and `findings` (findings.py), beside the tensors that are drawn. A
tensor that takes all seeds together has one named `.by_seed` beside it, [seed, …], of each seed
alone.
"""

from pkgutil import iter_modules

CLINICS = tuple(module.name for module in iter_modules(__path__) if not module.name.startswith("_"))
