"""Attribution: which input tokens mattered for one answer. Read methods.py first."""
