"""Attribution: how much each input token mattered for one prediction. Read methods.py first."""
