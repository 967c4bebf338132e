"""Drawings: what is no chart, made of an answer as SVG. `svg` writes its elements; there is a file
for each word of the API that is drawn so. They run in the worker, beside the analyses. `placement`
and `averages` need no answer: the start page has them as the server sends it.
"""
