"""Edits: a number inside a model is changed, and everything that is computed later is computed from
the changed number. Read edit.py first, then operations.py.

    edit        one change: an operation, at an activation, in some of its cells
    cells       the numbers of an activation that an edit changes
    arrived     an activation as the edited pass computed it, before its edits
    left        the same activation after its edits, as the next part of the network reads it
    invariant   an equation that holds in every unedited pass, for example that a row of a pattern
                sums to 1

An edited pass is an ordinary forward pass whose trace has hooks that change values on their way
(editor.py); no layer knows of edits. Turning a part off and reading what becomes of the answer
is called ablation, and replacing a value by that of another input activation patching (Vig et al.
2020, section 3; Meng et al. 2022, section 2; Wang et al. 2023, section 3).
"""
