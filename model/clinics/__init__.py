"""Clinics. A clinic takes one law of the literature, measures it on stacks fresh from
initialisation or on a shipped model, and says whether the law holds.

A clinic is a file and a function of the same name, whose parameters are those of the clinic,
`seed` and `seeds`; it takes no run. Its answer has the fields `law` (in TeX), `source`, `init`, how
the weights or numbers were drawn, and `findings` (answers/measurements.py), beside the tensors that
are drawn. Beside a tensor that takes all seeds together stands one named `.by_seed`, [seed, …],
with the same of each seed alone.

Only a folder or a file whose name begins with "_" is no clinic: it holds what clinics share.
"""

from pkgutil import iter_modules

CLINICS = tuple(module.name for module in iter_modules(__path__) if not module.name.startswith("_"))
