"""What an installation adds to an environment: this package, which holds a checkout's app/, model/,
static/ and templates/ in `_bundle`. Only Vitrine's own processes have that folder on their path, so
no other project's `app` or `model` is met or overwritten.
"""
