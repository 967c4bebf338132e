# /docs.
-found_by = API, REST, point d’accès, endpoint, Python, client Python, NumPy, notebook, Jupyter, pandas, télécharger les nombres, données brutes, exporter, export, curl, JSON, OpenAPI, documentation
