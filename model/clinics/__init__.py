"""Clinics. A clinic measures one prediction from the literature on freshly initialized stacks or on
an included model, and reports whether it holds.

A clinic is a file and a function with the same name. The function's parameters are those of the
clinic, `seed`, and `seeds`; it takes no run. The answer has the fields `law` (in TeX), `source`,
`init` (how the weights or numbers were sampled), and `findings` (answers/measurements.py), and the
tensors plotted in figures. The expected range of each number is in its table LAWS, or in one of
`model/measure`. A tensor that pools all seeds comes with a tensor `<name>.by_seed` [seed, …], the
same quantity for each seed.

Files and folders whose names begin with "_" are not clinics; they hold code shared by several.
"""

from pkgutil import iter_modules

CLINICS = tuple(module.name for module in iter_modules(__path__))
