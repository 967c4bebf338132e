"""Edits: interventions that change an activation; everything computed later uses the changed value.
Read edit.py first, then operations.py.

    edit        one change: an operation on some of the cells of an activation
    cells       the numbers of an activation that an edit changes
    arrived     an activation as the edited pass computed it, before its edits
    left        the same activation after its edits, as the next part of the network reads it
    invariant   an equation that holds in every unedited pass, for example that a row of a pattern
                sums to 1

An edited pass is an ordinary forward pass whose trace has hooks that change values (editor.py); no
layer knows about edits. Turning a part off and observing the output is called ablation, and
replacing a value with that of another input is activation patching (Vig et al. 2020, section 3;
Meng et al. 2022, section 2; Wang et al. 2023, section 3).
"""
