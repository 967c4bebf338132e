"""Forward hooks that change what a module reads or gives."""

from collections.abc import Callable

from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

Change = Callable[[Tensor], Tensor]


def entering(module: nn.Module, change: Change) -> RemovableHandle:
    """A hook on what the module reads."""
    return module.register_forward_pre_hook(lambda _, args: (change(args[0].clone()), *args[1:]))


def leaving(module: nn.Module, change: Change) -> RemovableHandle:
    """A hook on what the module gives, the first of several."""

    def hook(_, __, output):
        first, *rest = output if isinstance(output, tuple) else (output,)
        return (change(first.clone()), *rest) if rest else change(first.clone())

    return module.register_forward_hook(hook)
