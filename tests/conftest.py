"""Every shape that the model's code states in its types is checked while the tests run."""

import jaxtyping

jaxtyping.install_import_hook("model", "beartype.beartype")
