"""Clinics. A clinic takes one law of the literature, measures it on freshly initialised stacks or
on a shipped model, and says whether the law holds.

A clinic is a file and a function of the same name, whose parameters are those of the clinic, `seed`
and `seeds`; the function takes no run. The answer has the fields `law` (in TeX), `source`, `init`
(how the weights or numbers were drawn) and `findings` (answers/measurements.py), and the tensors
that are drawn as figures. What is expected of each number stands in its table LAWS, or in one of
`model/measure`. For a tensor that pools all seeds there is a tensor `<name>.by_seed`,
[seed, …], with the same quantity for each seed alone.

Files and folders whose names begin with "_" are no clinics: they hold what several clinics share.
"""

from pkgutil import iter_modules

CLINICS = tuple(module.name for module in iter_modules(__path__))
